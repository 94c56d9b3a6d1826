//! The entry point of the proofs, which proves the value of a position.

use super::cache::ProofCache;
use super::counted::Workspace;
use super::root::{ProofRoot, Verdict};
use super::search::{Limits, MOST_DEPTH};
use super::searches::Searches;
use crate::answer::{RuledOut, Value};
use crate::kernel::Kernel;
use crate::rules::{Position, Rules};
use pentago_base::{Control, Stopped};
use std::num::NonZeroUsize;

/// The maximum number of sockets in the set S of a proof, if the memory limit allows as many
/// (`bench/README.md#growth-of-a-search`).
const MOST_SOCKETS: usize = 18;
/// The maximum total size in bytes of the tables of both players. Each search also has a copy of
/// the other player's table, and the table of the full-width search, which are not included.
const TABLE_BYTES: u64 = 64 << 20;

/// Proves the value of a position and of its moves, as far as the limits allow. The game must not
/// be over. Uses the values in `cache`, and adds new values. With one thread, the calling thread
/// does all the work. Otherwise the threads of the current rayon pool run in parallel.
///
/// # Errors
/// If `control` is cancelled.
pub fn prove(
    rules: Rules,
    kernel: Kernel,
    threads: NonZeroUsize,
    position: &Position,
    limits: Limits,
    cache: Option<&ProofCache>,
    control: &Control,
) -> Result<Verdict, Stopped> {
    let workspaces = [(); 2].map(|()| Workspace::new(rules, kernel, threads));
    let workspace = &workspaces[0];
    let table = (limits.memory / 16).min(TABLE_BYTES / 2);
    // Each search has a table, a copy of the other player's table, and the table of its full-width
    // search. A table that grows exists twice for a moment, and the old table has half the new
    // size. So reserve memory for seven tables.
    let counted = |sockets: usize| 2 * workspace.bytes(sockets) + workspace.task_bytes(sockets) + 7 * table;
    let free = position.free().count_ones() as usize;
    let most = (0..=MOST_SOCKETS.min(free)).rev().find(|&sockets| counted(sockets) <= limits.memory);
    let mut root = ProofRoot::new(rules, position, cache);
    let Some(most) = most else { return Ok(root.verdict(Value::Unknown, RuledOut::default(), 0)) };
    let mut searches = Searches::new(workspaces, table, most, &limits, control);
    root.list_moves(cache);
    root.deepen(&mut searches)?;
    // Unless the caller requests all moves, each undecided move gets only small proofs. Together
    // these proofs may compute a quarter of the boards computed so far, or 4 million boards if that
    // is more.
    let depths = if limits.every_move {
        MOST_DEPTH
    } else {
        let more = (searches.cost() / 4).max(4_000_000);
        for search in &mut searches.each {
            search.budget = search.budget.min(search.progress.cost().saturating_add(more / 2));
        }
        2
    };
    root.look_at_moves(&mut searches, depths)?;
    root.keep(cache);
    Ok(root.verdict(root.value(), searches.ruled_out(position), searches.boards()))
}
