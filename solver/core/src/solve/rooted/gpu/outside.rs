//! A device outside of the process, such as that of a web page, which answers only after the
//! process has returned.
//!
//! A solver with such a device
//! ([`RootedSolver::outside`](crate::solve::RootedSolver::outside)) fails with
//! [`DeviceRequest`] if the device must compute a solution first. The caller has the
//! [`DeviceSolution`] run, and asks again. The solver then knows this solution, as well as those
//! that it has computed itself.

use super::super::chain::ChainTops;
use super::super::error::SolveError;
use super::super::request::DeviceRequest;
use super::super::win_tables::SolutionSettings;
use super::job::{DeviceNeeds, DeviceSolution};
use super::schedule::Cuts;
use crate::kernel::Kernel;
use crate::rules::Rules;
use pentago_base::lock;
use pentago_gpu::{LINE_BYTES, Limits};
use std::sync::Mutex;

/// A device outside of the process for positions under one set of rules, with all known solutions.
#[derive(Debug)]
pub struct Outside {
    rules: Rules,
    cuts: Cuts,
    limits: Limits,
    /// For each request: the upper ends of both chains, and whether the device computed them.
    known: Mutex<Vec<(DeviceRequest, ChainTops, bool)>>,
}

impl Outside {
    /// Creates a device with these limits.
    #[must_use]
    pub fn new(rules: Rules, cuts: Cuts, limits: Limits) -> Outside {
        Outside { rules, cuts, limits, known: Mutex::default() }
    }

    /// Returns `true` if the device can hold a solution that is large enough to be worth the
    /// transfer: `boards` boards, `plies` plies deep, from a root with `empty` empty sockets.
    #[must_use]
    pub fn takes(&self, boards: u64, empty: usize, plies: usize) -> bool {
        boards >= self.cuts.worth && DeviceNeeds::of(self.cuts, self.limits, self.rules, empty, plies).fits
    }

    /// Prepares the solution of a request.
    #[must_use]
    pub fn job(&self, request: &DeviceRequest) -> DeviceSolution {
        let settings = SolutionSettings { rules: self.rules, kernel: Kernel::best(), threads: 1 };
        DeviceSolution::new(settings, self.cuts, self.limits, &request.root, request.plies)
    }

    /// Stores the result of the device. Returns `false` if there are too few lines.
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

    /// Returns a known solution, and `true` if the device computed that solution. Returns `None` if
    /// the solver should compute the solution, and an error if the device should.
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
