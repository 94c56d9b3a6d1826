//! Small sets of numbers with a place for each: adding, removing and listing without search.

/// Several disjoint lists of numbers below a bound. Each number is in at most one of them.
pub(crate) struct IndexLists {
    lists: Vec<Vec<u16>>,
    /// Where a number stands in its list.
    place: Vec<u16>,
}

impl IndexLists {
    pub fn new(lists: usize, numbers: usize) -> IndexLists {
        // Each list has room for all numbers, so nothing is allocated later.
        IndexLists {
            lists: (0..lists).map(|_| Vec::with_capacity(numbers)).collect(),
            place: vec![0; numbers],
        }
    }

    #[inline]
    pub fn get(&self, list: usize) -> &[u16] {
        &self.lists[list]
    }

    #[inline]
    pub fn add(&mut self, list: usize, number: u16) {
        self.place[number as usize] = self.lists[list].len() as u16;
        self.lists[list].push(number);
    }

    #[inline]
    pub fn remove(&mut self, list: usize, number: u16) {
        let at = self.place[number as usize] as usize;
        let list = &mut self.lists[list];
        list.swap_remove(at);
        if let Some(&moved) = list.get(at) {
            self.place[moved as usize] = at as u16;
        }
    }
}
