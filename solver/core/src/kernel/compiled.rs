//! Compilation of one pass for one instruction set.

/// Defines an unsafe function that has the given attributes, such as target features, and evaluates
/// an unsafe call of a generic pass.
macro_rules! compiled {
    (
        [$($attribute:tt)*]
        fn $name:ident $([$($constant:ident: $type:ty),*])? ($($argument:ident: $kind:ty),* $(,)?)
            $(-> $output:ty)? { $call:expr }
    ) => {
        $($attribute)*
        unsafe fn $name $(<$(const $constant: $type),*>)? ($($argument: $kind),*) $(-> $output)? {
            // SAFETY: the attributes enable the target features; the caller meets the other
            // requirements of the pass.
            unsafe { $call }
        }
    };
}

pub(super) use compiled;
