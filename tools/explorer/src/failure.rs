//! Why there is no answer, as a status and as JSON.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pentago::rules::ParseError;
use pentago::{Error, ErrorKind};
use serde::Serialize;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// What was asked makes no sense.
    Input {
        /// What is wrong, in a line.
        message: String,
        /// The same with the text and carets under the place, on several lines.
        explanation: String,
        /// The first character that it is about, from 1.
        column: Option<usize>,
    },
    /// It isn't answered for this name of the server, or for another site's page.
    Forbidden(String),
    /// The request is in a form that isn't understood.
    NotImplemented(String),
    /// There is no such thing.
    NotFound(String),
    /// The request is larger than requests may be.
    TooLarge(String),
    /// The address is longer than addresses may be.
    AddressTooLong,
    /// The request didn't come in time.
    TooSlow,
    /// Too many wait already: ask again after so many seconds.
    Busy(u64),
    /// Solving it took longer than it may.
    TimeUp,
    /// It was stopped, or the server ends.
    Stopped,
    /// It takes more memory than there is, or the machine failed.
    Machine(String),
    /// Tables are damaged or wrong, or the program is.
    Internal(String),
}

/// The JSON object for a failure.
#[derive(Serialize)]
struct FailureReport<'a> {
    error: &'a str,
    /// What went wrong, for programs.
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Failure {
    /// Input that makes no sense; the first line says what is wrong.
    #[must_use]
    pub fn input(text: impl Into<String>) -> Failure {
        let explanation = text.into();
        let message = explanation.lines().next().unwrap_or_default().to_owned();
        Failure::Input { message, explanation, column: None }
    }

    /// A text that can't be parsed.
    #[must_use]
    pub fn parse(error: &ParseError) -> Failure {
        let before = &error.text()[..error.span().start];
        Failure::Input {
            message: error.message().to_owned(),
            explanation: error.to_string(),
            column: Some(before.chars().count() + 1),
        }
    }

    /// An error of the library.
    #[must_use]
    pub fn of(error: &Error) -> Failure {
        if let Some(error) = error.downcast_ref() {
            return Failure::parse(error);
        }
        match error.kind() {
            ErrorKind::Input => Failure::input(error.to_string()),
            ErrorKind::Cancelled => Failure::Stopped,
            ErrorKind::Environment => Failure::Machine(error.to_string()),
            _ => Failure::Internal(error.to_string()),
        }
    }

    /// The failure of a request whose code has panicked; `action` names what was being done.
    pub(crate) fn bug(action: &str) -> Failure {
        Failure::Internal(format!("the program has a bug: {action} failed"))
    }

    /// The status.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Failure::Input { .. } => StatusCode::BAD_REQUEST,
            Failure::Forbidden(_) => StatusCode::FORBIDDEN,
            Failure::NotImplemented(_) => StatusCode::NOT_IMPLEMENTED,
            Failure::NotFound(_) => StatusCode::NOT_FOUND,
            Failure::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Failure::AddressTooLong => StatusCode::URI_TOO_LONG,
            Failure::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Failure::Busy(_) => StatusCode::TOO_MANY_REQUESTS,
            Failure::TimeUp | Failure::Stopped | Failure::Machine(_) => StatusCode::SERVICE_UNAVAILABLE,
            Failure::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What went wrong, for programs and for people.
    fn words(&self) -> (&'static str, String) {
        match self {
            Failure::Input { message, .. } => ("input", message.clone()),
            Failure::Forbidden(text) => ("forbidden", text.clone()),
            Failure::NotImplemented(text) => ("not_implemented", text.clone()),
            Failure::NotFound(text) => ("not_found", text.clone()),
            Failure::TooLarge(text) => ("too_large", text.clone()),
            Failure::AddressTooLong => ("too_large", "the address is too long".to_owned()),
            Failure::TooSlow => ("too_slow", "the request did not come in time".to_owned()),
            Failure::Busy(seconds) => {
                ("busy", format!("too many positions wait to be solved: ask again in {seconds} s"))
            }
            Failure::TimeUp => ("time", "solving this position takes longer than is allowed here".to_owned()),
            Failure::Stopped => ("stopped", "the server is stopping".to_owned()),
            Failure::Machine(text) => ("machine", text.clone()),
            Failure::Internal(text) => ("internal", text.clone()),
        }
    }

    /// The JSON object; `line` is that of a request with several positions.
    pub(crate) fn json(&self, line: Option<usize>) -> String {
        let (kind, error) = self.words();
        let (explanation, column) = match self {
            Failure::Input { explanation, column, .. } => (Some(explanation.as_str()), *column),
            _ => (None, None),
        };
        let report = FailureReport { error: &error, kind, explanation, column, line };
        serde_json::to_string(&report).expect("plain data becomes JSON")
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = (self.status(), self.json(None)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let seconds = match self {
            Failure::Busy(seconds) => Some(seconds),
            Failure::TimeUp | Failure::Stopped | Failure::Machine(_) => Some(60),
            _ => None,
        };
        if let Some(seconds) = seconds {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
