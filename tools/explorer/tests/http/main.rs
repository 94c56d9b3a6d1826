//! The server over real sockets: what it answers, and that nothing that a client does brings it down.

mod answers;
mod client;
mod document;
mod hostile;
mod schema;
