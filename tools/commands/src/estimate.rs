//! An estimate of a build as a table for people.

use pentago::{BuildEstimate, SliceEstimate};
use pentago_base::counted;

use crate::output::{bytes, duration, thousands};

/// Formats an estimate as a table, without a line break at the end.
pub fn text(estimate: &BuildEstimate) -> String {
    let mut lines = slices(&estimate.slices);
    let mut line = |name: &str, text: String| lines.push(format!("{name:<10} {text}"));
    let kept = match estimate.kept_boards {
        kept if kept == estimate.boards => String::new(),
        kept => format!(", of which {} are kept", thousands(kept)),
    };
    line(estimate.unit, thousands(estimate.boards) + &kept);
    line("memory", bytes(estimate.memory_bytes));
    if let Some(graphics) = estimate.graphics_bytes {
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
    line("time", format!("{time} on {cores}, {hours:.1} core-hours"));
    lines.join("\n")
}

/// The widths of the columns in the table of slices, in characters.
const WIDTHS: [usize; 13] = [7, 8, 21, 8, 9, 9, 9, 7, 10, 6, 6, 6, 9];

/// Formats the slices of a game, one line per slice. The first line is the heading.
fn slices(slices: &[SliceEstimate]) -> Vec<String> {
    if slices.is_empty() {
        return Vec::new();
    }
    let heading =
        "marbles sections supers codec table disk memory decodes core-hours kernel encode decode time";
    let heading = heading.split(' ').map(str::to_owned).collect();
    let rows = slices.iter().map(|slice| {
        let share = |part: f64| format!("{:.0}%", 100.0 * part / slice.core_seconds.max(f64::MIN_POSITIVE));
        let codec = slice.codec.map_or_else(|| "-".to_owned(), |codec| codec.to_string());
        let [table, disk, memory] = [slice.table_bytes, slice.disk_bytes, slice.memory_bytes].map(bytes);
        let (decodes, hours) =
            (format!("{:.2}", slice.decodes), format!("{:.3}", slice.core_seconds / 3600.0));
        let [sections, supers] = [slice.sections, slice.entries].map(thousands);
        let [kernel, encode, decode] =
            [slice.kernel_seconds, slice.encode_seconds, slice.decode_seconds].map(share);
        let (marbles, time) = (slice.marbles.to_string(), duration(slice.seconds));
        vec![
            marbles, sections, supers, codec, table, disk, memory, decodes, hours, kernel, encode, decode,
            time,
        ]
    });
    let line = |cells: Vec<String>| -> String {
        let cells = cells.iter().zip(WIDTHS).map(|(cell, width)| format!("{cell:>width$}"));
        cells.collect::<Vec<_>>().join(" ")
    };
    std::iter::once(heading).chain(rows).map(line).collect()
}
