//! Tests of the server over real sockets: its answers, and its protection against hostile clients.

mod answers;
mod client;
mod document;
mod hostile;
mod schema;
