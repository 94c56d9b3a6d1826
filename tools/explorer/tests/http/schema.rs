//! A validator of JSON values against the schemas of the OpenAPI document. The validator supports
//! only the keywords that the document uses, and panics at any other keyword, so that no rule is
//! skipped.

use serde_json::Value;

/// Validates a value against the schema with the name `name`. Returns the errors.
pub fn against(document: &Value, name: &str, value: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let reference = serde_json::json!({ "$ref": format!("#/components/schemas/{name}") });
    check(document, &reference, value, name, &mut wrong);
    wrong
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("this test does not support the type {other}"),
    }
}

/// Validates a value against a schema, and adds the errors to `wrong`. `at` is the path of the
/// value in the answer.
pub fn check(document: &Value, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    for (word, rule) in schema.as_object().expect("a schema is an object") {
        match word.as_str() {
            "description" | "default" | "example" | "contentMediaType" => {}
            "$ref" => {
                let path = rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a local reference");
                let target = document.pointer(path).unwrap_or_else(|| panic!("there is no {path}"));
                check(document, target, value, at, wrong);
            }
            "oneOf" => {
                let fits = |schema: &&Value| {
                    let mut wrong = Vec::new();
                    check(document, schema, value, at, &mut wrong);
                    wrong.is_empty()
                };
                let count = rule.as_array().expect("a list").iter().filter(fits).count();
                if count != 1 {
                    wrong.push(format!("{at}: matches {count} schemas instead of one: {value}"));
                }
            }
            "type" => {
                let names: Vec<&str> = match rule {
                    Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                    name => name.as_str().into_iter().collect(),
                };
                if !names.iter().any(|name| is_type(name, value)) {
                    wrong.push(format!("{at}: expected {names:?}: {value}"));
                }
            }
            "enum" => {
                if !rule.as_array().expect("a list").contains(value) {
                    wrong.push(format!("{at}: expected one of {rule}: {value}"));
                }
            }
            "minimum" | "maximum" => {
                let (number, bound) = (value.as_f64(), rule.as_f64());
                let is_beyond = if word == "minimum" { number < bound } else { number > bound };
                if number.is_some() && is_beyond {
                    wrong.push(format!("{at}: beyond the {word} {rule}: {value}"));
                }
            }
            "maxLength" => {
                let length = value.as_str().map(|text| text.chars().count() as u64);
                if length > rule.as_u64() {
                    wrong.push(format!("{at}: longer than {rule}"));
                }
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(document, rule, item, &format!("{at}[{i}]"), wrong);
                }
            }
            "required" => {
                for name in rule.as_array().expect("a list").iter().filter_map(Value::as_str) {
                    if value.is_object() && value.get(name).is_none() {
                        wrong.push(format!("{at}: {name} is missing"));
                    }
                }
            }
            "properties" => {
                for (name, schema) in rule.as_object().expect("an object") {
                    if let Some(value) = value.get(name) {
                        check(document, schema, value, &format!("{at}.{name}"), wrong);
                    }
                }
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                for (name, value) in value.as_object().into_iter().flatten() {
                    if known.is_some_and(|known| known.contains_key(name)) {
                        continue;
                    }
                    match rule {
                        Value::Bool(false) => wrong.push(format!("{at}: {name} is not described")),
                        Value::Bool(true) => {}
                        schema => check(document, schema, value, &format!("{at}.{name}"), wrong),
                    }
                }
            }
            other => panic!("this test does not support the keyword {other}"),
        }
    }
}
