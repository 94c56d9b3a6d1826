//! Chooses a kernel: an instruction set of this CPU, and whether a GPU is used. Every crate that
//! compiles its loops for several instruction sets takes a [`Kernel`] to select one of them.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

/// The environment variable that selects the kernel of a process by name.
pub const KERNEL_VARIABLE: &str = "PENTAGO_KERNEL";

/// An instruction set that the CPU supports, and whether a GPU is used. A `Kernel` exists only for
/// a supported instruction set, so code that has a `Kernel` may use its instructions. All kernels
/// compute the same results.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kernel(InstructionSet, Graphics);

/// Whether a GPU is used for the work that has shaders. The CPU does all other work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Graphics {
    /// Never use a GPU.
    Unused,
    /// Use a GPU if there is one and the work is large enough.
    WhereFaster,
    /// Always use a GPU. If there is none, fail.
    Always,
}

/// An instruction set for which the crates compile their loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstructionSet {
    /// The baseline instructions of the compilation target.
    Portable,
    /// The SIMD instructions of WebAssembly. A WebAssembly module is compiled either with or
    /// without SIMD, so each module has exactly one kernel.
    Simd128,
    /// AVX2, and the instructions that count, find, gather and scatter bits (POPCNT, LZCNT, BMI1,
    /// BMI2).
    Avx2,
    /// The AVX-512 subset that all CPUs since Skylake-X support, and all instructions of
    /// [`InstructionSet::Avx2`].
    Avx512,
    /// The AVX-512 subset that CPUs since Ice Lake and Zen 4 support. The subset adds bit matrices
    /// (GFNI), and instructions that gather and scatter bytes.
    Avx512Bytes,
}

use Graphics::{Always, Unused, WhereFaster};
use InstructionSet::{Avx2, Avx512, Avx512Bytes, Portable, Simd128};

const ALL: [InstructionSet; 5] = [Portable, Simd128, Avx2, Avx512, Avx512Bytes];
const ALL_GRAPHICS: [Graphics; 3] = [Unused, WhereFaster, Always];

/// The name of the kernel that always uses a GPU.
const GPU: &str = "gpu";

/// The kernel of this process, as a number: four times the index of its instruction set in [`ALL`],
/// plus the index of its use of a GPU in [`ALL_GRAPHICS`]. The number is [`UNKNOWN`] until a kernel
/// has been chosen.
static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = u8::MAX;

impl Kernel {
    /// Lists the kernels that this CPU supports, fastest first. Each kernel has a different name,
    /// and none uses a GPU. The portable kernel is always available, except in WebAssembly with
    /// SIMD.
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

    /// Returns the kernel of this process, which is the default of all functions that use a kernel.
    /// The first choice is the kernel that [`Kernel::use_everywhere`] has set. The second choice is
    /// the kernel that the environment variable [`KERNEL_VARIABLE`] names. The last choice is the
    /// fastest kernel.
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

    /// Sets the kernel of this process, overriding the environment variable.
    pub fn use_everywhere(self) {
        CURRENT.store(4 * self.0 as u8 + self.1 as u8, Ordering::Relaxed);
    }

    /// Returns the kernel with the fastest instruction set. If the program was built with GPU
    /// support, the kernel uses a GPU for large tasks.
    fn fastest() -> Kernel {
        Kernel(Kernel::available()[0].0, if cfg!(feature = "gpu") { WhereFaster } else { Unused })
    }

    /// Parses the name of a kernel, and sets this kernel for the whole process. Command-line
    /// options use this function.
    ///
    /// # Errors
    /// If this CPU supports no kernel with this name.
    pub fn everywhere(name: &str) -> Result<Kernel, UnknownKernel> {
        let kernel: Kernel = name.parse()?;
        kernel.use_everywhere();
        Ok(kernel)
    }

    /// Returns the kernel that the environment variable [`KERNEL_VARIABLE`] names. If the variable
    /// is empty or not set, returns the fastest kernel.
    ///
    /// # Errors
    /// If this CPU doesn't support the named kernel.
    pub fn chosen() -> Result<Kernel, UnknownKernel> {
        match std::env::var(KERNEL_VARIABLE) {
            Ok(name) if !name.is_empty() => name.parse(),
            _ => Ok(Kernel::fastest()),
        }
    }

    /// Returns the instruction set that the kernel uses.
    #[inline]
    pub fn instructions(self) -> InstructionSet {
        self.0
    }

    /// Returns whether the kernel uses a GPU, and for what work.
    #[inline]
    pub fn graphics(self) -> Graphics {
        self.1
    }

    /// Returns a kernel with the same instruction set. `graphics` determines whether the new kernel
    /// uses a GPU.
    #[must_use]
    pub fn with_graphics(self, graphics: Graphics) -> Kernel {
        Kernel(self.0, graphics)
    }

    /// Returns the name of the kernel: `gpu` if a GPU is always used, otherwise `avx512`, `avx2`,
    /// `simd128` (WebAssembly) or `portable`.
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

/// The error for a kernel that doesn't exist or that this CPU doesn't support.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no kernel \"{name}\" on this CPU{why}; available: {available}")]
pub struct UnknownKernel {
    /// The name of the requested kernel.
    pub name: String,
    /// The names of the supported kernels, separated by commas.
    pub available: String,
    /// The reason why the kernel is missing, as the end of the message. The reason may be empty.
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
