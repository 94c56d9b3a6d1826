//! The tables of the low sockets in the form that the kernels take: checked once, used by every
//! array.

use crate::index::rooted::low::{Low, MAX_LOW};
use crate::kernel::{Offsets, Pack};
use std::sync::OnceLock;

/// The offsets of [`crate::index::rooted::low::Class`] in packs.
pub(super) struct ClassPlaces {
    /// The offsets of each board's children, for either mover.
    pub children: [Offsets; 2],
    /// The offset of each board's subset, for either player.
    pub subset: [Offsets; 2],
    /// The offsets of each board's subset with one free socket added, for either player.
    pub grown: [Offsets; 2],
}

/// All classes of a number of low sockets.
pub(super) struct ClassTables {
    sockets: usize,
    classes: Vec<ClassPlaces>,
}

impl ClassTables {
    /// Returns the tables for `sockets` low sockets, computed at first use.
    ///
    /// # Panics
    /// If there are more than [`MAX_LOW`] sockets.
    pub fn get(sockets: usize) -> &'static ClassTables {
        static ALL: [OnceLock<ClassTables>; MAX_LOW + 1] = [const { OnceLock::new() }; MAX_LOW + 1];
        ALL[sockets].get_or_init(|| ClassTables::new(sockets))
    }

    fn new(sockets: usize) -> ClassTables {
        let low = Low::get(sockets);
        let pairs = (0..=sockets).flat_map(|c| (0..=sockets).map(move |d| (c, d)));
        let of = |(c, d): (usize, usize)| {
            let class = low.class(c, d);
            let free = sockets.saturating_sub(c + d);
            let offsets = |bytes: &Vec<u16>, each| {
                Offsets::new(class.len, each, bytes.iter().map(|&at| usize::from(at) / size_of::<Pack>()))
            };
            ClassPlaces {
                children: class.children.each_ref().map(|bytes| offsets(bytes, free)),
                subset: class.subset.each_ref().map(|bytes| offsets(bytes, 1)),
                grown: class.grown.each_ref().map(|bytes| offsets(bytes, free)),
            }
        };
        ClassTables { sockets, classes: pairs.map(of).collect() }
    }

    /// Returns the class with `c` marbles of player 0 and `d` of player 1.
    #[inline]
    pub fn class(&self, c: usize, d: usize) -> &ClassPlaces {
        &self.classes[c * (self.sockets + 1) + d]
    }
}
