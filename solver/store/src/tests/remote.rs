//! Tables on a host: under every fault of the host, reading returns either the bytes of the file or
//! an error.

use super::host::{Fault, Host};
use super::mix;
use crate::disk::DiskCache;
use crate::http::{HttpClient, RetryPolicy};
use crate::remote::scan_with;
use crate::{
    Access, Fetch, FolderScan, GameId, Grid, LISTING, RawArrayInfo, RawManifest, RawSchema, RawSettings,
    RawTable, RawWriter, StoreErrorKind, list, to_text,
};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const BLOCKS: u64 = 5000;

/// A retry policy for tests, with short delays between attempts.
const SHORT: RetryPolicy = RetryPolicy {
    connect: Duration::from_secs(5),
    answer: Duration::from_millis(1000),
    body: Duration::from_secs(5),
    attempts: 3,
    wait: Duration::from_millis(1),
    whole: Duration::from_secs(60),
    rest: Duration::ZERO,
};

/// Writes a table of several index pages, with a different payload in each block.
fn write(path: &Path, seed: u64) {
    let manifest = RawManifest {
        schema: RawSchema { game: GameId::PENTAGO, codec: 1, filter: 1, level: 9, key_bytes: 1, counters: 1 },
        target: b"what it is about".to_vec(),
        slice: 1,
        arrays: vec![RawArrayInfo::whole(&[7], Grid::list(BLOCKS as u32 * 4, 4))],
    };
    let writer = RawWriter::begin(path, manifest, RawSettings::new("example 1.0")).expect("begun");
    for block in 0..BLOCKS {
        let bytes = mix(block ^ seed).to_le_bytes();
        writer.put(0, block, bytes[..5].to_vec(), &[4]).expect("put");
    }
    writer.finish().expect("finished");
}

/// Creates a folder with a table and its list.
pub fn published() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("a+b")).expect("made");
    write(&folder.path().join("a+b/a.pentago"), 0x9e37_79b9_7f4a_7c15);
    let (files, _) = list(folder.path()).expect("listed");
    fs::write(folder.path().join(LISTING), to_text(&files)).expect("written");
    folder
}

/// Returns an HTTP client with the retry policy of the tests.
fn asking() -> Arc<dyn Fetch> {
    Arc::new(HttpClient::new(SHORT).expect("no file of certificates is named"))
}

fn scan(host: &Host) -> FolderScan {
    scan_with(Path::new(&host.address), asking(), None).expect("listed")
}

/// Opens the only table of a host.
fn open(host: &Host) -> Result<RawTable, crate::StoreError> {
    open_by(scan(host))
}

fn open_by(mut scan: FolderScan) -> Result<RawTable, crate::StoreError> {
    let listed = scan.tables.pop().expect("one table");
    RawTable::new(&listed.path, listed.storage.expect("on the host"))
}

pub fn local(folder: &Path) -> RawTable {
    RawTable::open(&folder.join("a+b/a.pentago"), Access::Map).expect("opened")
}

#[test]
fn a_block_takes_three_requests_at_most_and_none_again() {
    let folder = published();
    let (host, local) = (Host::of(folder.path()), local(folder.path()));
    let table = open(&host).expect("opened");
    assert_eq!(table.header(), local.header());
    // One request fetches the list. One request fetches the end of the file, which contains all
    // pages of the index.
    assert_eq!(host.requests(), 2);
    for block in [0, 1023, 1024, BLOCKS - 1] {
        let expected = local.payload(0, block, 5).expect("read");
        assert_eq!(table.payload(0, block, 5).expect("read"), expected);
        assert_eq!(host.requests(), 1);
        assert_eq!(table.payload(0, block, 5).expect("read"), expected);
        assert_eq!(host.requests(), 0);
    }
    // One request fetches the header and one all blocks, because verification uses no cached bytes.
    let verified = || table.verify_hash(&mut |_| std::ops::ControlFlow::Continue(()));
    assert!(verified().is_ok());
    assert_eq!(host.requests(), 2);
    host.next(usize::MAX, Fault::Damaged);
    let error = verified().expect_err("the fault lasts").to_string();
    assert!(error.contains("/a+b/a.pentago: the header "), "{error}");
    assert!(error.contains("damaged"), "{error}");
}

/// A later run of a program requests only bytes that the disk cache lacks or that are damaged
/// there.
#[test]
fn what_is_on_disk_is_not_asked_for() {
    let folder = published();
    let (host, local) = (Host::of(folder.path()), local(folder.path()));
    let kept = tempfile::tempdir().expect("a folder");
    let open = || {
        let disk = Arc::new(DiskCache::new(kept.path(), 1 << 24));
        let scan = scan_with(Path::new(&host.address), asking(), Some(disk)).expect("listed");
        open_by(scan).expect("opened")
    };
    let run = |requests: usize| {
        let table = open();
        for block in [0, 1024, BLOCKS - 1] {
            let expected = local.payload(0, block, 5).expect("read");
            assert_eq!(table.payload(0, block, 5).expect("read"), expected);
        }
        assert_eq!(host.requests(), requests);
    };
    run(5);
    // The only request fetches the list of tables, which isn't cached on disk.
    run(1);
    let files = || walk(kept.path());
    assert_eq!(files().len(), 4);
    let flip: fn(&mut Vec<u8>) = |bytes| bytes[0] ^= 1;
    for (damage, later) in [(flip, 2), (|bytes| bytes.clear(), 1)] {
        for file in files() {
            let mut bytes = fs::read(&file).expect("read");
            damage(&mut bytes);
            fs::write(&file, bytes).expect("written");
        }
        run(5);
        // The preceding run requested only the damaged part at the end of the file. This run
        // requests the remaining parts.
        run(later);
        run(1);
    }
    // A new table at the same path has another hash.
    let path = folder.path().join("a+b/a.pentago");
    fs::remove_file(&path).expect("removed");
    write(&path, 12345);
    let (listed, _) = list(folder.path()).expect("listed");
    fs::write(folder.path().join(LISTING), to_text(&listed)).expect("written");
    assert_eq!(open().payload(0, 9, 5).expect("read")[..], mix(9 ^ 12345).to_le_bytes()[..5]);
}

/// Lists all files below a folder.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("listed").map(|entry| entry.expect("read").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn a_fault_that_passes_is_not_noticed() {
    let folder = published();
    let (host, local) = (Host::of(folder.path()), local(folder.path()));
    for (number, fault) in [
        Fault::Status(503),
        Fault::Status(429),
        Fault::AnySize,
        Fault::Cut,
        Fault::Short,
        Fault::Gone,
        Fault::Damaged,
        Fault::OtherBytes,
        Fault::Silent(1500),
    ]
    .into_iter()
    .enumerate()
    {
        host.next(1, fault);
        let table = open(&host).unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        let block = number as u64 * 7;
        // The damaged part of the index is requested again without a fault.
        table.payload(0, block + 1, 5).expect("the fault has passed");
        host.next(1, fault);
        let payload = table.payload(0, block, 5).unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert_eq!(payload, local.payload(0, block, 5).expect("read"), "{fault:?}");
    }
    host.slow(Duration::from_millis(30));
    let table = open(&host).expect("it is only slow");
    assert_eq!(table.payload(0, 77, 5).expect("read"), local.payload(0, 77, 5).expect("read"));
}

#[test]
fn a_fault_that_lasts_is_an_error() {
    let folder = published();
    let host = Host::of(folder.path());
    for (fault, said) in [
        (Fault::NoRanges, "must answer range requests"),
        (Fault::Status(503), "status 503"),
        (Fault::Status(403), "status 403"),
        (Fault::Status(404), "no such file"),
        (Fault::With(302, "location: /a.pentago?key=1\r\n"), "to /a.pentago: the program contacts only the"),
        (Fault::With(503, "retry-after: 90\r\n"), "status 503, and asks to retry in 90 s"),
        (Fault::With(206, "content-encoding: gzip\r\n"), "compresses the file (Content-Encoding: gzip)"),
        (Fault::With(206, "content-range: bytes 0-9/10\r\n"), "the file has 10 bytes instead of "),
        (Fault::Cut, "read"),
        (Fault::Short, "instead of 5"),
        (Fault::Long, "longer than requested"),
        (Fault::OtherRange, "but the host sent bytes "),
        (Fault::OtherBytes, "damaged"),
        (Fault::Damaged, "damaged (wrong checksum): ask the operator of the host"),
        (Fault::Gone, "read"),
    ] {
        let table = open(&host).expect("opened");
        host.next(usize::MAX, fault);
        let error = table.payload(0, 3, 5).expect_err("the fault lasts").to_string();
        assert!(error.contains(said), "{fault:?}: {error}");
        assert!(error.contains("/a+b/a.pentago: block 3: "), "{fault:?}: {error}");
        let block = |table: RawTable| table.payload(0, 4, 5).map(|payload| payload.into_owned());
        assert!(open(&host).and_then(block).is_err(), "{fault:?}");
        host.next(0, Fault::None);
        assert!(table.payload(0, 3, 5).is_ok(), "{fault:?} is over");
    }
    // No other host was contacted.
    assert_eq!(host.answered(302), 2);
}

/// A host that doesn't answer causes an error after the timeouts.
#[test]
fn silence_that_lasts_is_an_error() {
    let folder = published();
    let host = Host::of(folder.path());
    let hasty = RetryPolicy { attempts: 2, answer: Duration::from_millis(300), ..SHORT };
    let http = Arc::new(HttpClient::new(hasty).expect("no file of certificates is named"));
    let opened = || open_by(scan_with(Path::new(&host.address), http.clone(), None).expect("listed"));
    let table = opened().expect("opened");
    host.next(usize::MAX, Fault::Silent(1000));
    let error = table.payload(0, 3, 5).expect_err("the fault lasts").to_string();
    assert!(error.contains("/a+b/a.pentago: block 3: ") && error.contains("timeout"), "{error}");
    assert!(opened().is_err());
    host.next(0, Fault::None);
    assert!(table.payload(0, 3, 5).is_ok(), "it is over");
}

/// After a failure, requests during the cool-down return errors immediately.
#[test]
fn a_host_that_fails_has_a_rest() {
    let folder = published();
    let host = Host::of(folder.path());
    let patient = RetryPolicy { attempts: 2, rest: Duration::from_secs(3600), ..SHORT };
    let http = HttpClient::new(patient).expect("no file of certificates is named");
    let table = format!("{}/a%2Bb/a.pentago", host.address);
    host.next(3, Fault::Status(503));
    let failed = || http.parts(&table, 100, std::slice::from_ref(&(0..5))).expect_err("it fails").to_string();
    assert!(failed().contains("status 503"));
    let again = failed();
    assert!(again.contains("failed a moment ago") && again.contains("status 503"), "{again}");
    assert_eq!(host.answered(503), 2);
    // An attempt after a delay that the host has named doesn't count towards `attempts`.
    let http = HttpClient::new(RetryPolicy { attempts: 1, ..SHORT }).expect("no certificates are named");
    host.next(1, Fault::With(429, "retry-after: 1\r\n"));
    let again = http.parts(&table, 0, std::slice::from_ref(&(0..5))).expect_err("another size").to_string();
    assert!(again.contains("instead of 0: was the table published again?"), "{again}");
}

/// If a host redirects the list of tables, the target of the redirect names the folder of the
/// tables.
#[test]
fn redirects_name_the_folder() {
    for (target, folder) in [
        ("https://b.c/x/pentago-tables.tsv?key=1", Some("https://b.c/x")),
        ("//b.c/pentago-tables.tsv", Some("http://b.c")),
        ("/x/pentago-tables.tsv#top", Some("http://a:1/x")),
        ("x/pentago-tables.tsv", Some("http://a:1/t/x")),
        ("https://b.c/login", None),
    ] {
        let found = crate::http::folder_of("http://a:1/t/pentago-tables.tsv", target);
        assert_eq!(found.as_deref(), folder, "{target}");
    }
}

/// For an HTTPS address, a program without the feature `https` reports that the feature is missing.
/// A program with the feature reports another error, because this host doesn't support HTTPS.
#[test]
fn a_host_without_tls_is_an_error() {
    let folder = published();
    let address = Host::of(folder.path()).address.replace("http://", "https://");
    let error = scan_with(Path::new(&address), asking(), None).expect_err("no list").to_string();
    assert_eq!(error.contains("built without https"), cfg!(not(feature = "https")), "{error}");
}

/// If another file replaces an open or listed table, reading returns an error and never a wrong
/// value.
#[test]
fn changed_files_give_no_value() {
    for same_length in [true, false] {
        let folder = published();
        let host = Host::of(folder.path());
        let table = open(&host).expect("opened");
        let path = folder.path().join("a+b/a.pentago");
        fs::remove_file(&path).expect("removed");
        write(&path, 12345);
        if !same_length {
            let bytes = [fs::read(&path).expect("read"), vec![0; 9]].concat();
            fs::write(&path, bytes).expect("written");
        }
        for block in 0..50 {
            let error = table.payload(0, block, 5).expect_err("another table");
            let said = if same_length { "damaged" } else { "was the table published again?" };
            assert!(error.to_string().contains(said), "{error}");
        }
        assert!(open(&host).is_err(), "its header is the listed one");
        fs::write(&path, b"short").expect("written");
        let error = table.payload(0, 60, 5).expect_err("a short file").to_string();
        assert!(error.contains("shorter than it was"), "{error}");
    }
}

#[test]
fn a_host_without_a_list_is_told() {
    let folder = published();
    let host = Host::of(folder.path());
    let list = folder.path().join(LISTING);
    let text = fs::read_to_string(&list).expect("read");
    let error = |text: &str| {
        fs::write(&list, text).expect("written");
        scan_with(Path::new(&host.address), asking(), None).expect_err("no list").to_string()
    };
    assert!(error("<html>").contains("pentago-tables.tsv: cannot read: the file isn't a list of tables"));
    fs::remove_file(&list).expect("removed");
    let none = scan_with(Path::new(&format!("{}/", host.address)), asking(), None).expect_err("no list");
    assert_eq!(none.kind(), StoreErrorKind::NotFound, "{none}");
    // A changed header in the list is rejected.
    let head = text.rfind('\t').expect("a field") + 1;
    fs::write(&list, format!("{}00{}", &text[..head + 40], &text[head + 42..])).expect("written");
    let FolderScan { tables, unreadable, .. } = scan(&host);
    assert_eq!((tables.len(), unreadable.len()), (0, 1));
    // No server listens at this port. The error message must not contain the password.
    let nobody = Path::new("http://user:password@127.0.0.1:9/tables");
    let nobody = scan_with(nobody, asking(), None).expect_err("nobody is there");
    assert!(nobody.to_string().contains("http://127.0.0.1:9/tables/pentago-tables.tsv: cannot read: "));
}
