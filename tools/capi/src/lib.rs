//! The front door of the solver for C: `libpentago`.
//!
//! Every object is an opaque handle that the library makes and frees; freeing sets the caller's
//! pointer to null, and null is an error wherever a handle is expected. Functions give a
//! [`pentago_status`], and what they compute through pointers; the text of an error is kept for each
//! thread ([`border::pentago_last_error`]). No panic crosses the border: it becomes a status.
//!
//! | file | what it represents |
//! |---|---|
//! | `border` | statuses, errors, texts and pointers: what all functions share |
//! | `control` | how a computation is watched and stopped from another thread |
//! | `position` | positions, moves, and boards as numbers |
//! | `solution` | the solver and its answers |
//! | `tables` | tables: built, probed, verified |
//!
//! `include/pentago.h` is made from this by cbindgen; see README.md.

#![allow(non_camel_case_types)]

pub mod border;
pub mod control;
pub mod position;
pub mod solution;
pub mod tables;

pub use border::pentago_status;
