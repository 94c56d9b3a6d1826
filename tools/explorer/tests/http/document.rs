//! Tests that compare the OpenAPI document with the answers of the server.

use crate::client::{Running, escaped, start};
use crate::schema::{against, check};
use serde_json::Value;

fn document(server: &Running) -> Value {
    server.get("/api/v1/openapi.json").json()
}

fn conforms(document: &Value, name: &str, value: &Value) {
    let wrong = against(document, name, value);
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
}

/// Returns all references in a part of the document.
fn references(part: &Value) -> Vec<&str> {
    match part {
        Value::Object(fields) => match fields.get("$ref") {
            Some(reference) => vec![reference.as_str().expect("a text")],
            None => fields.values().flat_map(references).collect(),
        },
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_reference_has_its_schema() {
    let document = document(&start(|_| {}));
    let all = references(&document);
    assert!(all.len() > 20);
    for reference in all {
        let pointer = reference.strip_prefix('#').expect("a reference within the document");
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

/// Each answer matches the schema that the document gives for its path and status.
#[test]
fn answers_are_as_described() {
    let server = start(|_| {});
    let document = document(&server);
    let late = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";
    let positions = [
        ("pentago", late, ""),
        ("pentago", late, "1"),
        ("pentago", "6/6/6/6/6/6", ""),
        ("pentago", "X5/1O4/2X3/3O2/4X1/XOXO2", ""),
        ("pentago", "XXXXX1/OOOO2/6/6/6/6", ""),
        ("pentago", "1X1XXO/O2XOX/2OOXX/XOXX1O/XXO1OX/O1O1OO o turn", "1"),
        ("pentago-fi", late, ""),
        ("mini", "XO2/OX2/XO2/OX2", "1"),
        ("pentago", "nonsense", ""),
        ("no-such-rules", late, ""),
    ];
    let mut described = Vec::new();
    for (rules, position, distance) in positions {
        let p = escaped(position);
        let path = format!("/api/v1/position?rules={rules}&p={p}&distance={distance}");
        described.push(("/api/v1/position", path));
    }
    for path in [
        "/api/v1/position",
        "/api/v1/position?p=6/6/6/6/6/6&distance=maybe",
        "/api/v1/rules",
        "/api/v1/tables",
        "/api/v1/openapi.json",
    ] {
        described.push((path.split('?').next().expect("a path"), path.to_owned()));
    }
    for (path, full) in described {
        let reply = server.get(&full);
        let pointer = format!("/paths/{}/get/responses/{}", path.replace('/', "~1"), reply.status);
        let response = document.pointer(&pointer).unwrap_or_else(|| panic!("{pointer} is not described"));
        let schema = &response["content"]["application/json"]["schema"];
        let mut wrong = Vec::new();
        check(&document, schema, &reply.json(), path, &mut wrong);
        assert!(wrong.is_empty(), "{full}: {wrong:#?}");
    }
}

#[test]
fn lines_and_events_are_as_described() {
    let server = start(|_| {});
    let document = document(&server);
    let lines =
        ["\"4/4/4/4\"", "{\"p\":\"XO2/OX2/XO2/OX2\",\"rules\":\"mini\",\"distance\":true}", "\"nonsense\""];
    for line in &lines {
        conforms(&document, "Line", &serde_json::from_str(line).expect("JSON"));
    }
    let reply = server.request("POST", "/api/v1/positions?rules=mini", "", &lines.join("\n"));
    let answers: Vec<Value> =
        reply.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for (answer, form) in answers.iter().zip(["Answer", "Answer", "Failure"]) {
        conforms(&document, form, answer);
    }
    assert_eq!(answers.len(), 3);
    let reply = server.get("/api/v1/events?rules=odd&p=soon");
    let mut events = 0;
    for block in reply.body.split("\n\n") {
        let Some((event, data)) = block.trim().split_once('\n') else { continue };
        let data = data.strip_prefix("data: ").expect("data");
        let event = event.strip_prefix("event: ").expect("the type of the event");
        conforms(&document, "Event", &serde_json::json!({ "event": event, "data": data }));
        if event == "progress" {
            conforms(&document, "Progress", &serde_json::from_str(data).expect("JSON"));
            events += 1;
        }
    }
    assert!(events > 0, "{}", reply.body);
}

/// The documents describe every field of an answer.
#[test]
fn the_documents_name_every_field() {
    let page = include_str!("../../../../docs/formats.md");
    let document: Value = serde_json::from_str(include_str!("../../openapi.json")).expect("JSON");
    for form in ["Answer", "Move", "Full", "Proved", "Found/oneOf/0", "Found/oneOf/1"] {
        let fields = document.pointer(&format!("/components/schemas/{form}/properties"));
        for name in fields.and_then(Value::as_object).expect("fields").keys() {
            assert!(page.contains(&format!("`{name}`")), "{form}: {name}");
        }
    }
}

/// After a change of one field in a valid answer, the validator finds one error.
#[test]
fn the_validator_finds_errors() {
    let server = start(|_| {});
    let document = document(&server);
    let good = server.get("/api/v1/position?rules=mini&p=4/4/4/4").json();
    conforms(&document, "Answer", &good);
    let changes = serde_json::json!({"value": "won", "plies": -1, "moves": null, "extra": 1, "best": [1, 2]});
    for (name, value) in changes.as_object().expect("an object") {
        let mut bad = good.clone();
        bad[name] = value.clone();
        assert!(!against(&document, "Answer", &bad).is_empty(), "{name}");
    }
    let mut bad = good.clone();
    bad.as_object_mut().expect("an object").remove("source");
    assert_eq!(against(&document, "Answer", &bad).len(), 1);
}

/// The document describes exactly the paths that the router serves.
#[test]
fn all_routes_are_described() {
    let server = start(|_| {});
    let document = document(&server);
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys() {
            let status = server.request(&method.to_uppercase(), path, "", "").status;
            assert!(![404, 405, 500].contains(&status), "{method} {path}: {status}");
        }
    }
    let routes = include_str!("../../src/api/mod.rs").matches(".route(\"").count();
    assert_eq!(document["paths"].as_object().expect("paths").len(), routes);
}
