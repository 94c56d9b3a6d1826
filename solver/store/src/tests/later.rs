//! Tables whose bytes arrive later: a call returns an error that asks the caller to repeat the
//! call, and the next call finds all requested bytes.

use super::remote::{local, published};
use crate::remote::scan_with;
use crate::{Awaited, Fetch, RawTable, Reason, StoreError, StoreErrorKind};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The name of a requested file, and the requested byte range. `None` means the whole file.
type Needed = (String, Option<Range<u64>>);

/// A client that delivers requested bytes only on command.
#[derive(Debug)]
struct Later {
    folder: PathBuf,
    needed: Mutex<Vec<Needed>>,
    brought: Mutex<Vec<(Needed, Vec<u8>)>>,
}

impl Later {
    fn of(folder: &Path) -> Arc<Later> {
        Arc::new(Later { folder: folder.to_owned(), needed: Mutex::default(), brought: Mutex::default() })
    }

    /// Delivers the requested bytes after applying `change` to them. Returns the number of
    /// deliveries.
    fn bring(&self, change: impl Fn(Vec<u8>) -> Vec<u8>) -> usize {
        let needed = std::mem::take(&mut *self.needed.lock().expect("not poisoned"));
        let count = needed.len();
        for (name, part) in needed {
            let bytes = fs::read(self.folder.join(name.replace("%2B", "+"))).expect("a file");
            let bytes = match &part {
                Some(part) => change(bytes[part.start as usize..part.end as usize].to_vec()),
                None => bytes,
            };
            self.brought.lock().expect("not poisoned").push(((name, part), bytes));
        }
        count
    }

    fn take(&self, needed: Needed) -> Option<Vec<u8>> {
        let mut brought = self.brought.lock().expect("not poisoned");
        if let Some(at) = brought.iter().position(|(known, _)| *known == needed) {
            return Some(brought.swap_remove(at).1);
        }
        self.needed.lock().expect("not poisoned").push(needed);
        None
    }
}

impl Fetch for Later {
    fn whole(&self, address: &str, _most: u64) -> io::Result<Vec<u8>> {
        let name = address.strip_prefix("http://host/").expect("this host");
        self.take((name.to_owned(), None)).ok_or_else(|| io::ErrorKind::WouldBlock.into())
    }

    fn parts(&self, address: &str, _size: u64, parts: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let name = address.strip_prefix("http://host/").expect("this host");
        let found: Vec<_> =
            parts.iter().map(|part| self.take((name.to_owned(), Some(part.clone())))).collect();
        found.into_iter().collect::<Option<_>>().ok_or_else(|| io::ErrorKind::WouldBlock.into())
    }
}

/// Repeats a call until the result is not an error for missing bytes. Returns the result of the
/// last call, and the number of deliveries before each repetition.
fn asked<T>(
    host: &Later,
    change: impl Fn(Vec<u8>) -> Vec<u8>,
    ask: impl Fn() -> Result<T, StoreError>,
) -> (Result<T, StoreError>, Vec<usize>) {
    let mut rounds = Vec::new();
    loop {
        match ask() {
            Err(StoreError { reason: Reason::Io { error, .. }, .. })
                if error.kind() == io::ErrorKind::WouldBlock && rounds.len() < 9 =>
            {
                rounds.push(host.bring(&change))
            }
            result => return (result, rounds),
        }
    }
}

fn open(host: &Arc<Later>) -> RawTable {
    let same = |bytes| bytes;
    let (scan, rounds) = asked(host, same, || scan_with(Path::new("http://host"), host.clone(), None));
    assert_eq!(rounds, [1]);
    let listed = scan.expect("listed").tables.pop().expect("one table");
    let storage = listed.storage.expect("on the host");
    let (table, rounds) = asked(host, same, || RawTable::new(&listed.path, storage.clone()));
    assert_eq!(rounds, [1]);
    table.expect("opened")
}

fn block(table: &RawTable, number: u64) -> Result<Vec<u8>, StoreError> {
    table.payload(0, number, 5).map(|payload| payload.into_owned())
}

#[test]
fn look_ups_go_on_where_one_waits() {
    let folder = published();
    let (host, local) = (Later::of(folder.path()), local(folder.path()));
    let table = open(&host);
    let blocks = [3, 1024, 4999];
    let all = || {
        let mut awaited = Awaited::default();
        let found = blocks.map(|number| awaited.take(block(&table, number)));
        awaited.end()?;
        found.into_iter().collect::<Result<Option<Vec<_>>, _>>()
    };
    let (found, rounds) = asked(&host, |bytes| bytes, all);
    assert_eq!(rounds, [3], "all of them at once");
    let expected = blocks.map(|number| block(&local, number).expect("read"));
    assert_eq!(found.expect("read").expect("nothing waits"), expected);
    let (_, rounds) = asked(&host, |bytes| bytes, all);
    assert!(rounds.is_empty(), "they are kept");
    // Any error other than missing bytes ends the batch of look-ups.
    let other = Awaited::default().take(block(&table, 5000)).expect_err("no such block");
    assert_eq!(other.kind(), StoreErrorKind::NoSuchBlock);
}

#[test]
fn what_comes_damaged_is_asked_for_once_more() {
    let folder = published();
    let host = Later::of(folder.path());
    let table = open(&host);
    let damaged = |bytes: Vec<u8>| bytes.iter().map(|byte| byte ^ 4).collect();
    let (found, rounds) = asked(&host, damaged, || block(&table, 7));
    assert_eq!(found.expect_err("twice").kind(), StoreErrorKind::Damaged);
    assert_eq!(rounds, [1, 1]);
    let (found, _) = asked(&host, |bytes| bytes, || block(&table, 7));
    assert_eq!(found.expect("the third time"), block(&local(folder.path()), 7).expect("read"));
}

#[test]
fn other_lengths_are_no_bytes() {
    let folder = published();
    let host = Later::of(folder.path());
    let table = open(&host);
    for change in [|bytes: Vec<u8>| bytes[1..].to_vec(), |bytes| [bytes, vec![0]].concat(), |_| Vec::new()] {
        let (found, rounds) = asked(&host, change, || block(&table, 9));
        assert_eq!(found.expect_err("another length").kind(), StoreErrorKind::Io);
        assert_eq!(rounds, [1]);
    }
}
