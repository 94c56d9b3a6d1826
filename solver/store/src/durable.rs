//! Replaces files atomically and durably: after a crash or a power failure, a reader finds either
//! the complete old content or the complete new content.

use crate::error::StoreError;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The suffix of temporary files, whose names also begin with a dot.
const NEW: &str = ".new";

/// Returns the folder that contains a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Flushes the entries of a folder to disk.
fn sync_folder(folder: &Path) -> io::Result<()> {
    // Only Unix can open a folder as a file. Other systems don't need this flush.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Replaces the content of `path`: writes a temporary file beside it, flushes that file to disk,
/// renames it to `path`, and flushes the folder.
///
/// # Errors
/// If `write` or an operation of the system fails; the old content of `path` is kept.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), StoreError> {
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(NEW);
    #[cfg(unix)]
    {
        // Request the mode of an ordinary new file, to which the system applies the user's umask.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let all = || -> io::Result<()> {
        // Write through a device or a link, because users don't expect the device or the link to be
        // replaced by a regular file.
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            let mut buffer = BufWriter::new(File::create(path)?);
            write(&mut buffer)?;
            return buffer.flush();
        }
        let file = builder.tempfile_in(folder)?;
        let mut buffer = BufWriter::new(file);
        write(&mut buffer)?;
        let file = buffer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        sync_folder(folder)
    };
    all().map_err(|e| StoreError::io(path, "write", e))
}

/// Renames a file within its folder, and flushes the folder to disk. The caller must already have
/// flushed the content of the file.
///
/// # Errors
/// If an operation of the system fails.
pub fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::rename(from, to).map_err(|e| StoreError::io(to, "rename", e))?;
    sync_folder(folder_of(to)).map_err(|e| StoreError::io(to, "sync the folder of", e))
}

/// Returns `true` for the name of a temporary file that an interrupted [`replace`] has left behind.
pub(crate) fn is_leftover(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(NEW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_or_left_alone() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("file");
        for text in ["one", "another"] {
            replace(&path, |to| to.write_all(text.as_bytes())).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("read"), text);
        }
        let failed = replace(&path, |to| {
            to.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.expect_err("it failed").kind(), crate::StoreErrorKind::Full);
        assert_eq!(fs::read_to_string(&path).expect("read"), "another");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1, "nothing else stays");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::write(folder.path().join("plain"), "").expect("written");
            let mode =
                |name: &str| fs::metadata(folder.path().join(name)).expect("there").permissions().mode();
            assert_eq!(mode("file"), mode("plain"));
        }
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&path, &link).expect("linked");
            replace(&link, |to| to.write_all(b"through it")).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("read"), "through it");
            assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        }
        let error = replace(&folder.path().join("no/file"), |_| Ok(())).expect_err("no folder");
        assert_eq!(error.kind(), crate::StoreErrorKind::NotFound);
    }
}
