//! The server of the explorer: a page that shows any position, and an API for programs with the
//! value of every move. All files of the page are embedded in the program.
//!
//! | file | contents |
//! |---|---|
//! | `config` | the settings of the server, and the limits on requests and connections |
//! | `failure` | the failures of requests, with their status and JSON object |
//! | `clients` | clients, and limits with a maximum for each client |
//! | `lane` | the limit on simultaneous solutions, and the fair queue in front of it |
//! | `metrics` | counters for Prometheus |
//! | `service` | answers from the cache, the tables and the solver |
//! | `page` | the embedded files of the page |
//! | `api` | the HTTP routes |
//! | `net` | connections, their time-outs, and the shutdown |
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
pub use net::Server;
pub use page::page_files;
