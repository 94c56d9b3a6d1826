//! The kernels: the same passes compiled for several instruction sets, chosen once at run time. All
//! give the same bits.

mod lines;

pub(crate) use lines::{Entry, LineSet};
