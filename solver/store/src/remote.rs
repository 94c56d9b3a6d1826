//! Tables on a web host, read by range requests.
//!
//! A host is never trusted more than a file: every part has its checksum, and what is damaged is asked
//! for once more. So a host that sends anything else than the tables that were published, however it
//! comes to that, gives an error and no value. Nobody is asked but the host that was named: where it
//! sends its readers elsewhere, that is an error that says where.
//!
//! Of a table, the header is in the folder's list. When it is opened, its end is read: the directory,
//! the index and the page table, all at once where they are small, and otherwise all but the index. A
//! position then takes a page of the index and a block. Whatever was read is kept, up to a number of
//! bytes.

use crate::cache::Cache;
use crate::error::StoreError;
use crate::folder::{RawListed, Scan};
use crate::header::FilePart;
use crate::listing::{LISTING, ListedFile, parse};
use crate::storage::{Storage, range};
use crate::table::read_header;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use ureq::Agent;

/// An end of a table up to this size is read at once.
const SMALL_END: u64 = 1 << 20;

/// Bytes of blocks and pages that are kept.
const KEPT: usize = 64 << 20;

/// The longest list of tables.
const LONGEST_LISTING: u64 = 16 << 20;

/// How long a host may take, and how often it is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Until it is reached.
    pub connect: Duration,
    /// Until it answers.
    pub answer: Duration,
    /// Until an answer is complete.
    pub body: Duration,
    /// How often it is asked in all, where it might do better next time.
    pub attempts: u32,
    /// Before it is asked a second time; then four times as long, and so on.
    pub wait: Duration,
}

impl Patience {
    /// For people who wait.
    const USUAL: Patience = Patience {
        connect: Duration::from_secs(10),
        answer: Duration::from_secs(20),
        body: Duration::from_secs(120),
        attempts: 4,
        wait: Duration::from_millis(200),
    };
}

/// A host.
struct Host {
    agent: Agent,
    patience: Patience,
    /// By file and offset.
    kept: Arc<Cache<u8>>,
}

/// A file on a host.
pub(crate) struct RemoteFile {
    host: Arc<Host>,
    address: String,
    size: u64,
    /// The header and the target.
    head: Vec<u8>,
    /// The parts at the end that opening the table reads, with their offsets.
    parts: Vec<FilePart>,
    end: OnceLock<Vec<(u64, Vec<u8>)>>,
    /// The number of this file among what is kept.
    number: u64,
}

/// Why a request failed.
enum Failure {
    /// It may be better next time.
    Passing(io::Error),
    /// It won't.
    Lasting(io::Error),
}

impl Failure {
    fn error(self) -> io::Error {
        let (Failure::Passing(error) | Failure::Lasting(error)) = self;
        error
    }
}

/// The tables of a folder on a host.
///
/// # Errors
/// If the host can't be reached, or the folder has no list that can be read.
pub(crate) fn scan(address: &Path) -> Result<Scan, StoreError> {
    scan_with(address, Patience::USUAL)
}

/// The same with another patience.
pub(crate) fn scan_with(address: &Path, patience: Patience) -> Result<Scan, StoreError> {
    let base = address.to_str().unwrap_or_default().trim_end_matches('/');
    let host = Arc::new(Host::new(patience));
    let listing = format!("{base}/{LISTING}");
    let error = |e| StoreError::io(Path::new(&listing), "read", e);
    let bytes = host.again(|| host.whole(&listing)).map_err(error)?;
    let text = String::from_utf8(bytes).map_err(|e| error(io::Error::new(io::ErrorKind::InvalidData, e)))?;
    let mut scan = Scan::default();
    for ListedFile { path, bytes, head } in parse(&text).map_err(error)? {
        let address = format!("{base}/{path}");
        let path = PathBuf::from(&address);
        let mut file = RemoteFile::new(host.clone(), address, bytes, head);
        match read_header(&path, &file) {
            Ok(header) => {
                file.parts = end_of(&[header.directory, header.index, header.pages]);
                scan.tables.push(RawListed { path, header, storage: Some(Arc::new(file)) });
            }
            Err(error) => scan.damaged.push(error),
        }
    }
    scan.tables.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(scan)
}

/// What is read when a table is opened: its end in one piece, or the directory and the page table.
fn end_of(parts @ [directory, _, pages]: &[FilePart; 3]) -> Vec<FilePart> {
    let bytes = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.bytes));
    if bytes <= SMALL_END {
        return vec![FilePart { bytes, ..*directory }];
    }
    vec![*directory, *pages]
}

impl Host {
    fn new(patience: Patience) -> Host {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // To whom a host sends its readers, nobody has named.
            .max_redirects(0)
            .accept_encoding("identity")
            .user_agent(crate::PROGRAM)
            .timeout_connect(Some(patience.connect))
            .timeout_recv_response(Some(patience.answer))
            .timeout_recv_body(Some(patience.body))
            .build();
        Host { agent: Agent::new_with_config(config), patience, kept: Cache::new(KEPT) }
    }

    /// Tries something until it succeeds, as often as patience lasts.
    fn again<T>(&self, attempt: impl Fn() -> Result<T, Failure>) -> io::Result<T> {
        let mut wait = self.patience.wait;
        for _ in 1..self.patience.attempts {
            match attempt() {
                Ok(found) => return Ok(found),
                Err(Failure::Lasting(error)) => return Err(error),
                Err(Failure::Passing(_)) => std::thread::sleep(wait),
            }
            wait *= 4;
        }
        attempt().map_err(Failure::error)
    }

    /// A whole file, which is short.
    fn whole(&self, address: &str) -> Result<Vec<u8>, Failure> {
        let mut answer = self.agent.get(address).call().map_err(passing)?;
        match answer.status().as_u16() {
            200 => answer.body_mut().with_config().limit(LONGEST_LISTING).read_to_vec().map_err(passing),
            status => Err(refusal(status, &answer)),
        }
    }

    /// The `len` bytes from `at` of a file of `size` bytes.
    fn bytes(&self, address: &str, size: u64, at: u64, len: usize) -> Result<Vec<u8>, Failure> {
        let last = at + len as u64 - 1;
        let asked = self.agent.get(address).header("range", format!("bytes={at}-{last}"));
        let mut answer = asked.call().map_err(passing)?;
        match answer.status().as_u16() {
            206 => {}
            200 => return Err(lasting("the host sends whole files only: it must answer range requests")),
            416 => return Err(lasting("the file is shorter than it was when it was published")),
            status => return Err(refusal(status, &answer)),
        }
        let sent = answer.headers().get("content-range").and_then(|value| value.to_str().ok());
        if sent != Some(&*format!("bytes {at}-{last}/{size}")) {
            let sent = sent.unwrap_or("no range");
            return Err(lasting(&format!(
                "asked for bytes {at}-{last}/{size}, it sends {sent}: was it published again?"
            )));
        }
        let body = answer.body_mut().with_config().limit(len as u64).read_to_vec().map_err(passing)?;
        if body.len() == len {
            return Ok(body);
        }
        let text = format!("the answer has {} of {len} bytes", body.len());
        Err(Failure::Passing(io::Error::new(io::ErrorKind::UnexpectedEof, text)))
    }
}

fn passing(error: ureq::Error) -> Failure {
    match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => lasting(&format!("not an address: {error}")),
        #[cfg(not(feature = "https"))]
        ureq::Error::Tls(_) => lasting("this program was built without https (feature `https`)"),
        ureq::Error::BodyExceedsLimit(_) => lasting("the answer is longer than what was asked for"),
        error => Failure::Passing(io::Error::other(error)),
    }
}

fn lasting(text: &str) -> Failure {
    Failure::Lasting(io::Error::other(text.to_owned()))
}

/// The failure that a status tells of.
fn refusal<T>(status: u16, answer: &ureq::http::Response<T>) -> Failure {
    let error = |kind, text: String| io::Error::new(kind, text);
    match status {
        404 | 410 => {
            Failure::Lasting(error(io::ErrorKind::NotFound, format!("the host has no such file ({status})")))
        }
        300..400 => {
            let to = answer.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or("elsewhere");
            lasting(&format!("the host sends its readers to {to}: name that address, if you trust it"))
        }
        429 | 500.. => Failure::Passing(io::Error::other(format!("the host answers with status {status}"))),
        _ => lasting(&format!("the host answers with status {status}")),
    }
}

impl RemoteFile {
    fn new(host: Arc<Host>, address: String, size: u64, head: Vec<u8>) -> RemoteFile {
        let (parts, end, number) = (Vec::new(), OnceLock::new(), Cache::<u8>::number());
        RemoteFile { host, address, size, head, parts, end, number }
    }

    fn fetch(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        if len == 0 {
            return Ok(Vec::new());
        }
        self.host.again(|| self.host.bytes(&self.address, self.size, at, len))
    }

    /// The parts at the end, asked for at the same time.
    fn end(&self) -> io::Result<&[(u64, Vec<u8>)]> {
        if let Some(end) = self.end.get() {
            return Ok(end);
        }
        let one = |part: &FilePart| {
            let len = usize::try_from(part.bytes).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            Ok((part.offset, self.fetch(part.offset, len)?))
        };
        let parts: io::Result<Vec<(u64, Vec<u8>)>> = std::thread::scope(|scope| {
            let others: Vec<_> =
                self.parts.iter().skip(1).map(|part| scope.spawn(move || one(part))).collect();
            let first = self.parts.first().map(one);
            let rest = others
                .into_iter()
                .map(|other| other.join().unwrap_or_else(|_| Err(io::Error::other("a thread has failed"))));
            first.into_iter().chain(rest).collect()
        });
        let parts = parts?;
        Ok(self.end.get_or_init(|| parts))
    }
}

impl Storage for RemoteFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        let wanted = range(self.size, at, len)?;
        if let Some(bytes) = self.head.get(wanted) {
            return Ok(Cow::Borrowed(bytes));
        }
        if self.parts.iter().any(|part| part.offset <= at && at < part.offset + part.bytes) {
            let within = |(offset, bytes): &'_ (u64, Vec<u8>)| {
                let from = usize::try_from(at.checked_sub(*offset)?).ok()?;
                (from.checked_add(len)? <= bytes.len()).then_some(from)
            };
            let part = self.end()?.iter().find_map(|part| Some((&part.1, within(part)?)));
            if let Some((bytes, from)) = part {
                return Ok(Cow::Borrowed(&bytes[from..from + len]));
            }
        }
        if let Some(bytes) = self.host.kept.get(self.number, at).filter(|bytes| bytes.len() == len) {
            return Ok(Cow::Owned(bytes.to_vec()));
        }
        self.read_again(at, len).expect("it can be read again").map(Cow::Owned)
    }

    fn read_again(&self, at: u64, len: usize) -> Option<io::Result<Vec<u8>>> {
        let bytes = range(self.size, at, len).and_then(|_| self.fetch(at, len));
        if let Ok(bytes) = &bytes {
            self.host.kept.put(self.number, at, &bytes[..].into());
        }
        Some(bytes)
    }
}

impl std::fmt::Debug for RemoteFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteFile").field("address", &self.address).finish_non_exhaustive()
    }
}
