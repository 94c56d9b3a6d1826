//! Sets of sockets, enumerated and ranked by size.

/// Returns the number of subsets of `n` sockets that have `k` elements. `n` is at most 64.
pub(super) const fn choose(n: usize, k: usize) -> u64 {
    pentago_base::binomial(n, k) as u64
}

/// Returns all subsets of `n` elements that have `size` elements, in ascending order of their bit
/// masks.
pub(crate) fn subsets(n: usize, size: usize) -> impl Iterator<Item = u64> {
    let mut next = Some((1u64 << size) - 1).filter(|_| size <= n);
    std::iter::from_fn(move || {
        let set = next?;
        let low = set & set.wrapping_neg();
        next = (set != 0).then(|| {
            let up = set + low;
            up | (((set ^ up) >> 2) / low)
        });
        next = next.filter(|next| next >> n == 0);
        Some(set)
    })
}

/// Returns the rank of each subset of `n` elements among the subsets of its size, indexed by bit
/// mask.
pub(super) fn ranks(n: usize) -> Vec<u32> {
    let mut next = [0u32; 64];
    (0..1u64 << n)
        .map(|set| {
            let rank = &mut next[set.count_ones() as usize];
            *rank += 1;
            *rank - 1
        })
        .collect()
}
