//! Tests of hostile clients: slow, greedy or malformed requests, and clients that leave early.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::client::{Running, escaped, read, start};

const LATE: &str = "/api/v1/position?p=1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO%20o";

/// A random generator whose numbers are the same in every run: xorshift.
struct Random(u64);

impl Random {
    /// Returns a number less than `n`.
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as usize % n
    }
}

fn still_answers(server: &Running) {
    let reply = server.get(LATE);
    assert_eq!((reply.status, &reply.json()["value"]), (200, &"win".into()));
}

/// Sends a GET request, and returns the connection without reading the response.
fn ask(server: &Running, path: &str) -> TcpStream {
    ask_as(server, "192.0.2.1", path)
}

/// Sends a GET request like `ask`, with the address of a proxy's client in `X-Forwarded-For`.
fn ask_as(server: &Running, client: &str, path: &str) -> TcpStream {
    let mut stream = server.connect();
    let text = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-forwarded-for: {client}\r\n\r\n"
    );
    stream.write_all(text.as_bytes()).expect("sent");
    stream
}

/// Sends a raw request, and returns the status.
fn status_of(server: &Running, request: &str) -> u16 {
    let mut stream = server.connect();
    stream.write_all(request.as_bytes()).expect("sent");
    read(&mut stream).status
}

#[test]
fn malformed_positions_get_an_explanation() {
    let server = start(|_| {});
    let reply = server.get(&format!("/api/v1/position?p={}", escaped("OO1q/6/6/6/6/6")));
    let failure = reply.json();
    assert_eq!((reply.status, &failure["kind"], &failure["column"]), (400, &"input".into(), &4.into()));
    let explanation = failure["explanation"].as_str().expect("a text");
    assert!(explanation.ends_with("\n  OO1q/6/6/6/6/6\n     ^"), "{explanation}");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    for p in ["", "%00", "%ff%fe", "6/6/6/6/6/6%20z", &"1".repeat(5000)] {
        let reply = server.get(&format!("/api/v1/position?p={p}"));
        assert_eq!((reply.status, &reply.json()["kind"]), (400, &"input".into()), "{p}");
    }
    let reply = server.get("/api/v1/position?rules=pentago:dir=up&p=6/6/6/6/6/6");
    assert!(reply.json()["explanation"].as_str().is_some_and(|text| text.contains('^')));
}

#[test]
fn too_large_requests_are_refused() {
    let server = start(|config| config.bounds.body_bytes = 10_000);
    let long = "x".repeat(9000);
    assert_eq!(server.get(&format!("/api/v1/position?p={long}")).status, 414);
    let many: String = (0..1000).map(|i| format!("h{i}: y\r\n")).collect();
    assert_eq!(server.request("GET", "/healthz", &many, "").status, 431);
    let large = format!("large: {}\r\n", "y".repeat(20_000));
    assert_eq!(server.request("GET", "/healthz", &large, "").status, 431);
    // The server closes the connection without reading the rest. This may reset the connection
    // before the client has read the response. The test client then reports status 0.
    let large = format!("large: {}\r\n", "y".repeat(200_000));
    assert!([431, 0].contains(&server.request("GET", "/healthz", &large, "").status));
    let body = "\"6/6/6/6/6/6\"\n".repeat(900);
    assert!([413, 0].contains(&server.request("POST", "/api/v1/positions", "", &body).status));
    let server = start(|_| {});
    let body = "\"6/6/6/6/6/6\"\n".repeat(1001);
    let reply = server.request("POST", "/api/v1/positions", "", &body);
    assert_eq!((reply.status, &reply.json()["kind"]), (413, &"too_large".into()));
    // A request with a Content-Length above the limit is refused before its body arrives.
    let mut stream = server.connect();
    let text = "POST /api/v1/positions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n";
    stream.write_all(text.as_bytes()).expect("sent");
    assert_eq!(read(&mut stream).status, 413);
    still_answers(&server);
}

#[test]
fn slow_headers_are_cut_off_and_delay_no_other_client() {
    let server = start(|config| config.bounds.header_time = Duration::from_millis(200));
    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: ").expect("sent");
            stream
        })
        .collect();
    let began = Instant::now();
    still_answers(&server);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let began = Instant::now();
    for mut stream in slow {
        let mut rest = Vec::new();
        // Another byte of the headers must not restart the time-out.
        let _ = stream.write_all(b"x");
        let _ = stream.read_to_end(&mut rest);
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    // An idle connection is closed, too.
    let mut idle = server.connect();
    idle.read_to_end(&mut Vec::new()).expect("closed");
    server.wait_for("pentago_connections ", 1.0);
}

#[test]
fn slow_bodies_are_cut_off() {
    let server = start(|config| config.bounds.body_time = Duration::from_millis(100));
    let mut stream = server.connect();
    let request = b"POST /api/v1/positions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
        content-length: 100\r\n\r\n\"6/6";
    stream.write_all(request).expect("sent");
    assert_eq!(read(&mut stream).status, 408);
}

#[test]
fn clients_that_read_nothing_are_cut_off() {
    let server = start(|config| config.bounds.write_time = Duration::from_millis(300));
    let mut stream = server.connect();
    // The answers have 80 MB in total, which exceeds the buffers of the sockets.
    let body = "\"6/6/6/6/6/6\"\n".repeat(1000);
    for _ in 0..4 {
        let text = format!(
            "POST /api/v1/positions HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let _ = stream.write_all(text.as_bytes());
    }
    server.wait_for("pentago_connections ", 1.0);
    still_answers(&server);
}

#[test]
fn garbage_gets_an_error_or_no_response() {
    let server = start(|_| {});
    let fixed: [&[u8]; 8] = [
        b"\r\n\r\n\r\n",
        b"\0\0\0\0",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
        b"GET / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ];
    for bytes in fixed {
        let reply = server.raw(bytes);
        let ok = reply.is_empty() || reply.starts_with(b"HTTP/1.1 4") || reply.starts_with(b"HTTP/1.0 4");
        assert!(ok || reply.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&reply));
    }
    let mut random = Random(0x1234_5678_9abc_def1);
    for length in 1..200 {
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        let reply = server.raw(&bytes);
        assert!(reply.is_empty() || reply.starts_with(b"HTTP/1."), "{}", String::from_utf8_lossy(&reply));
    }
    still_answers(&server);
}

#[test]
fn valid_requests_before_garbage_in_a_pipeline_are_answered() {
    let server = start(|_| {});
    let mut stream = server.connect();
    let good = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    stream.write_all(format!("{good}{good}\x01\x02\x03 nonsense\r\n\r\n").as_bytes()).expect("sent");
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).expect("closed");
    let text = String::from_utf8_lossy(&reply);
    assert_eq!(text.matches("HTTP/1.1 200").count(), 2, "{text}");
    assert_eq!(text.matches("HTTP/1.1 400").count(), 1, "{text}");
    still_answers(&server);
}

#[test]
fn a_solution_stops_when_its_last_client_leaves() {
    let server = start(|_| {});
    for path in ["/api/v1/position?rules=odd&p=forever", "/api/v1/events?rules=odd&p=forever"] {
        let stream = ask(&server, path);
        server.wait_for("pentago_solving ", 1.0);
        // A second request for the same position joins the solution.
        let second = ask(&server, path);
        server.wait_for("pentago_connections ", 3.0);
        assert_eq!(server.metric("pentago_under_way "), 1.0);
        drop(stream);
        server.wait_for("pentago_connections ", 2.0);
        // Wait long enough for a wrong cancellation to take effect.
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(server.metric("pentago_solving "), 1.0, "the second client still waits");
        drop(second);
        server.wait_for("pentago_solving ", 0.0);
        server.wait_for("pentago_under_way ", 0.0);
    }
}

#[test]
fn a_full_queue_reports_when_to_retry() {
    let server = start(|config| (config.bounds.solves, config.bounds.queue) = (1, 2));
    let _running = ask(&server, "/api/v1/position?rules=odd&p=forever%201");
    server.wait_for("pentago_solving ", 1.0);
    let waiting = [
        ask(&server, "/api/v1/position?rules=odd&p=forever%202"),
        ask(&server, "/api/v1/position?rules=odd&p=forever%203"),
    ];
    server.wait_for("pentago_queue ", 2.0);
    let reply = server.get("/api/v1/position?rules=odd&p=forever%204");
    assert_eq!((reply.status, &reply.json()["kind"]), (429, &"busy".into()));
    let seconds: u64 = reply.header("retry-after").and_then(|s| s.parse().ok()).expect("a number of seconds");
    assert!((1..=60).contains(&seconds));
    // Small solutions do not wait for large solutions.
    still_answers(&server);
    // If a client disconnects, its request is removed from the queue.
    drop(waiting);
    server.wait_for("pentago_queue ", 0.0);
}

/// Behind a proxy, `X-Forwarded-For` identifies the client. A request of a new client then
/// displaces one of two requests that another client has in the queue. Without a proxy, the server
/// ignores the header, because the client may have forged it.
#[test]
fn only_a_proxy_can_name_its_clients() {
    for (behind_proxy, status) in [(true, 200), (false, 429)] {
        let server = start(|config| (config.behind_proxy, config.bounds.queue) = (behind_proxy, 2));
        let ask = |client: u8, p: &str| {
            ask_as(&server, &format!("192.0.2.{client}"), &format!("/api/v1/position?rules=odd&p={p}"))
        };
        let running = ask(1, "forever%201");
        server.wait_for("pentago_solving ", 1.0);
        let mut waiting = [ask(2, "now%202"), ask(2, "now%203")];
        server.wait_for("pentago_queue ", 2.0);
        let mut other = ask(4, "now%204");
        server.wait_for("pentago_requests_total{status=\"4xx\"} ", 1.0);
        drop(running);
        assert_eq!(read(&mut other).status, status);
        let mut statuses = waiting.each_mut().map(|stream| read(stream).status);
        statuses.sort();
        assert_eq!(statuses, [200, 629 - status]);
    }
}

/// Without a proxy, clients are identified by the addresses of their connections. On Linux, every
/// address in 127.0.0.0/8 is available for the test.
#[test]
#[cfg(target_os = "linux")]
fn clients_are_identified_by_their_addresses() {
    let server = start(|config| config.bounds.bodies_each = 2);
    let head = "POST /api/v1/positions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
        content-length: 13\r\n\r\n";
    let from = |address: [u8; 4]| {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.bind((address, 0).into()).expect("a free port");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let stream = runtime.block_on(socket.connect(server.address)).expect("the server listens");
        let mut stream = stream.into_std().expect("a socket");
        stream.set_nonblocking(false).expect("a socket");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
        stream.write_all(head.as_bytes()).expect("sent");
        stream
    };
    // Six requests from one address send no body. The server waits only for the bodies of the first
    // two requests.
    let stalled: Vec<TcpStream> = (0..6).map(|_| from([127, 0, 0, 2])).collect();
    let mut other = from([127, 0, 0, 3]);
    let body = b"\"6/6/6/6/6/6\"";
    other.write_all(body).expect("sent");
    let reply = read(&mut other);
    assert_eq!((reply.status, &reply.json()["value"]), (200, &"win".into()));
    let has_reply = |stream: &TcpStream| {
        stream.set_nonblocking(true).expect("a socket");
        let has = stream.peek(&mut [0]).is_ok();
        stream.set_nonblocking(false).expect("a socket");
        has
    };
    let mut patience = 0..6000;
    while stalled.iter().filter(|stream| has_reply(stream)).count() < 4 && patience.next().is_some() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let (refused, waiting): (Vec<TcpStream>, Vec<TcpStream>) = stalled.into_iter().partition(has_reply);
    let statuses: Vec<u16> = refused.into_iter().map(|mut stream| read(&mut stream).status).collect();
    assert_eq!(statuses, [429; 4]);
    for mut stream in waiting {
        stream.write_all(body).expect("sent");
        assert_eq!(read(&mut stream).status, 200);
    }
}

#[test]
fn requests_for_other_hosts_are_refused() {
    let status = |server: &Running, target: &str, hosts: &[&str]| {
        let hosts: String = hosts.iter().map(|host| format!("host: {host}\r\n")).collect();
        status_of(server, &format!("GET {target} HTTP/1.1\r\n{hosts}connection: close\r\n\r\n"))
    };
    let usual = start(|_| {});
    let own = "localhost LOCALHOST:1234 localhost. a.localhost 127.0.0.1:8036 127.1.2.3 [::1]:8036";
    for host in own.split(' ') {
        assert_eq!(status(&usual, "/healthz", &[host]), 200, "{host}");
    }
    let others = "example.org localhost.example.org 192.0.2.1 [2001:db8::1] 127.0.0.1.example.org";
    for host in others.split(' ') {
        assert_eq!(status(&usual, "/healthz", &[host]), 403, "{host}");
        let target = format!("http://{host}/healthz");
        assert_eq!(status(&usual, &target, &["localhost"]), 403, "{target}");
    }
    let wrong: [&[&str]; 7] = [
        &[],
        &[""],
        &["localhost", "localhost"],
        &["localhost", "example.org"],
        &["user@localhost"],
        &[":80"],
        &["a b"],
    ];
    for hosts in wrong {
        assert_eq!(status(&usual, "/healthz", hosts), 400, "{hosts:?}");
    }
    let named = start(|config| config.hosts = vec!["Pentago.example.org".to_owned()]);
    assert_eq!(status(&named, "/healthz", &["pentago.EXAMPLE.org:443"]), 200);
    assert_eq!(status(&named, "/healthz", &["example.org"]), 403);
    // A server that listens on all addresses accepts any host name.
    let open = start(|config| config.listen = ([0, 0, 0, 0], 0).into());
    assert_eq!(status(&open, "/healthz", &["example.org"]), 200);
    assert_eq!(status(&open, "/healthz", &["a", "b"]), 400);
}

#[test]
fn pages_of_other_sites_may_link_but_not_send_requests() {
    let cross = "sec-fetch-site: cross-site\r\n";
    let link = format!("{cross}sec-fetch-mode: navigate\r\nsec-fetch-dest: document\r\n");
    let frame = format!("{cross}sec-fetch-mode: navigate\r\nsec-fetch-dest: iframe\r\n");
    let usual = start(|_| {});
    let status =
        |server: &Running, path: &str, headers: &str| server.request("GET", path, headers, "").status;
    for (path, headers, expected) in [
        ("/", "sec-fetch-site: same-origin\r\n", 200),
        ("/", "sec-fetch-site: none\r\n", 200),
        (LATE, "sec-fetch-site: same-origin\r\n", 200),
        ("/", link.as_str(), 200),
        ("/", &frame, 403),
        ("/?embed=1", &frame, 200),
        ("/js/main.js?embed=1", &frame, 403),
        ("/api/v1/rules?embed=1", &frame, 403),
        ("/", cross, 403),
        (LATE, cross, 403),
        (LATE, &link, 403),
    ] {
        assert_eq!(status(&usual, path, headers), expected, "{path} {headers}");
    }
    // Only the target `/?embed=1` allows frames.
    for (path, framed) in [("/", false), ("/?embed=1", true), ("/?embed=0", false)] {
        let reply = usual.request("GET", path, "", "");
        let policy = reply.header("content-security-policy").expect("a policy");
        assert_eq!(policy.contains("frame-ancestors *"), framed, "{path} {policy}");
    }
    let reply = usual.request("GET", LATE, cross, "");
    assert_eq!(reply.json()["kind"], "forbidden");
    assert_eq!(usual.request("POST", "/api/v1/positions", cross, "\"6/6/6/6/6/6\"").status, 403);
    assert_eq!(status(&start(|config| config.cors = true), LATE, cross), 200);
}

#[test]
fn unsupported_transfer_codings_are_refused() {
    let server = start(|_| {});
    let chunk = "d\r\n\"6/6/6/6/6/6\"\r\n0\r\n\r\n";
    let post = |coding: &str| {
        let head = "POST /api/v1/positions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
        status_of(&server, &format!("{head}{coding}\r\n{chunk}"))
    };
    assert_eq!(post("transfer-encoding: chunked\r\n"), 200);
    assert_eq!(post("transfer-encoding: Chunked\r\n"), 200);
    for coding in
        ["gzip, chunked", "chunked, chunked", "identity, chunked", "gzip\r\ntransfer-encoding: chunked"]
    {
        assert_eq!(post(&format!("transfer-encoding: {coding}\r\n")), 501, "{coding}");
    }
    assert_eq!(post("transfer-encoding: chunked, gzip\r\n"), 400);
}

#[test]
fn solutions_have_a_time_limit() {
    let server = start(|config| config.bounds.solve_time = Duration::from_millis(200));
    let reply = server.get("/api/v1/position?rules=odd&p=forever");
    assert_eq!((reply.status, &reply.json()["kind"]), (503, &"time".into()));
    assert!(reply.header("retry-after").is_some());
    server.wait_for("pentago_solving ", 0.0);
    // The limit includes the time in the queue.
    let _running = ask(&server, "/api/v1/position?rules=odd&p=deaf");
    server.wait_for("pentago_solving ", 1.0);
    let reply = server.get("/api/v1/position?rules=odd&p=now");
    assert_eq!((reply.status, &reply.json()["kind"]), (503, &"time".into()));
    // No full solution starts that would exceed the limit, so a proof gives the value.
    let server = start(|config| {
        config.bounds.solve_time = Duration::from_secs(1);
        config.memory = 1 << 36;
    });
    let reply = server.get("/api/v1/position?p=3O1O/OOX2O/O3O1/1X3X/5X/X1XX1X%20o");
    assert_eq!((reply.status, &reply.json()["value"]), (200, &"win".into()));
}

#[test]
fn a_broken_chunk_is_not_reported_as_a_large_body() {
    let server = start(|config| config.bounds.body_bytes = 100);
    let head = "POST /api/v1/positions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
        transfer-encoding: chunked\r\n\r\n";
    let line = "\"6/6/6/6/6/6\"";
    for (chunks, status) in [
        (format!("d\r\n{line}\r\n0\r\n\r\n"), 200),
        (format!("zz\r\n{line}\r\n0\r\n\r\n"), 400),
        (format!("d\r\n{line}{line}\r\n0\r\n\r\n"), 400),
        (format!("80\r\n{}\r\n0\r\n\r\n", " ".repeat(128)), 413),
    ] {
        assert_eq!(status_of(&server, &format!("{head}{chunks}")), status, "{chunks}");
    }
    still_answers(&server);
}

#[test]
fn a_panic_fails_only_its_request() {
    let server = start(|_| {});
    for p in ["panic%20while%20reading", "panic%20while%20solving"] {
        let reply = server.get(&format!("/api/v1/position?rules=odd&p={p}"));
        assert_eq!((reply.status, &reply.json()["kind"]), (500, &"internal".into()), "{p}");
    }
    assert!(server.metric("pentago_panics_total ") >= 2.0);
    assert_eq!(server.metric("pentago_under_way "), 0.0);
    still_answers(&server);
}

/// Random sequences of valid pieces of requests, some with a flipped bit, cause no status 500.
#[test]
fn random_requests_cause_no_server_errors() {
    let pieces = "GET |POST |OPTIONS |/api/v1/position|/api/v1/positions|/metrics|/|../|?p=6/6/6/6/6/6|&rules=mini|\
                  &distance=1|%20turn|%ff| HTTP/1.1\r\n|host: localhost\r\n|content-length: 9\r\n|\
                  transfer-encoding: chunked\r\n|\r\n|\"4/4/4/4\"\n";
    let pieces: Vec<&str> = pieces.split('|').collect();
    let server = start(|_| {});
    let mut random = Random(88_172_645_463_325_252);
    for _ in 0..400 {
        let mut request: Vec<u8> =
            (0..3 + random.below(12)).flat_map(|_| pieces[random.below(pieces.len())].bytes()).collect();
        if random.below(3) == 0 {
            let at = random.below(request.len());
            request[at] ^= 1 << random.below(8);
        }
        let reply = String::from_utf8_lossy(&server.raw(&request)).into_owned();
        assert!(!reply.contains("HTTP/1.1 500"), "{:?}: {reply}", String::from_utf8_lossy(&request));
    }
    assert_eq!(server.metric("pentago_panics_total "), 0.0);
    still_answers(&server);
}

#[test]
fn connections_are_limited() {
    let server = start(|config| {
        config.bounds.per_address = 3;
        config.bounds.count_loopback = true;
        config.cors = true;
    });
    let kept: Vec<TcpStream> = (0..3).map(|_| server.connect()).collect();
    let reply = server.get("/healthz");
    assert_eq!((reply.status, &reply.json()["kind"]), (503, &"busy".into()));
    assert!(reply.header("retry-after").is_some(), "{reply:?}");
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    drop(kept);
    for _ in 0..100 {
        if server.request("GET", "/healthz", "", "").status == 200 {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the closed connections have not freed their slots");
}

#[test]
fn a_shutdown_answers_all_requests() {
    let mut server = start(|config| config.bounds.grace = Duration::from_secs(3));
    let mut short = ask(&server, "/api/v1/position?rules=odd&p=short");
    server.wait_for("pentago_solving ", 1.0);
    let mut long = ask(&server, "/api/v1/position?rules=odd&p=forever");
    server.wait_for("pentago_queue ", 1.0);
    server.stop();
    let reply = read(&mut short);
    assert_eq!((reply.status, &reply.json()["position"]), (200, &"short".into()));
    let reply = read(&mut long);
    assert_eq!((reply.status, &reply.json()["kind"]), (503, &"stopped".into()));
    assert!(TcpStream::connect(server.address).is_err(), "the listener is closed");
}
