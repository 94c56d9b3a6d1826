//! Portable code compiled once more for AVX2: for plain loops that the compiler turns into vectors
//! by itself.

#[cfg(target_arch = "x86_64")]
use super::features;

/// A piece of work whose [`WideWork::run`] is compiled for each instruction set; it must be
/// `#[inline(always)]`, and so must be what it calls.
pub(crate) trait WideWork {
    /// Does the work.
    fn run(self);
}

/// Whether this processor has the instructions that [`run_wide`] is compiled for.
pub(crate) fn has_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return features::avx2();
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Does the work with AVX-512, or with AVX2, and the instructions for bits that come with them.
pub(crate) fn run_widest(work: impl WideWork) {
    #[cfg(target_arch = "x86_64")]
    {
        if widest() == 2 {
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt,lzcnt")]
            fn compiled(work: impl WideWork) {
                work.run();
            }
            // SAFETY: the processor has the instructions, as was just asked.
            #[allow(unsafe_code)]
            return unsafe { compiled(work) };
        }
        if widest() == 1 {
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
            fn compiled(work: impl WideWork) {
                work.run();
            }
            // SAFETY: as above.
            #[allow(unsafe_code)]
            return unsafe { compiled(work) };
        }
    }
    work.run();
}

/// 2 for AVX-512, 1 for AVX2, each with what [`run_widest`] is compiled for.
#[cfg(target_arch = "x86_64")]
fn widest() -> u8 {
    let narrow = features::bits() && features::avx2();
    u8::from(narrow) + u8::from(narrow && features::avx512())
}

/// Does the work with AVX2 where the processor has it, otherwise as compiled for any processor.
pub(crate) fn run_wide(work: impl WideWork) {
    #[cfg(target_arch = "x86_64")]
    if has_wide() {
        #[target_feature(enable = "avx2")]
        fn compiled(work: impl WideWork) {
            work.run();
        }
        // SAFETY: the processor has AVX2, as was just asked.
        #[allow(unsafe_code)]
        return unsafe { compiled(work) };
    }
    work.run();
}
