//! Helpers of all tests: solvers, random boards, the paths of the published data, and conversions
//! between the positions of the solver and of the reference.

use pentago::Control;
use pentago::ask::Search;
use pentago::make::Resources;
use pentago::rules::{Board, Color, Position, Rules, Shape, Socket, random};
use pentago_core::answer::{Answer, Question, Value};
use pentago_core::index::Section;
use pentago_core::kernel::Kernel;
use pentago_core::solve::{RootedSolver, SectionSolver};
use pentago_reference::{Options, State};
use pentago_tables::tables::{ArrayInfo, Domain, Manifest, Target};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Returns the kernel under test: the kernel that `PENTAGO_KERNEL` names, or else the fastest
/// kernel.
pub fn kernel() -> Kernel {
    Kernel::chosen().expect("PENTAGO_KERNEL names a kernel that runs here")
}

/// Parses rules.
pub fn rules(text: &str) -> Rules {
    text.parse().expect("these are rules")
}

/// Returns `count` random positions with `marbles` marbles. If `quiet` is `true`, no move wins
/// immediately.
pub fn positions(rules: &Rules, marbles: u32, count: usize, seed: u64, quiet: bool) -> Vec<Position> {
    random::positions(rules, marbles, count, seed, quiet).expect("such positions exist")
}

/// Returns a solver that uses the calling thread and 1 GiB of memory, enough for a position of 18
/// marbles.
pub fn solver(rules: Rules) -> RootedSolver {
    RootedSolver::new(rules, kernel(), NonZeroUsize::MIN, 1 << 30)
}

/// Returns the resources for a build of small tables. Temporary files are written to `scratch`.
pub fn resources(threads: usize, scratch: &Path) -> Resources {
    Resources {
        kernel: kernel(),
        threads: self::threads(threads),
        memory: 1 << 28,
        scratch: scratch.to_owned(),
        scratch_limit: u64::MAX,
    }
}

/// Hashes a number: each bit of the result depends on all bits of `x`.
pub fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Returns the solver's answer to a question about a position.
pub fn answer(solver: &mut RootedSolver, position: &Position, question: &Question) -> Answer {
    Search::new(position, question, solver, &Control::new()).answer().expect("small positions are solved")
}

/// Converts rules to options of the reference, by formatting and parsing them.
pub fn options(rules: Rules) -> Options {
    Options::parse(&rules.to_string()).expect("the reference reads rules")
}

/// Converts rules and a position to options and a state of the reference, by formatting and parsing
/// them.
pub fn reference(rules: &Rules, position: &Position) -> (Options, State) {
    let options = options(*rules);
    let state = options.read(&rules.format_position(position)).expect("the reference reads positions");
    (options, state)
}

/// Converts a board to a state of the reference.
pub fn state_of(shape: Shape, board: Board) -> State {
    let mut cells = [0; 36];
    for (color, player) in [(Color::X, 1), (Color::O, 2)] {
        for socket in shape.sockets_of(board.of(color)) {
            let (file, rank) = shape.file_rank(socket);
            cells[(shape.size() - 1 - rank) * shape.size() + file] = player;
        }
    }
    State { cells, to_move: 1 + (board.marbles() % 2) as u8, pending: false }
}

/// Converts a state of the reference to a board.
pub fn board_of(shape: Shape, state: &State) -> Board {
    let size = shape.size();
    let of = |player: u8| -> u64 {
        let taken = (0..shape.sockets()).filter(|&cell| state.cells[cell] == player);
        taken.map(|cell| shape.socket(cell % size, size - 1 - cell / size).bit()).sum()
    };
    Board::new(of(1), of(2)).expect("disjoint")
}

/// Converts a value to the number that the reference uses: +1 for a win, 0 for a draw, -1 for a
/// loss.
pub fn worth(value: Value) -> i8 {
    match value {
        Value::Win => 1,
        Value::Draw => 0,
        Value::Loss => -1,
        Value::Unknown => panic!("a complete solution leaves nothing unknown"),
    }
}

/// A random number generator that returns the same numbers on every machine. The field is the seed.
pub struct Dice(pub u64);

impl Dice {
    /// Returns a random number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// Returns a random board with `marbles` marbles. Half of the marbles, rounded up, belong to X.
    pub fn board(&mut self, shape: Shape, marbles: usize) -> Board {
        self.fill(shape.sockets_of(shape.board_mask()).collect(), [marbles.div_ceil(2), marbles / 2])
    }

    /// Returns a random board of a section.
    pub fn board_in(&mut self, shape: Shape, section: Section) -> Board {
        let mut board = Board::EMPTY;
        for (q, counts) in section.counts().into_iter().enumerate() {
            let block = shape.sockets_of(shape.board_mask() & 0xffff << (16 * q));
            let part = self.fill(block.collect(), counts.map(usize::from));
            board = Board::new(board.x | part.x, board.o | part.o).expect("disjoint");
        }
        board
    }

    /// Returns a board with `x` marbles of X and `o` marbles of O on random sockets of the list.
    fn fill(&mut self, mut sockets: Vec<Socket>, [x, o]: [usize; 2]) -> Board {
        (0..x + o).fold(Board::EMPTY, |board, i| {
            let from = i + self.below(sockets.len() - i);
            sockets.swap(i, from);
            board.with(if i < x { Color::X } else { Color::O }, sockets[i])
        })
    }
}

/// Returns the manifest of a table of the whole game that contains these sections. All sections
/// must belong to one slice.
pub fn sections_content(rules: Rules, solver: &SectionSolver, sections: &[Section]) -> Manifest {
    let array =
        |section: &Section| ArrayInfo { key: solver.sections.key(*section), grid: solver.grid(*section) };
    Manifest {
        target: Target { rules, domain: Domain::Game },
        slice: sections[0].marbles() as u8,
        arrays: sections.iter().map(array).collect(),
    }
}

/// Returns the path of a file of the published data. If the file is missing, prints a note to
/// standard error and returns `None`.
pub fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: no {}", path.display());
    None
}

/// Converts a number of threads, which must be at least one.
pub fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).expect("at least one")
}
