//! Proofs of forced wins by lemmas, for two seats and few marbles.
//!
//! A *lemma* states that every position that matches a pattern is won within some plies, and names
//! the first move. The pattern requires some marbles of the attacker and some empty sockets. All
//! other sockets are irrelevant: a reply of the defender there changes nothing. One lemma therefore
//! answers most of the some thousand replies to a move. `certificate-format.md` defines lemmas and
//! the rules that prove a lemma from earlier lemmas.
//!
//! Threat-space search (Allis, 1994) and lambda search (Thomsen, 2000) use relevance in a similar
//! way.

mod book;
mod journal;
mod lines;
mod pattern;
mod search;
mod short;
mod text;
mod tree;

pub use book::{LEMMAS_FIRST_LINE, LemmaBook};
pub use journal::LemmaJournal;
pub use text::{prove_by_lemmas, win_by_lemmas};
