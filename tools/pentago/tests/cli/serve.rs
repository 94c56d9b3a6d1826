//! `serve`: the API returns the same answers as `query --json` and `solve --json`, and signals end
//! the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command};

use pentago_store::{GameId, Grid, RawArrayInfo, RawManifest, RawSchema, RawSettings, RawWriter};
use serde_json::Value;

use crate::common::{Folder, json_of, objects, positions, program, run, run_with, sh};
use crate::schema;

/// A running server. Dropping the value kills the server.
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
    pub fn start(arguments: &[&str]) -> Server {
        Server::of(program(), arguments)
    }

    /// Starts `program` as a server.
    pub fn of(mut program: Command, arguments: &[&str]) -> Server {
        let usual = ["serve", "--listen", "127.0.0.1:0", "--threads", "2", "--memory", "1G", "--time", "1"];
        let mut child = program.args([&usual[..], arguments].concat()).spawn().unwrap();
        let mut line = String::new();
        let out = child.stdout.as_mut().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().to_owned();
        Server { child, address }
    }

    /// Ends the server and returns its standard error.
    pub fn stop(mut self) -> String {
        self.child.kill().unwrap();
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        err
    }

    /// Sends a request, checks the status of the reply, and returns the body.
    fn request(&self, method: &str, path: &str, body: &str, status: u16) -> String {
        let (found, body) = self.reply(method, path, body);
        assert_eq!(found, status.to_string(), "{path}: {body}");
        body
    }

    /// Sends a request, and returns the status and the body of the reply.
    pub fn reply(&self, method: &str, path: &str, body: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().to_owned(), body.to_owned())
    }

    pub fn get(&self, path: &str) -> Value {
        serde_json::from_str(&self.request("GET", path, "", 200)).unwrap()
    }

    /// Returns the answers of the API to a list of positions.
    fn answers(&self, rules: &str, positions: &[String]) -> Vec<Value> {
        let lines: Vec<String> = positions.iter().map(|p| Value::from(p.as_str()).to_string()).collect();
        objects(&self.request("POST", &format!("/api/v1/positions?rules={rules}"), &lines.join("\n"), 200))
    }
}

/// Removes the time from an answer, so that answers can be compared.
pub fn timeless(mut value: Value) -> Value {
    value.as_object_mut().unwrap().remove("seconds").unwrap();
    value
}

/// The API returns the same answers as `query --json`, and each answer matches the documented
/// schema.
#[test]
fn the_api_says_what_query_says() {
    let server = Server::start(&[]);
    let document = server.get("/api/v1/openapi.json");
    for (rules, marbles) in [
        ("pentago", 23..36),
        ("pentago-eu", 23..36),
        ("pentago-fi", 23..36),
        ("pentago-cs", 23..36),
        ("pentago-nl", 23..36),
        ("mini", 0..16),
        ("xl", 77..78),
        ("xl:seats=3,supply=27", 78..79),
        ("pente:n=4,k=4,opening=free", 8..9),
    ] {
        let positions: Vec<String> = marbles.flat_map(|marbles| positions(rules, marbles, 1, 3)).collect();
        let arguments = ["query", "--batch", "--rules", rules, "--threads", "2", "--memory", "1G"];
        let expected = objects(&run_with(&arguments, positions.join("\n").as_bytes()).ok());
        let found = server.answers(rules, &positions);
        assert_eq!([found.len(), expected.len()], [positions.len(); 2]);
        for (found, expected) in found.into_iter().zip(expected) {
            assert_eq!(schema::against(&document, "Answer", &found), Vec::<String>::new(), "{found}");
            assert_eq!(timeless(found), timeless(expected), "{rules}");
        }
    }
    let body = server.request("GET", "/api/v1/position?rules=xl&p=nonsense", "", 400);
    let failure: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(schema::against(&document, "Failure", &failure), Vec::<String>::new());
    assert!(failure["explanation"].as_str().is_some_and(|text| text.contains('^')), "{failure}");
}

#[test]
fn openings_distances_and_single_positions() {
    let server = Server::start(&[]);
    for (position, distance, option) in [
        ("6/6/6/6/6/6 x", 0, ""),
        ("X5/6/6/3O2/6/6 x", 0, ""),
        ("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o", 1, "--distance"),
        ("1X1XXO/O2XOX/2OOXX/XOXX1O/XXO1OX/O1O1OO o turn", 1, "--distance"),
        ("XXXXX1/OOOO2/6/6/6/6 o", 1, "--distance"),
    ] {
        let expected = json_of(&format!("query --memory 1G '{position}' {option}"));
        let path = format!("/api/v1/position?distance={distance}&p={}", position.replace(' ', "%20"));
        assert_eq!(timeless(server.get(&path)), timeless(expected), "{position}");
    }
}

/// The server accepts a folder whose only tables belong to another game.
#[test]
fn tables_of_other_games_are_probed() {
    let folder = Folder::new();
    let (path, rules): (&str, _) = (&folder, "pente:w=4,h=3,k=3,opening=free");
    sh(&format!("build {rules} --out {path} --quiet")).ok();
    let server = Server::start(&["--tables", path]);
    let expected = json_of(&format!("query --rules {rules} --tables {path} '4/4/4 x'"));
    let question = format!("/api/v1/position?rules={rules}&p=4/4/4%20x");
    let found = server.get(&question);
    assert_eq!((&found["source"], &found["moves"][0]["source"]), (&"table".into(), &"table".into()));
    assert_eq!(timeless(found), timeless(expected));
    // The server skips a table of a later version with a note, and uses the other tables.
    assert_eq!(server.stop(), "");
    let later = RawSchema { game: GameId::PENTE, codec: 99, filter: 1, level: 9, key_bytes: 1, counters: 3 };
    let manifest = RawManifest {
        schema: later,
        target: rules.as_bytes().to_vec(),
        slice: 0,
        arrays: vec![RawArrayInfo::whole(&[0], Grid::list(1, 1))],
    };
    let file = folder.at("later.pentago");
    let writer = RawWriter::begin(Path::new(&file), manifest, RawSettings::new("later")).unwrap();
    writer.put(0, 0, b"a position".to_vec(), &[1, 0, 0]).unwrap();
    writer.finish().unwrap();
    let server = Server::start(&["--tables", path]);
    assert_eq!(server.get(&question)["source"], "table");
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
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        let status = server.child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{signal}");
    }
}

#[test]
fn an_address_that_is_taken_is_an_error() {
    let server = Server::start(&[]);
    let (_, port) = server.address.rsplit_once(':').unwrap();
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
}

/// Another site can make its own name resolve to this address. The browser then sends the name of
/// that site in the `Host` header, so the server refuses unknown names.
#[test]
fn other_names_are_given_by_an_option() {
    let named = Server::start(&["--host", "pentago.example.org"]);
    for (server, status) in [(Server::start(&[]), " 403 "), (named, " 200 ")] {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        write!(stream, "GET /healthz HTTP/1.0\r\nhost: pentago.example.org\r\n\r\n").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        assert!(reply.contains(status) && (status == " 200 " || reply.contains("--host")), "{reply}");
    }
}
