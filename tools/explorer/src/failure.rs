//! The failures of requests, with their HTTP status and their JSON object.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pentago::rules::ParseError;
use pentago::{Error, ErrorKind};

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

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let text = error.to_string();
        if let Some(error) = error.downcast_ref::<ParseError>() {
            let column = error.text()[..error.span().start].chars().count() + 1;
            let message = error.message().to_owned();
            return Failure { message, column: Some(column), ..Failure::input(error.to_string()) };
        }
        match error.kind() {
            ErrorKind::Input => Failure::input(text),
            ErrorKind::Cancelled => Failure::stopped(),
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
