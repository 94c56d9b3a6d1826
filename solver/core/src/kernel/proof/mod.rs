//! One row of a proof with counted outsiders: all boards with the same marbles of the attacker.
//!
//! The terms are those of `solve::proof`. S is a set of s sockets. The attacker, who is to win,
//! places on S only: his added marbles are A. The defender has B on S and c *outsiders* elsewhere,
//! which are counted and not located. A row holds for one A all B that don't meet A, `2^(s - |A|)`
//! half supers: board b of the row has the marbles of B whose numbers among the free sockets S \ A
//! are the bits of b. How many outsiders there are follows from the numbers of marbles: with the
//! attacker to move `most - |B|`, with the defender to move one less.
//!
//! ```text
//! attacker to move:  f(A, B) = not D(B, c) and (W(A) or OR_x W(A + x) or rmax(OR_x g(A + x, B)))
//! defender to move:  g(A, B) = not D(B, c) and (W(A) or not T and not rmax(OR_y not f(A, B + y)))
//! ```
//!
//! With `place=turn` there is neither W(A + x) nor T.
//!
//! W: the attacker has five. D: the defender has five in his located marbles and at most c sockets
//! outside S. T: he gets five by a placement. The replies y are the free sockets of S and, while an
//! outside socket is left, "somewhere outside", after which B is the same and c one more.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod calls;
mod lanes;
mod located;
mod pass;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable;
mod row;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

pub(crate) use located::{AttackRun, DefendRun, Numbers};
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) use pass::PORTABLE;
pub(super) use pass::ProofPasses;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use pass::SIMD128;
#[cfg(target_arch = "x86_64")]
pub(super) use pass::{AVX2, AVX512};
pub(crate) use row::{MOST_SOCKETS, ProofRow, row_packs};
