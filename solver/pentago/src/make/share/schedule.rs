//! The order in which a slice uses the sections of the next slice. The order is known from the
//! start, because the order of the slice's own sections is fixed.

use pentago_core::index::{Section, Sections};
use pentago_core::rules::Shape;
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

/// The children of the sections of a slice, as indices into the lists of sections of both slices.
#[derive(Debug)]
pub struct Schedule {
    /// For each section of the slice: the indices of its children. There is one child for each
    /// quadrant with a free socket. Children that the next slice lacks are left out.
    pub children: Vec<Vec<u32>>,
    /// For each section of the next slice: the indices of its parents in ascending order, without
    /// repetition.
    pub parents: Vec<Vec<u32>>,
}

impl Schedule {
    /// Makes the schedule of `sections`, computed in this order from the sections `next`.
    pub fn new(all: &Sections, shape: Shape, sections: &[Section], next: &[Section]) -> Schedule {
        let places: HashMap<Section, u32> = next.iter().copied().zip(0..).collect();
        let children = sections.iter().map(|s| {
            let child = |q: usize| s.child(shape, q).map(|child| all.standardise(child).0);
            (0..4).filter_map(child).filter_map(|child| places.get(&child).copied()).collect()
        });
        let children: Vec<Vec<u32>> = children.collect();
        let mut parents = vec![Vec::new(); next.len()];
        for (parent, children) in (0..).zip(&children) {
            for &child in children {
                let parents: &mut Vec<u32> = &mut parents[child as usize];
                if parents.last() != Some(&parent) {
                    parents.push(parent);
                }
            }
        }
        Schedule { children, parents }
    }

    /// Removes all sections of the slice with indices outside of `kept` from the schedule.
    pub fn retain(&mut self, kept: RangeInclusive<u32>) {
        let within = |parent: &u32| kept.contains(parent);
        (0..).zip(&mut self.children).filter(|(parent, _)| !within(parent)).for_each(|(_, c)| c.clear());
        self.parents.iter_mut().for_each(|parents| parents.retain(within));
    }

    /// Returns the next parent of a child after section `now`.
    pub fn next_use(&self, child: u32, now: u32) -> Option<u32> {
        let parents = &self.parents[child as usize];
        parents.get(parents.partition_point(|&parent| parent <= now)).copied()
    }

    /// Returns the number of quadrants by which a section has a child.
    pub fn times(&self, child: u32, parent: u32) -> usize {
        let children = self.children.get(parent as usize);
        children.map_or(0, |children| children.iter().filter(|&&c| c == child).count())
    }

    /// Returns the number of entries of the next slice that are decoded while the slice is
    /// computed. A cache holds the decoded entries that are needed soonest: `room` returns its size
    /// limit in entries for the index of the section in work. `entries` has the number of entries
    /// of each section of the next slice. `times` returns the mean number of reads of a child's
    /// entries, for the index of a section and the position of the child in [`Schedule::children`].
    /// Sections are divisible: blocks are not simulated.
    pub fn decoded(
        &self,
        entries: &[u64],
        room: impl Fn(usize) -> u64,
        times: impl Fn(usize, usize) -> f64,
    ) -> f64 {
        // By next use and child: the number of cached entries of the child.
        let mut kept: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        let (mut held, mut decoded) = (0.0, 0.0);
        for (parent, children) in (0..).zip(&self.children) {
            let room = room(parent as usize) as f64;
            forget(&mut kept, &mut held, room);
            for (i, &child) in children.iter().enumerate() {
                let size = entries[child as usize] as f64;
                let there = kept.remove(&(parent, child)).unwrap_or(0.0);
                decoded += size - there;
                held -= there;
                // The child by another quadrant may be the same section: then it is needed again
                // immediately.
                let again = children[i + 1..].contains(&child);
                let after = if again { Some(parent) } else { self.next_use(child, parent) };
                let more = times(parent as usize, i) - 1.0;
                let Some(after) = after else {
                    decoded += more * size;
                    continue;
                };
                kept.insert((after, child), size);
                held += size;
                forget(&mut kept, &mut held, room);
                // Entries that stay in the cache for later sections aren't decoded again by this
                // section.
                decoded += more * (size - kept.get(&(after, child)).unwrap_or(&0.0));
            }
        }
        decoded
    }

    /// Returns the peak disk usage in bytes while the slice is computed, if each section of the
    /// next slice is freed after its last parent. `own` and `next` have the size of each section in
    /// bytes.
    pub fn most_bytes(&self, own: &[f64], next: &[f64]) -> f64 {
        let mut freed = vec![0.0; own.len()];
        for (parents, bytes) in self.parents.iter().zip(next) {
            if let Some(&last) = parents.last() {
                freed[last as usize] += bytes;
            }
        }
        let mut there: f64 = next.iter().sum();
        let mut most = there;
        for (own, freed) in own.iter().zip(freed) {
            there += own;
            most = most.max(there);
            there -= freed;
        }
        most
    }
}

/// Evicts the entries whose next use is furthest away, until the cache holds at most `room`
/// entries.
pub fn forget<K: Ord>(kept: &mut BTreeMap<K, f64>, held: &mut f64, room: f64) {
    while *held > room {
        let Some(mut last) = kept.last_entry() else { break };
        let over = (*held - room).min(*last.get());
        *held -= over;
        *last.get_mut() -= over;
        if *last.get() <= 0.0 {
            last.remove();
        }
        if over <= 0.0 {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::rules::Rules;

    fn slice(marbles: usize) -> (Schedule, Vec<u64>) {
        let rules = Rules::default();
        let all = Sections::of(rules.shape, rules.dir);
        let (sections, next) = (all.standard(marbles), all.standard(marbles + 1));
        let entries = next.iter().map(|&s| all.extents(s).map(u64::from).iter().product()).collect();
        (Schedule::new(all, rules.shape, &sections, &next), entries)
    }

    #[test]
    fn children_and_parents_are_one_relation() {
        let (schedule, _) = slice(30);
        let mut pairs = 0;
        for (parent, children) in (0..).zip(&schedule.children) {
            assert!((1..=4).contains(&children.len()));
            for &child in children {
                assert!(schedule.parents[child as usize].binary_search(&parent).is_ok());
                pairs += 1;
            }
        }
        for parents in &schedule.parents {
            // In the complete slice every section has a parent.
            assert!(!parents.is_empty() && parents.is_sorted_by(|a, b| a < b));
            pairs -= parents.len() as i64;
        }
        assert!(pairs >= 0, "a child by two quadrants is one child");
        let (child, parents) = (5, &schedule.parents[5]);
        assert_eq!(schedule.next_use(child, parents[0]), parents.get(1).copied());
        assert_eq!(schedule.next_use(child, *parents.last().expect("some")), None);
    }

    /// Without room each child is decoded for each parent and quadrant, with room for all once;
    /// more room never means more decoding.
    #[test]
    fn what_is_kept_is_not_decoded_again() {
        let (schedule, entries) = slice(33);
        let all: u64 = entries.iter().sum();
        let each = schedule.children.iter().flatten().map(|&child| entries[child as usize]).sum::<u64>();
        let decoded = |room: u64| schedule.decoded(&entries, |_| room, |_, _| 1.0);
        assert!((decoded(0) - each as f64).abs() < 1.0);
        assert!((decoded(all) - all as f64).abs() < 1.0);
        let curve: Vec<f64> = (0..=10).map(|i| decoded(all * i / 10)).collect();
        assert!(curve.is_sorted_by(|a, b| a >= b), "{curve:?}");
        assert!(curve[3] < 0.9 * curve[0], "{curve:?}");
    }

    #[test]
    fn what_is_given_back_makes_room() {
        let (schedule, entries) = slice(28);
        let next: Vec<f64> = entries.iter().map(|&n| n as f64).collect();
        let own = vec![1.0; schedule.children.len()];
        let (most, all) = (schedule.most_bytes(&own, &next), next.iter().sum::<f64>());
        assert!(most >= all && most < all + own.len() as f64, "{most} {all}");
        let nothing = vec![0.0; next.len()];
        assert!((schedule.most_bytes(&own, &nothing) - own.len() as f64).abs() < 1e-6);
    }
}
