//! The choice of the instruction set for a pass over bits.

use super::operations::BitsPass;
use super::portable::PortableBits;
#[cfg(target_arch = "x86_64")]
use super::x86::{Avx2Bits, Avx512Bits};
#[cfg(target_arch = "x86_64")]
use pentago_base::InstructionSet;
use pentago_base::Kernel;

/// Runs a pass with the instruction set of `kernel`.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn run<P: BitsPass>(kernel: Kernel, pass: P) -> P::Output {
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn avx2<P: BitsPass>(pass: P) -> P::Output {
        pass.run(Avx2Bits(()))
    }
    #[target_feature(
        enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx512vbmi2,avx2,bmi1,bmi2,popcnt,lzcnt"
    )]
    fn avx512<P: BitsPass>(pass: P) -> P::Output {
        pass.run(Avx512Bits(Avx2Bits(())))
    }
    match kernel.instructions() {
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions.
        InstructionSet::Avx512Bytes if P::WIDE => unsafe { avx512(pass) },
        InstructionSet::Avx2 | InstructionSet::Avx512 | InstructionSet::Avx512Bytes => {
            // SAFETY: a `Kernel` value exists only if the CPU supports its instructions, and each
            // of the three sets contains AVX2 and BMI2.
            unsafe { avx2(pass) }
        }
        InstructionSet::Portable | InstructionSet::Simd128 => pass.run(PortableBits),
    }
}

/// Runs a pass with the portable operations, because no other operations exist outside x86-64.
#[cfg(not(target_arch = "x86_64"))]
pub fn run<P: BitsPass>(_: Kernel, pass: P) -> P::Output {
    pass.run(PortableBits)
}
