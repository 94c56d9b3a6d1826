//! Where the bytes of a table are: mapped, read piece by piece, in memory, or on a host. Everything
//! above is the same for all of them.

#[cfg(feature = "mmap")]
use memmap2::Mmap;
use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// Bytes at rest that many threads may read.
pub trait Storage: Send + Sync + fmt::Debug {
    /// How many bytes there are.
    fn size(&self) -> u64;

    /// The `len` bytes from `at`: lent where they are in memory.
    ///
    /// # Errors
    /// `UnexpectedEof` if some are missing, or an error of the operating system.
    fn read(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>>;

    /// The bytes from where they come from, whatever was kept of them. Nothing is kept of what is read.
    ///
    /// # Errors
    /// As for [`Storage::read`].
    fn read_through(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        self.read(at, len)
    }

    /// These bytes will be read soon: where that takes long, they may be fetched meanwhile.
    fn ahead(&self, _at: u64, _len: usize) {}

    /// The same bytes from where they come from, if what was read may be a damaged copy; none where
    /// reading again would give nothing else.
    fn read_again(&self, _at: u64, _len: usize) -> Option<io::Result<Vec<u8>>> {
        None
    }

    /// Whether they are in memory, so that what was checked once needn't be checked again.
    fn is_memory(&self) -> bool {
        false
    }
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Mapped into memory: no system call per block. A file that another process cuts short while
    /// it is mapped ends this one (SIGBUS): finished tables are never changed in place, so that
    /// takes a foreign hand. Without the feature `mmap` files are read instead.
    #[default]
    Map,
    /// Read piece by piece: an error where the file has been cut short, and nothing counted as this
    /// process's memory.
    Read,
}

/// What has this name, if it is there and isn't a regular file or a link to one.
pub(crate) fn other_kind(path: &Path) -> Option<&'static str> {
    match fs::metadata(path).ok()?.file_type() {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => Some("a folder"),
        #[cfg(unix)]
        kind if std::os::unix::fs::FileTypeExt::is_fifo(&kind) => Some("a pipe"),
        _ => Some("a device"),
    }
}

/// Opens a regular file, or a link to one, for reading. A folder, a pipe or a device is refused
/// before it is opened: opening a pipe would wait for its writer.
///
/// # Errors
/// What the system says, or what the file is instead.
pub fn open_file(path: &Path) -> io::Result<File> {
    match other_kind(path) {
        None => File::open(path),
        Some(what) => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, not a file"))),
    }
}

/// Bytes of the disk that a file takes: less than its length where parts of it were given back.
///
/// # Errors
/// If it isn't there.
pub fn bytes_on_disk(path: &Path) -> io::Result<u64> {
    let about = fs::metadata(path)?;
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::blocks(&about).saturating_mul(512));
    #[cfg(not(unix))]
    Ok(about.len())
}

/// Opens a file to write and to read again what is written, and makes it if need be. A device may
/// be one; a pipe would wait for its writer for ever.
pub(crate) fn create(path: &Path, truncate: bool) -> io::Result<File> {
    match other_kind(path) {
        Some("a pipe") => Err(io::Error::new(io::ErrorKind::InvalidInput, "a pipe has this name")),
        _ => OpenOptions::new().read(true).write(true).create(true).truncate(truncate).open(path),
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// As for [`open_file`].
pub fn open(path: &Path, access: Access) -> io::Result<Arc<dyn Storage>> {
    let file = open_file(path)?;
    let size = file.metadata()?.len();
    Ok(match access {
        // An empty file cannot be mapped everywhere.
        #[cfg(feature = "mmap")]
        Access::Map if size > 0 => Arc::new(map(&file)?),
        _ => Arc::new(PlainFile { file, size }),
    })
}

#[cfg(feature = "mmap")]
#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes must not change while they are mapped. Finished tables are only ever
    // replaced as a whole, by a rename, which leaves the mapped file as it was; whoever changes one
    // in place all the same is told about it in `Access::Map`.
    unsafe { Mmap::map(file) }
}

/// The range as indices, if it lies in `size` bytes.
pub(crate) fn range(size: u64, at: u64, len: usize) -> io::Result<std::ops::Range<usize>> {
    match at.checked_add(len as u64) {
        Some(end) if end <= size => Ok(at as usize..end as usize),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// A file that is mapped, what was read as a whole, or is part of the program.
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

/// A file that is read at given places.
#[derive(Debug)]
struct PlainFile {
    file: File,
    size: u64,
}

impl Storage for PlainFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        range(self.size, at, len)?;
        let mut bytes = vec![0; len];
        read_exact_at(&self.file, &mut bytes, at)?;
        Ok(Cow::Owned(bytes))
    }
}

/// Reads at a place, whatever the file's position is.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Reads at a place; moves the file's position.
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

/// Reads at a place, where the system can do no better than move the file's position: one read at a
/// time.
#[cfg(not(any(unix, windows)))]
pub(crate) fn read_exact_at(mut file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = pentago_base::lock(&ONE);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}
