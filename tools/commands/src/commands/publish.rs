//! `pentago publish`: prepares a folder of tables for reading over HTTP.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use pentago::{Control, Stage};
use pentago_base::counted;
use pentago_store::{LISTING, ListedFile, ShardName, VerifyError, is_address, list, to_text};
use sha2::{Digest, Sha256};

use crate::exit::{bad_input, missing_data};
use crate::folder::Target;
use crate::options::{Overwrite, PAGE_MARK};
use crate::output::{bytes, note, results, shown_path, thousands, write_file};
use crate::progress::Progress;
use crate::{folder, interrupt};

/// Prepare a folder of tables for reading over HTTP
///
/// Compares all checksums of the tables, and writes three files into the folder: the list that
/// `--tables http://...` reads, the SHA-256 of each table in the format of `sha256sum`, and the
/// page index.html with the licence and the wins, draws and losses of each table. Copy the folder
/// to any web host or object store that supports range requests. After adding tables, run the
/// command again.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pentago publish tables --licence CC0-1.0
  pentago query '6/6/6/6/6/6' --tables https://host/tables")]
pub struct Publish {
    /// Folder of the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Licence of the tables, for the page
    #[arg(long, value_name = "TEXT", default_value = "CC0-1.0 (public domain)")]
    licence: String,

    #[command(flatten)]
    overwrite: Overwrite,
}

/// The name of the file with the SHA-256 of each table, in the format of `sha256sum`.
const SUMS: &str = "SHA256SUMS";

/// Texts in the files that `publish` and `serve --export` write.
const MARKS: &[&str] = &["<title>Tables of exact values</title>", PAGE_MARK, ".pentago\n", "pentago tables "];

/// The number of bytes to read at a time.
const PIECE: usize = 1 << 20;

impl Publish {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let path = folder::tables(self.folder.as_deref())?;
        if is_address(&path) {
            return Err(bad_input("an address can't be published: name a folder of this machine"));
        }
        folder::exists(&path)?;
        for name in [SUMS, "index.html", LISTING] {
            self.overwrite.check(&path.join(name), MARKS)?;
        }
        let (files, found) = list(&path)?;
        if let Some(damaged) = found.unreadable.first() {
            return Err(missing_data(format!("{damaged}\n  nothing was published")));
        }
        let is_shard = |table: &&pentago_store::TableFile| ShardName::parse(&table.path).is_some();
        if let Some(shard) = found.tables.iter().find(is_shard) {
            let text =
                "is a shard: merge all shards of the slice with `pentago merge`, and publish the table";
            return Err(bad_input(format!("{} {text}", shown_path(&shard.path))));
        }
        let tables = folder::open(&path)?;
        let control = interrupt::control();
        let targets = folder::targets(&tables)?;
        if let Some(text) = targets.iter().flat_map(|(_, tables)| tables).find_map(folder::other_name) {
            return Err(bad_input(format!("{text}\n  nothing was published")));
        }
        let sums: Vec<String> = Progress::during(control, 1, |_| {
            for (set, tables) in &targets {
                // `hash` checks all files of a slice, so call it for one table of each slice.
                for table in tables.chunk_by(|a, b| a.slice == b.slice).flat_map(<[_]>::first) {
                    set.hash(table.slice, control).map_err(refused)?;
                }
            }
            control.begin(Stage::bytes("sums", files.iter().map(|file| file.bytes).sum()));
            files.iter().map(|file| sum(&path.join(&file.path), control)).collect::<anyhow::Result<_>>()
        })?;
        let page = page(&path, &self.licence, &targets, &files, &sums);
        let lines = |(file, sum): (&ListedFile, &String)| format!("{sum}  {}\n", file.path);
        let sums: String = files.iter().zip(&sums).map(lines).collect();
        // Write the list last, because readers look for the list before they read the tables.
        let texts = [(SUMS, sums), ("index.html", page), (LISTING, to_text(&files))];
        let mut out = results();
        for (name, text) in texts {
            let path = path.join(name);
            write_file(&path, text.as_bytes())?;
            writeln!(out, "{}", shown_path(&path))?;
        }
        let all = files.iter().map(|file| file.bytes).sum();
        note(format_args!("{}, {}", counted(files.len() as u64, "table"), bytes(all)));
        out.end()
    }
}

/// Converts the error of a verification into the reason why damaged tables aren't published.
fn refused(error: VerifyError) -> anyhow::Error {
    match error {
        VerifyError::Stopped(stopped) => stopped.into(),
        VerifyError::Table(error) if error.is_external() => error.into(),
        damaged => missing_data(format!("{damaged}\n  nothing was published")),
    }
}

/// Returns the SHA-256 of a file in hexadecimal digits.
fn sum(path: &Path, control: &Control) -> anyhow::Result<String> {
    let read = || format!("cannot read {}", shown_path(path));
    let mut file = File::open(path).with_context(read)?;
    let (mut hasher, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        control.check()?;
        let bytes = file.read(&mut piece).with_context(read)?;
        if bytes == 0 {
            break;
        }
        hasher.update(&piece[..bytes]);
        control.add(bytes as u64);
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the HTML page with the licence and the list of tables.
fn page(folder: &Path, licence: &str, targets: &[Target], files: &[ListedFile], sums: &[String]) -> String {
    let mut html = include_str!("publish.html").to_owned();
    let _ = writeln!(
        html,
        "<p>Licence: {}. Read the tables over HTTP with <code>pentago query POSITION --tables ADDRESS</code>, \
         or copy them; <code>sha256sum --check {SUMS}</code> checks the copy. Each value was computed to \
         the end of the game.</p>",
        escaped(licence)
    );
    for (set, tables) in targets {
        let _ = writeln!(
            html,
            "<h2>{}</h2>\n<div><table>\n<tr><th>table<th>bytes<th>wins<th>draws<th>losses<th>SHA-256",
            escaped(&set.target())
        );
        for table in tables {
            let listed = files.iter().zip(sums).find(|(file, _)| folder.join(&file.path) == table.file);
            let Some((file, sum)) = listed else { continue };
            let numbers = [table.bytes, table.wins, table.draws, table.losses].map(thousands).join("<td>");
            let (path, name) = (file.address(), escaped(&table.name()));
            let _ = writeln!(html, "<tr><td><a href=\"{path}\">{name}</a><td>{numbers}<td class=sum>{sum}");
        }
        html.push_str("</table></div>\n");
    }
    html + "<p>Wins and losses are for the side to move. The counts are those of stored positions: most \
            symmetric positions are stored once.</p>\n</html>\n"
}

/// Escapes a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
