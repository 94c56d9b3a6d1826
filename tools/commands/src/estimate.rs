//! An estimate of a build as a table for people.

use pentago::{BuildEstimate, SliceEstimate};
use pentago_base::counted;

use crate::output::{bytes, duration, ranges, thousands};

/// Formats an estimate as a table, without a line break at the end.
pub fn text(estimate: &BuildEstimate) -> String {
    let mut lines = slices(&estimate.slices);
    let mut line = |name: &str, text: String| lines.push(format!("{name:<10} {text}"));
    let kept = match estimate.kept_boards {
        kept if kept == estimate.boards => String::new(),
        kept => format!(", of which {} are kept", thousands(kept)),
    };
    line(estimate.unit, thousands(estimate.boards) + &kept);
    if !estimate.kept_slices.is_empty() {
        line("keeps", format!("the positions with {} marbles", ranges(estimate.kept_slices.clone())));
    }
    line("memory", format!("at least {}", bytes(estimate.memory_bytes)));
    if let Some(graphics) = estimate.graphics_bytes.filter(|_| cfg!(feature = "gpu")) {
        let text = format!("{} on the GPU, for the values of the moves only", bytes(graphics));
        line("graphics", text);
    }
    if estimate.scratch_bytes > 0 {
        line("temporary", bytes(estimate.scratch_bytes));
    }
    let raw = estimate.raw_bytes.map(|raw| format!(", {} before compression", bytes(raw)));
    line("tables", bytes(estimate.kept_bytes) + &raw.unwrap_or_default());
    if estimate.disk_bytes != estimate.kept_bytes {
        line("disk", format!("at most {} at a time", bytes(estimate.disk_bytes)));
    }
    let cores = counted(estimate.cores as u64, "core");
    let (time, hours) = (duration(estimate.seconds), estimate.core_seconds / 3600.0);
    let hours = if hours < 0.05 { String::new() } else { format!(", {hours:.1} core-hours") };
    line("time", format!("{time} on {cores}{hours}"));
    lines.join("\n")
}

/// The widths of the columns in the table of slices. A line has 80 characters.
const WIDTHS: [usize; 8] = [7, 17, 7, 9, 9, 9, 8, 7];

/// Formats the slices of a game, one line per slice. The first line is the heading.
fn slices(slices: &[SliceEstimate]) -> Vec<String> {
    if slices.is_empty() {
        return Vec::new();
    }
    let rows = slices.iter().map(|slice| {
        let codec = slice.codec.map_or_else(|| "-".to_owned(), |codec| codec.to_string());
        let [table, disk, memory] = [slice.table_bytes, slice.disk_bytes, slice.memory_bytes].map(bytes);
        let hours = format!("{:.2}", slice.core_seconds / 3600.0);
        let (marbles, supers) = (slice.marbles.to_string(), thousands(slice.entries));
        [marbles, supers, codec, table, disk, memory, hours, duration(slice.seconds)]
    });
    let line = |cells: [String; 8]| {
        cells.iter().zip(WIDTHS).map(|(cell, width)| format!("{cell:>width$}")).collect::<Vec<_>>().join(" ")
    };
    let heading = ["marbles", "supers", "codec", "table", "disk", "memory", "core-h", "time"];
    std::iter::once(heading.map(str::to_owned)).chain(rows).map(line).collect()
}
