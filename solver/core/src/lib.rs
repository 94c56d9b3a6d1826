//! The game of Pentago and its solvers, without I/O.
//!
//! | module | contents |
//! |---|---|
//! | [`rules`] | sockets, boards, moves, winning lines, outcomes, notation, rule options |
//! | [`symmetry`] | the 8 symmetries of the board, the group of 2,048, rotations, canonical form |
//! | [`index`] | the index of a board: below one root position, or in a section of the whole game |
//! | [`supers`] | one truth value for each of the 256 rotations; masks of five in a row |
//! | [`kernel`] | passes over many boards at once: portable, AVX2, AVX-512, SIMD128 |
//! | [`values`] | entries, blocks, and the sources and sinks of blocks |
//! | [`answer`] | the answer for a position: values, their sources, estimates |
//! | [`solve`] | retrograde analysis below one position and of the whole game; proofs |
//! | [`guess`] | the most promising moves where no value is known |
//!
//! Each module uses only the modules listed above it in this table, and [`threads`]. The crate
//! `pentago-tables` stores values. The crate `pentago` is the entry point for programs: it chooses
//! an engine for a position and builds tables.
//!
//! The crate uses the threads of the current rayon pool. The crate also compiles for 32-bit targets
//! (`wasm32-unknown-unknown`), and needs no clock and no C code. On a target without threads, the
//! calling thread does all work.

#![deny(clippy::undocumented_unsafe_blocks, unsafe_op_in_unsafe_fn)]

pub mod answer;
pub mod guess;
pub mod index;
pub mod kernel;
pub mod rules;
pub mod solve;
pub mod supers;
pub mod symmetry;
pub mod threads;
pub mod values;
