import { access } from "./access.mjs";
import { module } from "./module.mjs";
import { offline } from "./offline.mjs";
import { playing } from "./playing.mjs";
import { words } from "./words.mjs";

export const tests = [...words, ...module, ...playing, ...offline, ...access];
