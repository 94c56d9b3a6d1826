//! The C interface of the solver: `libpentago`.
//!
//! Every object is an opaque handle, which the library creates and frees. Freeing a handle sets the
//! caller's pointer to null. A function that expects a handle returns an error for a null pointer,
//! unless its documentation allows null. Functions return a [`pentago_status`], and write results
//! through pointers. The library stores the message of the last error for each thread
//! ([`border::pentago_last_error`]). A panic never unwinds into C, but becomes a status.
//!
//! | file | contents |
//! |---|---|
//! | `border` | helpers for statuses, errors, strings and pointers |
//! | `control` | progress and cancellation from another thread |
//! | `position` | positions, moves, and boards as numbers |
//! | `solution` | the solver and its answers |
//! | `tables` | building, probing and verifying tables |
//!
//! cbindgen generates `include/pentago.h` from these files: see README.md.

#![allow(non_camel_case_types)]

pub mod border;
pub mod control;
pub mod position;
pub mod solution;
pub mod tables;

pub use border::pentago_status;
