//! A set of tags that can be cleared in constant time. A search uses the set to list every child of
//! a position only once.

/// A hash set with open addressing. `entries` holds pairs of a tag and a round. An entry is valid
/// only if its round is the current round, so increasing the round clears the set.
#[derive(Default)]
pub(crate) struct TagSet {
    entries: Vec<(u64, u32)>,
    round: u32,
}

impl TagSet {
    /// Clears the set, and allocates room for `count` tags.
    pub(crate) fn start(&mut self, count: usize) {
        let size = (2 * count).next_power_of_two().max(16);
        self.round = self.round.wrapping_add(1);
        if self.entries.len() < size || self.round == 0 {
            self.entries.clear();
            self.entries.resize(size, (0, 0));
            self.round = 1;
        }
    }

    /// Adds a tag. Returns `true` if the set did not contain the tag before. The bits of the tags
    /// must be well mixed.
    pub(crate) fn insert(&mut self, tag: u64) -> bool {
        let mask = self.entries.len() - 1;
        let mut at = tag as usize & mask;
        loop {
            let entry = &mut self.entries[at];
            if entry.1 != self.round {
                *entry = (tag, self.round);
                return true;
            }
            if entry.0 == tag {
                return false;
            }
            at = (at + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TagSet;

    #[test]
    fn each_tag_is_new_once_in_each_round() {
        let mut seen = TagSet::default();
        for count in [3, 100, 5] {
            seen.start(count);
            for tag in 0..count as u64 {
                assert!(seen.insert(tag << 40));
                assert!(!seen.insert(tag << 40));
            }
        }
    }
}
