// The module with threads, where the browser shares memory between workers: on pages that are
// cross-origin isolated. Each helper is a worker with an instance of its own in the same memory.

import { Core, fetched, host } from "./wasm.js";

/** Pages of 64 KB at first and at most, as the module was linked (tools/explorer/wasm/build). */
const PAGES = { initial: 64, maximum: 16384 };
/** More threads than this gain little: they wait for the memory. */
const MOST = 8;
/** Bytes of a helper's stack. */
const STACK = 1 << 20;

/** How many threads would solve; 1 if memory can't be shared. */
export function wanted() {
  return globalThis.crossOriginIsolated ? Math.min(MOST, navigator.hardwareConcurrency || 1) : 1;
}

/**
 * Loads the module and makes its pool. `hire` starts helpers, each with one of the given things, and
 * comes back when all of them have called `ready`.
 */
export async function gather(base, count, hire) {
  const memory = new WebAssembly.Memory({ ...PAGES, shared: true });
  const module = await WebAssembly.compile(await fetched("pentago-threads.wasm", base));
  const { exports } = await WebAssembly.instantiate(module, { env: { memory }, host });
  const [size, align] = [exports.__tls_size.value, exports.__tls_align.value];
  const helpers = Array.from({ length: count - 1 }, () => {
    // The stack grows down to the beginning; thread-local data is above it.
    const stack = exports.room(STACK + align + size) + STACK;
    return { module, memory, stack, local: Math.ceil(stack / align) * align };
  });
  await hire(helpers);
  if (exports.gather(count) !== 1) throw new Error("the threads were not gathered");
  return new Core(exports, memory);
}

/** A helper's part: `ready` is called before it begins, and it ends with an error or never. */
export async function help({ module, memory, stack, local }, ready) {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory }, host });
  exports.__stack_pointer.value = stack;
  exports.__wasm_init_tls(local);
  ready();
  exports.help();
}
