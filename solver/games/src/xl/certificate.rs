//! Certificates of version 2 as tables of one side: the positions that a seat wins by lemmas.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use pentago_base::Control;
use pentago_store::{Reason, StoreError, StoreErrorKind, VerifyError, storage};
use pentago_xl::tables::XlSchema;
use pentago_xl::{Kernel, LEMMAS_FIRST_LINE, LemmaBook, Move, Position, Rules};
use zstd::stream::read::Decoder;

use crate::Result;
use crate::tables::{
    Compared, GameTables, KnownCounts, Sample, TableInfo, Tablebase, TargetTables, Verified, not_compared,
};

/// The maximum size of the text of a certificate in bytes.
const MOST_TEXT: u64 = 1 << 28;

/// The number of plies within which the seat to move wins, and the first move. `None` if no
/// certificate proves a win.
pub type CertifiedWin = Option<(usize, Move)>;

/// A checked certificate of version 2.
#[derive(Debug)]
struct CertificateFile {
    path: PathBuf,
    /// The size of the file in bytes.
    bytes: u64,
    /// The size of the uncompressed text in bytes.
    text_bytes: u64,
    book: LemmaBook,
}

impl CertificateFile {
    /// Reads and checks a certificate. Files whose name ends in `.zst` are decompressed. Returns
    /// `None` if the name of the file doesn't end in `.txt` or `.zst`, or if the file doesn't begin
    /// like a certificate of version 2.
    fn read(path: &Path) -> std::result::Result<Option<CertificateFile>, StoreError> {
        let error = |error| StoreError::io(path, "read", error);
        let Some(end @ ("txt" | "zst")) = path.extension().and_then(|end| end.to_str()) else {
            return Ok(None);
        };
        let file = storage::open_file(path).map_err(error)?;
        let bytes = file.metadata().map_err(error)?.len();
        let text = if end == "zst" { Decoder::new(file).and_then(text) } else { text(file) };
        let Some(text) = text.map_err(error)? else { return Ok(None) };
        let book = LemmaBook::read(&text);
        let book = book.map_err(|why| {
            let text =
                format!("a wrong certificate: {why}: write the certificate again with `pentago prove`");
            StoreError::new(path, Reason::Useless { kind: StoreErrorKind::Damaged, text })
        })?;
        Ok(Some(CertificateFile { path: path.to_owned(), bytes, text_bytes: text.len() as u64, book }))
    }

    /// Reads and checks the file again.
    fn check(&self, control: &Control) -> Verified<()> {
        control.check()?;
        match CertificateFile::read(&self.path)? {
            Some(_) => Ok(()),
            None => Err(VerifyError::Table(StoreError::new(&self.path, Reason::NotATable))),
        }
    }
}

/// Reads the text of a certificate of version 2. Returns `None` if the text begins differently.
fn text(mut from: impl Read) -> io::Result<Option<String>> {
    let mut text = String::new();
    from.by_ref().take(LEMMAS_FIRST_LINE.len() as u64).read_to_string(&mut text)?;
    if text != LEMMAS_FIRST_LINE {
        return Ok(None);
    }
    from.take(MOST_TEXT).read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Opens the tables and the certificates of Pentago XL in a folder, and adds them to a tablebase.
///
/// # Errors
/// If the folder can't be read.
pub fn open(tablebase: &mut Tablebase, path: Option<&Path>, cache: usize) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let (tables, scan) = pentago_store::Tablebase::<XlSchema>::open_all(path, cache)?;
    tablebase.add(tables, scan.damaged.iter().map(ToString::to_string), []);
    let (mut files, mut damaged) = (Vec::new(), Vec::new());
    for path in &scan.others {
        match CertificateFile::read(path) {
            Ok(file) => files.extend(file),
            Err(error) => damaged.push(error.to_string()),
        }
    }
    tablebase.add(files, damaged, []);
    Ok(())
}

/// Returns a tablebase that has only the certificate in `bytes`, a file compressed with Zstandard.
/// Returns `None` if the bytes aren't a certificate of version 2, or if the certificate is wrong.
pub fn open_certificate(bytes: &[u8]) -> Option<Tablebase> {
    let text = Decoder::new(bytes).and_then(text).ok()??;
    let book = LemmaBook::read(&text).ok()?;
    let (path, bytes, text_bytes) = (PathBuf::new(), bytes.len() as u64, text.len() as u64);
    let mut tablebase = Tablebase::default();
    tablebase.add(vec![CertificateFile { path, bytes, text_bytes, book }], [], []);
    Some(tablebase)
}

/// The number of plies of the win of the empty board. In this win, fewer marbles are on the board
/// whenever the attacker is to move.
const EMPTY_BOARD_PLIES: usize = 17;

/// Returns `true` if the certificate of the empty board may contain a position.
pub fn is_early(rules: &Rules, position: &Position) -> bool {
    *rules == Rules::default() && position.count() < EMPTY_BOARD_PLIES
}

/// Finds a win of the seat to move in the certificates of the tablebase and in the certificate of
/// the empty board. An immediate win needs no certificate, but is found only in positions that a
/// certificate may contain. The game must not be over.
pub fn certified(rules: &Rules, tables: Option<&Tablebase>, position: &Position) -> CertifiedWin {
    let files = tables.and_then(Tablebase::of::<Vec<CertificateFile>>).into_iter().flatten();
    let files = files.map(|file| &file.book);
    let built_in = cfg!(feature = "openings") && is_early(rules, position);
    let built_in = built_in.then(LemmaBook::of_the_empty_board);
    let mut books = files.chain(built_in).peekable();
    if *rules != Rules::default() || books.peek().is_none() {
        return None;
    }
    if let Some(m) = rules.winning_move(position, Kernel::best()) {
        return Some((1, m));
    }
    let found = books.filter_map(|book| book.look_up(position));
    found.min_by_key(|(plies, _)| *plies).map(|(plies, m)| (plies as usize, m))
}

impl GameTables for Vec<CertificateFile> {
    fn targets(&self) -> Vec<&dyn TargetTables> {
        self.iter().map(|file| file as &dyn TargetTables).collect()
    }

    #[cfg(feature = "build")]
    fn counts(&self, _known: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
        for file in self {
            not_compared(out, &file.target(), "a certificate has no counts")?;
        }
        Ok(0)
    }
}

impl TargetTables for CertificateFile {
    fn target(&self) -> String {
        format!("xl, certificate:{}", Rules::default().format_position(&self.book.position))
    }

    fn rules(&self) -> String {
        Rules::default().to_string()
    }

    fn source(&self) -> &'static str {
        "certificate"
    }

    fn list(&self) -> Result<Vec<TableInfo>> {
        let lemmas = self.book.lemmas() as u64;
        Ok(vec![TableInfo {
            slice: 0,
            marbles: Some(self.book.position.count() as u8),
            captures: None,
            file: self.path.clone(),
            sections: 1,
            entries: lemmas,
            bytes: self.bytes,
            ratio: self.bytes as f64 / self.text_bytes as f64,
            wins: lemmas,
            draws: 0,
            losses: 0,
            program: String::new(),
        }])
    }

    fn hash(&self, _slice: usize, control: &Control) -> Verified<u64> {
        self.check(control).map(|()| self.bytes)
    }

    fn sample(&self, _slices: &[usize], _draw: Sample, control: &Control) -> Verified<String> {
        self.check(control).map(|()| format!("all {} lemmas checked instead", self.book.lemmas()))
    }

    #[cfg(feature = "build")]
    fn full(&self, _slice: usize, control: &Control) -> Verified<Compared> {
        let lemmas = self.book.lemmas() as u64;
        let all = Compared { values: lemmas, entries: lemmas, without_moves: 0, unit: ["lemma", "lemmas"] };
        self.check(control).map(|()| all)
    }
}
