//! `serve`: that its API says what `query --json` and `solve --json` say, and that it ends cleanly.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};

use pentago_store::{GameId, Grid, RawArrayInfo, RawManifest, RawSchema, RawSettings, RawWriter};
use serde_json::Value;

use crate::common::{objects, positions, program, run, run_with, solve};
use crate::schema;

/// The program as a server, which is killed with this.
pub struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        Server::of(program(), arguments)
    }

    /// The server of a program.
    pub fn of(mut program: Command, arguments: &[&str]) -> Server {
        let usual = ["serve", "--listen", "127.0.0.1:0", "--threads", "2", "--memory", "1G", "--time", "1"];
        let mut child = program.args([&usual[..], arguments].concat()).spawn().expect("the program runs");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("http://").expect("an address").to_owned();
        Server { child, address }
    }

    /// What it has written to standard error, when it is over.
    fn stop(mut self) -> String {
        self.child.kill().expect("it runs");
        let mut err = String::new();
        self.child.stderr.take().expect("its errors").read_to_string(&mut err).expect("text");
        err
    }

    /// The body of the reply to a request; `status` is expected.
    fn request(&self, method: &str, path: &str, body: &str, status: u16) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
        assert_eq!(head.split(' ').nth(1), Some(status.to_string().as_str()), "{path}: {reply}");
        body.to_owned()
    }

    pub fn get(&self, path: &str) -> Value {
        serde_json::from_str(&self.request("GET", path, "", 200)).expect("JSON")
    }

    /// What the API says of positions.
    fn answers(&self, rules: &str, positions: &[String]) -> Vec<Value> {
        let lines: Vec<String> = positions.iter().map(|p| Value::from(p.as_str()).to_string()).collect();
        objects(&self.request("POST", &format!("/api/v1/positions?rules={rules}"), &lines.join("\n"), 200))
    }
}

/// An object without what differs from one run to the next.
fn timeless(mut value: Value) -> Value {
    value.as_object_mut().expect("an object").remove("seconds").expect("the time");
    value
}

/// The presets, and numbers of marbles whose positions are solved quickly.
const PRESETS: [(&str, std::ops::Range<u32>); 6] = [
    ("pentago", 23..36),
    ("pentago-eu", 23..36),
    ("pentago-fi", 23..36),
    ("pentago-cs", 23..36),
    ("pentago-nl", 23..36),
    ("mini", 0..16),
];

/// The API's answers are those of `query --json`, for so many positions of each number of marbles.
fn says_what_query_says(count: u32, seed: u32) -> usize {
    let server = Server::start(&[]);
    let mut compared = 0;
    for (rules, marbles) in PRESETS {
        let positions: Vec<String> =
            marbles.flat_map(|marbles| positions(rules, marbles, count, seed)).collect();
        let arguments = ["query", "--batch", "--rules", rules, "--threads", "2", "--memory", "1G"];
        let expected = objects(&run_with(&arguments, positions.join("\n").as_bytes()).ok());
        let found = server.answers(rules, &positions);
        assert_eq!([found.len(), expected.len()], [positions.len(); 2]);
        for (found, expected) in found.into_iter().zip(expected) {
            assert_eq!(timeless(found), timeless(expected), "{rules}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn the_api_says_what_query_says() {
    assert_eq!(says_what_query_says(1, 3), 81);
}

/// 2,025 positions: two minutes.
#[test]
#[ignore = "takes minutes"]
fn the_api_says_what_query_says_of_many_positions() {
    assert_eq!(says_what_query_says(25, 11), 2025);
}

#[test]
fn openings_distances_and_single_positions() {
    let server = Server::start(&[]);
    for (position, option) in [
        ("6/6/6/6/6/6 x", ""),
        ("X5/6/6/3O2/6/6 x", ""),
        ("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o", "--distance"),
        ("1X1XXO/O2XOX/2OOXX/XOXX1O/XXO1OX/O1O1OO o turn", "--distance"),
        ("XXXXX1/OOOO2/6/6/6/6 o", "--distance"),
    ] {
        let mut arguments = vec!["query", "--json", "--memory", "1G", position];
        arguments.extend((!option.is_empty()).then_some(option));
        let [expected] = &objects(&run(&arguments).ok())[..] else { panic!("one object") };
        let distance = if option.is_empty() { "0" } else { "1" };
        let path = format!("/api/v1/position?distance={distance}&p={}", position.replace(' ', "%20"));
        assert_eq!(timeless(server.get(&path)), timeless(expected.clone()), "{position}");
    }
}

/// Pentago XL and Pente by the same paths, in the form that the document describes.
#[test]
fn the_other_games_are_answered_for() {
    let server = Server::start(&[]);
    let document = server.get("/api/v1/openapi.json");
    let rules = server.get("/api/v1/rules");
    assert_eq!(schema::against(&document, "Rules", &rules), Vec::<String>::new());
    let names: Vec<&str> =
        rules["presets"].as_array().expect("presets").iter().filter_map(|p| p["name"].as_str()).collect();
    assert!(names.contains(&"xl") && names.contains(&"pente") && names.contains(&"mini"), "{names:?}");
    for (rules, marbles) in [("xl", 77), ("xl:seats=3", 57), ("pente:n=4,k=4,opening=free", 8)] {
        let [position] = &positions(rules, marbles, 1, 5)[..] else { panic!("one position") };
        let expected = solve(&["--rules", rules, "--time", "1", "--memory", "1G", position]);
        let path = format!("/api/v1/position?rules={rules}&p={}", position.replace(' ', "%20"));
        let found = server.get(&path);
        assert_eq!(schema::against(&document, "Answer", &found), Vec::<String>::new(), "{found}");
        for name in ["position", "rules", "value", "best", "moves", "to_move"] {
            assert_eq!(found[name], expected[name], "{rules} {position}: {name}");
        }
    }
    let body = server.request("GET", "/api/v1/position?rules=xl&p=nonsense", "", 400);
    let failure: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(schema::against(&document, "Failure", &failure), Vec::<String>::new());
    assert!(failure["explanation"].as_str().is_some_and(|text| text.contains('^')), "{failure}");
}

/// A folder with tables of another game only is enough.
#[test]
fn tables_of_other_games_are_probed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, rules) = (folder.path().to_str().expect("UTF-8"), "pente:w=4,h=3,k=3,opening=free");
    run(&["build", rules, "--out", path, "--quiet"]).ok();
    let server = Server::start(&["--tables", path]);
    for position in [&["4/4/4 x".to_owned()][..], &positions(rules, 5, 3, 5)].concat() {
        let found = server.get(&format!("/api/v1/position?rules={rules}&p={}", position.replace(' ', "%20")));
        let query = run(&["query", "--rules", rules, "--json", "--tables", path, &position]).ok();
        let expected = objects(&query)[0].clone();
        assert_eq!(timeless(found), timeless(expected), "{position}");
    }
    let found = server.get(&format!("/api/v1/position?rules={rules}&p=4/4/4%20x"));
    assert_eq!((&found["source"], &found["moves"][0]["source"]), (&"table".into(), &"table".into()));
    // A table of a later version is named, and the others are probed all the same.
    assert_eq!(server.stop(), "");
    let later = RawSchema { game: GameId::PENTE, codec: 99, filter: 1, level: 9, key_bytes: 1, counters: 3 };
    let manifest = RawManifest {
        schema: later,
        target: rules.as_bytes().to_vec(),
        slice: 0,
        arrays: vec![RawArrayInfo::whole(&[0], Grid::list(1, 1))],
    };
    let file = folder.path().join("later.pentago");
    let writer = RawWriter::begin(&file, manifest, RawSettings::new("later")).expect("begun");
    writer.put(0, 0, b"a position".to_vec(), &[1, 0, 0]).expect("put");
    writer.finish().expect("finished");
    let server = Server::start(&["--tables", path]);
    assert_eq!(server.get(&format!("/api/v1/position?rules={rules}&p=4/4/4%20x"))["source"], "table");
    let err = server.stop();
    assert!(err.starts_with("skipped: ") && err.contains("later.pentago"), "{err}");
}

#[test]
#[cfg(unix)]
fn signals_end_it_cleanly() {
    for signal in ["-TERM", "-INT"] {
        let mut server = Server::start(&["--quiet"]);
        server.get("/api/v1/rules");
        let pid = server.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill runs").success());
        let status = server.child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "{signal}");
    }
}

#[test]
fn an_address_that_is_taken_is_an_error() {
    let server = Server::start(&[]);
    let (_, port) = server.address.rsplit_once(':').expect("a port");
    for arguments in [
        ["--listen", &server.address],
        ["--port", port],
        ["--listen", port],
        ["--listen", &format!("localhost:{port}")],
    ] {
        let error = run(&[&["serve"], &arguments[..]].concat()).fails(4);
        assert!(error.contains("listening on") && error.contains(&server.address), "{error}");
        assert!(error.contains("--port"), "{error}");
    }
    assert!(run(&["serve", "--listen", "nowhere"]).fails(2).contains("nowhere"));
    assert!(run(&["serve", "--listen", "localhost:1", "--port", "2"]).fails(2).contains("--port"));
    for host in ["", "a b", "evil.com:80", "[::1]:80", "."] {
        assert!(run(&["serve", "--host", host]).fails(2).contains("without a port"), "{host}");
    }
    assert!(run(&["serve", "--tables", "/no/such/folder"]).fails(3).contains("/no/such/folder"));
}

/// Requests for other hosts, as a page whose name leads here would have a browser send them.
#[test]
fn other_names_are_given_by_an_option() {
    let ask = |server: &Server, host: &str| {
        let mut stream = TcpStream::connect(&server.address).expect("it listens");
        write!(stream, "GET /healthz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        reply
    };
    let usual = Server::start(&[]);
    let named = Server::start(&["--host", "pentago.example.org"]);
    for (server, status) in [(&usual, " 403 "), (&named, " 200 ")] {
        assert!(ask(server, "pentago.example.org").contains(status));
        assert!(ask(server, &server.address).contains(" 200 "));
        assert!(ask(server, "other.example.org").contains(" 403 "));
    }
    assert!(ask(&usual, "pentago.example.org").contains("--host"));
}
