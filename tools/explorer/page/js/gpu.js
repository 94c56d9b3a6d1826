// Solves large positions on the GPU, if the browser supports WebGPU. The module prepares the work
// and the shader (solver/games/src/pentago/device.rs). This file runs them.

/**
 * The limits of the work, as in the solver (`Cuts`): the size of a buffer in bytes, the lines of
 * two adjacent slices, the lines of a batch, the total memory in bytes, and the least number of
 * boards for which the GPU is faster, which is that of 18 marbles. `software` allows software
 * adapters.
 */
const CUTS = { piece: 2 ** 30, beside: 2 ** 24, batch: 2 ** 22, memory: 4e9, worth: 5e7, software: false };
/** Sizes in bytes: the distance between the parameters of passes, the parameters, and a line. */
const [STRIDE, PARAMETERS, LINE] = [256, 64, 64];
/** Sizes in 32-bit words: a step, and the header of a batch. */
const [STEP, HEAD] = [2 + PARAMETERS / 4, 3];

/** Returns `true` if the GPU is faster for a solution with this number of boards. */
export const isLarge = (boards) => boards >= CUTS.worth;

/** Opens the GPU. Returns null if the browser offers no suitable adapter. */
export async function open() {
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
  const software = adapter?.info?.isFallbackAdapter ?? adapter?.isFallbackAdapter;
  if (!adapter || (software && !CUTS.software)) return null;
  // The default limits are too low, so request all that the adapter offers.
  const names = ["maxBufferSize", "maxStorageBufferBindingSize", "maxStorageBuffersPerShaderStage"];
  const requiredLimits = Object.fromEntries(names.map((name) => [name, adapter.limits[name]]));
  return new Gpu(await adapter.requestDevice({ requiredLimits }));
}

class Gpu {
  constructor(device) {
    this.device = device;
    /** The pipelines, keyed by the source of their shader. */
    this.pipelines = new Map();
  }

  /** Answers a `values` request. The GPU computes the part that fits in its memory. */
  async answer(core, texts, progress) {
    const began = performance.now();
    const { maxBufferSize, maxStorageBufferBindingSize, maxStorageBuffersPerShaderStage } = this.device.limits;
    const { piece, beside, batch, memory, worth } = CUTS;
    const binding = Math.min(maxBufferSize, maxStorageBufferBindingSize);
    const limits = [binding, maxStorageBuffersPerShaderStage, piece, beside, batch, memory, worth].join(" ");
    for (;;) {
      const answer = core.ask(...texts, limits);
      if (!answer.device) return { ...answer, seconds: (performance.now() - began) / 1000 };
      if (!core.take("learn", await this.run(core, answer.device, progress))) throw new Error("lines are missing");
    }
  }

  /** Runs the work of the module. Returns the lines that the module reads. */
  async run(core, task, progress) {
    const { device, device: { queue } } = this;
    const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const buffers = [];
    const buffer = (size, usage) => {
      // WebGPU forbids empty bindings.
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
        // Prepare the next batch while one batch runs. More batches in flight would take more
        // memory.
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

  /** Releases the GPU. */
  close() {
    this.device.destroy();
  }
}
