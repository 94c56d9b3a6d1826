//! Proofs: who wins, where the full solution is out of reach.

mod choice;
mod counted;
mod lines;
mod search;
mod table;
#[cfg(test)]
mod tests;
