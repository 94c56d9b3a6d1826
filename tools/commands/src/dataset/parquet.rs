//! Apache Parquet: a row for each board, a row group for each batch.
//!
//! Four columns of two types need little of the format (parquet.apache.org/docs/file-format): pages
//! of plain values behind run lengths of levels, compressed with zstd, and a footer in Thrift's
//! compact protocol. The usual crate brings ten others, one of them under a licence that this
//! project doesn't take.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use anyhow::Context;
use pentago::Wdl;
use pentago::rules::{Position, Rules};

use super::Layout;

const MAGIC: &[u8] = b"PAR1";
/// A page has at most 1.3 MB before it is compressed.
const ROWS_OF_A_PAGE: usize = 1024;
const ZSTD_LEVEL: i32 = 3;

// Numbers of the format.
const INT32: i64 = 1;
const BYTE_ARRAY: i64 = 6;
const REQUIRED: i64 = 0;
const REPEATED: i64 = 2;
const UTF8: i64 = 0;
const LIST: i64 = 3;
const INT_8: i64 = 15;
const ZSTD: i64 = 6;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const DATA_PAGE: i64 = 0;

/// A file that is being written.
pub struct ParquetFile {
    out: BufWriter<File>,
    /// Bytes so far.
    written: u64,
    rules: Rules,
    columns: Vec<Column>,
    rows: u64,
    groups: Vec<Group>,
}

/// A column.
#[derive(Clone, Copy)]
struct Column {
    name: &'static str,
    kind: Kind,
}

/// What a row has in a column.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Number,
    /// A list of this many numbers.
    List(usize),
}

/// A row group that has been written.
struct Group {
    rows: u64,
    chunks: Vec<Chunk>,
}

/// A column of a row group that has been written.
struct Chunk {
    at: u64,
    values: u64,
    compressed: u64,
    uncompressed: u64,
}

impl Kind {
    /// The values of a row.
    fn width(self) -> usize {
        match self {
            Kind::Text | Kind::Number => 1,
            Kind::List(width) => width,
        }
    }

    fn physical(self) -> i64 {
        if self == Kind::Text { BYTE_ARRAY } else { INT32 }
    }
}

impl ParquetFile {
    /// Begins a file.
    pub fn new(file: File, rules: Rules, layout: Layout) -> io::Result<ParquetFile> {
        let mut columns = vec![
            Column { name: "position", kind: Kind::Text },
            Column { name: "board", kind: Kind::List(layout.sockets()) },
            Column { name: "value", kind: Kind::Number },
        ];
        if layout.moves {
            columns.push(Column { name: "moves", kind: Kind::List(layout.move_numbers()) });
        }
        let mut out = BufWriter::new(file);
        out.write_all(MAGIC)?;
        Ok(ParquetFile { out, written: MAGIC.len() as u64, rules, columns, rows: 0, groups: Vec::new() })
    }

    /// Writes some boards as a row group.
    pub fn write(&mut self, boards: &[(Position, Wdl)], moves: Option<&[i8]>) -> anyhow::Result<()> {
        let mut chunks = Vec::new();
        for column in self.columns.clone() {
            let width = column.kind.width();
            let mut chunk = Chunk { at: self.written, values: 0, compressed: 0, uncompressed: 0 };
            for (number, boards) in boards.chunks(ROWS_OF_A_PAGE).enumerate() {
                let mut page = Vec::new();
                if column.kind != Kind::Text && column.kind != Kind::Number {
                    levels(&mut page, boards.len(), width);
                }
                match column.name {
                    "position" => boards.iter().for_each(|(position, _)| {
                        let text = self.rules.format_position(position);
                        page.extend((text.len() as u32).to_le_bytes());
                        page.extend(text.bytes());
                    }),
                    "board" => numbers(&mut page, boards.iter().flat_map(|(position, _)| position.cells())),
                    "value" => numbers(&mut page, boards.iter().map(|(_, wdl)| wdl.number())),
                    _ => {
                        let moves = moves.context("the values of moves were announced")?;
                        let begin = number * ROWS_OF_A_PAGE * width;
                        let moves = moves.get(begin..begin + boards.len() * width);
                        numbers(&mut page, moves.context("there are as many as boards")?.iter().copied());
                    }
                }
                let values = boards.len() * width;
                let bytes = zstd::bulk::compress(&page, ZSTD_LEVEL)?;
                let header = page_header(page.len(), bytes.len(), values);
                self.out.write_all(&header)?;
                self.out.write_all(&bytes)?;
                chunk.values += values as u64;
                chunk.compressed += (header.len() + bytes.len()) as u64;
                chunk.uncompressed += (header.len() + page.len()) as u64;
                self.written += (header.len() + bytes.len()) as u64;
            }
            chunks.push(chunk);
        }
        self.rows += boards.len() as u64;
        self.groups.push(Group { rows: boards.len() as u64, chunks });
        Ok(())
    }

    /// Completes the file.
    pub fn finish(mut self) -> io::Result<()> {
        let footer = self.footer();
        self.out.write_all(&footer)?;
        self.out.write_all(&(footer.len() as u32).to_le_bytes())?;
        self.out.write_all(MAGIC)?;
        self.out.flush()
    }

    /// The metadata of the file.
    fn footer(&self) -> Vec<u8> {
        let mut file = Struct::default();
        file.number(1, 1);
        let schema: Vec<Vec<u8>> = self.schema();
        file.structs(2, &schema);
        file.long(3, self.rows);
        let groups: Vec<Vec<u8>> = self.groups.iter().map(|group| self.group(group)).collect();
        file.structs(4, &groups);
        let mut rules = Struct::default();
        rules.text(1, "rules");
        rules.text(2, &self.rules.to_string());
        file.structs(5, &[rules.end()]);
        // Readers want to know the version behind this word.
        file.text(6, concat!("pentago version ", env!("CARGO_PKG_VERSION")));
        file.end()
    }

    /// The tree of columns, depth first.
    fn schema(&self) -> Vec<Vec<u8>> {
        let mut root = Struct::default();
        root.text(4, "pentago");
        root.number(5, self.columns.len() as i64);
        let mut all = vec![root.end()];
        for Column { name, kind } in &self.columns {
            match kind {
                Kind::Text => all.push(leaf(name, BYTE_ARRAY, UTF8)),
                Kind::Number => all.push(leaf(name, INT32, INT_8)),
                Kind::List(_) => {
                    let mut list = Struct::default();
                    list.number(3, REQUIRED);
                    list.text(4, name);
                    list.number(5, 1);
                    list.number(6, LIST);
                    let mut repeated = Struct::default();
                    repeated.number(3, REPEATED);
                    repeated.text(4, "list");
                    repeated.number(5, 1);
                    all.extend([list.end(), repeated.end(), leaf("element", INT32, INT_8)]);
                }
            }
        }
        all
    }

    fn group(&self, group: &Group) -> Vec<u8> {
        let chunks = self.columns.iter().zip(&group.chunks);
        let columns: Vec<Vec<u8>> = chunks
            .map(|(Column { name, kind }, chunk)| {
                let mut meta = Struct::default();
                meta.number(1, kind.physical());
                meta.numbers(2, &[PLAIN, RLE]);
                match kind {
                    Kind::List(_) => meta.texts(3, &[name, "list", "element"]),
                    Kind::Text | Kind::Number => meta.texts(3, &[name]),
                }
                meta.number(4, ZSTD);
                meta.long(5, chunk.values);
                meta.long(6, chunk.uncompressed);
                meta.long(7, chunk.compressed);
                meta.long(9, chunk.at);
                let mut column = Struct::default();
                column.long(2, 0);
                column.inner(3, &meta.end());
                column.end()
            })
            .collect();
        let mut of_group = Struct::default();
        of_group.structs(1, &columns);
        of_group.long(2, group.chunks.iter().map(|chunk| chunk.uncompressed).sum());
        of_group.long(3, group.rows);
        of_group.end()
    }
}

/// A column that is always there.
fn leaf(name: &str, physical: i64, converted: i64) -> Vec<u8> {
    let mut leaf = Struct::default();
    leaf.number(1, physical);
    leaf.number(3, REQUIRED);
    leaf.text(4, name);
    leaf.number(6, converted);
    leaf.end()
}

/// The header of a page of plain values.
fn page_header(uncompressed: usize, compressed: usize, values: usize) -> Vec<u8> {
    let mut data = Struct::default();
    data.number(1, values as i64);
    data.number(2, PLAIN);
    data.number(3, RLE);
    data.number(4, RLE);
    let mut page = Struct::default();
    page.number(1, DATA_PAGE);
    page.number(2, uncompressed as i64);
    page.number(3, compressed as i64);
    page.inner(5, &data.end());
    page.end()
}

/// Numbers as the page holds them, in 32 bits each.
fn numbers(page: &mut Vec<u8>, numbers: impl Iterator<Item = i8>) {
    numbers.for_each(|n| page.extend(i32::from(n).to_le_bytes()));
}

/// The levels of `rows` lists of `width` numbers: each number goes on with a list (1) or begins one
/// (0); each is there (1).
fn levels(page: &mut Vec<u8>, rows: usize, width: usize) {
    let mut row = Vec::new();
    run(&mut row, 1, 0);
    run(&mut row, width - 1, 1);
    let mut defined = Vec::new();
    run(&mut defined, rows * width, 1);
    page.extend(((row.len() * rows) as u32).to_le_bytes());
    (0..rows).for_each(|_| page.extend(&row));
    page.extend((defined.len() as u32).to_le_bytes());
    page.extend(defined);
}

/// A run of equal levels.
fn run(bytes: &mut Vec<u8>, length: usize, level: u8) {
    varint(bytes, (length as u64) << 1);
    bytes.push(level);
}

/// Seven bits a byte, the lowest first.
fn varint(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 128 {
        bytes.push(n as u8 | 128);
        n >>= 7;
    }
    bytes.push(n as u8);
}

/// Types of the compact protocol.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LISTED: u8 = 9;
const STRUCT: u8 = 12;

/// A struct in Thrift's compact protocol; its fields come in ascending order.
#[derive(Default)]
struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    /// Begins a field.
    fn field(&mut self, id: u8, kind: u8) {
        debug_assert!(self.last < id && id - self.last < 16);
        self.bytes.push((id - self.last) << 4 | kind);
        self.last = id;
    }

    /// An integer with its sign in the lowest bit.
    fn zigzag(&mut self, n: i64) {
        varint(&mut self.bytes, ((n << 1) ^ (n >> 63)) as u64);
    }

    fn number(&mut self, id: u8, n: i64) {
        self.field(id, I32);
        self.zigzag(n);
    }

    fn long(&mut self, id: u8, n: u64) {
        self.field(id, I64);
        self.zigzag(n as i64);
    }

    fn binary(&mut self, text: &str) {
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend(text.bytes());
    }

    fn text(&mut self, id: u8, text: &str) {
        self.field(id, BINARY);
        self.binary(text);
    }

    /// The beginning of a list.
    fn list(&mut self, id: u8, kind: u8, count: usize) {
        self.field(id, LISTED);
        if count < 15 {
            self.bytes.push((count as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, count as u64);
        }
    }

    fn numbers(&mut self, id: u8, numbers: &[i64]) {
        self.list(id, I32, numbers.len());
        numbers.iter().for_each(|&n| self.zigzag(n));
    }

    fn texts(&mut self, id: u8, texts: &[&str]) {
        self.list(id, BINARY, texts.len());
        texts.iter().for_each(|text| self.binary(text));
    }

    fn structs(&mut self, id: u8, structs: &[Vec<u8>]) {
        self.list(id, STRUCT, structs.len());
        structs.iter().for_each(|bytes| self.bytes.extend(bytes));
    }

    fn inner(&mut self, id: u8, bytes: &[u8]) {
        self.field(id, STRUCT);
        self.bytes.extend(bytes);
    }

    /// The bytes, with the mark of the end.
    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of Thrift's description of the protocol, and of Parquet's of run lengths.
    #[test]
    fn numbers_are_written_as_described() {
        let bytes = |n: i64| {
            let mut s = Struct::default();
            s.zigzag(n);
            s.bytes
        };
        for (n, expected) in [(0, 0), (-1, 1), (1, 2), (-2, 3), (63, 126)] {
            assert_eq!(bytes(n), [expected]);
        }
        assert_eq!(bytes(25_188), [0b1100_1000, 0b1000_1001, 3]);
        let mut runs = Vec::new();
        run(&mut runs, 8, 1);
        assert_eq!(runs, [16, 1]);
        let mut page = Vec::new();
        levels(&mut page, 2, 16);
        assert_eq!(page, [8, 0, 0, 0, 2, 0, 30, 1, 2, 0, 30, 1, 2, 0, 0, 0, 64, 1]);
        let mut s = Struct::default();
        s.texts(3, &["ab"]);
        s.numbers(4, &[1; 15]);
        assert_eq!(s.end()[..8], [0x39, 0x18, 2, b'a', b'b', 0x19, 0xf5, 15]);
    }
}
