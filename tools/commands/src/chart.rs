//! Charts of tables: one bar of wins, draws and losses per slice.

use std::path::Path;

use plotters::prelude::*;

use crate::output;

/// The bar of a slice: its number of marbles, and the shares of wins, draws and losses.
pub type Bar = (u8, [f64; 3]);

/// The width and height of the bars of one target, in pixels.
const SIZE: (u32, u32) = (900, 300);

const NAMES: [&str; 3] = ["win", "draw", "loss"];
const COLORS: [RGBColor; 3] = [RGBColor(46, 139, 87), RGBColor(222, 184, 65), RGBColor(178, 58, 72)];

/// The comment at the end of every chart.
pub const MARK: &str = "<!-- drawn by pentago info -->\n";

/// Writes an SVG file with the title and the bars of each target, one target below the other.
///
/// # Errors
/// If the file can't be written.
pub fn write(file: &Path, targets: &[(String, Vec<Bar>)]) -> anyhow::Result<()> {
    let mut text = String::new();
    {
        let height = SIZE.1 * targets.len().max(1) as u32;
        let area = SVGBackend::with_string(&mut text, (SIZE.0, height)).into_drawing_area();
        area.fill(&WHITE)?;
        for (part, (title, bars)) in area.split_evenly((targets.len().max(1), 1)).iter().zip(targets) {
            draw(part, title, bars)?;
        }
        area.present()?;
    }
    output::write_file(file, (text + MARK).as_bytes())
}

fn draw<B: DrawingBackend<ErrorType: 'static>>(
    area: &DrawingArea<B, plotters::coord::Shift>,
    title: &str,
    bars: &[Bar],
) -> anyhow::Result<()> {
    let first = bars.first().map_or(0, |(marbles, _)| i32::from(*marbles));
    let last = bars.last().map_or(0, |(marbles, _)| i32::from(*marbles));
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(35)
        .y_label_area_size(50)
        .build_cartesian_2d((first..last).into_segmented(), 0.0..100.0)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(bars.len().min(40))
        .x_desc("marbles")
        .y_desc("% of stored positions, for the side to move")
        .draw()?;
    for (kind, (name, color)) in NAMES.into_iter().zip(COLORS).enumerate() {
        let bar = |&(marbles, shares): &Bar| {
            let below: f64 = shares[..kind].iter().sum();
            let (from, to) =
                (SegmentValue::Exact(marbles.into()), SegmentValue::Exact(i32::from(marbles) + 1));
            let mut bar =
                Rectangle::new([(from, 100.0 * below), (to, 100.0 * (below + shares[kind]))], color.filled());
            bar.set_margin(0, 0, 2, 2);
            bar
        };
        chart.draw_series(bars.iter().map(bar))?;
        // Draw the legend above the bars, at the right edge.
        let x = SIZE.0 as i32 - 200 + 65 * kind as i32;
        area.draw(&Rectangle::new([(x, 12), (x + 10, 22)], color.filled()))?;
        area.draw(&Text::new(name, (x + 15, 10), ("sans-serif", 14)))?;
    }
    Ok(())
}
