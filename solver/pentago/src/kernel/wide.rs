//! Portable code compiled once more for AVX2: for plain loops that the compiler turns into vectors
//! by itself.

/// A piece of work whose [`WideWork::run`] is compiled for each instruction set; it must be
/// `#[inline(always)]`, and so must be what it calls.
pub(crate) trait WideWork {
    /// Does the work.
    fn run(self);
}

/// Whether this processor has the instructions that [`run_wide`] is compiled for.
pub(crate) fn has_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
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
