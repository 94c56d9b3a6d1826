//! Decompresses data of known length: an `.xz` file or a zlib stream.

use flate2::{Decompress, FlushDecompress};
use lzma_rust2::{Action, XzStream};

const XZ_MAGIC: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];

/// The memory limit of the xz decoder in KiB: four times the dictionary of the published files.
const XZ_MEMORY: u32 = 32 << 10;

/// Returns an upper bound on the compressed size of `len` bytes. Even incompressible data stays
/// below the bound. The bound limits the memory that a damaged file can make the program allocate.
pub fn longest(len: u64) -> u64 {
    2 * len + 4096
}

/// Decompresses a blob whose content must have `len` bytes, and returns the content.
///
/// # Errors
/// If the blob is damaged, if its content has another length, or if other bytes follow the blob.
pub fn decompress(blob: &[u8], len: usize) -> Result<Vec<u8>, String> {
    // The buffer has room for one extra byte, which is written only if the content is too long.
    let mut bytes = vec![0; len + 1];
    let (read, written) =
        if blob.starts_with(&XZ_MAGIC) { xz(blob, &mut bytes)? } else { zlib(blob, &mut bytes)? };
    if written != len {
        return Err(length(len));
    }
    if read != blob.len() {
        return Err(format!("{} extra bytes after its end", blob.len() - read));
    }
    bytes.truncate(len);
    Ok(bytes)
}

fn length(expected: usize) -> String {
    format!("the content doesn't have {expected} bytes")
}

/// Decompresses an xz file. Returns the number of bytes that were read, and the number of bytes
/// that were written.
fn xz(blob: &[u8], into: &mut [u8]) -> Result<(usize, usize), String> {
    let mut stream = XzStream::new_mem_limit(false, XZ_MEMORY);
    let (mut read, mut written) = (0, 0);
    loop {
        let step = stream
            .process(&blob[read..], &mut into[written..], Action::Finish)
            .map_err(|e| format!("xz: {e}"))?;
        read += step.bytes_consumed;
        written += step.bytes_produced;
        let stuck = step.bytes_consumed == 0 && step.bytes_produced == 0;
        if step.status == lzma_rust2::Status::StreamEnd {
            return Ok((read, written));
        }
        if stuck || written == into.len() {
            return Err(length(into.len() - 1));
        }
    }
}

/// Decompresses a zlib stream. Returns the number of bytes that were read, and the number of bytes
/// that were written.
fn zlib(blob: &[u8], into: &mut [u8]) -> Result<(usize, usize), String> {
    let mut stream = Decompress::new(true);
    let status = stream.decompress(blob, into, FlushDecompress::Finish).map_err(|e| format!("zlib: {e}"))?;
    match status {
        flate2::Status::StreamEnd => Ok((stream.total_in() as usize, stream.total_out() as usize)),
        _ => Err(length(into.len() - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compress, Compression, FlushCompress};

    fn zlib_of(content: &[u8]) -> Vec<u8> {
        let mut blob = Vec::with_capacity(content.len() + 100);
        let status =
            Compress::new(Compression::best(), true).compress_vec(content, &mut blob, FlushCompress::Finish);
        assert_eq!(status.expect("compressed"), flate2::Status::StreamEnd);
        blob
    }

    /// The output of `printf hello | xz`.
    const HELLO: [u8; 64] = [
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x16,
        0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x04, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x00, 0x00,
        0x00, 0x00, 0xb1, 0x37, 0xb9, 0xdb, 0xe5, 0xda, 0x1e, 0x9b, 0x00, 0x01, 0x1d, 0x05, 0xb8, 0x2d, 0x80,
        0xaf, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
    ];

    #[test]
    fn a_blob_has_exactly_its_content() {
        for (blob, content) in
            [(zlib_of(b"hello"), &b"hello"[..]), (zlib_of(b""), b""), (HELLO.to_vec(), b"hello")]
        {
            assert_eq!(decompress(&blob, content.len()).expect("it is whole"), content);
            for len in [content.len() + 1, content.len() + 1000, content.len().saturating_sub(1)] {
                let error = decompress(&blob, len);
                assert!(
                    error.as_ref().is_err_and(|e| e.contains("doesn't have")) || len == content.len(),
                    "{error:?}"
                );
            }
            let more = [&blob[..], &[0; 3]].concat();
            let error = decompress(&more, content.len()).expect_err("more");
            assert!(error.starts_with("3 extra bytes"), "{error}");
            for end in 0..blob.len() {
                assert!(decompress(&blob[..end], content.len()).is_err());
            }
        }
    }
}
