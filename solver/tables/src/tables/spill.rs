//! Stores half slices on disk for the solver below a root. Each half slice is one compressed file.

use super::schema::TableError;
use crate::codec::repeats::{Decoder, Encoder, MAX_LINES};
use pentago_core::kernel::{Kernel, Pack};
use pentago_core::solve::rooted::{HalfSlice, SpillStore};
use pentago_core::values::BoxError;
use pentago_store::SpillFiles;
use std::cell::RefCell;
use std::path::Path;

/// A folder of temporary files that contain half slices.
#[derive(Debug)]
pub struct HalfSlices {
    /// The files in the folder.
    pub files: SpillFiles,
}

/// The encoder, the decoder and the code buffer of a thread.
type SpillCodec = (Encoder, Decoder, Vec<u8>);

thread_local! {
    static CODEC: RefCell<Option<SpillCodec>> = const { RefCell::new(None) };
}

fn with_codec<T>(work: impl FnOnce(&mut SpillCodec) -> Result<T, BoxError>) -> Result<T, BoxError> {
    CODEC.with_borrow_mut(|codec| {
        if codec.is_none() {
            let kernel = Kernel::best();
            *codec = Some((Encoder::new(kernel)?, Decoder::new(kernel)?, Vec::new()));
        }
        work(codec.as_mut().expect("just made"))
    })
}

/// Returns the file name for a half slice.
fn name(of: HalfSlice) -> String {
    let HalfSlice { parity, chain, group, plies } = of;
    let [a, b] = group.state;
    format!("{parity}{chain}-{}-{a:x}-{b:x}-{plies:02}", group.top)
}

impl HalfSlices {
    /// Opens `folder`, or creates it if it doesn't exist. Removes unfinished half slices from it.
    /// `limit` is the maximum total size of the files in bytes.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn open(folder: &Path, limit: u64) -> Result<HalfSlices, TableError> {
        Ok(HalfSlices { files: SpillFiles::open(folder, limit)? })
    }

    /// Removes the file of a half slice, if the file exists.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn remove(&self, of: HalfSlice) -> Result<(), TableError> {
        self.files.remove(&name(of))
    }
}

/// Encodes the lists of cache lines of a unit, and calls `then` with the code.
///
/// # Errors
/// If memory can't be allocated, or if `then` fails.
pub fn encode_unit<T>(
    lines: &[Pack],
    then: impl FnOnce(&[u8]) -> Result<T, BoxError>,
) -> Result<T, BoxError> {
    with_codec(|(encoder, _, code)| {
        code.clear();
        for lines in lines.chunks(MAX_LINES) {
            let start = code.len();
            code.extend_from_slice(&[0; 8]);
            encoder.encode(lines, code)?;
            let bytes = (code.len() - start - 8) as u64;
            code[start..start + 8].copy_from_slice(&bytes.to_le_bytes());
        }
        then(code)
    })
}

/// Decodes the code of a unit into `into`.
///
/// # Errors
/// If the code is damaged.
pub fn decode_unit(code: &[u8], into: &mut [Pack]) -> Result<(), BoxError> {
    with_codec(|(_, decoder, _)| Ok(decode(decoder, code, into)?))
}

/// Decodes the lists of cache lines of a unit into `into`. Returns a description of the defect if
/// the code is damaged.
fn decode(decoder: &mut Decoder, mut code: &[u8], into: &mut [Pack]) -> Result<(), &'static str> {
    for lines in into.chunks_mut(MAX_LINES) {
        let (head, rest) = code.split_first_chunk().ok_or("it is truncated")?;
        let bytes = usize::try_from(u64::from_le_bytes(*head)).map_err(|_| "it is truncated")?;
        let (list, rest) = rest.split_at_checked(bytes).ok_or("it is truncated")?;
        decoder.decode(list, lines).map_err(|_| "it can't be decoded")?;
        code = rest;
    }
    Ok(())
}

impl SpillStore for HalfSlices {
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError> {
        encode_unit(lines, |code| Ok(self.files.put(&name(of), unit, code)?))
    }

    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), BoxError> {
        let name = name(of);
        with_codec(|(_, decoder, code)| {
            self.files.get(&name, unit, code)?;
            decode(decoder, code, into).map_err(|what| self.files.damaged(&name, unit, what).into())
        })
    }

    fn finish(&self, of: HalfSlice) -> Result<(), BoxError> {
        Ok(self.files.finish(&name(of))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::index::rooted::BoardGroup;
    use pentago_core::supers::Half;
    use std::fs;
    use std::path::PathBuf;

    fn lines(seed: u64, len: usize) -> Vec<Pack> {
        let half = |i: u64| Half([i * seed % 11, (i * i) % 7]);
        (0..len as u64).map(|i| Pack([half(4 * i), half(4 * i + 1), half(i), half(5)])).collect()
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pentago-scratch-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    const OF: HalfSlice =
        HalfSlice { parity: 1, chain: 0, group: BoardGroup { top: 2, state: [1 << 8, 0] }, plies: 7 };

    #[test]
    fn units_survive_a_restart() {
        let folder = folder("back");
        let scratch = HalfSlices::open(&folder, u64::MAX).unwrap();
        let sizes = [1, 100, 3000, MAX_LINES + 5];
        for (unit, &len) in sizes.iter().enumerate().rev() {
            scratch.put(OF, unit as u64, &lines(unit as u64 + 3, len)).unwrap();
        }
        assert!(!scratch.files.path(&name(OF)).exists());
        scratch.finish(OF).unwrap();
        scratch.files.sync().unwrap();
        let again = HalfSlices::open(&folder, u64::MAX).unwrap();
        assert_eq!(again.files.bytes(), scratch.files.bytes());
        for spill in [&scratch, &again] {
            assert!(spill.files.path(&name(OF)).exists());
            for (unit, &len) in sizes.iter().enumerate() {
                let mut into = vec![Pack::default(); len];
                spill.get(OF, unit as u64, &mut into).unwrap();
                assert!(into.iter().zip(lines(unit as u64 + 3, len)).all(|(a, b)| a.0 == b.0));
            }
            let lacking = spill.get(OF, 9, &mut []).unwrap_err();
            assert!(lacking.is::<TableError>(), "{lacking}");
        }
        again.remove(OF).unwrap();
        again.remove(OF).unwrap();
        assert!(!again.files.path(&name(OF)).exists() && again.files.bytes() == 0);
        fs::remove_dir_all(&folder).unwrap();
    }
}
