//! Tables of Pentago: complete games, some of their slices, or everything below a position.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use ::pentago::make::Resources;
use ::pentago::rules::Rules;
use ::pentago_core::solve::RootedSolver;
use ::pentago_core::values::{ENTRY_BYTES, WdlCounts};
use ::pentago_tables::probe::Tables;
use ::pentago_tables::tables::{Header, PentagoSchema, Table, Tablebase, Target};
use ::pentago_tables::verify;
use pentago_base::Control;
use pentago_store::{Access, SampleReport};

use super::counts;
use crate::Result;
use crate::tables::{Described, KnownCounts, Opened, Sample, Set, Verified};

/// Opens the tables of a folder, and the published values of the first plies.
pub fn open(path: Option<&Path>, access: Access, cache: usize) -> Result<Box<dyn Opened>> {
    let tables = match path {
        Some(path) => Tables::open(path, access, cache)?,
        None => Tables::none(),
    };
    #[cfg(feature = "openings")]
    let tables = tables.with_openings()?;
    Ok(Box::new(tables))
}

impl Opened for Tables {
    fn sets(&self) -> Vec<&dyn Set> {
        self.families().iter().map(|set| set as &dyn Set).collect()
    }

    fn damaged(&self) -> Vec<String> {
        Tables::damaged(self).iter().map(ToString::to_string).collect()
    }

    fn unfinished(&self) -> &[PathBuf] {
        Tables::unfinished(self)
    }

    fn counts(&self, known: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
        counts::compare(self, known, out)
    }
}

impl Described for PentagoSchema {
    const ENTRY: [&'static str; 2] = ["entry", "entries"];

    fn target(target: &Target) -> [String; 2] {
        [target.to_string(), target.rules.to_string()]
    }

    fn common(slice: u8) -> (Option<u8>, Option<BTreeMap<&'static str, u16>>) {
        (Some(slice), None)
    }

    fn entry_bytes(_arrays: usize) -> f64 {
        ENTRY_BYTES as f64
    }

    fn counted(_set: &Tablebase, header: &Header) -> Result<[u64; 3]> {
        let WdlCounts { wins, draws, losses } = header.counts;
        Ok([wins, draws, losses])
    }

    fn source(set: &Tablebase) -> &'static str {
        set.index().origin().name()
    }

    fn values(_set: &Tablebase) -> u64 {
        256
    }

    fn sample(tables: &[(&Tablebase, &Table)], draw: Sample, control: &Control) -> Verified<SampleReport> {
        let Resources { kernel, threads, memory, .. } = *draw.resources;
        let solver = |rules: Rules| RootedSolver::new(rules, kernel, threads, memory);
        verify::random(tables, draw.count, draw.seed, solver, control)
    }

    fn counts(_sets: &[Tablebase], _known: &KnownCounts, _out: &mut dyn Write) -> Result<usize> {
        unreachable!("the tables of a folder are compared together")
    }
}
