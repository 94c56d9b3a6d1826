//! Builds of Pentago's tables.

use std::path::{Path, PathBuf};

use ::pentago::Error;
use ::pentago::estimate::SliceEstimate;
use ::pentago::make::{BuildError, GameBuild, Resources, RootBuild};
use ::pentago::rules::Rules;
use ::pentago_core::index::Section;
use ::pentago_core::solve::SolveError;
use ::pentago_tables::tables::{Access, FolderScan, Tablebase};
use pentago_base::Control;
use pentago_store::storage;

use crate::build::{pending_root, too_little_memory};
use crate::{Build, Built, Estimate, Machine, Order, Position, Rates, Result, SlicePlan, Wanted, bad_input};

/// A build of everything that can follow a position.
struct BelowRoot(RootBuild);

/// A build of a game or of some of its slices.
struct Slices(GameBuild);

/// Prepares a build.
pub fn build(rules: Rules, order: &Order) -> Result<Box<dyn Build>> {
    let most = rules.shape.sockets();
    let no_slice = || bad_input(format!("this game has slices of 0 to {most} marbles"));
    let whole = match &order.what {
        Wanted::Root(position) => return root(&rules, position, order),
        _ if order.keep.is_some() => {
            return Err(bad_input("--keep applies to a root only: of a game, use --keep-slices"));
        }
        _ if order.scratch => {
            let text = "--scratch and --scratch-limit apply to a root only: a game has no temporary data";
            return Err(bad_input(text));
        }
        Wanted::Game => GameBuild::new(rules, 0),
        &Wanted::Slice(marbles) => {
            if usize::from(marbles) > most {
                return Err(no_slice());
            }
            GameBuild::new(rules, marbles)
        }
        Wanted::Section(counts) => {
            let section: Section = counts.parse().map_err(|error| bad_input(format!("{error}")))?;
            GameBuild::of_section(rules, section)?
        }
    };
    let whole = if order.counts_only { whole.counts_only() } else { whole };
    let whole = if let Some(codec) = order.codec { whole.codec(codec) } else { whole };
    if order.keep_slices.as_ref().is_some_and(|kept| usize::from(*kept.end()) > most) {
        return Err(no_slice());
    }
    let whole = if let Some(kept) = &order.keep_slices { whole.keep_slices(kept.clone()) } else { whole };
    Ok(Box::new(Slices(match &order.from {
        Some(folder) => whole.going_on_from(folder.clone()),
        None => whole,
    })))
}

fn root(rules: &Rules, position: &Position, order: &Order) -> Result<Box<dyn Build>> {
    if order.counts_only || order.from.is_some() || order.keep_slices.is_some() {
        let text = "--counts-only, --from and --keep-slices apply to games and their slices, not to a root";
        return Err(bad_input(text));
    }
    if position.pending {
        return Err(pending_root());
    }
    let build = RootBuild::new(*rules, position.parsed()?, order.keep)?;
    Ok(Box::new(BelowRoot(order.codec.map_or(build.clone(), |codec| build.codec(codec)))))
}

fn failed(error: BuildError) -> Error {
    match error {
        BuildError::Solve(SolveError::Memory { need, limit }) => too_little_memory(need, limit),
        other => other.into(),
    }
}

fn built(built: ::pentago::make::Built) -> Built {
    let decoded = built.decoded;
    Built {
        tables: built.paths,
        bytes: built.bytes,
        scratch_bytes: built.scratch_bytes,
        already_there: built.already,
        blocks_decoded: (decoded.once > 0).then_some([decoded.all, decoded.once]),
        gaps: built.gaps,
    }
}

impl Build for BelowRoot {
    fn target(&self) -> String {
        self.0.target().to_string()
    }

    fn estimate(&self, out: Option<&Path>, machine: &Machine, rates: &Rates) -> Result<Option<Estimate>> {
        self.0.fits_tables(&machine.resources).map_err(failed)?;
        if let Some(out) = out
            && self.0.is_built(out)?
        {
            return Ok(None);
        }
        let root = self.0.estimate(&machine.resources, &rates.pentago);
        let cores = machine.resources.threads.get();
        let scratch = self.0.scratch_folder(&machine.resources);
        let folders = out.map(|out| [out.join(self.0.target().folder_name()), scratch]);
        let there: u64 = folders.iter().flatten().map(|folder| in_use(folder, u8::MAX)).sum::<Result<_>>()?;
        Ok(Some(Estimate {
            target: self.target(),
            there_bytes: there,
            top_sockets: Some(root.needs.top),
            boards: root.needs.boards,
            unit: "boards",
            kept_boards: root.kept_boards,
            memory_bytes: root.needs.memory,
            graphics_bytes: Some(self.0.graphics_bytes()),
            scratch_bytes: root.scratch_bytes,
            kept_bytes: root.kept_bytes,
            disk_bytes: root.scratch_bytes + root.kept_bytes,
            core_hours: root.cost.core_seconds() / 3600.0,
            cores,
            seconds: root.cost.seconds(cores, machine.disk_speed),
            ..Estimate::default()
        }))
    }

    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built> {
        self.0.run(out, resources, control).map(built).map_err(failed)
    }
}

impl Build for Slices {
    fn target(&self) -> String {
        self.0.target().to_string()
    }

    fn estimate(&self, out: Option<&Path>, machine: &Machine, rates: &Rates) -> Result<Option<Estimate>> {
        let slices = self.0.missing(out)?;
        if slices.is_empty() {
            return Ok(None);
        }
        let game = self.0.estimate(&slices, &machine.resources, &rates.pentago);
        let cores = machine.resources.threads.get();
        let entries = game.slices.iter().map(|slice| slice.entries).sum();
        let kept = game.slices.iter().filter(|slice| slice.is_kept);
        // The estimate has the slice that it begins with, and none of those after that.
        let begun =
            |out: &Path| in_use(&out.join(self.0.target().folder_name()), slices[0].saturating_add(1));
        Ok(Some(Estimate {
            target: self.target(),
            there_bytes: out.map_or(Ok(0), begun)?,
            boards: entries,
            unit: "supers",
            kept_boards: kept.map(|slice| slice.entries).sum(),
            memory_bytes: game.memory_bytes(),
            raw_bytes: Some(game.slices.iter().map(|slice| slice.raw_bytes).sum()),
            kept_bytes: game.kept_bytes(),
            disk_bytes: game.disk_bytes(),
            core_hours: game.core_seconds() / 3600.0,
            cores,
            seconds: game.seconds(cores, machine.disk_speed),
            slices: game.slices.iter().map(|slice| planned(slice, machine)).collect(),
            ..Estimate::default()
        }))
    }

    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built> {
        self.0.run(out, resources, control).map(built).map_err(failed)
    }
}

/// Bytes of the disk that the files of a build take, without the finished tables of slices with more
/// than `marbles` marbles.
fn in_use(folder: &Path, marbles: u8) -> Result<u64> {
    if !folder.is_dir() {
        return Ok(0);
    }
    let (tablebases, FolderScan { unfinished, others, .. }) =
        Tablebase::open_all(folder, Access::default(), 0)?;
    let tables = tablebases.iter().flat_map(|tablebase| tablebase.headers().zip(tablebase.files()));
    let tables = tables.filter(|(header, _)| header.slice <= marbles).map(|(_, file)| file.path.clone());
    // What is moved or removed at this moment takes nothing.
    let bytes = |path: PathBuf| storage::bytes_on_disk(&path).unwrap_or(0);
    Ok(tables.chain(unfinished).chain(others).map(bytes).sum())
}

fn planned(slice: &SliceEstimate, machine: &Machine) -> SlicePlan {
    SlicePlan {
        marbles: slice.marbles,
        sections: slice.sections,
        entries: slice.entries,
        raw_bytes: slice.raw_bytes,
        codec: slice.codec.map(|codec| codec.to_string()),
        kept: slice.is_kept,
        table_bytes: slice.table_bytes,
        copy_bytes: slice.copy_bytes,
        disk_bytes: slice.disk_bytes,
        memory_bytes: slice.memory_bytes,
        decodes: slice.decodes,
        io_bytes: slice.cost.io_bytes,
        kernel_hours: slice.cost.kernel_seconds / 3600.0,
        encode_hours: slice.cost.encode_seconds / 3600.0,
        decode_hours: slice.cost.decode_seconds / 3600.0,
        core_hours: slice.cost.core_seconds() / 3600.0,
        seconds: slice.cost.seconds(machine.resources.threads.get(), machine.disk_speed),
    }
}
