//! The server of the explorer: a page on which any position can be looked at, and an API with the
//! value of every move for programs, from one program with everything embedded.
//!
//! | file | what it represents |
//! |---|---|
//! | `config` | what the server is told when it starts, and the bounds that it keeps |
//! | `clients` | who asks, and each client's share of what all want |
//! | `service` | answers: from the cache, from tables, from the solver; who waits for which |
//! | `lane` | solutions at a time, and the queue before them, in which clients take turns |
//! | `failure` | why there is no answer, as a status and JSON |
//! | `api` | the paths of the API |
//! | `page` | the files of the page |
//! | `metrics` | counts for Prometheus |
//! | `net` | connections: how many, how slow, and how they end |
#![forbid(unsafe_code)]

mod api;
mod clients;
mod config;
mod failure;
mod lane;
mod metrics;
mod net;
mod page;
mod service;

pub use config::{Bounds, Config};
pub use failure::Failure;
pub use net::Server;
pub use page::export;
