//! Sets of sockets, by size.

/// The number of sets of `k` out of at most 64 sockets.
pub(super) const fn choose(n: usize, k: usize) -> u64 {
    pentago_base::binomial(n, k) as u64
}

/// The subsets of `n` sockets with `size` elements, in the order of their numbers.
pub(super) fn subsets(n: usize, size: usize) -> impl Iterator<Item = u64> {
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
