// One of the threads that solve together: a worker that shares the memory of the solving one.

import { help } from "./threads.js";

addEventListener("message", async ({ data }) => {
  try {
    await help(data, () => postMessage("ready"));
  } catch {
    // Told below.
  }
  postMessage("broken");
}, { once: true });
