//! How much memory and disk may be used: sizes as text, what is free on the machine and in the
//! control groups (cgroups) of this process, and what is free on a disk.
//!
//! On Linux we read the files of the system ourselves (`linux`), elsewhere the crate `sysinfo` asks.
//! It looks at control groups, too, but counts files that were read or written once as used memory:
//! after building a table, a container with a limit would seem to be full. That memory is given back
//! on demand, so it counts as free here.

#[cfg(target_os = "linux")]
mod linux;

use std::path::Path;

use bytesize::ByteSize;

/// The free memory that is assumed where the system doesn't report any.
const ASSUMED: u64 = 4_000_000_000;

/// The bytes that may be used by default: what is free, less an eighth. Other processes allocate before
/// we do, and a build whose tables have no room in the cache of files takes twice as long.
pub fn usable() -> u64 {
    let free = free().unwrap_or(ASSUMED);
    free - free / 8
}

/// Reads a size: a number, perhaps with a fraction, and a unit: none or `B`, decimal `k M G T`,
/// with or without `B`, or binary `Ki Mi Gi Ti`.
///
/// # Errors
/// What was expected.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let expected = || "expected a size such as 500M, 8G, 1.5GiB or a number of bytes".to_owned();
    let ByteSize(bytes) = text.trim().parse().map_err(|_| expected())?;
    // What is too large for 64 bits is read as the largest number.
    if bytes == u64::MAX { Err("this is more than any machine has".to_owned()) } else { Ok(bytes) }
}

/// Reads the value of `--memory`: a size above 0.
///
/// # Errors
/// What was expected.
pub fn parse_memory(text: &str) -> Result<u64, String> {
    match parse_size(text)? {
        0 => Err("solving takes some memory: give a size above 0".to_owned()),
        bytes => Ok(bytes),
    }
}

/// Reads the value of `--disk`: a size above 0.
///
/// # Errors
/// What was expected.
pub fn parse_disk(text: &str) -> Result<u64, String> {
    match parse_size(text)? {
        0 => Err("a disk of 0 bytes holds no tables: give a size above 0".to_owned()),
        bytes => Ok(bytes),
    }
}

/// Reads the value of `--disk-speed` and the like: a size above 0 for each second.
///
/// # Errors
/// What was expected.
pub fn parse_rate(text: &str) -> Result<u64, String> {
    match parse_size(text)? {
        0 => Err("this would never end: give a size above 0 for each second".to_owned()),
        rate => Ok(rate),
    }
}

/// A disk that files can be written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// Which one it is.
    pub device: u64,
    /// Bytes that this user may still write.
    pub free: u64,
}

/// The disk that a path lies on, or will lie on when its folders are made; none where the system
/// doesn't say.
#[cfg(unix)]
pub fn disk(path: &Path) -> Option<Disk> {
    use std::os::unix::fs::MetadataExt;
    // The folder that is there already; of a relative path without any, the current one.
    let is_there = |folder: &&Path| folder.as_os_str().is_empty() || folder.exists();
    let there = path.ancestors().find(is_there)?;
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    // What isn't on a disk has no room at all, and none is needed.
    let about = rustix::fs::statvfs(there).ok().filter(|about| about.f_blocks > 0)?;
    let device = std::fs::metadata(there).ok()?.dev();
    Some(Disk { device, free: about.f_bavail.saturating_mul(about.f_frsize) })
}

/// The disk that a path lies on: not known here.
#[cfg(not(unix))]
pub fn disk(_path: &Path) -> Option<Disk> {
    None
}

/// The free memory: what the system says, and what the control groups around this process leave.
#[cfg(target_os = "linux")]
fn free() -> Option<u64> {
    linux::free()
}

/// The free memory that the system reports; it has no control groups.
#[cfg(not(target_os = "linux"))]
fn free() -> Option<u64> {
    let mut system = sysinfo::System::new().ok()?;
    system.refresh_memory();
    Some(system.available_memory()).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("1", 1),
            ("1234B", 1234),
            ("500M", 500_000_000),
            ("8G", 8_000_000_000),
            ("8 gb", 8_000_000_000),
            ("1.5k", 1500),
            ("8GiB", 8 << 30),
            ("8Gi", 8 << 30),
            ("2TiB", 2 << 40),
            ("64kb", 64_000),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for wrong in ["", "G", "-1G", "8X", "8GG", "1.2.3", "99999999999T", "1e99"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        for parse in [parse_memory, parse_disk, parse_rate] {
            assert_eq!((parse("2k"), parse("0").is_err()), (Ok(2000), true));
        }
    }

    #[test]
    fn nothing_is_a_size_but_no_memory_and_no_disk() {
        assert_eq!(parse_size("0"), Ok(0));
        for none in ["0", "0G", "0.0001k"] {
            assert!(parse_memory(none).is_err_and(|error| error.contains("memory")), "{none}");
            assert!(parse_disk(none).is_err_and(|error| error.contains("disk")), "{none}");
        }
        assert_eq!((parse_memory("1"), parse_disk("20T")), (Ok(1), Ok(20_000_000_000_000)));
    }

    #[test]
    fn some_memory_is_free() {
        assert!(free().is_some_and(|free| free > 1 << 20), "every system we know of says how much");
        assert!((1 << 20..1 << 50).contains(&usable()));
    }
}
