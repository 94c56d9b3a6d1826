//! Limits on memory and disk space: sizes as text, the free memory of the machine and of this
//! process's control groups (cgroups), and the free space of a disk.
//!
//! On Linux this crate reads the files of the system (`linux`); elsewhere it uses `sysinfo`. On
//! Linux, `sysinfo` counts cached files as used memory of a control group, so a container with a
//! limit would seem to be full after a table was built. The system drops cached files on demand, so
//! this crate counts them as free.

#[cfg(target_os = "linux")]
mod linux;

use std::path::Path;

use bytesize::ByteSize;

/// The assumed free memory in bytes, if the system doesn't report it.
const ASSUMED: u64 = 4_000_000_000;

/// Returns the default memory limit in bytes: seven eighths of the free memory, because other
/// processes may allocate memory later. A build whose tables don't fit in the file cache takes
/// twice as long.
pub fn usable() -> u64 {
    let free = free().unwrap_or(ASSUMED);
    free - free / 8
}

/// Parses a size: a number, possibly with a fraction, and a unit. The unit is none or `B`, decimal
/// `k M G T` with or without `B`, or binary `Ki Mi Gi Ti`.
///
/// # Errors
/// A message with the expected format.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let expected = || "expected a size such as 500M, 8G, 1.5GiB or a number of bytes".to_owned();
    let ByteSize(bytes) = text.trim().parse().map_err(|_| expected())?;
    // `ByteSize` parses a number that exceeds 64 bits as the largest 64-bit number.
    if bytes == u64::MAX { Err("the size is larger than any machine has".to_owned()) } else { Ok(bytes) }
}

/// Parses the value of `--memory`: a size above 0.
///
/// # Errors
/// A message with the expected format.
pub fn parse_memory(text: &str) -> Result<u64, String> {
    above_0(text, "the memory limit must be above 0: give a size such as 8G")
}

/// Parses the value of `--disk`: a size above 0.
///
/// # Errors
/// A message with the expected format.
pub fn parse_disk(text: &str) -> Result<u64, String> {
    above_0(text, "the disk limit must be above 0: give a size such as 500G")
}

/// Parses the value of `--disk-speed` and similar options: a size per second, above 0.
///
/// # Errors
/// A message with the expected format.
pub fn parse_rate(text: &str) -> Result<u64, String> {
    above_0(text, "the rate must be above 0: give bytes per second, such as 5G")
}

/// Parses a size above 0. The error for 0 is `message`.
fn above_0(text: &str, message: &str) -> Result<u64, String> {
    let bytes = parse_size(text)?;
    if bytes > 0 { Ok(bytes) } else { Err(message.to_owned()) }
}

/// A disk with its free space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// The device number of the disk, which identifies it.
    pub device: u64,
    /// The number of bytes that this user may still write.
    pub free: u64,
}

/// Returns the disk that holds a path, or will hold it once its folders are created. Returns `None`
/// if the system doesn't report it.
#[cfg(unix)]
pub fn disk(path: &Path) -> Option<Disk> {
    use std::os::unix::fs::MetadataExt;
    // Find the nearest existing ancestor folder. If a relative path has none, use the current
    // folder.
    let is_there = |folder: &&Path| folder.as_os_str().is_empty() || folder.exists();
    let there = path.ancestors().find(is_there)?;
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    // A file system without blocks, such as `/proc`, isn't on a disk and needs no space.
    let about = rustix::fs::statvfs(there).ok().filter(|about| about.f_blocks > 0)?;
    let device = std::fs::metadata(there).ok()?.dev();
    Some(Disk { device, free: about.f_bavail.saturating_mul(about.f_frsize) })
}

/// Returns `None`: this platform is not supported.
#[cfg(not(unix))]
pub fn disk(_path: &Path) -> Option<Disk> {
    None
}

/// Returns the free memory in bytes: the least that the machine and the control groups of this
/// process report.
#[cfg(target_os = "linux")]
fn free() -> Option<u64> {
    linux::free()
}

/// Returns the free memory that the system reports, in bytes.
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
