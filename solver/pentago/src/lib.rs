//! Computes exact values of Pentago positions, and builds tablebases with such values.
//!
//! Pentago is played on 6x6 sockets in four quadrants of 3x3 sockets. A move places a marble and
//! turns a quadrant by a quarter. Five marbles in a row win. This crate computes the value, under
//! perfect play, of any late position and of every move. It also builds tables in which the values
//! of whole parts of the game can be looked up.
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
//! // Build the tables of all positions below, and probe them.
//! let folder = tempfile::tempdir()?;
//! Build::root(rules, position).keep(28).run(folder.path())?;
//! let value = Tablebase::open(folder.path())?.probe(&position)?;
//! assert_eq!(value.map(pentago::Value::from), Some(answer.value));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The types
//!
//! | type | meaning |
//! |---|---|
//! | [`Rules`] | the rule options and presets; parses and formats positions and moves |
//! | [`Position`] | a board with the side to move, valid by construction |
//! | [`Question`] | the wanted values, and the limits of the search |
//! | [`Solver`] | answers a question by an [`Answer`], which has a [`MoveEval`] for each move |
//! | [`Tablebase`] | a folder of tables, which contain [`Wdl`] values |
//! | [`Shuffle`], [`TableWalk`] | iterators over boards, in random order or in a table's order |
//! | [`Build`] | builds tables, and estimates the cost |
//! | [`Control`] | cancels work from another thread, and reports the progress |
//! | [`Error`] | any error, with a stable [`ErrorKind`] |
//!
//! # The modules
//!
//! [`rules`] implements the rules of the game. The other modules serve the programs, tests and
//! benchmarks of this project, and may change with any version. `docs/architecture.md` explains
//! them.
//!
//! The method is that of Irving (2014, "Pentago is a First Player Win: Strongly Solving a Game
//! Using Parallel In-Core Retrograde Analysis",
//! [arXiv:1404.0743](https://arxiv.org/abs/1404.0743)): all 256 ways to turn the four quadrants of
//! a board are one 256-bit value.
//!
//! # Features
//!
//! All features are on by default:
//!
//! | feature | purpose |
//! |---|---|
//! | `tables` | tables on disk: files, memory maps, zstd |
//! | `import` | conversion of the published files to tables |
//! | `openings` | the embedded published values of 0 to 6 marbles ([`Tablebase::openings`]) |
//!
//! Without features, the crate has the rules, the symmetries, the rooted solver and the proofs,
//! with the kernels of the CPU. Such a crate also compiles for 32-bit targets
//! (`wasm32-unknown-unknown`), and needs no clock ([`Clock`]), files or C code. On a target without
//! threads, the calling thread does all work.

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

pub use error::{Error, ErrorKind, NotEnoughMemory};
#[cfg(feature = "tables")]
pub use estimate::{BuildEstimate, SliceEstimate};
pub use facade::Pool;
#[cfg(feature = "tables")]
pub use facade::{Build, Checks, GameCounts, TableInfo, TableWalk, Tablebase, Verified};
pub use facade::{Solver, SolverBuilder, digest};
#[cfg(feature = "tables")]
pub use make::Built;
pub use pentago_base::{Clock, Control, Stage, Stopped};
pub use pentago_core::answer::{
    Answer, Estimate, Missing, MoveEval, Origin, Question, RuledOut, Unknown, Unsolved, Value,
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
