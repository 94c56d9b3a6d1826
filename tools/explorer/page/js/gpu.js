// A graphics processor solves what is large, where the browser lends one to the page (WebGPU). What it is
// to do comes from the module, the shader as well (solver/games/src/pentago/device.rs); here it is done.

/**
 * How the work is cut, as the solver has it (`Cuts`): bytes of a buffer, lines of two slices that lie side
 * by side, lines of a batch, bytes in all, and boards from which on it is worth it, those of 18 marbles.
 * Then whether a program that plays a graphics processor is as good as one.
 */
const CUTS = { piece: 2 ** 30, beside: 2 ** 24, batch: 2 ** 22, memory: 4e9, worth: 5e7, software: false };
/** Bytes from one pass's parameters to the next one's, of the parameters themselves, and of a line. */
const [STRIDE, PARAMETERS, LINE] = [256, 64, 64];
/** Words of a step, and before the first step of a batch. */
const [STEP, HEAD] = [2 + PARAMETERS / 4, 3];

/** Whether a solution of so many boards is worth it. */
export const isLarge = (boards) => boards >= CUTS.worth;

/** The graphics processor; none if the browser has none for the page. */
export async function open() {
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
  const software = adapter?.info?.isFallbackAdapter ?? adapter?.isFallbackAdapter;
  if (!adapter || (software && !CUTS.software)) return null;
  // As much as it offers.
  const names = ["maxBufferSize", "maxStorageBufferBindingSize", "maxStorageBuffersPerShaderStage"];
  const requiredLimits = Object.fromEntries(names.map((name) => [name, adapter.limits[name]]));
  return new Gpu(await adapter.requestDevice({ requiredLimits }));
}

class Gpu {
  constructor(device) {
    this.device = device;
    /** By the text of the shader. */
    this.pipelines = new Map();
  }

  /** The module's answer to a question about values, for which the device computes what it can hold. */
  async answer(core, texts, progress) {
    const began = performance.now();
    const { maxBufferSize, maxStorageBufferBindingSize, maxStorageBuffersPerShaderStage } = this.device.limits;
    const { piece, beside, batch, memory, worth } = CUTS;
    const binding = Math.min(maxBufferSize, maxStorageBufferBindingSize);
    const limits = [binding, maxStorageBuffersPerShaderStage, piece, beside, batch, memory, worth].join(" ");
    for (;;) {
      const answer = core.ask(...texts, limits);
      if (!answer.device) return { ...answer, seconds: (performance.now() - began) / 1000 };
      if (!core.learn(await this.run(core, answer.device, progress))) throw new Error("lines are missing");
    }
  }

  /** Does what the module says, and gives the lines that were read. */
  async run(core, task, progress) {
    const { device, device: { queue } } = this;
    const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const buffers = [];
    const buffer = (size, usage) => {
      // No binding is empty.
      buffers.push(device.createBuffer({ size: Math.max(size, STRIDE), usage }));
      return buffers.at(-1);
    };
    try {
      const pipeline = await this.pipeline(task.shader, task.pieces.length);
      for (const kind of ["validation", "out-of-memory"]) device.pushErrorScope(kind);
      const words = buffer(task.words, STORAGE | COPY_DST);
      const fives = buffer(task.fives, STORAGE | COPY_DST);
      const parameters = buffer(task.parameters, UNIFORM | COPY_DST);
      const pieces = task.pieces.map((size) => buffer(size, STORAGE | COPY_SRC));
      const read = buffer(task.reads, MAP_READ | COPY_DST);
      const bound = [[{ buffer: parameters, size: PARAMETERS }, { buffer: words }, { buffer: fives }], pieces.map((piece) => ({ buffer: piece }))]
        .map((all, group) => device.createBindGroup({
          layout: pipeline.getBindGroupLayout(group),
          entries: all.map((resource, binding) => ({ binding, resource })),
        }));
      for (const error of await Promise.all([device.popErrorScope(), device.popErrorScope()])) if (error) throw error;

      let [boards, reads, before] = [0, 0, null];
      const submit = (part) => {
        const of = new Uint32Array(part[2] * STRIDE / 4);
        const encoder = device.createCommandEncoder();
        let [passes, pass] = [0, null];
        for (let i = 0; i < part[2]; i++) {
          const [x, y, ...rest] = part.subarray(HEAD + STEP * i, HEAD + STEP * (i + 1));
          if (x > 0) {
            if (!pass) {
              pass = encoder.beginComputePass();
              pass.setPipeline(pipeline);
              pass.setBindGroup(1, bound[1]);
            }
            of.set(rest, passes * STRIDE / 4);
            pass.setBindGroup(0, bound[0], [STRIDE * passes++]);
            pass.dispatchWorkgroups(x, y);
          } else {
            pass?.end();
            pass = null;
            encoder.copyBufferToBuffer(pieces[y], LINE * rest[0], read, LINE * reads++, LINE);
          }
        }
        pass?.end();
        queue.writeBuffer(parameters, 0, of, 0, passes * STRIDE / 4);
        queue.writeBuffer(words, 4 * task.tables, part, HEAD + STEP * part[2]);
        queue.submit([encoder.finish()]);
      };
      progress(0, task.boards);
      for (let part = core.part(); part.length; part = core.part()) {
        if (part[0] < 2) {
          queue.writeBuffer(part[0] ? fives : words, 4 * part[1], part, 2);
          continue;
        }
        submit(part);
        // No more than one is under way when the next one is made.
        const done = queue.onSubmittedWorkDone();
        await before;
        before = done;
        progress(boards += part[1], task.boards);
      }
      await read.mapAsync(GPUMapMode.READ, 0, LINE * reads);
      return new Uint8Array(read.getMappedRange(0, LINE * reads)).slice();
    } finally {
      for (const one of buffers) one.destroy();
    }
  }

  async pipeline(shader, pieces) {
    const { device } = this;
    if (!this.pipelines.has(shader)) {
      const layout = (buffers) => device.createBindGroupLayout({
        entries: buffers.map((buffer, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer })),
      });
      const words = { type: "read-only-storage" };
      const layouts = [layout([{ type: "uniform", hasDynamicOffset: true }, words, words]), layout(Array(pieces).fill({ type: "storage" }))];
      this.pipelines.set(shader, await device.createComputePipelineAsync({
        layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
        compute: { module: device.createShaderModule({ code: shader }) },
      }));
    }
    return this.pipelines.get(shader);
  }

  /** Gives it back. */
  close() {
    this.device.destroy();
  }
}
