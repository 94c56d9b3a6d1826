//! The order in which the computation of a slice uses the sections of the next slice. This order is
//! known from the start, because the slice's own sections are computed in a fixed order.

use pentago_core::index::{Section, Sections};
use pentago_core::rules::Shape;
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

/// The children and parents of sections, as indices into the lists of sections of a slice and of
/// the next slice.
#[derive(Debug)]
pub struct Schedule {
    /// The indices of the children of each section of the slice. A section has one child for each
    /// quadrant with a free socket. Children that the next slice lacks are left out.
    pub children: Vec<Vec<u32>>,
    /// The indices of the parents of each section of the next slice, in ascending order and without
    /// repetition.
    pub parents: Vec<Vec<u32>>,
}

impl Schedule {
    /// Makes the schedule for computing `sections`, in this order, from the sections `next`.
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

    /// Removes from the schedule all sections of the slice whose indices are not in `kept`.
    pub fn retain(&mut self, kept: RangeInclusive<u32>) {
        let within = |parent: &u32| kept.contains(parent);
        (0..).zip(&mut self.children).filter(|(parent, _)| !within(parent)).for_each(|(_, c)| c.clear());
        self.parents.iter_mut().for_each(|parents| parents.retain(within));
    }

    /// Returns the first parent of `child` after section `now`, or `None` if there is no later
    /// parent.
    pub fn next_use(&self, child: u32, now: u32) -> Option<u32> {
        let parents = &self.parents[child as usize];
        parents.get(parents.partition_point(|&parent| parent <= now)).copied()
    }

    /// Returns the number of quadrants of `parent` in which an additional marble leads to `child`.
    pub fn times(&self, child: u32, parent: u32) -> usize {
        let children = self.children.get(parent as usize);
        children.map_or(0, |children| children.iter().filter(|&&c| c == child).count())
    }

    /// Returns the number of entries of the next slice that are decoded while the slice is
    /// computed. An entry that is decoded twice counts twice.
    ///
    /// A cache holds the decoded entries that are needed soonest. `room` returns its size limit in
    /// entries while the section with a given index is computed. `entries` lists the number of
    /// entries of each section of the next slice. `times` returns the mean number of times that a
    /// child's entries are read, for the index of a section and the index of the child in
    /// [`Schedule::children`]. The simulation treats sections as divisible, and ignores blocks.
    pub fn decoded(
        &self,
        entries: &[u64],
        room: impl Fn(usize) -> u64,
        times: impl Fn(usize, usize) -> f64,
    ) -> f64 {
        // The number of cached entries of a child, keyed by the next use and the child.
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
                // Another quadrant may lead to the same child, which is then needed again
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
                // This section doesn't decode entries again if they stay in the cache for later
                // sections.
                decoded += more * (size - kept.get(&(after, child)).unwrap_or(&0.0));
            }
        }
        decoded
    }

    /// Returns the peak disk usage in bytes while the slice is computed, if each section of the
    /// next slice is freed after its last parent. `own` and `next` list the size of each section in
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
            // In the complete slice, every section has a parent.
            assert!(!parents.is_empty() && parents.is_sorted_by(|a, b| a < b));
            pairs -= parents.len() as i64;
        }
        assert!(pairs >= 0, "a child by two quadrants is one child");
        let (child, parents) = (5, &schedule.parents[5]);
        assert_eq!(schedule.next_use(child, parents[0]), parents.get(1).copied());
        assert_eq!(schedule.next_use(child, *parents.last().expect("some")), None);
    }

    /// Checks the number of decoded entries. Without cache memory, each child is decoded for each
    /// parent and quadrant. With memory for all entries, each child is decoded once. More memory
    /// never causes more decoding.
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
