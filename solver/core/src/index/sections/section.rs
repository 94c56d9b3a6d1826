//! The sections of a slice, and the index of a board in a section.
//!
//! A *section* is the set of all boards with the same marble counts in each quadrant. The images of
//! a section under the symmetries of the board that preserve values (all 8, or the 4 rotations with
//! `dir=cw`) have the same values as the section. One of the images is *standard*: among the images
//! whose last quadrant has the most minimal patterns, the image with the least counts. Tables store
//! only standard sections.
//!
//! A section is stored as an array with one axis for each quadrant. The minimal patterns of the
//! quadrant lie along its axis, in the order of [`Patterns`]. In a standard section, the last axis
//! is the longest, because the kernels work along it. The entry at an index belongs to the board
//! with these four patterns. Its value at rotation r is the value of that board with quadrant q
//! turned by r_q.
//!
//! The *key* of a section is made from lists of eight counts. The list of a section has the marbles
//! of the player who isn't to move in each quadrant, then the marbles of the mover in each
//! quadrant. The key is the least list of all images of the section. The sections of a slice are
//! sorted by key. A move changes only the last four numbers of a list, so sections with common
//! children are neighbours. With this order, children are read from disk and from other computers
//! about half as often as with sections sorted by the plain counts.

use super::patterns::{Pattern, PatternPlace, Patterns};
use crate::rules::{Board, Dir, Rules, Shape};
use crate::symmetry::Element;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// The maximum number of entries of a block along each axis. The number is even, so that mirror
/// images of blocks are blocks (`bench/README.md#blocks`).
pub const EDGE: u32 = 8;

/// A section: the marble counts of the first and of the second player in each of the four
/// quadrants. A quadrant has at most nine marbles. The first player has either as many marbles as
/// the second player or one more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Section([[u8; 2]; 4]);

/// The number of sockets in a quadrant of the largest board shape.
const MOST: u8 = 9;

impl Section {
    /// Returns the number of different images of the section under the symmetries of the board that
    /// preserve values.
    pub fn images(self, rules: &Rules) -> u64 {
        Sections::of(rules.shape, rules.dir).multiplicity(self)
    }

    /// Returns the section with the marble counts `counts`, or `None` if no board in play has these
    /// counts.
    pub fn new(counts: [[u8; 2]; 4]) -> Option<Section> {
        let fits = |[x, o]: [u8; 2]| x.checked_add(o).is_some_and(|n| n <= MOST);
        if !counts.into_iter().all(fits) {
            return None;
        }
        let of = |player: usize| counts.iter().map(|quadrant| quadrant[player]).sum::<u8>();
        (of(0) == of(1) || of(0) == of(1) + 1).then_some(Section(counts))
    }

    /// Returns the marble counts in each quadrant: of the first player, then of the second player.
    pub fn counts(self) -> [[u8; 2]; 4] {
        self.0
    }

    /// Returns the section of a board.
    ///
    /// # Panics
    /// If the marble counts of the players can't occur in play.
    pub fn of(board: Board) -> Section {
        let counts = std::array::from_fn(|q| Pattern::of(board, q).counts());
        Section::new(counts).expect("a board in play")
    }

    /// Returns the number of marbles on each board of the section, which is also the number of the
    /// slice.
    pub fn marbles(self) -> usize {
        self.0.as_flattened().iter().map(|&n| usize::from(n)).sum()
    }

    /// Returns the player to move: 0, or 1 if the number of marbles is odd.
    pub fn mover(self) -> usize {
        self.marbles() % 2
    }

    /// Returns `true` if the marbles fit in the quadrants of a board of this shape.
    pub fn is_legal(self, shape: Shape) -> bool {
        let fits = |[x, o]: [u8; 2]| usize::from(x) + usize::from(o) <= shape.quadrant_sockets();
        self.0.into_iter().all(fits)
    }

    /// Returns the image of the section under a symmetry: the section that contains the images of
    /// its boards. Rotations of quadrants don't change a section.
    pub fn image(self, by: Element) -> Section {
        let mut image = Section::default();
        for (q, counts) in self.0.into_iter().enumerate() {
            image.0[usize::from(by.quadrant(q as u8))] = counts;
        }
        image
    }

    /// Returns the section with one more marble of the player to move in quadrant `q`, or `None` if
    /// the quadrant has no free socket.
    pub fn child(self, shape: Shape, q: usize) -> Option<Section> {
        let [x, o] = self.0[q];
        (usize::from(x) + usize::from(o) < shape.quadrant_sockets()).then(|| {
            let mut child = self;
            child.0[q][self.mover()] += 1;
            child
        })
    }

    /// Returns the marble counts of the player who isn't to move in each quadrant, then the marble
    /// counts of the mover.
    fn list(self) -> [u8; 8] {
        let mover = self.mover();
        std::array::from_fn(|i| self.0[i % 4][if i < 4 { 1 - mover } else { mover }])
    }

    /// Returns the section whose `list` is `list`, or `None` if no board in play has these counts.
    fn of_list(list: [u8; 8]) -> Option<Section> {
        let mover = list.iter().map(|&n| usize::from(n)).sum::<usize>() % 2;
        let count = |q: usize, player: usize| list[if player == mover { 4 + q } else { q }];
        Section::new(std::array::from_fn(|q| [count(q, 0), count(q, 1)]))
    }
}

/// Writes two digits for each quadrant, separated by commas. Example: `54,45,44,33`.
impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d] = self.0.map(|[x, o]| format!("{x}{o}"));
        f.pad(&format!("{a},{b},{c},{d}"))
    }
}

/// The error for a text that is not a section. The field contains the first characters of the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is not a section: expected the marbles of X and O in each quadrant, such as 54,45,44,33; \
     at most nine in a quadrant, and as many of X as of O or one more"
)]
pub struct NoSection(pub String);

impl FromStr for Section {
    type Err = NoSection;

    fn from_str(text: &str) -> Result<Section, NoSection> {
        let error = || NoSection(text.chars().take(40).collect());
        counts_of(text).and_then(Section::new).ok_or_else(error)
    }
}

/// Parses the marble counts of a section, such as `54,45,44,33`. Returns `None` if the text doesn't
/// have this form. Doesn't check whether a board can have these counts.
pub fn counts_of(text: &str) -> Option<[[u8; 2]; 4]> {
    let pair = |pair: &str| match pair.trim().as_bytes() {
        &[x @ b'0'..=b'9', o @ b'0'..=b'9'] => Some([x - b'0', o - b'0']),
        _ => None,
    };
    text.split(',').map(pair).collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// The location of a board's value in the stored sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The standard section that contains an image of the board.
    pub section: Section,
    /// The index of the entry in the array of the section.
    pub index: [u32; 4],
    /// The rotation of each quadrant, which selects the value within the entry.
    pub rotation: [u8; 4],
}

/// The standard sections of one board shape and one group of symmetries, and the index of a board
/// in its section.
#[derive(Debug)]
pub struct Sections {
    patterns: Patterns,
    /// The number of symmetries of the board that preserve values: 8, or 4 if turns are clockwise
    /// only.
    symmetries: u8,
    /// The standard sections, indexed by the number of marbles. A list is computed when it is first
    /// used, which takes milliseconds. A build uses each list several times.
    standard: [OnceLock<Vec<Section>>; SLICES],
}

/// The maximum number of slices of a game: 0 to 36 marbles.
const SLICES: usize = 37;

impl Sections {
    /// Creates the sections of boards of one shape. `dir` is the allowed direction of turns, which
    /// determines the symmetries that preserve values.
    pub fn new(shape: Shape, dir: Dir) -> Sections {
        Sections {
            patterns: Patterns::new(shape),
            symmetries: if dir == Dir::Both { 8 } else { 4 },
            standard: [const { OnceLock::new() }; SLICES],
        }
    }

    /// Returns the sections of boards of one shape, which are computed once per program. Rules that
    /// differ only in the length of a winning line share these sections.
    pub fn of(shape: Shape, dir: Dir) -> &'static Sections {
        static SECTIONS: [OnceLock<Sections>; 4] = [const { OnceLock::new() }; 4];
        let number = 2 * usize::from(shape != Shape::Pentago) + usize::from(dir == Dir::Cw);
        SECTIONS[number].get_or_init(|| Sections::new(shape, dir))
    }

    /// Returns the shape of the board.
    pub fn shape(&self) -> Shape {
        self.patterns.shape()
    }

    /// Returns the minimal patterns of a quadrant, which lie along the axes of a section's array.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// Returns the symmetries of the board that preserve values, starting with the identity.
    pub fn symmetries(&self) -> impl Iterator<Item = Element> + use<> {
        (0..self.symmetries).map(Element::whole_board)
    }

    /// Returns the standard image of a section, and the first symmetry of the board that maps the
    /// section to this image.
    pub fn standardise(&self, section: Section) -> (Section, Element) {
        let images = self.symmetries().map(|by| (section.image(by), by));
        let place = |&(image, by): &(Section, Element)| (Reverse(self.length(image)), image, by.global());
        images.min_by_key(place).expect("there is the identity")
    }

    /// Returns `true` if a section is its own standard image.
    pub fn is_standard(&self, section: Section) -> bool {
        self.standardise(section).0 == section
    }

    /// Returns the length of the last axis of a section's array.
    fn length(&self, section: Section) -> usize {
        self.patterns.list(section.0[3]).len()
    }

    /// Returns the key of a section. All images of the section have the same key.
    pub fn key(&self, section: Section) -> [u8; 8] {
        self.symmetries().map(|by| section.image(by).list()).min().expect("there is the identity")
    }

    /// Returns the standard section whose key is `key`. Returns `None` if no section of this board
    /// shape has the key.
    pub fn of_key(&self, key: [u8; 8]) -> Option<Section> {
        let section = Section::of_list(key).filter(|section| section.is_legal(self.shape()))?;
        (self.key(section) == key).then(|| self.standardise(section).0)
    }

    /// Sorts standard sections by key, and removes duplicates.
    fn sorted(&self, mut sections: Vec<Section>) -> Vec<Section> {
        sections.sort_by_cached_key(|&section| self.key(section));
        sections.dedup();
        sections
    }

    /// Returns the number of different images of a section.
    pub fn multiplicity(&self, section: Section) -> u64 {
        self.symmetries().map(|by| section.image(by)).collect::<BTreeSet<_>>().len() as u64
    }

    /// Returns all standard sections with `marbles` marbles, sorted by key.
    pub fn standard(&self, marbles: usize) -> Vec<Section> {
        let found = self.standard.get(marbles).map(|slice| slice.get_or_init(|| self.find_standard(marbles)));
        found.cloned().unwrap_or_default()
    }

    fn find_standard(&self, marbles: usize) -> Vec<Section> {
        let shape = self.shape();
        let cells = shape.quadrant_sockets() as u8;
        let pairs: Vec<[u8; 2]> = (0..=cells).flat_map(|x| (0..=cells - x).map(move |o| [x, o])).collect();
        let (first, second) = (marbles.div_ceil(2) as u8, (marbles / 2) as u8);
        let mut sections = Vec::new();
        for a in &pairs {
            for b in &pairs {
                for c in &pairs {
                    let rest = |i: usize, all: u8| all.checked_sub(a[i] + b[i] + c[i]);
                    if let (Some(x), Some(o)) = (rest(0, first), rest(1, second)) {
                        let section = Section([*a, *b, *c, [x, o]]);
                        if x + o <= cells && self.is_standard(section) {
                            sections.push(section);
                        }
                    }
                }
            }
        }
        self.sorted(sections)
    }

    /// Returns the standard images of the children of a section, sorted by key. The values of a
    /// section are computed from the values of these sections.
    pub fn children(&self, section: Section) -> Vec<Section> {
        let children = (0..4).filter_map(|q| section.child(self.shape(), q));
        self.sorted(children.map(|child| self.standardise(child).0).collect())
    }

    /// Returns `sections` and all sections on which their values depend, slice by slice up to the
    /// full board. `sections` must belong to one slice, but need not be standard. The result
    /// contains standard sections only, sorted by key within each slice.
    pub fn closure(&self, sections: &[Section]) -> Vec<Vec<Section>> {
        let mut slices = Vec::new();
        let mut slice = self.sorted(sections.iter().map(|&s| self.standardise(s).0).collect());
        while !slice.is_empty() {
            let next: BTreeSet<Section> = slice.iter().flat_map(|&s| self.children(s)).collect();
            slices.push(slice);
            slice = self.sorted(next.into_iter().collect());
        }
        slices
    }

    /// Returns the number of entries along each axis of a section's array.
    pub fn extents(&self, section: Section) -> [u32; 4] {
        section.0.map(|counts| self.patterns.list(counts).len() as u32)
    }

    /// Returns, for each block of patterns, the set of blocks that contain the children of these
    /// patterns. The patterns of a quadrant with the marble counts `counts` are divided into
    /// blocks. A child has one more marble of `player`. Bit i of a set stands for block i. There
    /// are at most 64 blocks.
    pub fn blocks_read(&self, counts: [u8; 2], player: usize) -> Vec<u64> {
        let free = self.shape().quadrant_sockets() - usize::from(counts[0] + counts[1]);
        let places = self.patterns.children(counts, player);
        let block = |place: &PatternPlace| u32::from(place.index) / EDGE;
        let set = |places: &[_]| places.iter().fold(0, |set, place| set | 1 << block(place));
        places.chunks((EDGE as usize * free).max(1)).map(set).collect()
    }

    /// Returns the number of boards of a section, at all rotations. Returns 0 if the marbles don't
    /// fit in the quadrants of this board shape.
    pub fn boards(&self, section: Section) -> u64 {
        let factorial = |n: usize| (1..=n as u64).product::<u64>();
        let cells = self.shape().quadrant_sockets();
        let of = |[x, o]: [u8; 2]| {
            let (x, o) = (usize::from(x), usize::from(o));
            let Some(free) = cells.checked_sub(x + o) else { return 0 };
            factorial(cells) / factorial(x) / factorial(o) / factorial(free)
        };
        section.0.into_iter().map(of).product()
    }

    /// Returns the location of a board's value in the standard sections.
    pub fn locate(&self, board: Board) -> Address {
        let (section, by) = self.standardise(Section::of(board));
        let (index, rotation) = self.place(by.apply(self.shape(), board));
        Address { section, index, rotation }
    }

    /// Returns the index of a board in the array of its own section, and the rotation of each
    /// quadrant. The section need not be standard.
    pub fn place(&self, board: Board) -> ([u32; 4], [u8; 4]) {
        let places: [PatternPlace; 4] = std::array::from_fn(|q| self.patterns.place(Pattern::of(board, q)));
        (places.map(|p| u32::from(p.index)), places.map(|p| p.quarters))
    }

    /// Returns the board at an index of a section's array, with its quadrants turned by `rotation`.
    ///
    /// # Panics
    /// If the index is outside the array.
    pub fn board(&self, section: Section, index: [u32; 4], rotation: [u8; 4]) -> Board {
        let mut board = Board::EMPTY;
        for q in 0..4 {
            let least = self.patterns.list(section.0[q])[index[q] as usize];
            let Pattern([x, o]) = least.turned(self.shape(), rotation[q]);
            board.x |= u64::from(x) << (16 * q);
            board.o |= u64::from(o) << (16 * q);
        }
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Rules, random};
    use pentago_base::binomial;

    /// The numbers of standard sections equal the published numbers.
    #[test]
    fn standard_sections_are_as_many_as_published() {
        let sections = Sections::new(Shape::Pentago, Dir::Both);
        let numbers = [
            1, 1, 3, 7, 18, 31, 59, 101, 177, 272, 427, 631, 934, 1290, 1780, 2344, 3067, 3807, 4686, 5510,
            6400, 7074, 7707, 8040, 8239, 8040, 7665, 6955, 6120, 5076, 4055, 3028, 2136, 1343, 750, 330,
        ];
        for (marbles, &number) in numbers.iter().enumerate() {
            let all = sections.standard(marbles);
            assert_eq!(all.len(), number, "{marbles} marbles");
            assert!(
                all.is_sorted_by(|&a, &b| sections.key(a) < sections.key(b))
                    && all.iter().all(|s| s.is_legal(Shape::Pentago) && s.marbles() == marbles)
            );
        }
        let entries = |n| {
            sections
                .standard(n)
                .iter()
                .map(|&s| sections.extents(s).iter().map(|&n| u64::from(n)).product::<u64>())
                .sum::<u64>()
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(entries), [1, 3, 36, 286, 2816, 15772, 105_628]);
    }

    /// The numbers of boards of all standard sections, each multiplied by the number of images of
    /// the section, add up to the number of boards in the slice.
    #[test]
    fn sections_partition_a_slice() {
        for (shape, dir) in [(Shape::Pentago, Dir::Both), (Shape::Pentago, Dir::Cw), (Shape::Mini4, Dir::Cw)]
        {
            let sections = Sections::new(shape, dir);
            for marbles in [0, 1, 2, 5, 10, 15] {
                let boards: u64 = sections
                    .standard(marbles)
                    .iter()
                    .map(|&s| sections.boards(s) * sections.multiplicity(s))
                    .sum();
                let all = binomial(shape.sockets(), marbles) * binomial(marbles, marbles / 2);
                assert_eq!(u128::from(boards), all, "{shape:?} {marbles}");
            }
        }
    }

    /// A section is independent of the board shape. So a section of the large board may have too
    /// many marbles in a quadrant for the small board.
    #[test]
    fn no_board_has_more_marbles_than_sockets() {
        let of = |shape| Sections::new(shape, Dir::Both);
        let (large, small) = (of(Shape::Pentago), of(Shape::Mini4));
        let too_full: Section = "32,00,00,00".parse().expect("a section");
        assert!(!too_full.is_legal(small.shape()));
        assert_eq!([&large, &small].map(|sections| sections.boards(too_full)), [1260, 0]);
        let full: Section = "22,22,22,22".parse().expect("a section");
        assert_eq!([&large, &small].map(|sections| sections.boards(full)), [756u64.pow(4), 6u64.pow(4)]);
        // Counts with too many marbles in a quadrant, or of one colour, don't form a section.
        assert_eq!(Section::new([[5, 5], [0; 2], [0; 2], [0; 2]]), None);
        assert_eq!(Section::new([[255, 1], [0; 2], [0; 2], [0; 2]]), None);
        assert_eq!(large.of_key([2, 0, 0, 0, 0, 0, 0, 0]), None);
    }

    /// The address of a board is the address of one of its images. All images have the same
    /// standard section.
    #[test]
    fn addresses_lead_back() {
        for text in ["pentago", "pentago-eu", "mini", "mini:dir=cw"] {
            let rules: Rules = text.parse().expect("these are rules");
            let sections = Sections::new(rules.shape, rules.dir);
            for marbles in 0..rules.shape.sockets() as u32 {
                let count = if rules.shape == Shape::Pentago && marbles > 34 { 3 } else { 20 };
                for position in random::positions(&rules, marbles, count, 5, false).unwrap_or_default() {
                    let board = position.board();
                    let (index, rotation) = sections.place(board);
                    assert_eq!(sections.board(Section::of(board), index, rotation), board);
                    let address = sections.locate(board);
                    assert!(sections.is_standard(address.section));
                    let found = sections.board(address.section, address.index, address.rotation);
                    assert!(sections.symmetries().any(|by| by.apply(rules.shape, board) == found));
                    for by in sections.symmetries() {
                        assert_eq!(sections.locate(by.apply(rules.shape, board)).section, address.section);
                    }
                }
            }
        }
    }

    /// All images of a section share one key, from which `of_key` finds the standard section. The
    /// last axis of the standard section is the longest.
    #[test]
    fn keys_name_sections() {
        for (shape, dir, slices) in [
            (Shape::Pentago, Dir::Both, vec![0, 1, 7, 18, 29]),
            (Shape::Pentago, Dir::Cw, vec![6, 31]),
            (Shape::Mini4, Dir::Both, (0..=16).collect()),
        ] {
            let sections = Sections::new(shape, dir);
            for section in slices.into_iter().flat_map(|marbles| sections.standard(marbles)) {
                let key = sections.key(section);
                assert_eq!(sections.of_key(key), Some(section));
                for image in sections.symmetries().map(|by| section.image(by)) {
                    assert_eq!(sections.key(image), key);
                    assert_eq!(sections.standardise(image).0, section);
                    assert!(image.list() == key || sections.of_key(image.list()).is_none());
                }
                let extents = sections.extents(section);
                assert_eq!(extents.iter().max(), Some(&extents[3]), "{section}");
            }
        }
    }

    /// All parents of a section have the same first four numbers in their keys, so they are
    /// neighbours in the sorted slice.
    #[test]
    fn parents_stand_together() {
        let sections = Sections::new(Shape::Pentago, Dir::Both);
        for marbles in [10, 23] {
            let mut groups = std::collections::BTreeMap::<Section, BTreeSet<[u8; 4]>>::new();
            for section in sections.standard(marbles) {
                let [a, b, c, d, ..] = sections.key(section);
                for child in sections.children(section) {
                    groups.entry(child).or_default().insert([a, b, c, d]);
                }
            }
            assert_eq!(groups.len(), sections.standard(marbles + 1).len());
            assert!(groups.values().all(|groups| groups.len() == 1));
        }
    }

    #[test]
    fn closures_lead_to_the_full_board() {
        let sections = Sections::new(Shape::Pentago, Dir::Both);
        let section: Section = "54,44,45,44".parse().expect("this is a section");
        let closure = sections.closure(&[section]);
        assert_eq!(closure.len(), 3);
        assert_eq!(closure[0], [sections.standardise(section).0]);
        // Two quadrants have one free socket each. So there are two sections with 35 marbles, and
        // each of them has one child, a full board.
        assert_eq!(closure.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 2]);
        assert!(closure.iter().flatten().all(|&s| sections.is_standard(s)));
        let all = sections.closure(&[Section::default()]);
        assert_eq!(all.len(), 37);
        assert_eq!(all[5], sections.standard(5));
    }

    #[test]
    fn text_of_sections() {
        let section = Section::new([[5, 4], [4, 5], [4, 4], [3, 3]]).expect("a section");
        assert_eq!(section.to_string(), "54,45,44,33");
        assert_eq!("54,45,44,33".parse(), Ok(section));
        for bad in [
            "",
            "54,45,44",
            "54,45,44,33,00",
            "5,4,4,4",
            "ab,cd,ef,gh",
            "541,45,44,33",
            "55,00,00,00",
            "20,00,00,00",
            "01,00,00,00",
        ] {
            assert!(bad.parse::<Section>().is_err(), "{bad}");
        }
    }
}
