//! Exact values of Pentago positions, and tablebases of them.
//!
//! Pentago is played on 6x6 sockets in four quadrants of 3x3: a move places a marble and turns a
//! quadrant by a quarter, and five in a row win. This crate gives the value of any late position
//! with perfect play, every move's value, and builds tables in which whole parts of the game can be
//! looked up.
//!
//! ```
//! use pentago::{Build, Position, Rules, Solver, Tablebase};
//!
//! // Solve: every move's value.
//! let rules = Rules::default();
//! let position: Position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o".parse()?;
//! let answer = Solver::builder().rules(rules).memory(1_000_000_000).build()?.solve(&position)?;
//! for eval in answer.best_moves() {
//!     println!("{} {}", rules.format_move(eval.mv), eval.value);
//! }
//!
//! // Build: what is below the position, as tables. Probe: values from these.
//! let folder = tempfile::tempdir()?;
//! Build::root(rules, position).keep(28).run(folder.path())?;
//! let value = Tablebase::open(folder.path())?.probe(&position)?;
//! assert_eq!(value.map(pentago::Value::from), Some(answer.value));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The types
//!
//! | type | what it is |
//! |---|---|
//! | [`Rules`] | the rule options and presets; reads and writes positions and moves |
//! | [`Position`] | a board with the side to move, valid by construction |
//! | [`Solver`] | solves positions; [`Answer`] and [`MoveEval`] are what it says |
//! | [`Tablebase`] | a folder of tables; [`Wdl`] is what it holds |
//! | [`Shuffle`], [`TableWalk`] | the boards of a tablebase in random order, or those of a table in its own |
//! | [`Build`] | makes tables, and estimates what that takes |
//! | [`Control`] | stops any of these from another thread, and tells how far it is |
//! | [`Error`] | any error, with a stable [`ErrorKind`] |
//!
//! # The rooms below
//!
//! [`rules`] is all of the game itself. The other modules are hidden: they are the levels on which
//! these types stand, each using only those before it, as README's picture shows, and are public for
//! this project's own programs, tests and benches alone. They change with any version.
//!
//! The method is Irving's (2014, "Pentago is a First Player Win: Strongly Solving a Game Using
//! Parallel In-Core Retrograde Analysis", [arXiv:1404.0743](https://arxiv.org/abs/1404.0743)): all
//! 256 ways to turn the four quadrants of a board are one 256-bit value.
//!
//! # Features
//!
//! All are on by default:
//!
//! | feature | what for |
//! |---|---|
//! | `parallel` | threads, those of a rayon pool |
//! | `tables` | tables on the disk: files, memory maps, zstd; needs `parallel` |
//! | `import` | the published files, as tables |
//! | `openings` | the published values of 0 to 6 marbles, embedded: [`Tablebase::openings`], [`SolverBuilder::openings`] |
//!
//! Without them there are the rules, the symmetries, the rooted solver and the proofs, in one thread,
//! with the kernels of the processor. That compiles for 32-bit targets too
//! (`wasm32-unknown-unknown`), and needs no threads, no clock ([`Clock`]), no files and no C code.

#![deny(clippy::undocumented_unsafe_blocks, unsafe_op_in_unsafe_fn)]

pub mod ask;
#[cfg(feature = "tables")]
pub mod estimate;
#[cfg(feature = "tables")]
pub mod make;
#[cfg(feature = "tables")]
pub mod rates;
#[cfg(feature = "tables")]
pub mod shards;

mod error;
mod facade;

pub use ask::NotEnoughMemory;
pub use error::{Error, ErrorKind};
#[cfg(feature = "tables")]
pub use estimate::{BuildEstimate, SliceEstimate};
#[cfg(feature = "tables")]
pub use facade::{
    BelowRoot, Build, Buildable, Checks, GameCounts, TableInfo, TableWalk, Tablebase, TablebaseBuilder,
    Verified, WholeGame,
};
pub use facade::{OpeningsFile, Solver, SolverBuilder, digest};
#[cfg(feature = "tables")]
pub use make::Built;
pub use pentago_base::{Clock, Control, Stage, Stopped};
pub use pentago_core::answer::{
    Answer, Estimate, Missing, MoveEval, Origin, Request, RuledOut, Unknown, Unsolved, Value,
};
pub use pentago_core::index::Section;
pub use pentago_core::kernel::Kernel;
pub use pentago_core::rules::{self, Board, Color, Move, Outcome, ParseError, Position, Rules};
pub use pentago_core::symmetry::{Element, Group};
pub use pentago_core::values::Wdl;
#[cfg(feature = "tables")]
pub use pentago_core::values::WdlCounts;
#[cfg(feature = "tables")]
pub use pentago_tables::codec::Codec;
#[cfg(feature = "tables")]
pub use pentago_tables::probe::{ILLEGAL, Lookup, Shuffle, TURNS, UNKNOWN};
#[cfg(feature = "import")]
pub use pentago_tables::published::{ImportError, Imported, Published, PublishedSlice, import};
#[cfg(feature = "tables")]
pub use pentago_tables::tables::{Access, merge};
#[cfg(feature = "tables")]
pub use pentago_tables::verify::counts::{BySection, Compared, Results, SliceCounts, read_counts};
#[cfg(feature = "tables")]
pub use pentago_tables::verify::{FullReport, SampleReport};
#[cfg(feature = "tables")]
pub use rates::Rates;
