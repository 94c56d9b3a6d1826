//! Tests that the writer refuses wrong blocks and writes any list. The tests of `pentago-store`
//! cover orders of blocks, threads and interruptions.

use super::*;
use pentago_base::binomial;
use proptest::prelude::*;

#[test]
fn wrong_blocks_are_refused() {
    let manifest = small_manifest();
    let folder = folder();
    let writer = begin(&folder.path().join("t.pentago"), &manifest);
    let (id, entries) = &blocks_of(&manifest)[1];
    let kind = |id: BlockId, entries: &[Entry]| writer.put(id, entries).expect_err("refused").reason;
    assert!(matches!(kind(BlockId { array: 3, block: 0 }, entries), Reason::NoSuchBlock(_)));
    assert!(matches!(kind(*id, &[Entry::default()]), Reason::WrongBlock(_)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_list_comes_back(
        empty in 2u32..7,
        plies: u32,
        run in 1u32..50,
        kind in 0u8..3,
        seed: u64,
        codec in 0usize..CODECS.len(),
    ) {
        let rules = Rules::mini();
        // The root has marbles on the first sockets, alternately X and O.
        let sockets = (0..64u64).filter(|i| rules.shape.board_mask() >> i & 1 != 0);
        let mut root = pentago_core::rules::Board::EMPTY;
        for (i, socket) in sockets.take(16 - empty as usize).enumerate() {
            if i % 2 == 0 { root.x |= 1 << socket } else { root.o |= 1 << socket }
        }
        let plies = plies % (empty + 1);
        let target = Target { rules, domain: Domain::Root(root) };
        let choose = |n: u32, k: u32| binomial(n as usize, k as usize) as u32;
        let len = choose(empty, plies) * choose(plies, plies / 2);
        let array = ArrayInfo { key: [0; 8], grid: Grid::list(len, run) };
        let manifest = Manifest { target, slice: (16 - empty + plies) as u8, arrays: vec![array] };
        let folder = folder();
        let path = folder.path().join("t.pentago");
        let writer = Writer::begin(&path, manifest, Settings::new(CODECS[codec])).expect("begun");
        let mut all = Vec::new();
        for block in 0..array.grid.blocks() {
            let len = array.grid.len(block);
            let entries = match kind {
                0 => crate::codec::tests::random_entries(len, seed ^ block),
                1 => real_like_entries(len, seed ^ block),
                _ => vec![crate::codec::tests::random_entries(1, seed)[0]; len],
            };
            writer.put(BlockId { array: 0, block }, &entries).expect("put");
            all.extend(entries);
        }
        let header = writer.finish().expect("finished");
        let ones = |word: u64| u64::from(word.count_ones());
        let bits = |s: pentago_core::supers::Super| s.0.iter().flat_map(|h| h.0).map(ones).sum::<u64>();
        prop_assert_eq!(header.counts.wins, all.iter().map(|e| bits(e.win)).sum::<u64>());
        prop_assert_eq!(header.counts.total(), 256 * all.len() as u128);
        let table = Table::open(&path, Access::Map, Cache::new(1 << 16)).expect("opened");
        for (i, entry) in all.iter().enumerate() {
            prop_assert_eq!(table.entry(0, [0, 0, 0, i as u32]).expect("read"), *entry);
        }
    }
}
