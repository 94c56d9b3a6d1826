//! An answer about a position of another game, as JSON and as lines for a person.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use pentago::Value;
use serde::Serialize;

use crate::output::thousands;
use crate::text::style;

/// Moves on a line.
const PER_LINE: usize = 8;
/// More best moves than this are counted, not listed once more.
const MOST_BEST: usize = 8;

/// What is known about a position; values are for the side to move.
#[derive(Debug, Serialize)]
pub struct Report {
    pub position: String,
    pub rules: String,
    pub to_move: String,
    #[serde(serialize_with = "name")]
    pub value: Value,
    /// In answers from tables: `rules` (the game is over), `table`, `solved` or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'static str>,
    /// Pentago XL: what each seat can be sure of; partners share theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats: Option<BTreeMap<String, &'static str>>,
    /// Pente: stones that each player has captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captures: Option<BTreeMap<&'static str, u16>>,
    pub distance: Option<u32>,
    pub best: Vec<String>,
    pub moves: Vec<MoveReport>,
    /// What gave the value.
    pub engine: String,
    /// What is proved where the value is unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proved: Vec<String>,
    /// Positions that were searched.
    pub nodes: u64,
    pub seconds: f64,
    /// How the game has ended, if it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    #[serde(skip)]
    pub diagram: String,
}

/// A legal move.
#[derive(Debug, Serialize)]
pub struct MoveReport {
    #[serde(rename = "move")]
    pub text: String,
    #[serde(serialize_with = "name")]
    pub value: Value,
    /// In answers from tables: where its value comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'static str>,
    pub distance: Option<u32>,
    /// The position that it leads to.
    pub position: String,
}

fn name<S: serde::Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}

impl Report {
    /// The report with the time that it took.
    pub fn after(self, time: Duration) -> Report {
        // Microseconds are as fine as the clock is worth.
        Report { seconds: (time.as_secs_f64() * 1e6).round() / 1e6, ..self }
    }

    /// Whether the value and that of every move are known.
    pub fn is_complete(&self) -> bool {
        self.value != Value::Unknown && self.moves.iter().all(|m| m.value != Value::Unknown)
    }

    /// Whether a value is unknown.
    pub fn is_open(&self) -> bool {
        self.over.is_none() && !self.is_complete()
    }

    /// Takes what is unknown, and distances, from an answer about the same position.
    pub fn complete(&mut self, solved: Report) {
        if self.value == Value::Unknown {
            self.value = solved.value;
            self.seats = solved.seats;
            self.proved = solved.proved;
            self.engine = solved.engine;
            self.source = Some(if solved.value == Value::Unknown { "unknown" } else { "solved" });
        }
        for m in &mut self.moves {
            let known = solved.moves.iter().find(|s| s.text == m.text);
            if let Some(known) = known.filter(|s| m.value == Value::Unknown && s.value != Value::Unknown) {
                m.value = known.value;
                m.source = Some("solved");
            }
        }
        self.nodes += solved.nodes;
        self.choose_best();
    }

    /// Lists the moves that keep the value, if it is known.
    pub fn choose_best(&mut self) {
        let best = self.moves.iter().filter(|m| self.value != Value::Unknown && m.value == self.value);
        self.best = best.map(|m| m.text.clone()).collect();
    }

    /// The sources of the values, in a line.
    pub fn sources(&self, folder: &Path) -> String {
        let count = |name: &str| self.moves.iter().filter(|m| m.source == Some(name)).count();
        let parts: Vec<String> = ["table", "solved", "rules", "unknown"]
            .into_iter()
            .filter(|&name| count(name) > 0)
            .map(|name| format!("{} {name}", count(name)))
            .collect();
        let mut text = format!("source: {} ({})", self.source.unwrap_or("unknown"), folder.display());
        if !self.moves.is_empty() {
            text += &format!("; of {} moves: {}", self.moves.len(), parts.join(", "));
        }
        text
    }

    /// How much was done, in a line.
    pub fn work(&self) -> String {
        format!("{} nodes in {:.3} s, engine: {}", thousands(self.nodes), self.seconds, self.engine)
    }

    /// Writes the moves, the board and the summary.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_moves(out)?;
        if !self.moves.is_empty() {
            writeln!(out)?;
        }
        writeln!(out, "{}\n", self.diagram.trim_end())?;
        self.write_value(out)
    }

    /// Writes the moves, those of the same value on one line that begins with the value.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write_moves(&self, out: &mut impl Write) -> io::Result<()> {
        let mut moves: Vec<&MoveReport> = self.moves.iter().collect();
        moves.sort_by_key(|m| m.value.order(m.distance.map(|plies| plies as usize)));
        let label = |m: &MoveReport| match m.distance {
            Some(plies) => format!("{} in {plies}", m.value),
            None => m.value.to_string(),
        };
        let width = moves.iter().map(|m| label(m).len()).max().unwrap_or(0);
        let text_width = moves.iter().map(|m| m.text.len()).max().unwrap_or(0);
        let same = |a: &&MoveReport, b: &&MoveReport| (a.value, a.distance) == (b.value, b.distance);
        for some in moves.chunk_by(same).flat_map(|group| group.chunks(PER_LINE)) {
            let style = style(some[0].value);
            write!(out, "{style}{:width$}{style:#} ", label(some[0]))?;
            let texts: Vec<String> = some.iter().map(|m| format!("{:text_width$}", m.text)).collect();
            writeln!(out, " {}", texts.join(" ").trim_end())?;
        }
        Ok(())
    }

    /// Writes who is to move, what the position is worth, and the best moves.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write_value(&self, out: &mut impl Write) -> io::Result<()> {
        if let Some(over) = &self.over {
            return writeln!(out, "the game is over: {over}");
        }
        writeln!(out, "{} to move", self.to_move)?;
        let style = style(self.value);
        match (self.value, self.distance) {
            (Value::Unknown, _) => writeln!(out, "{style}unknown{style:#}")?,
            (Value::Draw, _) => writeln!(out, "value: {style}draw{style:#}")?,
            (value, Some(1)) => {
                writeln!(out, "value: {style}{value}{style:#} for {}, in 1 ply", self.to_move)?
            }
            (value, Some(plies)) => {
                writeln!(out, "value: {style}{value}{style:#} for {}, in {plies} plies", self.to_move)?;
            }
            (value, None) => writeln!(out, "value: {style}{value}{style:#} for {}", self.to_move)?,
        }
        if let Some(seats) = &self.seats {
            let seats: Vec<String> = seats.iter().map(|(seat, value)| format!("{seat} {value}")).collect();
            writeln!(out, "seats: {}", seats.join(", "))?;
        }
        if let Some(captures) = &self.captures {
            let captures: Vec<String> = captures.iter().map(|(side, n)| format!("{side} {n}")).collect();
            writeln!(out, "captures: {}", captures.join(", "))?;
        }
        for proved in &self.proved {
            writeln!(out, "proved: {proved}")?;
        }
        if !self.best.is_empty() && self.value != Value::Unknown {
            let listed = self.best.len().min(MOST_BEST);
            let more = match self.best.len() - listed {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let (count, all) = (self.best.len(), self.moves.len());
            writeln!(out, "best: {}{more} ({count} of {all} moves)", self.best[..listed].join(" "))?;
        }
        Ok(())
    }
}
