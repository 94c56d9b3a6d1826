//! The failures of requests, with their HTTP status and their JSON object.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pentago::rules::ParseError;
use pentago::{Error, ErrorKind};

/// The reason why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The request is invalid.
    Input {
        /// The error in one line.
        message: String,
        /// The error in several lines: the message, and the input with carets under the wrong part.
        explanation: String,
        /// The column of the first wrong character, from 1.
        column: Option<usize>,
    },
    /// The request names another host, or comes from a page of another site.
    Forbidden(String),
    /// The request has a transfer coding that the server does not support.
    NotImplemented(String),
    /// The path does not exist.
    NotFound,
    /// The body is too large, or has too many lines.
    TooLarge(String),
    /// The request target is too long.
    AddressTooLong,
    /// The body did not arrive in time.
    TooSlow,
    /// The queue is full. The client may retry after this number of seconds.
    Busy(u64),
    /// The solution exceeded the time limit.
    TimeUp,
    /// The server is shutting down, or the solution was cancelled.
    Stopped,
    /// The solution needs more memory than there is, or the operating system reported an error.
    Machine(String),
    /// A table is damaged, or the program has a bug.
    Internal(String),
}

impl Failure {
    /// Returns the failure of an invalid request. The first line of `text` becomes the message.
    pub fn input(text: impl Into<String>) -> Failure {
        let explanation = text.into();
        let message = explanation.lines().next().unwrap_or_default().to_owned();
        Failure::Input { message, explanation, column: None }
    }

    /// Returns the failure of a request whose code panicked. `action` names the action that failed.
    pub fn bug(action: &str) -> Failure {
        Failure::Internal(format!("the program has a bug: {action} failed"))
    }

    /// Returns the HTTP status, the value of `kind` in the JSON object, and the message.
    fn parts(&self) -> (StatusCode, &'static str, String) {
        match self {
            Failure::Input { message, .. } => (StatusCode::BAD_REQUEST, "input", message.clone()),
            Failure::Forbidden(text) => (StatusCode::FORBIDDEN, "forbidden", text.clone()),
            Failure::NotImplemented(text) => (StatusCode::NOT_IMPLEMENTED, "not_implemented", text.clone()),
            Failure::NotFound => {
                (StatusCode::NOT_FOUND, "not_found", "there is nothing at this address".to_owned())
            }
            Failure::TooLarge(text) => (StatusCode::PAYLOAD_TOO_LARGE, "too_large", text.clone()),
            Failure::AddressTooLong => {
                (StatusCode::URI_TOO_LONG, "too_large", "the address is too long".to_owned())
            }
            Failure::TooSlow => {
                (StatusCode::REQUEST_TIMEOUT, "too_slow", "the request did not arrive in time".to_owned())
            }
            Failure::Busy(seconds) => {
                let text = format!("too many positions wait to be solved: retry in {seconds} s");
                (StatusCode::TOO_MANY_REQUESTS, "busy", text)
            }
            Failure::TimeUp => {
                let text = "solving this position exceeded the server's time limit";
                (StatusCode::SERVICE_UNAVAILABLE, "time", text.to_owned())
            }
            Failure::Stopped => {
                (StatusCode::SERVICE_UNAVAILABLE, "stopped", "the server is shutting down".to_owned())
            }
            Failure::Machine(text) => (StatusCode::SERVICE_UNAVAILABLE, "machine", text.clone()),
            Failure::Internal(text) => (StatusCode::INTERNAL_SERVER_ERROR, "internal", text.clone()),
        }
    }

    /// Returns the JSON object. `line` is the line number in a request for several positions, from 1.
    pub fn json(&self, line: Option<usize>) -> String {
        let (_, kind, error) = self.parts();
        let mut report = serde_json::json!({ "error": error, "kind": kind });
        if let Failure::Input { explanation, column, .. } = self {
            report["explanation"] = explanation.as_str().into();
            if let Some(column) = *column {
                report["column"] = column.into();
            }
        }
        if let Some(line) = line {
            report["line"] = line.into();
        }
        report.to_string()
    }
}

impl From<&ParseError> for Failure {
    fn from(error: &ParseError) -> Failure {
        let before = &error.text()[..error.span().start];
        Failure::Input {
            message: error.message().to_owned(),
            explanation: error.to_string(),
            column: Some(before.chars().count() + 1),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        if let Some(error) = error.downcast_ref::<ParseError>() {
            return error.into();
        }
        match error.kind() {
            ErrorKind::Input => Failure::input(error.to_string()),
            ErrorKind::Cancelled => Failure::Stopped,
            ErrorKind::Environment => Failure::Machine(error.to_string()),
            _ => Failure::Internal(error.to_string()),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, ..) = self.parts();
        let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
        let mut response = (status, headers, self.json(None)).into_response();
        let seconds = match self {
            Failure::Busy(seconds) => seconds,
            Failure::TimeUp | Failure::Stopped | Failure::Machine(_) => 60,
            _ => return response,
        };
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        response
    }
}
