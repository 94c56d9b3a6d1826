//! Apache Parquet: a row for each board, a row group for each batch.

use std::fs::File;
use std::sync::Arc;

use anyhow::Context;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use pentago::Wdl;
use pentago::rules::{Position, Rules};

use super::Layout;

/// A file that is being written.
pub struct ParquetFile {
    writer: SerializedFileWriter<File>,
    rules: Rules,
    layout: Layout,
}

/// A list of numbers of 8 bits that is always there, as all readers know it.
fn list(name: &str) -> String {
    format!(
        "required group {name} (LIST) {{ repeated group list {{ \
         required int32 element (INTEGER(8,true)); }} }}"
    )
}

impl ParquetFile {
    /// Begins a file.
    pub fn new(file: File, rules: Rules, layout: Layout) -> anyhow::Result<ParquetFile> {
        let moves = if layout.moves { list("moves") } else { String::new() };
        let schema = format!(
            "message pentago {{ required binary position (STRING); {} \
             required int32 value (INTEGER(8,true)); {moves} }}",
            list("board")
        );
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_created_by(concat!("pentago ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(vec![KeyValue::new("rules".to_owned(), rules.to_string())]))
            .build();
        let schema = Arc::new(parse_message_type(&schema)?);
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
        Ok(ParquetFile { writer, rules, layout })
    }

    /// Writes some boards as a row group.
    pub fn write(&mut self, boards: &[(Position, Wdl)], moves: Option<&[i8]>) -> anyhow::Result<()> {
        let mut group = self.writer.next_row_group()?;
        let text = |(position, _): &(Position, Wdl)| {
            ByteArray::from(self.rules.format_position(position).into_bytes())
        };
        let texts: Vec<ByteArray> = boards.iter().map(text).collect();
        let mut column = group.next_column()?.context("the column of positions")?;
        column.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
        column.close()?;
        let cells = boards.iter().flat_map(|(position, _)| position.cells()).map(i32::from);
        numbers(&mut group, cells.collect(), Some(self.layout.sockets()))?;
        numbers(&mut group, boards.iter().map(|(_, wdl)| wdl.number().into()).collect(), None)?;
        if self.layout.moves {
            let moves = moves.context("the values of moves were announced")?;
            let moves = moves.iter().copied().map(i32::from).collect();
            numbers(&mut group, moves, Some(self.layout.move_numbers()))?;
        }
        group.close()?;
        Ok(())
    }

    /// Completes the file.
    pub fn finish(self) -> anyhow::Result<()> {
        self.writer.close()?;
        Ok(())
    }
}

/// Writes a column of numbers, or of lists of so many numbers.
fn numbers(
    group: &mut SerializedRowGroupWriter<'_, File>,
    numbers: Vec<i32>,
    list: Option<usize>,
) -> anyhow::Result<()> {
    let mut column = group.next_column()?.context("a column of numbers")?;
    let levels = list.map(|length| {
        // A number begins a list, or goes on with it; each is there.
        let repeated: Vec<i16> = (0..numbers.len()).map(|i| i16::from(i % length != 0)).collect();
        (vec![1i16; numbers.len()], repeated)
    });
    let (defined, repeated) = match &levels {
        Some((defined, repeated)) => (Some(&defined[..]), Some(&repeated[..])),
        None => (None, None),
    };
    column.typed::<Int32Type>().write_batch(&numbers, defined, repeated)?;
    column.close()?;
    Ok(())
}
