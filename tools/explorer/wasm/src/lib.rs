//! The core of the solver in the browser.
//!
//! The page sends requests as text and receives JSON, through a buffer in the memory of the module.
//! There are only eight exports, so the crate needs no `wasm-bindgen`, whose tool and library must
//! have equal versions. The only JavaScript counterpart is `page/js/wasm.js`.
//!
//! | export | action |
//! |---|---|
//! | `reserve(bytes)` | allocates the request buffer, and returns its address |
//! | `ask()` | answers the request in the buffer, and returns the length of the answer in bytes |
//! | `answer()` | returns the address of the answer |
//! | `openings()` | uses the buffer as the tables of the openings; returns 1 if they are valid |
//! | `certificate()` | uses the buffer as the certificate of Pentago XL; returns 1 if it is right |
//! | `part()` | stores the next part of the GPU work as the answer, and returns its length |
//! | `learn()` | uses the buffer as the results of the GPU; returns 1 if their size is right |
//! | `bring(index)` | uses the buffer as bytes of a table; returns 1 if their number is right |
//!
//! A request is a list of strings, separated by zero bytes. The first string names the request:
//!
//! | request | answer |
//! |---|---|
//! | `rules` | all presets, with their boards |
//! | `board RULES` | the rules, with their board |
//! | `look RULES POSITION` | the position, and its moves without values |
//! | `read RULES TEXT` | a pasted position or game |
//! | `values RULES POSITION DISTANCE SECONDS [LIMITS]` | the values of all moves |
//! | `guesses RULES POSITION DISTANCE SECONDS` | as `values`, without tables and certificate |
//! | `effort RULES POSITION DISTANCE` | the number of boards to solve, 0 for known values |
//! | `tables ADDRESS` | opens the tables at an address; an empty address closes the tables |
//! | `random RULES MARBLES SEED` | a random position in which no side wins with one move |
//! | `digest SEED` | the checksum of the kernel's results for pseudo-random input, for tests |
//!
//! DISTANCE is 1 to include distances, otherwise 0. The answer is one JSON object: the requested
//! data, or `{"error":...}`. With the LIMITS of a GPU, the answer to `values` may be
//! `{"device":...}`. This answer describes work for the GPU. The page does the work, and then
//! repeats the request. An answer `{"fetch":[...]}` lists bytes of tables. The page fetches these
//! bytes, passes them to `bring`, and repeats the request.
//!
//! | module | contents |
//! |---|---|
//! | `clock` | the clock of the browser |
//! | `play` | positions, moves and pasted text of all games |
//! | `tables` | tables on a web host, which the page fetches |
//! | `values` | the value of a position and of each of its moves |
//! | `session` | the state of the module, and its requests |
//! | `exports` | the functions that JavaScript calls |

mod clock;
mod exports;
mod play;
mod session;
mod tables;
mod values;

#[cfg(test)]
mod tests;
