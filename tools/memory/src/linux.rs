//! Reads the free memory of a Linux machine, of its control groups, and of this process.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit};

/// Returns the free memory in bytes: the least of the free memory of the machine, of each control
/// group that contains this process, and of the address space that `ulimit -v` leaves to this
/// process. Returns `None` if nothing is reported.
pub fn free() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| kilobytes(&text, "MemAvailable:"));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let of_groups = memory_groups(&groups, &mounts);
    let free = of_groups.iter().flat_map(Cgroup::and_above).filter_map(|group| group.free());
    let of_process = address_space(&fs::read_to_string("/proc/self/status").unwrap_or_default());
    machine.into_iter().chain(of_process).chain(free).min()
}

/// Returns the usable address space in bytes, from the content of `/proc/self/status`: half of the
/// free address space, because stacks and the heaps of threads reserve more than they use. Returns
/// `None` if there is no limit.
fn address_space(status: &str) -> Option<u64> {
    let limit = getrlimit(Resource::As).current?;
    Some(limit.saturating_sub(kilobytes(status, "VmSize:").unwrap_or(0)) / 2)
}

/// Returns a field of `/proc/meminfo` or `/proc/self/status`, in bytes.
fn kilobytes(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// A control group that may limit memory.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cgroup {
    /// `true` for version 2 of control groups, `false` for version 1.
    is_v2: bool,
    /// The folder whose files describe the group.
    folder: PathBuf,
    /// The folder at which the groups are mounted, which is the folder of the outermost visible
    /// group.
    mount: PathBuf,
}

/// Returns the control groups of this process that limit memory. `groups` is the content of
/// `/proc/self/cgroup`, with lines such as `4:memory:/path`, or `0::/path` for version 2. `mounts`
/// is the content of `/proc/self/mountinfo`.
fn memory_groups(groups: &str, mounts: &str) -> Vec<Cgroup> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let is_v2 = controllers.is_empty();
        if is_v2 || controllers.split(',').any(|c| c == "memory") {
            found.extend(mounts.lines().find_map(|mount| group_in(is_v2, path, mount)));
        }
    }
    found
}

/// Returns the group with this path if `mount`, a line of `mountinfo`, is the mount of memory
/// groups. Example:
///
/// ```text
/// 30 25 0:26 /root/inside /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
/// ```
fn group_in(is_v2: bool, path: &str, mount: &str) -> Option<Cgroup> {
    let (left, right) = mount.split_once(" - ")?;
    let mut right = right.split(' ');
    let (kind, options) = (right.next()?, right.nth(1)?);
    let is_v1 = kind == "cgroup" && options.split(',').any(|option| option == "memory");
    let fits = if is_v2 { kind == "cgroup2" } else { is_v1 };
    let mut left = left.split(' ').skip(3);
    let (root, mount) = (left.next()?, PathBuf::from(left.next()?));
    // In a container, the mount may begin at the container's own group. If `path` doesn't lie below
    // the root of the mount, use the mount point.
    let inside = Path::new(path).strip_prefix(root).unwrap_or(Path::new(""));
    fits.then(|| Cgroup { is_v2, folder: mount.join(inside), mount })
}

impl Cgroup {
    /// Returns this group and all visible groups that contain this group. Each of these groups may
    /// have a limit.
    fn and_above(&self) -> impl Iterator<Item = Cgroup> + '_ {
        let folders = self.folder.ancestors().take_while(|folder| folder.starts_with(&self.mount));
        folders.map(|folder| Cgroup { folder: folder.to_owned(), ..self.clone() })
    }

    fn free(&self) -> Option<u64> {
        let [limit, usage, cache] = match self.is_v2 {
            true => ["memory.max", "memory.current", "inactive_file"],
            false => ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"],
        };
        let read = |name| fs::read_to_string(self.folder.join(name));
        let stat = read("memory.stat").unwrap_or_default();
        left(&read(limit).ok()?, &read(usage).ok()?, &stat, cache)
    }
}

/// Returns the free memory below the limit of a group, in bytes. `usage` includes cached files,
/// which the system drops on demand. The line of `stat` that begins with `cache` is the size of
/// these files in bytes. Returns `None` if the group has no limit: the text is then `max`, or a
/// number near 2^63 in version 1.
fn left(limit: &str, usage: &str, stat: &str, cache: &str) -> Option<u64> {
    let limit = limit.trim().parse::<u64>().ok().filter(|&limit| limit < 1 << 60)?;
    let usage = usage.trim().parse::<u64>().ok()?;
    let in_stat = |line: &str| line.strip_prefix(cache)?.trim().parse::<u64>().ok();
    let reclaimable = stat.lines().find_map(in_stat).unwrap_or(0);
    Some(limit.saturating_sub(usage.saturating_sub(reclaimable)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo() {
        let text = "MemTotal:       24105876 kB\nMemFree: 1 kB\nMemAvailable:   23068672 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(23_068_672 * 1024));
        assert_eq!(kilobytes("Name: pentago\nVmSize:\t 3 kB\n", "VmSize:"), Some(3072));
    }

    #[test]
    fn groups_of_both_versions() {
        let v1 = "9:name=systemd:/\n4:cpu,memory:/jobs/7\n1:cpuset:/\n0::/\n";
        let mounts = "\
            28 20 0:25 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
            30 28 0:27 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n\
            31 28 0:28 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n\
            32 28 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let group =
            |is_v2, folder: &str, mount: &str| Cgroup { is_v2, folder: folder.into(), mount: mount.into() };
        assert_eq!(
            memory_groups(v1, mounts),
            [
                group(false, "/sys/fs/cgroup/memory/jobs/7", "/sys/fs/cgroup/memory"),
                group(true, "/sys/fs/cgroup/unified/", "/sys/fs/cgroup/unified"),
            ]
        );
        let v2 = "0::/user.slice/run\n";
        let mount = "25 20 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
        let [found] = &memory_groups(v2, mount)[..] else { panic!("one group") };
        assert_eq!(*found, group(true, "/sys/fs/cgroup/user.slice/run", "/sys/fs/cgroup"));
        let above: Vec<PathBuf> = found.and_above().map(|group| group.folder).collect();
        let expected = ["/sys/fs/cgroup/user.slice/run", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"];
        assert_eq!(above, expected.map(PathBuf::from));
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_outermost() {
        let mount = "31 28 0:28 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        let [found] = &memory_groups("4:memory:/docker/ab\n", mount)[..] else { panic!("one group") };
        assert_eq!(found.folder, Path::new("/sys/fs/cgroup/memory"));
        let [other] = &memory_groups("4:memory:/elsewhere\n", mount)[..] else { panic!("one group") };
        assert_eq!(other.folder, Path::new("/sys/fs/cgroup/memory"));
        assert_eq!(memory_groups("nonsense\n4:memory\n", mount), []);
    }

    #[test]
    fn limits() {
        let stat = "cache 1\ninactive_file 200\ntotal_inactive_file 300\n";
        assert_eq!(left("1000\n", "600\n", "", "inactive_file"), Some(400));
        assert_eq!(left("1000\n", "600\n", stat, "inactive_file"), Some(600));
        assert_eq!(left("1000\n", "600\n", stat, "total_inactive_file"), Some(700));
        assert_eq!(left("1000\n", "2000\n", stat, "inactive_file"), Some(0));
        assert_eq!(left("max\n", "600\n", stat, "inactive_file"), None);
        assert_eq!(left("9223372036854771712\n", "600\n", stat, "inactive_file"), None);
    }
}
