//! Sends random requests to a running server for a while: whole ones, broken ones, several at once,
//! slow ones, and clients that leave. Ends with status 1 if the server doesn't answer as it should
//! afterwards, or ever answers with 500.
//!
//! ```sh
//! cargo run -p pentago-explorer --example fuzz_requests -- 127.0.0.1:8036 SECONDS [SEED] [PID]
//! ```
//!
//! With the server's process id it prints its memory, too (Linux).
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Threads that send.
const THREADS: u64 = 4;
const RULES: [&str; 10] = [
    "pentago",
    "pentago-eu",
    "pentago-fi",
    "pentago-cs",
    "pentago-nl",
    "mini",
    "mini:k=3",
    "xl",
    "pente:n=4,k=4,opening=free",
    "pentago:last=stop,n=4",
];
const WORDS: [&str; 16] = [
    "/api/v1/position",
    "/api/v1/events",
    "/api/v1/puzzle",
    "/api/v1/rules",
    "/api/v1/tables",
    "/metrics",
    "/healthz",
    "/",
    "/api/v1/openapi.json",
    "?p=",
    "&rules=",
    "&distance=1",
    "%20x",
    "%20turn",
    "\r\n",
    "../",
];

/// A small generator of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    /// Rows of a board with few free sockets, so that solving it takes little.
    fn position(&mut self, side: usize) -> String {
        let mut rows = Vec::new();
        let mut marbles = 0;
        for _ in 0..side {
            let mut row = String::new();
            for _ in 0..side {
                if self.below(5) == 0 {
                    row.push('1');
                } else {
                    row.push(if marbles % 2 == 0 { 'X' } else { 'O' });
                    marbles += 1;
                }
            }
            rows.push(row);
        }
        rows.join("/")
    }

    fn path(&mut self) -> String {
        match self.below(10) {
            0 => (0..self.below(12)).map(|_| self.of(&WORDS)).collect(),
            1 => format!(
                "/api/v1/puzzle?rules={}&marbles={}&seed={}",
                self.of(&RULES),
                24 + self.below(14),
                self.below(9)
            ),
            2 => self.of(&WORDS[..9]).to_owned(),
            _ => {
                let side = [6, 6, 6, 4, 9, 3][self.below(6)];
                let path = self.of(&WORDS[..2]);
                let (p, rules) = (self.position(side), self.of(&RULES));
                format!(
                    "{path}?p={p}%20{}&rules={rules}{}",
                    self.of(&["x", "o", "a"]),
                    self.of(&["", "&distance=1"])
                )
            }
        }
    }

    fn request(&mut self) -> Vec<u8> {
        let path = self.path();
        let text = if self.below(5) == 0 {
            let mut lines = String::new();
            for _ in 0..self.below(6) {
                let side = [6, 4][self.below(2)];
                lines += &format!("{:?}\n", self.position(side));
            }
            let length = lines.len() + if self.below(4) == 0 { 7 } else { 0 };
            format!(
                "POST /api/v1/positions HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n{lines}"
            )
        } else {
            let method = self.of(&["GET", "GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "BREW"]);
            format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
        };
        let mut bytes = text.into_bytes();
        if self.below(3) == 0 {
            for _ in 0..1 + self.below(4) {
                let at = self.below(bytes.len());
                match self.below(3) {
                    0 => bytes[at] = self.next() as u8,
                    1 => bytes.insert(at, self.next() as u8),
                    _ => bytes.truncate(at.max(1)),
                }
            }
        }
        bytes
    }
}

/// One connection: what the server said, by status.
fn connection(address: &str, random: &mut Random, seen: &mut BTreeMap<String, u64>) {
    let Ok(mut stream) = TcpStream::connect(address) else {
        *seen.entry("no connection".into()).or_insert(0) += 1;
        return;
    };
    let _ = stream.set_read_timeout(Some(Duration::from_millis([1, 50, 500, 15_000][random.below(4)])));
    for _ in 0..1 + random.below(4) {
        let request = random.request();
        let _ = stream.write_all(&request);
    }
    if random.below(4) == 0 {
        return;
    }
    let _ = stream.shutdown(Shutdown::Write);
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    let text = String::from_utf8_lossy(&reply);
    for part in text.split("HTTP/1.1 ").skip(1) {
        *seen.entry(part.chars().take(3).collect()).or_insert(0) += 1;
    }
}

/// Kilobytes of memory of a process.
fn memory(pid: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, seconds, rest @ ..] = &arguments[..] else {
        eprintln!("usage: fuzz_requests ADDRESS SECONDS [SEED] [PID]");
        return ExitCode::from(2);
    };
    let Ok(seconds) = seconds.parse::<u64>() else {
        eprintln!("expected a number of seconds");
        return ExitCode::from(2);
    };
    let seed: u64 = rest.first().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let (began, total) = (Instant::now(), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let total = &total;
            scope.spawn(move || {
                let mut random = Random((seed * THREADS + thread + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                let mut seen = BTreeMap::new();
                while began.elapsed().as_secs() < seconds {
                    connection(address, &mut random, &mut seen);
                    *seen.entry("connections".into()).or_insert(0) += 1;
                }
                let mut total = total.lock().expect("no thread panics");
                for (key, count) in seen {
                    *total.entry(key).or_insert(0) += count;
                }
            });
        }
        if let Some(pid) = rest.get(1) {
            while began.elapsed().as_secs() < seconds {
                let kilobytes = memory(pid).map_or("?".to_owned(), |kb| kb.to_string());
                println!("{:>5} s {kilobytes} kB", began.elapsed().as_secs());
                std::thread::sleep(Duration::from_secs((seconds / 20).max(1)));
            }
        }
    });
    let total = total.into_inner().expect("no thread panics");
    println!("{total:?}");
    let mut reply = String::new();
    let healthy = TcpStream::connect(address).and_then(|mut stream| {
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        stream.read_to_string(&mut reply)
    });
    if healthy.is_err() || !reply.starts_with("HTTP/1.1 200") || total.contains_key("500") {
        eprintln!("the server is not well: {reply}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
