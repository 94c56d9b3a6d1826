//! Runs passes on a GPU through `wgpu`.

use crate::{Batch, GpuError, LINE_BYTES, Limits, PARAMETERS, Room, STRIDE, Step};
use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use zerocopy::IntoBytes;

/// The environment variable that selects an adapter. Its value is a part of the adapter's name.
const ADAPTER_VARIABLE: &str = "PENTAGO_ADAPTER";

/// A GPU, or software that emulates a GPU on the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// The name of the adapter.
    pub name: String,
    /// The graphics API of the adapter, such as `vulkan`.
    pub interface: String,
    /// The name and the version of the driver.
    pub driver: String,
    /// `true` for a GPU, and `false` for software that emulates one on the CPU.
    pub hardware: bool,
    /// The limits of the adapter's memory.
    pub limits: Limits,
}

/// Lists the GPUs and emulators of this machine, in order of preference.
pub fn adapters() -> Vec<Adapter> {
    found(None).iter().map(describe).collect()
}

fn describe(adapter: &wgpu::Adapter) -> Adapter {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    Adapter {
        hardware: rank(&info) < SOFTWARE,
        interface: info.backend.to_string(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        name: info.name,
        limits: Limits {
            binding: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
            // Subtract 1 because the uniform buffer counts towards the limit on buffers per stage.
            bindings: limits
                .max_storage_buffers_per_shader_stage
                .min(limits.max_buffers_and_acceleration_structures_per_shader_stage.saturating_sub(1)),
        },
    }
}

/// Returns the rank of an adapter in the order of preference, starting at 0. Software and unknown
/// adapters have the last rank.
fn rank(info: &wgpu::AdapterInfo) -> usize {
    match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        _ => SOFTWARE,
    }
}

const SOFTWARE: usize = 3;

/// Lists the adapters that support compute shaders, in order of preference. If `named` is given,
/// lists only the adapters whose names contain this text.
fn found(named: Option<&str>) -> Vec<wgpu::Adapter> {
    let backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut all = pollster::block_on(instance.enumerate_adapters(backends));
    let computes = wgpu::DownlevelFlags::COMPUTE_SHADERS;
    all.retain(|adapter| {
        let name = adapter.get_info().name.to_lowercase();
        adapter.get_downlevel_capabilities().flags.contains(computes)
            && named.is_none_or(|named| name.contains(&named.to_lowercase()))
    });
    all.sort_by_key(|adapter| rank(&adapter.get_info()));
    all
}

/// An open GPU with its command queue and its compiled shaders.
pub struct Device {
    /// The description of the GPU.
    pub adapter: Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
    fault: Arc<Mutex<Option<GpuError>>>,
    /// The compiled pipelines, indexed by the source text of the shader.
    pipelines: Mutex<HashMap<String, Pipeline>>,
}

#[derive(Clone)]
struct Pipeline {
    compute: wgpu::ComputePipeline,
    groups: [wgpu::BindGroupLayout; 2],
}

/// Locks a mutex, even if a thread panicked while it held the lock. A poisoned lock is safe to use,
/// because every guarded value is valid at all times.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// Returns the device that this process shares: the preferred adapter, or the adapter that the
    /// environment variable `PENTAGO_ADAPTER` selects by a part of its name. The first call opens
    /// the device. If the device is lost, the next call opens the device again.
    ///
    /// # Errors
    /// If no GPU supports compute shaders and has the requested name, or the driver fails.
    pub fn shared() -> Result<Arc<Device>, GpuError> {
        static SHARED: Mutex<Option<Result<Arc<Device>, GpuError>>> = Mutex::new(None);
        let mut shared = lock(&SHARED);
        match &*shared {
            Some(Ok(device)) if lock(&device.fault).is_some() => {}
            Some(known) => return known.clone(),
            None => {}
        }
        let opened = Device::open().map(Arc::new);
        *shared = Some(opened.clone());
        opened
    }

    fn open() -> Result<Device, GpuError> {
        let named = std::env::var(ADAPTER_VARIABLE).ok().filter(|name| !name.is_empty());
        let adapter = found(named.as_deref()).into_iter().next().ok_or(GpuError::None { named })?;
        let about = describe(&adapter);
        let offered = adapter.limits();
        let limits = wgpu::Limits {
            max_storage_buffer_binding_size: offered.max_storage_buffer_binding_size,
            max_buffer_size: offered.max_buffer_size,
            max_storage_buffers_per_shader_stage: offered.max_storage_buffers_per_shader_stage,
            max_buffers_and_acceleration_structures_per_shader_stage: offered
                .max_buffers_and_acceleration_structures_per_shader_stage,
            max_bindings_per_bind_group: offered.max_bindings_per_bind_group,
            ..wgpu::Limits::downlevel_defaults()
        };
        let descriptor = wgpu::DeviceDescriptor {
            required_limits: limits,
            // The program creates only a few large buffers, so each buffer should have its own
            // allocation.
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| GpuError::Unusable { adapter: about.name.clone(), reason: error.to_string() })?;
        let fault = Arc::new(Mutex::new(None));
        let (on_loss, on_error) = (fault.clone(), fault.clone());
        let name = about.name.clone();
        device.set_device_lost_callback(move |_, reason| {
            let lost = GpuError::Lost { adapter: name.clone(), reason };
            lock(&on_loss).get_or_insert(lost);
        });
        let name = about.name.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let unusable = GpuError::Unusable { adapter: name.clone(), reason: error.to_string() };
            lock(&on_error).get_or_insert(unusable);
        }));
        Ok(Device { adapter: about, device, queue, fault, pipelines: Mutex::default() })
    }

    /// Releases the GPU. Afterwards the device behaves like a lost device.
    pub fn destroy(&self) {
        self.device.destroy();
        let _ = self.device.poll(wgpu::PollType::Poll);
    }

    fn check(&self) -> Result<(), GpuError> {
        lock(&self.fault).clone().map_or(Ok(()), Err)
    }

    /// Compiles a shader whose entry point is `compute`, or returns the pipeline that was compiled
    /// earlier.
    #[allow(unsafe_code)]
    fn pipeline(&self, shader: &str, pieces: u64) -> Result<Pipeline, GpuError> {
        let mut pipelines = lock(&self.pipelines);
        if let Some(pipeline) = pipelines.get(shader) {
            return Ok(pipeline.clone());
        }
        let device = &self.device;
        let descriptor =
            wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Wgsl(shader.into()) };
        let module = if cfg!(debug_assertions) {
            device.create_shader_module(descriptor)
        } else {
            // SAFETY: skipping the runtime checks requires that the shader stays within its buffers
            // and that its loops end. The shader computes its indices from tables and passes that
            // are made for these buffers. Its loops are bounded by numbers of sockets. The tests
            // run the same shader with all checks.
            unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
        };
        let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        };
        let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
        let layout = |entries: &[_]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries })
        };
        let groups = [
            layout(&[
                entry(0, wgpu::BufferBindingType::Uniform, true),
                entry(1, storage(true), false),
                entry(2, storage(true), false),
            ]),
            layout(&(0..pieces as u32).map(|i| entry(i, storage(false), false)).collect::<Vec<_>>()),
        ];
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &groups.each_ref().map(Some),
            immediate_size: 0,
        });
        let compute = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: Some("compute"),
            compilation_options: Default::default(),
            cache: None,
        });
        self.check()?;
        let pipeline = Pipeline { compute, groups };
        pipelines.insert(shader.to_owned(), pipeline.clone());
        Ok(pipeline)
    }
}

/// A compiled shader on a device, and the memory that the shader uses: the lines in pieces, the
/// tables, and the words of a batch.
pub struct Session {
    device: Arc<Device>,
    pipeline: Pipeline,
    room: Room,
    parameters: wgpu::Buffer,
    words: wgpu::Buffer,
    fives: wgpu::Buffer,
    memory: Vec<wgpu::Buffer>,
    read: wgpu::Buffer,
    bound: [wgpu::BindGroup; 2],
    reads: u64,
    /// The indices of the two latest submissions, latest first.
    submitted: [Option<wgpu::SubmissionIndex>; 2],
}

impl Session {
    /// Allocates the memory and compiles the shader. `shader` is the source text without its end,
    /// which [`Pieces::shader`](crate::Pieces::shader) returns. `tables` are the constant words.
    ///
    /// # Errors
    /// If the device has too little memory or was lost, or a shader can't bind the buffers of
    /// `room`.
    pub fn new(device: &Arc<Device>, shader: &str, room: Room, tables: &[u32]) -> Result<Session, GpuError> {
        let limits = device.adapter.limits;
        if !room.fits(limits) {
            return Err(GpuError::TooLarge { need: room.bytes(), most: limits.lines() * LINE_BYTES });
        }
        let pieces = room.pieces;
        let pipeline = device.pipeline(&(shader.to_owned() + &pieces.shader()), pieces.count())?;
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = |size: u64, usage| {
            device.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                // Allocate at least `STRIDE` bytes, because a binding must not be empty.
                size: size.max(STRIDE),
                usage,
                mapped_at_creation: false,
            })
        };
        use wgpu::BufferUsages as For;
        let parameters = buffer(STRIDE * room.passes, For::UNIFORM | For::COPY_DST);
        let words = buffer(4 * (room.tables + room.words), For::STORAGE | For::COPY_DST);
        let fives = buffer(room.fives, For::STORAGE | For::COPY_DST);
        let memory: Vec<_> =
            pieces.bytes().map(|bytes| buffer(bytes, For::STORAGE | For::COPY_SRC)).collect();
        let read = buffer(LINE_BYTES * room.reads, For::MAP_READ | For::COPY_DST);
        if pollster::block_on(scope.pop()).is_some() {
            let adapter = device.adapter.name.clone();
            return Err(GpuError::Memory { adapter, bytes: room.bytes() });
        }
        let bind = |layout, entries: &[_]| {
            device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries })
        };
        let size = NonZeroU64::new(4 * PARAMETERS as u64);
        let of_pass = wgpu::BufferBinding { buffer: &parameters, offset: 0, size };
        let resource = wgpu::BindingResource::Buffer(of_pass);
        let of_pass = wgpu::BindGroupEntry { binding: 0, resource };
        let of_pieces: Vec<_> = (0..).zip(&memory).map(|(i, piece)| whole(i, piece)).collect();
        let bound = [
            bind(&pipeline.groups[0], &[of_pass, whole(1, &words), whole(2, &fives)]),
            bind(&pipeline.groups[1], &of_pieces),
        ];
        device.queue.write_buffer(&words, 0, tables.as_bytes());
        device.check()?;
        Ok(Session {
            device: device.clone(),
            pipeline,
            room,
            parameters,
            words,
            fives,
            memory,
            read,
            bound,
            reads: 0,
            submitted: [None, None],
        })
    }

    /// Returns `true` if the device works and this session has exactly the buffers of `room`.
    pub fn serves(&self, room: Room) -> bool {
        self.device.check().is_ok() && self.room == room
    }

    /// Writes the fives to the GPU. `parts` are consecutive parts of the fives.
    pub fn write_fives<'p>(&mut self, parts: impl IntoIterator<Item = &'p [u8]>) {
        let mut at = 0;
        for part in parts {
            self.device.queue.write_buffer(&self.fives, at, part);
            at += part.len() as u64;
        }
    }

    /// Submits a batch, which runs after all earlier batches. Waits until at most one batch is
    /// still running.
    ///
    /// # Errors
    /// If the device was lost.
    pub fn submit(&mut self, batch: &Batch) -> Result<(), GpuError> {
        let Device { device, queue, .. } = &*self.device;
        queue.write_buffer(&self.words, 4 * self.room.tables, batch.words.as_bytes());
        let mut parameters = Vec::new();
        for step in &batch.steps {
            if let Step::Pass { parameters: of_pass, .. } = step {
                parameters.extend_from_slice(of_pass);
                parameters.resize(parameters.len().next_multiple_of(STRIDE as usize / 4), 0);
            }
        }
        queue.write_buffer(&self.parameters, 0, parameters.as_bytes());
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut steps = batch.steps.iter().peekable();
        let mut offset = 0;
        while let Some(step) = steps.peek() {
            if let &&Step::Read { line } = step {
                let piece = &self.memory[(line >> self.room.pieces.bits) as usize];
                let from = (line & ((1 << self.room.pieces.bits) - 1)) * LINE_BYTES;
                encoder.copy_buffer_to_buffer(piece, from, &self.read, self.reads * LINE_BYTES, LINE_BYTES);
                self.reads += 1;
                steps.next();
                continue;
            }
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline.compute);
            pass.set_bind_group(1, &self.bound[1], &[]);
            while let Some(&&Step::Pass { groups: [x, y], .. }) = steps.peek() {
                pass.set_bind_group(0, &self.bound[0], &[offset]);
                pass.dispatch_workgroups(x, y, 1);
                offset += STRIDE as u32;
                steps.next();
            }
        }
        let index = queue.submit([encoder.finish()]);
        let [last, before] = &mut self.submitted;
        *before = last.replace(index);
        self.wait(self.submitted[1].clone())
    }

    fn wait(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        if submission_index.is_some() {
            let wait = wgpu::PollType::Wait { submission_index, timeout: None };
            // Ignore the result. Waiting without a time limit fails only if the device was lost,
            // and then the following `check` returns this error.
            let _ = self.device.device.poll(wait);
        }
        self.device.check()
    }

    /// Waits until all submitted batches are done. Returns the lines that the `Read` steps have
    /// copied since the last call of this function.
    ///
    /// # Errors
    /// If the device was lost, or its memory can't be read.
    pub fn read(&mut self) -> Result<Vec<[u8; LINE_BYTES as usize]>, GpuError> {
        let reads = std::mem::take(&mut self.reads) * LINE_BYTES;
        if reads == 0 {
            return Ok(Vec::new());
        }
        let (done, wait) = mpsc::channel();
        self.read.map_async(wgpu::MapMode::Read, 0..reads, move |mapped| {
            let _ = done.send(mapped.is_ok());
        });
        self.wait(self.submitted[0].clone())?;
        let unmapped = || GpuError::Unusable {
            adapter: self.device.adapter.name.clone(),
            reason: "the results can't be read".to_owned(),
        };
        if wait.recv() != Ok(true) {
            return Err(unmapped());
        }
        let lines = {
            let bytes = self.read.get_mapped_range(0..reads).map_err(|_| unmapped())?;
            let (lines, _) = bytes.as_chunks();
            lines.to_vec()
        };
        self.read.unmap();
        Ok(lines)
    }
}

fn whole(binding: u32, buffer: &wgpu::Buffer) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
}
