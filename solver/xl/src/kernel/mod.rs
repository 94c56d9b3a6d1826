//! The kernels: the same passes compiled for several instruction sets, chosen once at run time. All
//! give the same bits.
//!
//! A pass is written once, over plain words, and the compiler makes vectors of it: what differs
//! between the kernels is the instruction set that it may use.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod cube;
mod lines;

pub(crate) use cube::{Half, Kind, Spread, Step};
pub(crate) use lines::{Entry, LineSet, Near, Scan, Tables, Win};

use std::fmt;
use std::str::FromStr;

use crate::geometry::Set;

/// An instruction set for which the passes are compiled. A value exists only where the processor
/// has it.
#[derive(Clone, Copy)]
pub struct Kernel(&'static Passes);

/// The environment variable that overrides the choice of the kernel.
pub const KERNEL_VARIABLE: &str = "PENTAGO_KERNEL";

/// The passes of one kernel. Each may only be called where the processor has its instructions.
struct Passes {
    name: &'static str,
    scan: unsafe fn(&Tables, &Scan) -> Option<Win>,
    near: unsafe fn(&Tables, Set, Set) -> [Near; 17],
    union: unsafe fn(&mut Half, &[&Half]),
    step: unsafe fn(&mut Half, &Step, &mut Half),
    leaf: unsafe fn(&mut Half, bool, &Step),
    spread: unsafe fn(&mut Half, &Spread),
}

/// There is no such kernel, or this processor can't run it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no kernel \"{name}\" here; this processor runs: {available}")]
pub struct UnknownKernel {
    /// What was asked for.
    pub name: String,
    /// The kernels that there are, separated by commas.
    pub available: String,
}

impl Kernel {
    /// The kernels that this processor can run, the fastest first; the portable one is always
    /// there.
    #[must_use]
    pub fn available() -> Vec<Kernel> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2");
            if avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("gfni")
            {
                all.push(Kernel(&AVX512));
            }
            if avx2 {
                all.push(Kernel(&AVX2));
            }
        }
        all.push(Kernel(&PORTABLE));
        all
    }

    /// The fastest kernel that this processor can run.
    #[must_use]
    pub fn best() -> Kernel {
        Kernel::available()[0]
    }

    /// The kernel that the environment variable [`KERNEL_VARIABLE`] names, or else the fastest.
    ///
    /// # Errors
    /// If it names none that this processor can run.
    pub fn chosen() -> Result<Kernel, UnknownKernel> {
        match std::env::var(KERNEL_VARIABLE) {
            Ok(name) if !name.is_empty() => name.parse(),
            _ => Ok(Kernel::best()),
        }
    }

    /// `avx512`, `avx2` or `portable`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Runs a [`Scan`].
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) fn scan(self, tables: &Tables, scan: &Scan) -> Option<Win> {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.0.scan)(tables, scan) }
    }

    /// The lines that miss few sockets, as the marbles lie and after each turn.
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) fn near(self, tables: &Tables, own: Set, taken: Set) -> [Near; 17] {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.0.near)(tables, own, taken) }
    }

    /// `out = OR of all`.
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) fn union(self, out: &mut Half, all: &[&Half]) {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.0.union)(out, all) }
    }

    /// The values of a board. `all` is room for the union of the successors.
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) fn step(self, out: &mut Half, step: &Step, all: &mut Half) {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.0.step)(out, step, all) }
    }

    /// The values of a board where the game or the search ends: `value` but for fives.
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) fn leaf(self, out: &mut Half, value: bool, step: &Step) {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.0.leaf)(out, value, step) }
    }

    /// `out |=` a function of the turns of a few blocks.
    #[allow(unsafe_code)]
    #[inline]
    pub(crate) fn spread(self, out: &mut Half, spread: &Spread) {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.0.spread)(out, spread) }
    }
}

/// The plain passes, compiled with the given target features.
macro_rules! passes {
    ($module:ident $(, $feature:literal)?) => {
        mod $module {
            use super::*;

            $(#[target_feature(enable = $feature)])?
            pub(super) fn scan(tables: &Tables, scan: &Scan) -> Option<Win> {
                lines::scan(tables, scan)
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) fn near(tables: &Tables, own: Set, taken: Set) -> [Near; 17] {
                lines::near(tables, own, taken)
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) fn union(out: &mut Half, all: &[&Half]) {
                cube::union(out, all);
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) fn step(out: &mut Half, step: &Step, all: &mut Half) {
                cube::step(out, step, all);
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) fn leaf(out: &mut Half, value: bool, step: &Step) {
                cube::leaf(out, value, step);
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) fn spread(out: &mut Half, spread: &Spread) {
                cube::spread(out, spread);
            }
        }
    };
}

passes!(plain);
#[cfg(target_arch = "x86_64")]
passes!(plain_avx2, "avx2");

static PORTABLE: Passes = {
    use plain::{leaf, near, scan, spread, step, union};
    Passes { name: "portable", scan, near, union, step, leaf, spread }
};

#[cfg(target_arch = "x86_64")]
static AVX2: Passes = {
    use plain_avx2::{leaf, near, scan, spread, step, union};
    Passes { name: "avx2", scan, near, union, step, leaf, spread }
};

/// What has no version of its own is that for AVX2, which every such processor has.
#[cfg(target_arch = "x86_64")]
static AVX512: Passes = {
    use avx512::{scan, step, union};
    use plain_avx2::{leaf, near, spread};
    Passes { name: "avx512", scan, near, union, step, leaf, spread }
};

impl PartialEq for Kernel {
    fn eq(&self, other: &Kernel) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Kernel {}

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

impl FromStr for Kernel {
    type Err = UnknownKernel;

    fn from_str(name: &str) -> Result<Kernel, UnknownKernel> {
        let available = Kernel::available();
        available.iter().copied().find(|kernel| kernel.name() == name).ok_or_else(|| UnknownKernel {
            name: name.to_string(),
            available: available.iter().map(|kernel| kernel.name()).collect::<Vec<_>>().join(", "),
        })
    }
}
