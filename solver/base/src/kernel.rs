//! Instruction sets: those that this processor has, and the one that this process computes with.
//! Every crate that compiles its passes for several of them takes a [`Kernel`] to say which.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

/// The environment variable that names the kernel of a process.
pub const KERNEL_VARIABLE: &str = "PENTAGO_KERNEL";

/// An instruction set that the processor has: a value is the proof. Results are the same with all.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kernel(InstructionSet);

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

use InstructionSet::{Avx2, Avx512, Avx512Bytes, Portable, Simd128};

const ALL: [InstructionSet; 5] = [Portable, Simd128, Avx2, Avx512, Avx512Bytes];

/// The kernel of this process, by its place in [`ALL`]; [`UNKNOWN`] before anybody asked.
static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = u8::MAX;

impl Kernel {
    /// The kernels that this processor can run, the fastest first, each name once. The portable one
    /// is always there, but in WebAssembly with vectors.
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
                all.push(Kernel(if bytes { Avx512Bytes } else { Avx512 }));
            }
            if avx2 {
                all.push(Kernel(Avx2));
            }
        }
        let vectors = cfg!(all(target_arch = "wasm32", target_feature = "simd128"));
        all.push(Kernel(if vectors { Simd128 } else { Portable }));
        all
    }

    /// The kernel of this process: the one that [`Kernel::use_everywhere`] was called with, or that
    /// the environment variable [`KERNEL_VARIABLE`] names, or else the fastest. Whatever isn't given
    /// a kernel computes with this one.
    #[must_use]
    pub fn best() -> Kernel {
        match ALL.get(usize::from(CURRENT.load(Ordering::Relaxed))) {
            Some(&set) => Kernel(set),
            None => {
                let kernel = Kernel::chosen().unwrap_or_else(|_| Kernel::available()[0]);
                kernel.use_everywhere();
                kernel
            }
        }
    }

    /// Makes this the kernel of the process, in place of the one that the environment names.
    pub fn use_everywhere(self) {
        CURRENT.store(self.0 as u8, Ordering::Relaxed);
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

    /// The kernel that the environment variable [`KERNEL_VARIABLE`] names, or else the fastest.
    ///
    /// # Errors
    /// If it names none that this processor can run.
    pub fn chosen() -> Result<Kernel, UnknownKernel> {
        match std::env::var(KERNEL_VARIABLE) {
            Ok(name) if !name.is_empty() => name.parse(),
            _ => Ok(Kernel::available()[0]),
        }
    }

    /// What it may use.
    #[must_use]
    #[inline]
    pub fn instructions(self) -> InstructionSet {
        self.0
    }

    /// `avx512`, `avx2`, `simd128` (WebAssembly) or `portable`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
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
#[error("no kernel \"{name}\" on this CPU; available: {available}")]
pub struct UnknownKernel {
    /// What was asked for.
    pub name: String,
    /// The kernels that there are, separated by commas.
    pub available: String,
}

impl FromStr for Kernel {
    type Err = UnknownKernel;

    fn from_str(name: &str) -> Result<Kernel, UnknownKernel> {
        let available = Kernel::available();
        available.iter().copied().find(|kernel| kernel.name() == name).ok_or_else(|| UnknownKernel {
            name: name.to_owned(),
            available: available.iter().map(|kernel| kernel.name()).collect::<Vec<_>>().join(", "),
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
        }
        let error = "mmx".parse::<Kernel>().unwrap_err();
        assert!(error.to_string().starts_with("no kernel \"mmx\" on this CPU; available: "), "{error}");
    }

    #[test]
    fn the_kernel_of_the_process_can_be_set() {
        let fastest = Kernel::best();
        for kernel in Kernel::available() {
            kernel.use_everywhere();
            assert_eq!(Kernel::best(), kernel);
        }
        fastest.use_everywhere();
    }
}
