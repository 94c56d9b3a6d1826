//! A local file server that can be told to fail in every way a host can.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A fault in the answers to range requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code)]
pub enum Fault {
    /// No fault: the host answers correctly.
    None,
    /// The host ignores the requested range and sends the whole file.
    NoRanges,
    /// The host answers with this HTTP status.
    Status(u16),
    /// The host answers with this HTTP status and these headers.
    With(u16, &'static str),
    /// The host doesn't send the size of the file, which RFC 9110 allows.
    AnySize,
    /// The host closes the connection in the middle of the answer.
    Cut,
    /// The host sends a shorter answer than requested, and declares its actual length.
    Short,
    /// The host sends more bytes than requested.
    Long,
    /// The host sends bytes from another offset, and declares that offset.
    OtherRange,
    /// The host sends bytes from another offset, but declares the requested offset.
    OtherBytes,
    /// One bit of the answer is wrong.
    Damaged,
    /// The host waits for this number of milliseconds before it answers.
    Silent(u64),
    /// The host closes the connection immediately.
    Gone,
}

/// A server that runs until the value is dropped.
pub struct Host {
    pub address: String,
    at: Arc<State>,
}

struct State {
    folder: PathBuf,
    /// The number of further range requests that the host answers with a fault, and the fault.
    faults: Mutex<(usize, Fault)>,
    requests: AtomicUsize,
    /// The number of answers so far, keyed by HTTP status.
    answers: Mutex<BTreeMap<u16, usize>>,
    latency: Mutex<Duration>,
}

impl Host {
    /// Serves the files of a folder.
    pub fn of(folder: &Path) -> Host {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let at = Arc::new(State {
            folder: folder.to_owned(),
            faults: Mutex::new((0, Fault::None)),
            requests: AtomicUsize::new(0),
            answers: Mutex::default(),
            latency: Mutex::default(),
        });
        let state = at.clone();
        // Don't join the thread: connections are few and short, and the thread ends with the
        // process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = state.clone();
                std::thread::spawn(move || {
                    let _ = state.serve(stream);
                });
            }
        });
        Host { address, at }
    }

    /// Answers the next `times` range requests with this fault.
    #[allow(dead_code)]
    pub fn next(&self, times: usize, fault: Fault) {
        *self.at.faults.lock().expect("not poisoned") = (times, fault);
    }

    /// Delays every later answer by this time.
    #[allow(dead_code)]
    pub fn slow(&self, latency: Duration) {
        *self.at.latency.lock().expect("not poisoned") = latency;
    }

    /// Returns the number of requests since the last call.
    #[allow(dead_code)]
    pub fn requests(&self) -> usize {
        self.at.requests.swap(0, Ordering::SeqCst)
    }

    /// Returns the number of answers with this HTTP status.
    #[allow(dead_code)]
    pub fn answered(&self, status: u16) -> usize {
        self.at.answers.lock().expect("not poisoned").get(&status).copied().unwrap_or(0)
    }
}

impl State {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream.try_clone()?);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let path = line.split(' ').nth(1).unwrap_or("/").trim_start_matches('/').to_owned();
            let mut range = None;
            loop {
                let mut header = String::new();
                reader.read_line(&mut header)?;
                let header = header.trim().to_ascii_lowercase();
                if header.is_empty() {
                    break;
                }
                if let Some(bytes) = header.strip_prefix("range: bytes=") {
                    let (from, to) = bytes.split_once('-').expect("a range");
                    range =
                        Some((from.parse().expect("a number"), to.parse::<usize>().expect("a number") + 1));
                }
            }
            self.requests.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(*self.latency.lock().expect("not poisoned"));
            if !self.answer(&mut stream, &path, range)? {
                return Ok(());
            }
        }
    }

    /// Sends an answer. Returns `true` if the connection stays open.
    fn answer(&self, to: &mut TcpStream, path: &str, range: Option<(usize, usize)>) -> std::io::Result<bool> {
        let fault = range.map_or(Fault::None, |_| {
            let mut faults = self.faults.lock().expect("not poisoned");
            if faults.0 == 0 {
                return Fault::None;
            }
            faults.0 -= 1;
            faults.1
        });
        // Decode the address as object stores do: a bare `+` is a space.
        let path = path.replace('+', " ").replace("%2B", "+");
        let Ok(file) = fs::read(self.folder.join(path)) else { return self.send(to, 404, "", b"none") };
        let Some((from, end)) = range else { return self.send(to, 200, "", &file) };
        if from >= file.len() {
            return self.send(to, 416, "", b"");
        }
        let end = end.min(file.len());
        let said =
            |from: usize, end: usize| format!("content-range: bytes {from}-{}/{}\r\n", end - 1, file.len());
        let bytes = &file[from..end];
        match fault {
            Fault::None => self.send(to, 206, &said(from, end), bytes),
            Fault::NoRanges => self.send(to, 200, "", &file),
            Fault::Status(status) => self.send(to, status, "", b"sorry"),
            Fault::With(status, headers) => self.send(to, status, headers, b"sorry"),
            Fault::AnySize => {
                self.send(to, 206, &format!("content-range: Bytes {from}-{}/*\r\n", end - 1), bytes)
            }
            Fault::Cut => {
                let head =
                    format!("HTTP/1.1 206 X\r\n{}content-length: {}\r\n\r\n", said(from, end), bytes.len());
                to.write_all(head.as_bytes())?;
                to.write_all(&bytes[..bytes.len() / 2])?;
                Ok(false)
            }
            Fault::Short => self.send(to, 206, &said(from, end), &bytes[..bytes.len() - 1]),
            Fault::Long => self.send(to, 206, &said(from, end), &[bytes, b"more"].concat()),
            Fault::OtherRange | Fault::OtherBytes => {
                let by = if from > 0 { 1 } else { 0 };
                let said =
                    if fault == Fault::OtherRange { said(from - by, end - by) } else { said(from, end) };
                let mut other = file[from - by..end - by].to_vec();
                other.rotate_left(1 - by);
                self.send(to, 206, &said, &other)
            }
            Fault::Damaged => {
                let mut damaged = bytes.to_vec();
                damaged[bytes.len() / 2] ^= 4;
                self.send(to, 206, &said(from, end), &damaged)
            }
            Fault::Silent(milliseconds) => {
                std::thread::sleep(Duration::from_millis(milliseconds));
                self.send(to, 206, &said(from, end), bytes)
            }
            Fault::Gone => Ok(false),
        }
    }

    fn send(&self, to: &mut TcpStream, status: u16, headers: &str, body: &[u8]) -> std::io::Result<bool> {
        *self.answers.lock().expect("not poisoned").entry(status).or_default() += 1;
        let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n", body.len());
        to.write_all(head.as_bytes())?;
        to.write_all(body)?;
        Ok(true)
    }
}
