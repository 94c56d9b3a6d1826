import { access } from "./access.mjs";
import { gpu } from "./gpu.mjs";
import { habits } from "./habits.mjs";
import { newcomer } from "./newcomer.mjs";
import { module } from "./module.mjs";
import { offline } from "./offline.mjs";
import { playing } from "./playing.mjs";
import { product } from "./product.mjs";
import { right } from "./right.mjs";
import { tables } from "./tables.mjs";
import { words } from "./words.mjs";

export const tests = [...words, ...module, ...gpu, ...playing, ...newcomer, ...product, ...habits, ...offline, ...right, ...tables, ...access];
