//! The commands, one file each.

pub mod answer;
pub mod bench;
pub mod build;
pub mod build_args;
pub mod completions;
pub mod convert;
pub mod export;
pub mod import;
pub mod info;
pub mod man;
pub mod merge;
pub mod perft;
pub mod plan;
pub mod play;
pub mod prove;
pub mod publish;
pub mod query;
pub mod random;
pub mod review;
pub mod rules;
pub mod serve;
pub mod solve;
pub mod symmetries;
pub mod ugi;
pub mod verify;

mod batch;
