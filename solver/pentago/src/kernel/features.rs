//! What an x86 processor has beyond the baseline, asked for in sets: a function that is compiled
//! for some instructions may be called where the set that has them is there.

/// AVX2 and counting bits.
pub(super) fn avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")
}

/// AVX-512 as all processors since Skylake have it, and counting bits.
pub(super) fn avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("popcnt")
}

/// Counting, finding, gathering and scattering bits.
#[cfg(feature = "tables")]
pub(super) fn bits() -> bool {
    is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("lzcnt")
}

/// Counting bits of words of vectors, and gathering and scattering their bytes.
#[cfg(feature = "tables")]
pub(super) fn bytes() -> bool {
    is_x86_feature_detected!("avx512bitalg") && is_x86_feature_detected!("avx512vbmi2")
}
