//! Proofs: who wins, where the full solution is out of reach.

mod counted;
mod lines;
#[cfg(test)]
mod tests;
