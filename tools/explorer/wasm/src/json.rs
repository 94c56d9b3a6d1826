//! Writing JSON: objects and lists, nothing else is needed. (`serde_json` would be a third of the
//! module.)

use std::fmt::Write;

/// An object under construction.
pub struct Object {
    out: String,
}

/// The JSON of an object.
pub fn object(fill: impl FnOnce(&mut Object)) -> String {
    let mut object = Object { out: String::from("{") };
    fill(&mut object);
    object.out.push('}');
    object.out
}

/// The JSON of a list of values that are JSON already.
pub fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    format!("[{}]", items.join(","))
}

/// The JSON of a text.
pub fn text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The JSON of a list of texts.
pub fn texts<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    list(items.into_iter().map(|item| text(item.as_ref())))
}

impl Object {
    /// A value that is JSON already.
    pub fn raw(&mut self, key: &str, value: &str) {
        if self.out.len() > 1 {
            self.out.push(',');
        }
        let _ = write!(self.out, "{}:{value}", text(key));
    }

    /// A text.
    pub fn text(&mut self, key: &str, value: &str) {
        self.raw(key, &text(value));
    }

    /// A number.
    pub fn number(&mut self, key: &str, value: u64) {
        self.raw(key, &value.to_string());
    }

    /// A number, or `null`.
    pub fn maybe(&mut self, key: &str, value: Option<u64>) {
        self.raw(key, &value.map_or_else(|| "null".into(), |value| value.to_string()));
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: &str, value: bool) {
        self.raw(key, if value { "true" } else { "false" });
    }
}
