//! A server in this process, and a plain HTTP client on sockets.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

use pentago::Kernel;
use pentago_explorer::{Bounds, Config, Server};
use pentago_games::{Answer, Board, Game, KINDS, Kind, Position, Question, SearchContext, Tablebase};
use serde_json::Value;
use tokio::sync::oneshot;

/// A game for tests. The text of a position decides how the solver behaves.
struct Odd;

/// The number of answers that `Odd` has computed so far. The field `nodes` of each answer holds
/// this number.
static ANSWERS: AtomicU64 = AtomicU64::new(0);

static ODD: Kind = Kind {
    name: "odd",
    title: "Odd",
    presets: &[],
    options: &[],
    proofs: false,
    read: |text| (text == "odd").then(|| Ok(Arc::new(Odd) as Arc<dyn Game>)),
    names: &[],
    open: None,
};

impl Game for Odd {
    fn kind(&self) -> &'static Kind {
        &ODD
    }

    fn rules(&self) -> String {
        "odd".to_owned()
    }

    fn board(&self) -> Board {
        Board {
            game: "odd",
            rows: 1,
            columns: 1,
            files: "a".to_owned(),
            run: 1,
            blocks: Vec::new(),
            seats: Vec::new(),
            turn: false,
            decline: false,
            captures: false,
            start: "soon".to_owned(),
        }
    }

    fn read(&self, text: &str) -> pentago_games::Result<Position> {
        assert_ne!(text, "panic while reading");
        Ok(Position::new((), text.to_owned(), 'x', false, 0, None))
    }

    fn diagram(&self, position: &Position) -> String {
        position.text.clone()
    }

    fn moves(&self, _: &Position) -> Vec<String> {
        Vec::new()
    }

    fn play(&self, position: &Position, _: &str) -> pentago_games::Result<Position> {
        Ok(position.clone())
    }

    fn answer(
        &self,
        position: &Position,
        _: &Question,
        context: &SearchContext,
    ) -> pentago_games::Result<Answer> {
        assert_ne!(position.text, "panic while solving");
        let rounds = match position.text.split(' ').next() {
            Some("forever") => u64::MAX,
            Some("now") => 0,
            // A solution that ignores its cancellation.
            Some("deaf") => 150,
            _ => 30,
        };
        for _ in 0..rounds {
            (position.text == "deaf").then_some(()).map_or_else(|| context.control.check(), Ok)?;
            std::thread::sleep(Duration::from_millis(10));
        }
        let nodes = Some(ANSWERS.fetch_add(1, Ordering::SeqCst));
        Ok(Answer { value: pentago::Value::Draw, nodes, ..Answer::unknown(self.rules(), position) })
    }
}

/// A running server. Dropping the value shuts the server down.
pub struct Running {
    pub address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A response of the server.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    /// Returns the value of a header, or `None` if the response does not have the header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    /// Parses the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Starts a server. `change` may modify the default settings.
pub fn start(change: impl FnOnce(&mut Config)) -> Running {
    let mut config = Config {
        listen: ([127, 0, 0, 1], 0).into(),
        kinds: [&[&ODD], KINDS].concat().leak(),
        tables: Arc::new(Tablebase::open(KINDS, None, 1 << 20).expect("the openings are sound")),
        rules: Vec::new(),
        kernel: Kernel::best(),
        threads: NonZeroUsize::MIN.saturating_add(1),
        memory: 400_000_000,
        time: Duration::from_millis(100),
        finish: true,
        hosts: Vec::new(),
        behind_proxy: false,
        cors: false,
        bounds: Bounds { grace: Duration::from_millis(300), ..Bounds::default() },
    };
    change(&mut config);
    let (sender, receiver) = channel();
    let (end, ended) = oneshot::channel::<()>();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("threads").block_on(async {
            let server = Server::bind(config).await.expect("a free port");
            sender.send(server.address().expect("an address")).expect("the receiver exists");
            let end = async {
                let _ = ended.await;
            };
            server.run(Box::pin(end)).await;
        });
    });
    let address = receiver.recv().expect("the server listens");
    Running { address, end: Some(end), thread: Some(thread) }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take()
            && !std::thread::panicking()
        {
            thread.join().expect("the server shuts down without a panic");
        }
    }
}

impl Running {
    /// Tells the server to shut down.
    pub fn stop(&mut self) {
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
    }

    /// Opens a connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("the server accepts connections");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
        stream
    }

    /// Sends bytes on a new connection, and returns all bytes that the server sends.
    pub fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // The server may close the connection before it has read all bytes, so ignore write errors.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        reply
    }

    /// Sends a request with a body on a new connection.
    pub fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Reply {
        let mut stream = self.connect();
        let length = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-length: {length}\r\n{headers}\r\n{body}"
        );
        let _ = stream.write_all(text.as_bytes());
        read(&mut stream)
    }

    /// Sends a GET request on a new connection.
    pub fn get(&self, path: &str) -> Reply {
        self.request("GET", path, "", "")
    }

    /// Returns the value of a metric.
    pub fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").body;
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("the metric exists");
        line.trim().parse().expect("a number")
    }

    /// Waits until a metric has a value.
    pub fn wait_for(&self, name: &str, value: f64) {
        for _ in 0..6000 {
            if self.metric(name) == value {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("{name} is {}, not {value}", self.metric(name));
    }
}

/// Reads a response up to the end of the connection. Decodes a chunked body.
pub fn read(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, rest) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { unchunked(rest) } else { rest.to_owned() };
    Reply { status, head: head.to_owned(), body }
}

fn unchunked(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).expect("the size of a chunk");
        if size == 0 {
            break;
        }
        body.push_str(&after[..size]);
        rest = after[size..].strip_prefix("\r\n").expect("the end of a chunk");
    }
    body
}

/// Percent-encodes a text for use in a query string.
pub fn escaped(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'/' => (byte as char).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(escape).collect()
}
