//! A slow reference for Pentago: the rules, the exact values and the symmetries, written to be
//! read.
//!
//! It exists to be compared with the fast solver, so it shares neither code nor ideas with it: a
//! position is a grid of sockets, a turn of a quadrant moves its marbles one by one, a winning line is
//! found by walking along it, and a value is found by trying every move.
//!
//! ```
//! use pentago_reference::{After, Options, Solver};
//!
//! let options = Options::parse("pentago")?;
//! let state = options.read("OO1OO1/6/6/6/6/XXXX2 x")?;
//! assert_eq!(options.play(&state, "e1")?, After::Over(1));
//! assert_eq!(Solver::new(options).distance(&state), (1, 1));
//! # Ok::<(), String>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `rules` | the rule options, their text and the presets |
//! | `grid` | the sockets: turns of quadrants, whole-board symmetries, lines |
//! | `notation` | text of positions and moves |
//! | `game` | legal moves, how a position ends, perft |
//! | `negamax` | the exact value and distance of a position, memoised |
//! | `mini` | every position of the 4x4 game, valued from the full board back to the empty one |
//! | [`pente`] | the same for Pente: rules, values and forced wins; it stands alone |
//! | `symmetry` | the 4, 8 and 2,048 symmetries, by trial |
//! | `xl` | Pentago XL, with two to four seats: rules and values |
//!
//! Values are for the side to move everywhere: +1 win, 0 draw, -1 loss.

mod game;
mod grid;
mod mini;
mod negamax;
mod notation;
pub mod pente;
mod rules;
mod symmetry;
mod xl;

pub use game::{After, State};
pub use grid::Cells;
pub use mini::MiniTable;
pub use negamax::Solver;
pub use rules::{Options, Skip};
pub use symmetry::Group;
pub use xl::{Points, XlAfter, XlOptions, XlSolver, XlState};
