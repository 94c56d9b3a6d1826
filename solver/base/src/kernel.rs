//! Instruction sets: those that this processor has, and the one that this process computes with.
//! Every crate that compiles its passes for several of them takes a [`Kernel`] to say which. Whether
//! a graphics processor computes what it can is part of the choice.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

/// The environment variable that names the kernel of a process.
pub const KERNEL_VARIABLE: &str = "PENTAGO_KERNEL";

/// An instruction set that the processor has (a value is the proof), and the use of graphics
/// processors. Results are the same with all.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kernel(InstructionSet, Graphics);

/// Whether a graphics processor computes what there are shaders for. The instruction set computes
/// the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Graphics {
    /// It doesn't.
    Unused,
    /// Where there is one, and the work is large enough.
    WhereFaster,
    /// Always; without one it is an error.
    Always,
}

/// What a [`Kernel`] may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstructionSet {
    /// What every processor of the target has.
    Portable,
    /// The vectors of WebAssembly. A module either is compiled with them or isn't, so it has no other
    /// kernel.
    Simd128,
    /// AVX2, and the instructions that count, find, gather and scatter bits.
    Avx2,
    /// AVX-512 as all processors since Skylake have it, and all of [`InstructionSet::Avx2`].
    Avx512,
    /// AVX-512 of Ice Lake, Zen 4 and later: also matrices of bits, and bytes gathered and scattered.
    Avx512Bytes,
}

use Graphics::{Always, Unused, WhereFaster};
use InstructionSet::{Avx2, Avx512, Avx512Bytes, Portable, Simd128};

const ALL: [InstructionSet; 5] = [Portable, Simd128, Avx2, Avx512, Avx512Bytes];
const ALL_GRAPHICS: [Graphics; 3] = [Unused, WhereFaster, Always];

/// The name of the kernel that computes on a graphics processor what it can.
const GPU: &str = "gpu";

/// The kernel of this process: its place in [`ALL`], times four, and that in [`ALL_GRAPHICS`];
/// [`UNKNOWN`] before anybody asked.
static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = u8::MAX;

impl Kernel {
    /// The kernels of this processor, the fastest first, each name once; none uses graphics
    /// processors. The portable one is always there, but in WebAssembly with vectors.
    #[must_use]
    pub fn available() -> Vec<Kernel> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            let bytes = is_x86_feature_detected!("avx512bitalg")
                && is_x86_feature_detected!("avx512vbmi2")
                && is_x86_feature_detected!("gfni");
            if avx512 {
                all.push(Kernel(if bytes { Avx512Bytes } else { Avx512 }, Unused));
            }
            if avx2 {
                all.push(Kernel(Avx2, Unused));
            }
        }
        let vectors = cfg!(all(target_arch = "wasm32", target_feature = "simd128"));
        all.push(Kernel(if vectors { Simd128 } else { Portable }, Unused));
        all
    }

    /// The kernel of this process: the one that [`Kernel::use_everywhere`] was called with, or that
    /// the environment variable [`KERNEL_VARIABLE`] names, or else the fastest. Whatever isn't given
    /// a kernel computes with this one.
    #[must_use]
    pub fn best() -> Kernel {
        let current = usize::from(CURRENT.load(Ordering::Relaxed));
        match ALL.get(current / 4) {
            Some(&set) => Kernel(set, ALL_GRAPHICS[current % 4]),
            None => {
                let kernel = Kernel::chosen().unwrap_or_else(|_| Kernel::fastest());
                kernel.use_everywhere();
                kernel
            }
        }
    }

    /// Makes this the kernel of the process, in place of the one that the environment names.
    pub fn use_everywhere(self) {
        CURRENT.store(4 * self.0 as u8 + self.1 as u8, Ordering::Relaxed);
    }

    /// The fastest instruction set, and graphics processors where they are faster, if this program
    /// was built for them.
    fn fastest() -> Kernel {
        Kernel(Kernel::available()[0].0, if cfg!(feature = "gpu") { WhereFaster } else { Unused })
    }

    /// The kernel of this name, made that of the process: for the option of a command line.
    ///
    /// # Errors
    /// If this processor can run none of this name.
    pub fn everywhere(name: &str) -> Result<Kernel, UnknownKernel> {
        let kernel: Kernel = name.parse()?;
        kernel.use_everywhere();
        Ok(kernel)
    }

    /// The kernel that the environment variable [`KERNEL_VARIABLE`] names, or else `auto`.
    ///
    /// # Errors
    /// If it names none that this processor can run.
    pub fn chosen() -> Result<Kernel, UnknownKernel> {
        match std::env::var(KERNEL_VARIABLE) {
            Ok(name) if !name.is_empty() => name.parse(),
            _ => Ok(Kernel::fastest()),
        }
    }

    /// What it may use of the processor.
    #[must_use]
    #[inline]
    pub fn instructions(self) -> InstructionSet {
        self.0
    }

    /// Whether it uses graphics processors.
    #[must_use]
    #[inline]
    pub fn graphics(self) -> Graphics {
        self.1
    }

    /// The same instruction set with this use of graphics processors.
    #[must_use]
    pub fn with_graphics(self, graphics: Graphics) -> Kernel {
        Kernel(self.0, graphics)
    }

    /// `gpu`, where a graphics processor is always used; otherwise `avx512`, `avx2`, `simd128`
    /// (WebAssembly) or `portable`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            _ if self.1 == Always => GPU,
            Portable => "portable",
            Simd128 => "simd128",
            Avx2 => "avx2",
            Avx512 | Avx512Bytes => "avx512",
        }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is no such kernel, or this processor can't run it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no kernel \"{name}\" on this CPU{why}; available: {available}")]
pub struct UnknownKernel {
    /// What was asked for.
    pub name: String,
    /// The kernels that there are, separated by commas.
    pub available: String,
    /// A reason, where there is one to be given.
    pub why: &'static str,
}

impl FromStr for Kernel {
    type Err = UnknownKernel;

    fn from_str(name: &str) -> Result<Kernel, UnknownKernel> {
        let mut available = Kernel::available();
        if name == "auto" {
            return Ok(Kernel::fastest());
        }
        if cfg!(feature = "gpu") {
            available.push(Kernel(available[0].0, Always));
        }
        available.iter().copied().find(|kernel| kernel.name() == name).ok_or_else(|| UnknownKernel {
            name: name.to_owned(),
            available: available.iter().map(|kernel| kernel.name()).collect::<Vec<_>>().join(", "),
            why: if name == GPU { ": this program was built without the feature gpu" } else { "" },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_found_by_its_name() {
        for kernel in Kernel::available() {
            assert_eq!(kernel.name().parse(), Ok(kernel));
            assert_eq!(ALL[kernel.0 as usize], kernel.0);
            for graphics in ALL_GRAPHICS {
                assert_eq!(ALL_GRAPHICS[graphics as usize], graphics);
                let other = kernel.with_graphics(graphics);
                assert_eq!((other.0, other.1, other.name() == GPU), (kernel.0, graphics, graphics == Always));
            }
        }
        assert_eq!("auto".parse(), Ok(Kernel::fastest()));
        assert_eq!(GPU.parse::<Kernel>().is_ok(), cfg!(feature = "gpu"));
        let error = "mmx".parse::<Kernel>().unwrap_err();
        assert!(error.to_string().starts_with("no kernel \"mmx\" on this CPU; available: "), "{error}");
    }

    #[test]
    fn the_kernel_of_the_process_can_be_set() {
        let fastest = Kernel::best();
        for kernel in Kernel::available() {
            for kernel in ALL_GRAPHICS.map(|graphics| kernel.with_graphics(graphics)) {
                kernel.use_everywhere();
                assert_eq!(Kernel::best(), kernel);
            }
        }
        fastest.use_everywhere();
    }
}
