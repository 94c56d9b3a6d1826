//! A device that this process can't call: a page's, which answers when the process has long returned.
//!
//! A solver that has one ([`RootedSolver::with_outside`](crate::solve::RootedSolver::with_outside))
//! ends with [`DeviceRequest`] where the device is to compute something first. Whoever asked has the
//! [`DeviceSolution`] run, and asks again: now the solver knows that solution, and those that it made itself.

use super::super::chain::ChainTops;
use super::super::error::SolveError;
use super::super::request::DeviceRequest;
use super::job::{DeviceNeeds, DeviceSolution, SolutionSettings};
use super::schedule::Cuts;
use crate::kernel::Kernel;
use crate::rules::Rules;
use crate::supers::WinMasks;
use pentago_base::lock;
use pentago_gpu::{LINE_BYTES, Limits};
use std::sync::Mutex;

/// A device outside, for questions under one set of rules, and the solutions that are known.
#[derive(Debug)]
pub struct Outside {
    rules: Rules,
    cuts: Cuts,
    limits: Limits,
    /// By request: the upper ends of both chains, and whether the device computed them.
    known: Mutex<Vec<(DeviceRequest, ChainTops, bool)>>,
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
        boards >= self.cuts.worth && DeviceNeeds::of(self.cuts, self.limits, self.rules, empty, plies).fits
    }

    /// What the device is to do.
    #[must_use]
    pub fn job(&self, request: &DeviceRequest) -> DeviceSolution {
        let (rules, fives) = (self.rules, WinMasks::new(self.rules.shape));
        let settings = SolutionSettings { rules, fives: &fives, kernel: Kernel::best(), threads: 1 };
        DeviceSolution::new(settings, self.cuts, self.limits, &request.root, request.plies)
    }

    /// Remembers what the device has computed; whether the lines are those that were to be read.
    pub fn learn(
        &self,
        request: DeviceRequest,
        solution: &DeviceSolution,
        lines: &[[u8; LINE_BYTES as usize]],
    ) -> bool {
        let tops = solution.tops(lines);
        tops.map(|tops| self.remember(request, tops, true)).is_some()
    }

    pub(crate) fn remember(&self, request: DeviceRequest, tops: ChainTops, on_device: bool) {
        lock(&self.known).push((request, tops, on_device));
    }

    /// A solution that is known; an error if the device is to compute it.
    pub(crate) fn solution(
        &self,
        request: &DeviceRequest,
        boards: u64,
    ) -> Result<Option<(ChainTops, bool)>, SolveError> {
        let known = lock(&self.known);
        if let Some((_, tops, on_device)) = known.iter().find(|(of, ..)| of == request) {
            return Ok(Some((tops.clone(), *on_device)));
        }
        if self.takes(boards, request.root.empty.len(), request.plies) {
            return Err(request.clone().into());
        }
        Ok(None)
    }
}
