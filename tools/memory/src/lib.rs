//! Limits on memory and disk space: sizes as text, the free memory of the machine, of this
//! process's control groups (cgroups) and of its address space, and the free space of a disk.
//!
//! On Linux, this crate reads files of the system in the module `linux`. On other systems, this
//! crate uses the crate `sysinfo`. On Linux, `sysinfo` would count cached files as used memory of a
//! control group, so a container with a limit would seem full after a table was built. Linux drops
//! cached files on demand, so this crate counts their memory as free.

#[expect(unsafe_code, reason = "the trait and the options of allocators are unsafe")]
mod allocator;
#[cfg(target_os = "linux")]
mod linux;

use std::path::Path;

pub use allocator::{Allocator, respect_limit, return_freed_memory};

use bytesize::ByteSize;

/// The free memory, in bytes, that is assumed if the system doesn't report the free memory.
const ASSUMED: u64 = 4_000_000_000;

/// Returns the default memory limit in bytes: seven eighths of the free memory. An eighth is left,
/// because other processes may allocate memory later. A build whose tables don't fit in the file
/// cache takes twice as long.
pub fn usable() -> u64 {
    let free = free().unwrap_or(ASSUMED);
    free - free / 8
}

/// Parses a size in bytes: a number, which may have a decimal fraction, and an optional unit. The
/// unit is `B`, a decimal unit `k M G T` with or without `B`, or a binary unit `Ki Mi Gi Ti`.
///
/// # Errors
/// A message that shows the expected format.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let expected = || "expected a size such as 500M, 8G, 1.5GiB or a number of bytes".to_owned();
    let ByteSize(bytes) = text.trim().parse().map_err(|_| expected())?;
    // `ByteSize` clamps a number that exceeds 64 bits to the largest 64-bit number.
    if bytes == u64::MAX { Err("the size is larger than any machine has".to_owned()) } else { Ok(bytes) }
}

/// Parses the value of `--memory`: a size above 0.
///
/// # Errors
/// A message that shows the expected format.
pub fn parse_memory(text: &str) -> Result<u64, String> {
    above_0(text, "the memory limit must be above 0: give a size such as 8G")
}

/// Parses the value of `--disk`: a size above 0.
///
/// # Errors
/// A message that shows the expected format.
pub fn parse_disk(text: &str) -> Result<u64, String> {
    above_0(text, "the disk limit must be above 0: give a size such as 500G")
}

/// Parses the value of `--disk-speed` and similar options: a rate in bytes per second, above 0.
///
/// # Errors
/// A message that shows the expected format.
pub fn parse_rate(text: &str) -> Result<u64, String> {
    above_0(text, "the rate must be above 0: give bytes per second, such as 5G")
}

/// Parses a size above 0, in bytes. For a size of 0, returns `message` as the error.
fn above_0(text: &str, message: &str) -> Result<u64, String> {
    let bytes = parse_size(text)?;
    if bytes > 0 { Ok(bytes) } else { Err(message.to_owned()) }
}

/// A disk and its free space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// The device number, which identifies the disk.
    pub device: u64,
    /// The number of bytes that this user may still write to the disk.
    pub free: u64,
}

/// Returns the disk on which a path lies, or would lie after its folders are created. Returns
/// `None` if the system reports no disk for the path.
#[cfg(unix)]
pub fn disk(path: &Path) -> Option<Disk> {
    use std::os::unix::fs::MetadataExt;
    // Find the nearest existing ancestor folder. For a relative path without an existing ancestor,
    // use the current folder.
    let is_there = |folder: &&Path| folder.as_os_str().is_empty() || folder.exists();
    let there = path.ancestors().find(is_there)?;
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    // A file system without blocks, such as `/proc`, isn't on a disk and needs no space.
    let about = rustix::fs::statvfs(there).ok().filter(|about| about.f_blocks > 0)?;
    let device = std::fs::metadata(there).ok()?.dev();
    Some(Disk { device, free: about.f_bavail.saturating_mul(about.f_frsize) })
}

/// Returns `None`, because the free space of disks is not supported on this platform.
#[cfg(not(unix))]
pub fn disk(_path: &Path) -> Option<Disk> {
    None
}

/// Raises this process's limit on open files to the hard limit of the system. Tables stay open, and
/// the usual soft limit is 1,024 files. If the system refuses, the limit stays.
#[cfg(unix)]
pub fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Returns the free memory in bytes: the least of the amounts that the machine and the control
/// groups of this process report. Returns `None` if nothing is reported.
#[cfg(target_os = "linux")]
fn free() -> Option<u64> {
    linux::free()
}

/// Returns the free memory in bytes as the system reports it, or `None` if the system doesn't
/// report it.
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
