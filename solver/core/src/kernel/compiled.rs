//! A macro that compiles a generic pass for one instruction set.

/// Defines an unsafe function whose body is an unsafe call of a generic pass. The function has the
/// given attributes, which enable target features.
macro_rules! compiled {
    (
        [$($attribute:tt)*]
        fn $name:ident $([$($constant:ident: $type:ty),*])? ($($argument:ident: $kind:ty),* $(,)?)
            $(-> $output:ty)? { $call:expr }
    ) => {
        $($attribute)*
        unsafe fn $name $(<$(const $constant: $type),*>)? ($($argument: $kind),*) $(-> $output)? {
            // SAFETY: the attributes enable the target features that the pass needs. The caller of
            // the function guarantees the other requirements of the pass.
            unsafe { $call }
        }
    };
}

pub(super) use compiled;
