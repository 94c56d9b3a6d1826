//! The source of a table's bytes: a mapped file, a file that is read piecewise, memory, or a host.
//! All other code treats these sources alike.

#[cfg(feature = "mmap")]
use memmap2::Mmap;
use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// An immutable sequence of bytes that many threads may read.
pub trait Storage: Send + Sync + fmt::Debug {
    /// Returns the number of bytes.
    fn size(&self) -> u64;

    /// Returns `len` bytes from offset `at`, borrowed if they are in memory.
    ///
    /// # Errors
    /// `UnexpectedEof` if the range ends after the last byte, or an error of the system.
    fn read(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>>;

    /// Returns `len` bytes from offset `at`, bypassing all caches.
    ///
    /// # Errors
    /// The same errors as [`Storage::read`].
    fn read_through(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        self.read(at, len)
    }

    /// Announces that a range will be read soon. A slow storage may prefetch the range.
    fn ahead(&self, _at: u64, _len: usize) {}

    /// Reads a range again, bypassing all caches, because the bytes of the first read were damaged.
    /// Returns `None` if a second read would always return the same bytes.
    fn read_again(&self, _at: u64, _len: usize) -> Option<io::Result<Vec<u8>>> {
        None
    }

    /// Returns `true` if the bytes are in memory, so that a range needs to be verified only once.
    fn is_memory(&self) -> bool {
        false
    }
}

/// The method of accessing a file: by mapping the file or by reading it. A tablebase reads its
/// files, because other programs may change them. A build maps the tables that it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Map the file into memory, which avoids a system call per block. If another process truncates
    /// the file while it is mapped, this process is killed (SIGBUS). This program never changes
    /// finished tables in place, so only another program can cause this error. Without the feature
    /// `mmap`, the file is read instead.
    #[default]
    Map,
    /// Read the file piecewise. If another process truncates the file, a read returns an error. The
    /// bytes of the file don't count as memory of this process.
    Read,
}

/// Returns the name of what an existing path is, such as a folder or a pipe. Returns `None` for a
/// regular file, for a link to a regular file, and if the path doesn't exist.
pub(crate) fn other_kind(path: &Path) -> Option<&'static str> {
    match fs::metadata(path).ok()?.file_type() {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => Some("a folder"),
        #[cfg(unix)]
        kind if std::os::unix::fs::FileTypeExt::is_fifo(&kind) => Some("a pipe"),
        _ => Some("a device"),
    }
}

/// Opens a regular file, or a link to one, for reading. Folders, pipes and devices are refused
/// before they are opened, because opening a pipe would wait for its writer.
///
/// # Errors
/// If the system fails, or the path isn't a file. The error names what the path is, such as a
/// folder.
pub fn open_file(path: &Path) -> io::Result<File> {
    match other_kind(path) {
        None => File::open(path),
        Some(what) => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, not a file"))),
    }
}

/// Reads a regular file as text. As [`open_file`], never waits for the writer of a pipe.
///
/// # Errors
/// If the system fails, the path isn't a file, or the file isn't UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    open_file(path).and_then(io::read_to_string)
}

/// Returns `true` if opening this path would wait for another process. This is the case for pipes,
/// except those that this process has open, such as the pipe of a process substitution.
pub fn would_wait(path: &Path) -> bool {
    let is_open = ["/dev/fd", "/dev/stdin", "/dev/stdout"].iter().any(|open| path.starts_with(open));
    other_kind(path) == Some("a pipe") && !is_open
}

/// Opens a file that is read only once. As [`open_file`], but also opens a pipe that this process
/// has open.
///
/// # Errors
/// The same errors as [`open_file`].
pub fn open_once(path: &Path) -> io::Result<File> {
    if other_kind(path) == Some("a pipe") && !would_wait(path) { File::open(path) } else { open_file(path) }
}

/// Returns the disk space that a file occupies, in bytes. A file with holes occupies less space
/// than its length.
///
/// # Errors
/// If the file doesn't exist.
pub fn bytes_on_disk(path: &Path) -> io::Result<u64> {
    let about = fs::metadata(path)?;
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::blocks(&about).saturating_mul(512));
    #[cfg(not(unix))]
    Ok(about.len())
}

/// Opens a file for reading and writing, and creates it if necessary. Accepts a device, but rejects
/// a pipe, because reading from a pipe could block for ever.
pub(crate) fn create(path: &Path, truncate: bool) -> io::Result<File> {
    match other_kind(path) {
        Some("a pipe") => Err(io::Error::new(io::ErrorKind::InvalidInput, "a pipe has this name")),
        _ => OpenOptions::new().read(true).write(true).create(true).truncate(truncate).open(path),
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// The same errors as [`open_file`].
pub fn open(path: &Path, access: Access) -> io::Result<Arc<dyn Storage>> {
    let file = open_file(path)?;
    let size = file.metadata()?.len();
    Ok(match access {
        // Some systems can't map an empty file, so an empty file is read instead.
        #[cfg(feature = "mmap")]
        Access::Map if size > 0 => Arc::new(map(&file)?),
        _ => Arc::new(PlainFile { path: path.to_owned(), file: RwLock::new(file), size }),
    })
}

#[cfg(feature = "mmap")]
#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the mapped bytes must not change. Finished tables are only replaced as a whole, by a
    // rename, which leaves the mapped file intact. The documentation of `Access::Map` warns users
    // who change or truncate a file in place.
    unsafe { Mmap::map(file) }
}

/// Converts the range of `len` bytes at offset `at` to indices. Returns an error if the range
/// exceeds `size` bytes.
pub(crate) fn range(size: u64, at: u64, len: usize) -> io::Result<std::ops::Range<usize>> {
    match at.checked_add(len as u64) {
        Some(end) if end <= size => Ok(at as usize..end as usize),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Bytes in memory: a mapped file, a file that was read as a whole, or bytes embedded in the
/// program.
impl<B: Deref<Target = [u8]> + Send + Sync + fmt::Debug> Storage for B {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        Ok(Cow::Borrowed(&self[range(self.size(), at, len)?]))
    }

    fn is_memory(&self) -> bool {
        true
    }
}

/// A file that is read piecewise at given offsets. After a failed read, the file is opened again,
/// because another program may have changed the open file and then restored it under its name.
#[derive(Debug)]
struct PlainFile {
    path: PathBuf,
    file: RwLock<File>,
    size: u64,
}

impl PlainFile {
    fn fetch(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        read_exact_at(&self.file.read().unwrap_or_else(PoisonError::into_inner), &mut bytes, at)?;
        Ok(bytes)
    }

    /// Opens the file again, and reads a range.
    fn reopen(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let file = open_file(&self.path)?;
        let (found, size) = (file.metadata()?.len(), self.size);
        if found != size {
            let text = format!(
                "the file had {size} bytes when it was opened, and now has {found}: copy the file again, or \
                 restart the program if the new file is whole"
            );
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        *self.file.write().unwrap_or_else(PoisonError::into_inner) = file;
        self.fetch(at, len)
    }
}

impl Storage for PlainFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        range(self.size, at, len)?;
        self.fetch(at, len).or_else(|_| self.reopen(at, len)).map(Cow::Owned)
    }

    fn read_again(&self, at: u64, len: usize) -> Option<io::Result<Vec<u8>>> {
        Some(self.reopen(at, len))
    }
}

/// Fills `bytes` with the bytes of a file from offset `at`. Doesn't use the file position.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Fills `bytes` with the bytes of a file from offset `at`. Changes the file position.
#[cfg(windows)]
pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => (bytes, at) = (&mut bytes[n..], at + n as u64),
        }
    }
    Ok(())
}

/// Fills `bytes` with the bytes of a file from offset `at`, on systems that can only read at the
/// file position. A lock allows one read at a time, because each read changes the file position.
#[cfg(not(any(unix, windows)))]
pub(crate) fn read_exact_at(mut file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = pentago_base::lock(&ONE);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}
