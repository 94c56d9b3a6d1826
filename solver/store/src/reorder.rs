//! A buffer for blocks that arrive before all earlier blocks are written. The buffer holds blocks
//! in memory up to a limit, and writes further blocks to a file.

use crate::storage::{create, read_exact_at};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// A payload with its checksum and counters.
#[derive(Debug, PartialEq, Eq)]
pub struct EncodedBlock {
    pub payload: Vec<u8>,
    pub checksum: u64,
    pub counts: Vec<u64>,
}

/// Encoded blocks, keyed by block index. Beside each block are the offset and the size, in bytes,
/// of its payload in the file, or `None` if the payload is in memory. The file is created on demand
/// and deleted when the buffer is dropped. If the process is killed, waiting blocks are lost and
/// must be computed again.
pub struct ReorderBuffer {
    blocks: BTreeMap<u64, (EncodedBlock, Option<(u64, usize)>)>,
    /// The size of the payloads in memory, in bytes.
    memory: usize,
    /// The maximum size of the payloads in memory, in bytes. Further payloads are written to the
    /// file.
    pub limit: usize,
    path: PathBuf,
    spill: Option<File>,
    /// `spilled` is the number of payloads in the file. `end` is the size of the file in bytes.
    spilled: usize,
    end: u64,
}

impl ReorderBuffer {
    pub fn new(limit: usize, path: PathBuf) -> ReorderBuffer {
        ReorderBuffer { blocks: BTreeMap::new(), memory: 0, limit, path, spill: None, spilled: 0, end: 0 }
    }

    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    pub fn contains(&self, number: u64) -> bool {
        self.blocks.contains_key(&number)
    }

    /// Returns `true` if the payload of a block fits in the free part of the memory limit.
    pub fn fits(&self, block: &EncodedBlock) -> bool {
        self.memory + block.payload.len() <= self.limit
    }

    /// Adds a block that can't be written yet. If the payload doesn't fit in memory, writes the
    /// payload to the file.
    pub fn insert(&mut self, number: u64, mut block: EncodedBlock) -> io::Result<()> {
        let len = block.payload.len();
        let place = if self.fits(&block) {
            self.memory += len;
            None
        } else {
            let file = match &mut self.spill {
                Some(file) => file,
                None => self.spill.insert(create(&self.path, true)?),
            };
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(&block.payload)?;
            block.payload = Vec::new();
            self.end += len as u64;
            self.spilled += 1;
            Some((self.end - len as u64, len))
        };
        self.blocks.insert(number, (block, place));
        Ok(())
    }

    /// Removes and returns the block with index `number`, or returns `None` if the buffer doesn't
    /// contain the block.
    pub fn remove(&mut self, number: u64) -> io::Result<Option<EncodedBlock>> {
        let Some((mut block, place)) = self.blocks.remove(&number) else { return Ok(None) };
        match (place, &self.spill) {
            (Some((at, len)), Some(file)) => {
                block.payload.resize(len, 0);
                read_exact_at(file, &mut block.payload, at)?;
                self.spilled -= 1;
                if self.spilled == 0 {
                    file.set_len(0)?;
                    self.end = 0;
                }
            }
            _ => self.memory -= block.payload.len(),
        }
        Ok(Some(block))
    }
}

impl Drop for ReorderBuffer {
    fn drop(&mut self) {
        if self.spill.take().is_some() {
            // If the removal fails, the next writer truncates the file.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_from_memory_and_from_the_file() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("spill");
        let mut waiting = ReorderBuffer::new(100, path.clone());
        let block =
            |n: u64| EncodedBlock { payload: vec![n as u8; 30 + n as usize], checksum: n, counts: vec![n] };
        for round in 0..3 {
            for n in (0..10).rev() {
                waiting.insert(n, block(n)).expect("room on the disk");
            }
            assert!(path.exists() && waiting.memory <= 100 && waiting.len() == 10);
            for n in 0..10 {
                assert!(waiting.contains(n));
                assert_eq!(waiting.remove(n).expect("it can be read"), Some(block(n)), "round {round}");
                assert!(waiting.remove(n).expect("nothing to read").is_none());
            }
            assert_eq!((waiting.memory, waiting.end), (0, 0));
        }
        // A new limit applies to blocks added later.
        waiting.insert(0, block(0)).expect("room on the disk");
        waiting.limit = 40;
        waiting.insert(1, block(1)).expect("room on the disk");
        assert_eq!((waiting.memory, waiting.spilled), (30, 1));
        waiting.limit = 70;
        waiting.insert(2, block(2)).expect("room on the disk");
        assert_eq!((waiting.memory, waiting.spilled), (62, 1));
        drop(waiting);
        assert!(!path.exists());
    }
}
