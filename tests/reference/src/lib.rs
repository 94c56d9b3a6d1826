//! A slow reference for Pentago: the rules, the exact values and the symmetries, written for
//! readability.
//!
//! Tests compare the reference with the fast solver. The reference shares neither code nor ideas
//! with the solver: a position is a grid of sockets, a turn of a quadrant moves its marbles one by
//! one, a winning line is found by walking along the line, and a value is found by trying every
//! move.
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
//! | module | contents |
//! |---|---|
//! | `rules` | the rule options, their text and the presets |
//! | `grid` | the sockets: turns of quadrants, whole-board symmetries, lines |
//! | `notation` | text of positions and moves |
//! | `game` | legal moves, the end of the game, perft |
//! | `negamax` | the exact value and distance of a position, memoised |
//! | `mini` | the values of all positions of the 4x4 game, from the full board to the empty board |
//! | [`pente`] | rules, values and forced wins of Pente, independent of the other modules |
//! | `symmetry` | the 4, 8 and 2,048 symmetries, by trial |
//! | `xl` | rules and values of Pentago XL, with two to four seats |
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
