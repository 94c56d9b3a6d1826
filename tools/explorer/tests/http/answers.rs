//! Answers to valid requests.

use crate::client::{Reply, escaped, start};
use pentago::rules::Rules;
use pentago::{Control, Question, Solver, Tablebase};
use serde_json::Value;

const LATE: &str = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";

#[test]
fn a_position_with_the_value_of_every_move() {
    let server = start(|_| {});
    let path = format!("/api/v1/position?p={}", escaped(LATE));
    let reply = server.get(&path);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    let rules = Rules::default();
    let position = rules.parse_position(LATE).expect("a position");
    let solver = Solver::builder().memory(1_000_000_000).build().expect("threads");
    let question = Question { distance: true, ..Question::default() };
    let expected = solver.answer(&position, &question, &Control::new()).expect("solved");
    // With distances, the server sends a different answer.
    let with_distances = server.get(&format!("{path}&distance=1")).json();
    for (answer, distances) in [(reply.json(), false), (with_distances.clone(), true)] {
        assert_eq!((&answer["value"], &answer["source"]), (&expected.value.name().into(), &"solved".into()));
        assert_eq!(answer["distance"], if distances { 7.into() } else { Value::Null });
        let moves = answer["moves"].as_array().expect("moves");
        assert_eq!(moves.len(), expected.moves.len());
        for m in &expected.moves {
            let text = rules.format_move(m.mv);
            let found = moves.iter().find(|found| found["move"] == *text).expect("the move");
            assert_eq!(found["value"], m.value.name(), "{text}");
            let plies = m.distance.filter(|_| distances).map(|plies| plies as u64);
            assert_eq!(found["distance"].as_u64(), plies, "{text}");
        }
    }
    assert_eq!(with_distances["line"].as_array().expect("a line").len(), 7);
    assert_eq!(server.metric("pentago_cache_hits_total "), 0.0);
    assert_eq!(server.get(&path).body, reply.body);
    assert_eq!(server.metric("pentago_cache_hits_total "), 1.0);
}

#[test]
fn published_values_answer_openings() {
    let server = start(|_| {});
    let answer = server.get("/api/v1/position?p=6/6/6/6/6/6").json();
    assert_eq!((&answer["value"], &answer["source"]), (&"win".into(), &"published".into()));
    let openings = Tablebase::openings().expect("sound");
    let rules = Rules::default();
    for m in answer["moves"].as_array().expect("moves") {
        let to = rules.parse_position(m["position"].as_str().expect("a text")).expect("a position");
        let value = openings.probe(&to).expect("sound").expect("there");
        let turned = match m["value"].as_str() {
            Some("win") => pentago::Wdl::Loss,
            Some("draw") => pentago::Wdl::Draw,
            _ => pentago::Wdl::Win,
        };
        assert_eq!(value, turned, "{m}");
    }
    let tables = server.get("/api/v1/tables").json();
    assert_eq!(tables["targets"][0]["source"], "published");
    assert_eq!(tables["targets"][0]["slices"].as_array().expect("slices").len(), 7);
}

#[test]
fn an_answer_that_the_client_has_is_not_sent_again() {
    let server = start(|_| {});
    let path = format!("/api/v1/position?p={}", escaped(LATE));
    let reply = server.get(&path);
    let tag = reply.header("etag").expect("a complete answer has a tag").to_owned();
    assert!(reply.header("cache-control").expect("a header").contains("max-age"));
    let reply = server.request("GET", &path, &format!("if-none-match: {tag}\r\n"), "");
    assert_eq!((reply.status, reply.body.as_str()), (304, ""));
    let reply = server.request("GET", &path, "if-none-match: \"other\"\r\n", "");
    assert_eq!(reply.status, 200);
    // An answer with an unknown value has no ETag. A position with nine marbles cannot be solved
    // with this memory and time.
    let far = "/api/v1/position?p=X5/1O4/2X3/3O2/4X1/XOXO2";
    let reply = server.get(far);
    assert_eq!((reply.status, reply.header("etag")), (200, None));
    let answer = reply.json();
    assert_eq!(answer["value"], "unknown");
    assert!(answer["full"]["bytes"].as_u64().is_some_and(|bytes| bytes > 1_000_000_000));
}

#[test]
fn many_positions_in_one_request() {
    let server = start(|_| {});
    let body = format!(
        "\u{feff}{LATE:?}\n\n{{\"p\":\"4/4/4/4\",\"rules\":\"mini\"}}\n\"nonsense\"\nnot JSON\n\
         {{\"p\":{LATE:?},\"distance\":true}}\n{{\"p\":{LATE:?},\"distances\":true}}\n"
    );
    let reply = server.request("POST", "/api/v1/positions", "", &body);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/x-ndjson")));
    let lines: Vec<Value> =
        reply.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [late, mini, nonsense, no_json, distance, unknown] = &lines[..] else { panic!("{}", reply.body) };
    assert_eq!((&late["value"], &late["distance"]), (&"win".into(), &Value::Null));
    assert_eq!((&mini["value"], &mini["rules"]), (&"win".into(), &"mini".into()));
    assert_eq!((&nonsense["line"], &nonsense["kind"]), (&4.into(), &"input".into()));
    assert_eq!((&no_json["line"], &no_json["kind"]), (&5.into(), &"input".into()));
    assert_eq!(distance["distance"], 7);
    assert_eq!((&unknown["line"], &unknown["kind"]), (&7.into(), &"input".into()));
    // The query parameters are parsed before the lines, and a body without lines is refused.
    for (query, body) in [("?distance=AAA", "\"6/6/6/6/6/6 x\""), ("", ""), ("", "\n \n")] {
        let reply = server.request("POST", &format!("/api/v1/positions{query}"), "", body);
        assert_eq!((reply.status, &reply.json()["kind"]), (400, &"input".into()), "{query} {body:?}");
    }
}

#[test]
fn events_are_progress_and_then_the_answer() {
    let server = start(|_| {});
    let reply = server.get("/api/v1/events?rules=odd&p=soon");
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert!(reply.body.contains("event: progress\ndata: {\"state\":\"solving\""), "{}", reply.body);
    let result = |body: &str| {
        let data = body.rsplit_once("event: result\ndata: ").map(|(_, data)| serde_json::from_str(data));
        data.and_then(Result::ok).map(|data: serde_json::Value| data["position"].clone())
    };
    assert_eq!(result(&reply.body), Some("soon".into()), "{}", reply.body);
    // A cached answer and an invalid request cause no progress events.
    let reply = server.get("/api/v1/events?rules=odd&p=soon");
    assert!(reply.body.starts_with("event: result\n"), "{}", reply.body);
    assert_eq!(result(&reply.body), Some("soon".into()));
    assert_eq!(server.get("/api/v1/events?p=nonsense").status, 400);
}

#[test]
fn a_server_for_some_rules_refuses_the_others() {
    let server = start(|config| config.rules = vec!["mini".to_owned()]);
    assert_eq!(server.get("/api/v1/position?rules=mini&p=4/4/4/4").status, 200);
    let reply = server.get("/api/v1/position?p=6/6/6/6/6/6");
    assert_eq!(reply.status, 400);
    assert!(reply.json()["error"].as_str().is_some_and(|error| error.contains("mini")));
    let rules = server.get("/api/v1/rules").json();
    assert_eq!(rules["presets"].as_array().expect("presets").len(), 1);
}

#[test]
fn cors_lets_other_sites_send_requests() {
    let origin = "origin: https://example.org\r\n";
    let server = start(|_| {});
    let reply = server.request("GET", "/healthz", origin, "");
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, None));
    let server = start(|config| config.cors = true);
    let reply = server.request("GET", "/api/v1/rules", origin, "");
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    let ask = format!(
        "{origin}access-control-request-method: POST\r\naccess-control-request-headers: content-type\r\n"
    );
    let reply = server.request("OPTIONS", "/api/v1/positions", &ask, "");
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, Some("*")));
    assert!(reply.header("access-control-allow-methods").is_some_and(|methods| methods.contains("POST")));
    // Refusals have the header too.
    let many: String = (0..100).map(|i| format!("h{i}: y\r\n")).collect();
    for (headers, status) in [(&many[..], 431), ("transfer-encoding: gzip, chunked\r\n", 501)] {
        let reply = server.request("POST", "/api/v1/positions", headers, "");
        assert_eq!(
            (reply.status, reply.header("access-control-allow-origin")),
            (status, Some("*")),
            "{headers}"
        );
    }
}

#[test]
fn the_page_is_served_and_no_other_file() {
    let server = start(|_| {});
    let reply = server.get("/");
    assert_eq!(reply.status, 200);
    assert!(reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html")));
    assert!(reply.header("content-security-policy").is_some());
    let paths = "/../Cargo.toml /%2e%2e/Cargo.toml /etc/passwd /..%2fCargo.toml //etc/passwd /api/v2/ /index";
    for path in paths.split(' ') {
        let reply = server.get(path);
        assert_eq!((reply.status, &reply.json()["kind"]), (404, &"not_found".into()), "{path}");
    }
    for (method, path) in [("POST", "/"), ("DELETE", "/api/v1/position")] {
        let reply = server.request(method, path, "", "");
        assert_eq!((reply.status, reply.header("allow")), (405, Some("GET,HEAD")), "{path}");
    }
    // The errors of the query parser and the JSON parser are explained in the API's own terms.
    let error = |reply: Reply| reply.json()["error"].as_str().unwrap().to_owned();
    for (query, expected) in [
        ("", "the parameter p is missing: expected ?p=..."),
        ("?p=6/6/6/6/6/6&p=6/6/6/6/6/6", "the parameter p is given twice"),
        (
            "?p=6/6/6/6/6/6&time=-1",
            "the parameter time is unknown: expected one of p, rules, distance, seconds",
        ),
        ("?p=6/6/6/6/6/6&seconds=x", "the parameter seconds has a wrong value: expected a whole number"),
    ] {
        assert_eq!(error(server.get(&format!("/api/v1/position{query}"))), expected);
    }
    for body in ["3", "{\"q\": \"6/6/6/6/6/6\"}", "nothing"] {
        let error = error(server.request("POST", "/api/v1/positions", "", body));
        assert!(error.starts_with("expected a JSON string with a position, or an object with p"), "{error}");
    }
}
