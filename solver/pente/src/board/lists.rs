//! Disjoint lists of small numbers, with insertion and removal in constant time.

/// Several disjoint lists of numbers below a bound. Each number is in at most one list.
pub(super) struct IndexLists {
    lists: Vec<Vec<u16>>,
    /// The index of each number within its list.
    index: Vec<u16>,
}

impl IndexLists {
    pub fn new(lists: usize, numbers: usize) -> IndexLists {
        // Each list has room for all numbers, so later operations do not allocate.
        IndexLists {
            lists: (0..lists).map(|_| Vec::with_capacity(numbers)).collect(),
            index: vec![0; numbers],
        }
    }

    #[inline]
    pub fn get(&self, list: usize) -> &[u16] {
        &self.lists[list]
    }

    #[inline]
    pub fn add(&mut self, list: usize, number: u16) {
        self.index[number as usize] = self.lists[list].len() as u16;
        self.lists[list].push(number);
    }

    #[inline]
    pub fn remove(&mut self, list: usize, number: u16) {
        let at = self.index[number as usize] as usize;
        let list = &mut self.lists[list];
        list.swap_remove(at);
        if let Some(&moved) = list.get(at) {
            self.index[moved as usize] = at as u16;
        }
    }
}
