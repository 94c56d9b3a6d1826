//! Tables of Pentago: complete games, some of their slices, or everything below a position.

use std::io::Write;
use std::path::Path;

use ::pentago::make::Resources;
use ::pentago::rules::Rules;
use ::pentago_core::solve::RootedSolver;
use ::pentago_core::values::{ENTRY_BYTES, WdlCounts};
use ::pentago_tables::probe::Tables;
use ::pentago_tables::tables::{Domain, PentagoSchema, Tablebase, Target};
use ::pentago_tables::verify;
use pentago_base::Control;
use pentago_store::Definition;

use super::counts;
use crate::Result;
use crate::tables::{self, Compared, GameTables, KnownCounts, Sample, TableInfo, TargetTables, Verified};

/// Opens the tables of a folder and the published values of the first plies, and adds them to
/// `tablebase`.
///
/// # Errors
/// If the folder can't be read.
pub fn open(tablebase: &mut tables::Tablebase, path: Option<&Path>, cache: usize) -> Result<()> {
    let tables = match path {
        Some(path) => Tables::open(path, cache)?,
        None => Tables::none(),
    };
    #[cfg(feature = "openings")]
    let tables = tables.with_openings()?;
    let damaged: Vec<String> = tables.scan.damaged.iter().map(ToString::to_string).collect();
    let unfinished = tables.scan.unfinished.clone();
    tablebase.add(::pentago::Tablebase::of(tables), damaged, unfinished);
    Ok(())
}

impl GameTables for ::pentago::Tablebase {
    fn targets(&self) -> Vec<&dyn TargetTables> {
        self.tables().families.iter().map(|tables| tables as &dyn TargetTables).collect()
    }

    #[cfg(feature = "build")]
    fn counts(&self, known: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
        counts::compare(self.tables(), known, out)
    }
}

impl TargetTables for Tablebase {
    fn target(&self) -> String {
        self.target().to_string()
    }

    fn rules(&self) -> String {
        self.target().rules.to_string()
    }

    fn source(&self) -> &'static str {
        self.index().origin.name()
    }

    fn list(&self) -> Result<Vec<TableInfo>> {
        tables::list(
            self,
            |_| ENTRY_BYTES as f64,
            |header, info| {
                let WdlCounts { wins, draws, losses } = header.counts;
                Ok(TableInfo { marbles: Some(header.slice), wins, draws, losses, ..info })
            },
        )
    }

    fn ends(&self) -> [Option<u8>; 2] {
        let Target { rules, domain } = self.target();
        match domain {
            Domain::Game => [Some(0), Some(rules.shape.sockets() as u8)],
            Domain::Root(root) => [Some(root.marbles() as u8), None],
        }
    }

    fn hash(&self, slice: usize, control: &Control) -> Verified<u64> {
        tables::hash(self, slice, control)
    }

    fn sample(&self, slices: &[usize], draw: Sample, control: &Control) -> Verified<String> {
        let Resources { kernel, threads, memory, .. } = *draw.resources;
        let solver = |rules: Rules| RootedSolver::new(rules, kernel, threads, memory);
        let opened = tables::opened(self, slices)?;
        let report = verify::random(&opened, draw.count, draw.seed, solver, control)?;
        Ok(report.text(PentagoSchema::SOLVER))
    }

    #[cfg(feature = "build")]
    fn full(&self, slice: usize, control: &Control) -> Verified<Compared> {
        tables::full(self, slice, 256, ["entry", "entries"], control)
    }
}
