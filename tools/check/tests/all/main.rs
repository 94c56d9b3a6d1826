//! The checker: what it refuses to read, its answers, its exit statuses.

mod command;
mod judgement;
mod refusals;
