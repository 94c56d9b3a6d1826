//! A device outside of the process, for example the GPU that a web page uses. Such a device can
//! compute only after the solver has returned to its caller.
//!
//! If such a device ([`RootedSolver::outside`](crate::solve::RootedSolver::outside)) must compute a
//! solution, the solver fails with [`DeviceRequest`]. The caller then has the device run the
//! [`DeviceSolution`], stores the result, and calls the solver again. The solver looks up this
//! solution, and also looks up the solutions that it has computed itself.

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

/// A device outside of the process, for positions under one set of rules, and all solutions that
/// are known so far.
#[derive(Debug)]
pub struct Outside {
    rules: Rules,
    cuts: Cuts,
    limits: Limits,
    /// The known solutions: the request, the upper ends of both chains, and `true` if the device
    /// computed them or `false` if the solver did.
    known: Mutex<Vec<(DeviceRequest, ChainTops, bool)>>,
}

impl Outside {
    /// Creates a device with these rules and limits, without known solutions.
    pub fn new(rules: Rules, cuts: Cuts, limits: Limits) -> Outside {
        Outside { rules, cuts, limits, known: Mutex::default() }
    }

    /// Returns `true` if the device should compute a solution. The solution must fit in the memory
    /// of the device, and be large enough to be worth the transfer. The solution has `boards`
    /// boards and `plies` plies, and its root has `empty` empty sockets.
    pub fn takes(&self, boards: u64, empty: usize, plies: usize) -> bool {
        boards >= self.cuts.worth && DeviceNeeds::of(self.cuts, self.limits, self.rules, empty, plies).fits
    }

    /// Prepares the solution that `request` describes.
    pub fn job(&self, request: &DeviceRequest) -> DeviceSolution {
        let settings = SolutionSettings { rules: self.rules, kernel: Kernel::best(), threads: 1 };
        DeviceSolution::new(settings, self.cuts, self.limits, &request.root, request.plies)
    }

    /// Stores the result that the device computed for a request. Returns `false` if there are too
    /// few lines.
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

    /// Returns a known solution, and `true` if the device computed it. Returns `None` if the solver
    /// must compute the solution itself.
    ///
    /// # Errors
    /// `SolveError::Device` if the device must compute the solution.
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
