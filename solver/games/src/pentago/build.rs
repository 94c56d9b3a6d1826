//! Builds of Pentago's tables.

use std::path::{Path, PathBuf};

use ::pentago::make::{GameBuild, Resources, RootBuild};
use ::pentago::rules::Rules;
use ::pentago::{BuildEstimate, Built};
use ::pentago_core::index::Section;
use ::pentago_tables::tables::{FolderScan, Tablebase};
use pentago_base::Control;
use pentago_store::storage;

use crate::build::pending_root;
use crate::error::{Result, bad_input};
use crate::{Build, Order, Position, Rates, Scope};

/// Prepares a build of Pentago's tables.
///
/// # Errors
/// If the game has no such tables, or an option doesn't apply to them.
pub fn build(rules: Rules, order: &Order) -> Result<Box<dyn Build>> {
    let most = rules.shape.sockets();
    let no_slice = || bad_input(format!("this game has slices of 0 to {most} marbles"));
    let mut build = match &order.scope {
        Scope::Root(position) => return root(&rules, position, order),
        _ if order.keep.is_some() => {
            return Err(bad_input("--keep applies to a root only: of a game, use --keep-slices"));
        }
        _ if order.scratch => {
            let text = "--scratch and --scratch-limit apply to a root only: a game has no temporary data";
            return Err(bad_input(text));
        }
        Scope::Game => GameBuild::new(rules, 0),
        &Scope::Slice(marbles) => {
            if usize::from(marbles) > most {
                return Err(no_slice());
            }
            GameBuild::new(rules, marbles)
        }
        Scope::Section(counts) => {
            let section: Section = counts.parse().map_err(|error| bad_input(format!("{error}")))?;
            GameBuild::of_section(rules, section)?
        }
    };
    if order.counts_only {
        build = build.counts_only();
    }
    if let Some(codec) = order.codec {
        build = build.codec(codec);
    }
    if let Some(kept) = &order.keep_slices {
        if usize::from(*kept.end()) > most {
            return Err(no_slice());
        }
        build = build.keep_slices(kept.clone());
    }
    if let Some(folder) = &order.from {
        build = build.going_on_from(folder.clone());
    }
    Ok(Box::new(build))
}

/// Prepares a build of the tables of all positions that can follow a root position.
fn root(rules: &Rules, position: &Position, order: &Order) -> Result<Box<dyn Build>> {
    if order.counts_only || order.from.is_some() || order.keep_slices.is_some() {
        let text = "--counts-only, --from and --keep-slices apply to games and their slices, not to a root";
        return Err(bad_input(text));
    }
    if position.pending {
        return Err(pending_root());
    }
    let build = RootBuild::new(*rules, position.parsed()?, order.keep)?;
    Ok(match order.codec {
        Some(codec) => Box::new(build.codec(codec)),
        None => Box::new(build),
    })
}

impl Build for RootBuild {
    fn target(&self) -> String {
        self.target().to_string()
    }

    fn estimate(
        &self,
        out: Option<&Path>,
        resources: &Resources,
        rates: &Rates,
    ) -> Result<Option<BuildEstimate>> {
        self.fits_tables(resources)?;
        let mut there_bytes = 0;
        if let Some(out) = out {
            if self.missing(out)?.is_empty() {
                return Ok(None);
            }
            for folder in [out.join(self.target().folder_name()), self.scratch_folder(resources)] {
                there_bytes += in_use(&folder, u8::MAX)?;
            }
        }
        let estimate = self.estimate(resources, &rates.pentago)?;
        Ok(Some(BuildEstimate { there_bytes, ..estimate }))
    }

    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built> {
        self.run(out, resources, control)
    }
}

impl Build for GameBuild {
    fn target(&self) -> String {
        self.target().to_string()
    }

    fn estimate(
        &self,
        out: Option<&Path>,
        resources: &Resources,
        rates: &Rates,
    ) -> Result<Option<BuildEstimate>> {
        let slices = self.missing(out)?;
        let Some(&first) = slices.first() else { return Ok(None) };
        let there_bytes = match out {
            // Include the finished slice from which the first missing slice is computed, but no
            // slice with more marbles.
            Some(out) => in_use(&out.join(self.target().folder_name()), first.saturating_add(1))?,
            None => 0,
        };
        let estimate = self.estimate(&slices, resources, &rates.pentago);
        Ok(Some(BuildEstimate { there_bytes, ..estimate }))
    }

    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built> {
        self.run(out, resources, control)
    }
}

/// Returns the disk usage in bytes of the files of a build, excluding finished tables of slices
/// with more than `marbles` marbles.
fn in_use(folder: &Path, marbles: u8) -> Result<u64> {
    if !folder.is_dir() {
        return Ok(0);
    }
    let (tablebases, FolderScan { unfinished, others, .. }) = Tablebase::open_all(folder, 0)?;
    let tables = tablebases.iter().flat_map(|tablebase| tablebase.headers().zip(tablebase.files()));
    let tables = tables.filter(|(header, _)| header.slice <= marbles).map(|(_, file)| file.path.clone());
    // A file that another process moves or removes meanwhile counts as 0 bytes.
    let bytes = |path: PathBuf| storage::bytes_on_disk(&path).unwrap_or(0);
    Ok(tables.chain(unfinished).chain(others).map(bytes).sum())
}
