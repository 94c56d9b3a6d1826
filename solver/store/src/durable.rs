//! Files that are replaced as a whole, and for good: a reader finds the old content or the new,
//! never a part, also after a power failure.

use crate::error::StoreError;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What the names of files end in that are written and have no name yet; they begin with a dot.
const NEW: &str = ".new";

/// The folder that a file lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gets the names in a folder onto the disk.
fn sync_folder(folder: &Path) -> io::Result<()> {
    // Elsewhere folders can't be opened, and needn't be.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Writes a file beside `path`, gets it onto the disk, gives it that name, and gets the name onto
/// the disk.
///
/// # Errors
/// What the system says, or `write`; `path` is then as it was.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), StoreError> {
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(NEW);
    #[cfg(unix)]
    {
        // As a file that is simply created; the system takes off what the user doesn't want.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let all = || -> io::Result<()> {
        // A device or a link is written to: another file in its place is not what was meant.
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

/// Gives a file, which is on the disk, another name in the same folder, and gets that onto the
/// disk.
///
/// # Errors
/// What the system says.
pub fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::rename(from, to).map_err(|e| StoreError::io(to, "rename", e))?;
    sync_folder(folder_of(to)).map_err(|e| StoreError::io(to, "sync the folder of", e))
}

/// Whether a file is one that [`replace`] was killed over.
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
