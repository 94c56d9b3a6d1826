//! The failures of requests, with their HTTP status and their JSON object.

use std::collections::BTreeMap;
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pentago::rules::ParseError;
use pentago::{Error, ErrorKind};
use pentago_base::{lock, shown_path};
use pentago_store::StoreError;

/// The interval at which the log repeats errors of the same table.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// The reason why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The HTTP status of the response.
    pub status: StatusCode,
    /// The value of `kind` in the JSON object, by which programs distinguish failures.
    kind: &'static str,
    /// The error in one line.
    message: String,
    /// For invalid input, the error in several lines: the message, and the input with carets under
    /// the wrong part.
    explanation: Option<String>,
    /// For invalid input, the column of the first wrong character, from 1.
    column: Option<usize>,
    /// The number of seconds after which the client may retry, or `None` if a retry is useless.
    retry: Option<u64>,
}

impl Failure {
    /// Returns the failure with an HTTP status, a `kind` and a message of one line.
    pub fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Failure {
        let retry = (status == StatusCode::SERVICE_UNAVAILABLE).then_some(60);
        Failure { status, kind, message: message.into(), explanation: None, column: None, retry }
    }

    /// Returns the failure of an invalid request. The first line of `text` becomes the message.
    pub fn input(text: impl Into<String>) -> Failure {
        let text = text.into();
        let message = text.lines().next().unwrap_or_default();
        Failure { explanation: Some(text.clone()), ..Failure::new(StatusCode::BAD_REQUEST, "input", message) }
    }

    /// Returns the failure of a request that names another host, or comes from a page of another
    /// site.
    pub fn forbidden(text: impl Into<String>) -> Failure {
        Failure::new(StatusCode::FORBIDDEN, "forbidden", text)
    }

    /// Returns the failure of a request whose body is too large or has too many lines.
    pub fn too_large(text: impl Into<String>) -> Failure {
        Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", text)
    }

    /// Returns the failure of a request that finds a full queue. The client may retry after
    /// `seconds`.
    pub fn busy(seconds: u64) -> Failure {
        let text = format!("too many positions wait to be solved: retry in {seconds} s");
        Failure { retry: Some(seconds), ..Failure::new(StatusCode::TOO_MANY_REQUESTS, "busy", text) }
    }

    /// Returns the failure of a request that exceeded the time limit.
    pub fn time_up() -> Failure {
        let text = "the request exceeded the server's time limit, including its time in the queue";
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "time", text)
    }

    /// Returns the failure of a request that was cancelled, usually because the server shuts down.
    pub fn stopped() -> Failure {
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "stopped", "the server is shutting down")
    }

    /// Returns the failure of a request whose code panicked. `action` names the action that failed.
    pub fn bug(action: &str) -> Failure {
        let text = format!("the program has a bug: {action} failed");
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", text)
    }

    /// Returns the failure for a request whose table has an error. The client gets only the names
    /// of the table's file and of its folder. The log gets the whole path.
    fn of_table(error: &StoreError) -> Failure {
        log(error);
        let mut names = error.path.components().rev().take(2).collect::<Vec<_>>();
        names.reverse();
        let (path, name) = (shown_path(&error.path), names.iter().collect::<PathBuf>());
        let text = error.to_string().replace(&path, &name.display().to_string());
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "tables", text)
    }

    /// Returns the JSON object. `line` is the line number in a request for several positions, from
    /// 1.
    pub fn json(&self, line: Option<usize>) -> String {
        let mut report = serde_json::json!({
            "error": self.message, "kind": self.kind, "explanation": self.explanation,
            "column": self.column, "line": line,
        });
        report.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        report.to_string()
    }
}

/// Writes an error of a table to standard error. Skips further errors of the same table for a
/// while, because many requests may need the same table.
fn log(error: &StoreError) {
    static LOGGED: Mutex<BTreeMap<PathBuf, Instant>> = Mutex::new(BTreeMap::new());
    let mut logged = lock(&LOGGED);
    if logged.get(&error.path).is_none_or(|time| time.elapsed() >= LOG_INTERVAL) {
        logged.insert(error.path.clone(), Instant::now());
        // If standard error is closed, the error is lost.
        let _ = writeln!(stderr(), "{error}");
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let text = error.to_string();
        if let Some(error) = error.downcast_ref::<ParseError>() {
            let column = error.text()[..error.span().start].chars().count() + 1;
            let message = error.message().to_owned();
            return Failure { message, column: Some(column), ..Failure::input(error.to_string()) };
        }
        match error.kind() {
            ErrorKind::Cancelled => Failure::stopped(),
            _ if let Some(error) = error.downcast_ref() => Failure::of_table(error),
            ErrorKind::Input => Failure::input(text),
            ErrorKind::Contradiction => Failure::new(StatusCode::SERVICE_UNAVAILABLE, "tables", text),
            ErrorKind::Environment => Failure::new(StatusCode::SERVICE_UNAVAILABLE, "machine", text),
            _ => Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", text),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
        let mut response = (self.status, headers, self.json(None)).into_response();
        if let Some(seconds) = self.retry {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
