//! A device that this process can't call: a page's, which answers when the process has long returned.
//!
//! A solver that has one ([`RootedSolver::with_outside`](crate::solve::RootedSolver::with_outside))
//! ends with [`Wanted`] where the device is to compute something first. Whoever asked has the
//! [`Job`] run, and asks again: now the solver knows that solution, and those that it made itself.

use super::super::chain::Top;
use super::super::error::SolveError;
use super::super::win_tables::ChainRoot;
use super::job::{Common, Job, Takes};
use super::schedule::Cuts;
use crate::kernel::Kernel;
use crate::rules::Rules;
use crate::supers::WinMasks;
use pentago_base::lock;
use pentago_gpu::{LINE_BYTES, Limits};
use std::sync::Mutex;

/// A solution that a device outside is to compute first.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a graphics processor outside of the process is to compute a solution first")]
pub struct Wanted {
    root: ChainRoot,
    plies: usize,
}

/// A device outside, for questions under one set of rules, and the solutions that are known.
#[derive(Debug)]
pub struct Outside {
    rules: Rules,
    cuts: Cuts,
    limits: Limits,
    known: Mutex<Vec<(Wanted, Known)>>,
}

/// The upper ends of both chains, the boards of each, and whether the device computed them.
#[derive(Clone, Debug)]
pub(in crate::solve::rooted) struct Known {
    pub tops: [Top; 2],
    pub boards: u64,
    pub on_device: bool,
}

impl Outside {
    /// A device with these limits.
    #[must_use]
    pub fn new(rules: Rules, cuts: Cuts, limits: Limits) -> Outside {
        Outside { rules, cuts, limits, known: Mutex::default() }
    }

    /// Whether it is worth it, and can hold it: a solution of `boards` boards, `plies` plies deep, for a
    /// root with `empty` empty sockets.
    #[must_use]
    pub fn takes(&self, boards: u64, empty: usize, plies: usize) -> bool {
        boards >= self.cuts.worth && Takes::of(self.cuts, self.limits, self.rules, empty, plies).fits
    }

    /// What the device is to do.
    #[must_use]
    pub fn job(&self, wanted: &Wanted) -> Job {
        let Wanted { root, plies } = wanted;
        let (rules, fives) = (self.rules, WinMasks::new(self.rules.shape));
        let common = Common { rules, fives: &fives, kernel: Kernel::best(), threads: 1 };
        Job::new(common, self.cuts, self.limits, root, *plies)
    }

    /// Remembers what the device has computed; whether the lines are those that were to be read.
    pub fn learn(&self, wanted: Wanted, job: &Job, lines: &[[u8; LINE_BYTES as usize]]) -> bool {
        let Some((tops, boards)) = job.tops(lines) else { return false };
        self.remember(wanted, Known { tops, boards, on_device: true });
        true
    }

    pub(in crate::solve::rooted) fn remember(&self, wanted: Wanted, known: Known) {
        lock(&self.known).push((wanted, known));
    }

    /// A solution that is known; an error if the device is to compute it.
    pub(in crate::solve::rooted) fn solution(
        &self,
        wanted: &Wanted,
        boards: u64,
    ) -> Result<Option<Known>, SolveError> {
        let known = lock(&self.known).iter().find(|(of, _)| of == wanted).map(|(_, known)| known.clone());
        if known.is_none() && self.takes(boards, wanted.root.empty.len(), wanted.plies) {
            return Err(wanted.clone().into());
        }
        Ok(known)
    }
}

impl Wanted {
    pub(in crate::solve::rooted) fn new(root: &ChainRoot, plies: usize) -> Wanted {
        Wanted { root: root.clone(), plies }
    }
}
