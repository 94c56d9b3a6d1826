//! The passes of proofs with counted outsiders.
//!
//! `solve::proof` explains the terms. In a proof with counted outsiders, S is a set of s sockets.
//! The attacker, who wants to win, places only on S: A is the set of the marbles that the attacker
//! has added. The defender has the set B on S, and c *outsiders* on other sockets. Outsiders are
//! counted but not located.
//!
//! A row contains all boards with the same A. It has one half super for each B that is disjoint
//! from A, in total `2^(s - |A|)` half supers. The index of a board in its row is the set B: bit i
//! means that free socket i of S \ A is in B. The number of outsiders follows from the numbers of
//! marbles: `most - |B|` with the attacker to move, and one less with the defender to move.
//!
//! ```text
//! attacker to move:  f(A, B) = not D(B, c) and (W(A) or OR_x W(A + x) or rmax(OR_x g(A + x, B)))
//! defender to move:  g(A, B) = not D(B, c) and (W(A) or not T and not rmax(OR_y not f(A, B + y)))
//! ```
//!
//! W: the attacker has five. D: the defender has five on located marbles and at most c sockets
//! outside S. T: a placement of the defender makes five. A + x is A with a marble on the free
//! socket x of S. rmax: the rotations from which a turn leads to a rotation of the set. The replies
//! y are the free sockets of S. While an outside socket is free, "somewhere outside" is another
//! reply, which leaves B unchanged and adds 1 to c. With `place=turn`, W(A + x) and T are false.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod calls;
mod lanes;
mod pass;
mod row;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) use pass::PORTABLE;
pub(super) use pass::ProofPasses;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use pass::SIMD128;
#[cfg(target_arch = "x86_64")]
pub(super) use pass::{AVX2, AVX512};
pub(crate) use row::{MOST_SOCKETS, ProofRow, row_packs};
