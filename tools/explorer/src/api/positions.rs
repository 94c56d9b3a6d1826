//! `/api/v1/positions`: the answers for many positions, in JSON lines.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use pentago_base::BYTE_ORDER_MARK;
use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;
use tokio::time::Instant;

use super::common::{AppState, Parameters, STREAM_TIME};
use super::position::{parse_distance, pentago};
use crate::clients::{Client, Slot};
use crate::config::Bounds;
use crate::failure::Failure;
use crate::service::{Service, StoredAnswer};

/// The interval at which a position retries to enter a full queue.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// The maximum number of positions in one request.
const MAX_POSITIONS: usize = 1000;

/// The query parameters, which are the defaults for all lines.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PositionsParameters {
    #[serde(default = "pentago")]
    rules: String,
    distance: Option<String>,
}

/// One line of the body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionLine {
    p: String,
    rules: Option<String>,
    distance: Option<bool>,
}

impl PositionLine {
    /// Parses a line: a JSON string with a position, or an object.
    fn parse(text: &str) -> Result<PositionLine, Failure> {
        let expected = "expected a JSON string with a position, or an object with p";
        let explain = |error: serde_json::Error| match error.classify() {
            Category::Data => Failure::input(format!("{expected}: {error}")),
            _ => Failure::input(format!("{expected}: this is no valid JSON (column {})", error.column())),
        };
        match serde_json::from_str(text).map_err(explain)? {
            Value::String(p) => Ok(PositionLine { p, rules: None, distance: None }),
            object @ Value::Object(_) => serde_json::from_value(object).map_err(explain),
            _ => Err(Failure::input(expected)),
        }
    }
}

/// The remaining lines of a request, and the data for answering them.
struct Batch {
    service: Arc<Service>,
    client: Client,
    /// The default of `rules`, for lines that do not name rules.
    rules: String,
    /// The default of `distance`, for lines that do not set `distance`.
    distance: bool,
    /// The lines that are not empty, with their numbers from 1.
    lines: std::vec::IntoIter<(usize, String)>,
    end: Instant,
    /// The slot of this request. The slot is held until the client has received the last answer.
    _slot: Slot,
}

/// Answers the positions in the body, in the order of their lines. A position without an answer
/// gets a failure with the line number.
pub(super) async fn positions(
    State(state): State<AppState>,
    client: Client,
    Parameters(parameters): Parameters<PositionsParameters>,
    request: Request,
) -> Result<Response, Failure> {
    let service = state.service;
    let bounds = service.config.bounds;
    let distance = parse_distance(parameters.distance.as_deref())?;
    let slot = state.bodies.take(client, bounds.bodies_each).ok_or(Failure::busy(5))?;
    let lines = read_lines(request, &bounds).await?;
    let batch = Batch {
        service,
        client,
        rules: parameters.rules,
        distance,
        lines: lines.into_iter(),
        end: Instant::now() + STREAM_TIME,
        _slot: slot,
    };
    // The stream is polled only after the client has received the previous answer. So a client that
    // does not read its answers causes no further solutions.
    let answers = stream::unfold(batch, |mut batch| async {
        let (number, line) = batch.lines.next()?;
        let bytes = match batch.answer(&line).await {
            Ok(StoredAnswer { body, .. }) => body,
            Err(failure) => Bytes::from(failure.json(Some(number)) + "\n"),
        };
        Some((Ok::<_, Infallible>(bytes), batch))
    });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(answers)).into_response())
}

/// Reads the body of a request. Returns the lines that are not empty, with their numbers from 1.
///
/// # Errors
/// If the body is too large, arrives too slowly, is not valid UTF-8, contains no line, or contains
/// too many lines.
async fn read_lines(request: Request, bounds: &Bounds) -> Result<Vec<(usize, String)>, Failure> {
    let too_large = || Failure::too_large(format!("a body may have at most {} bytes", bounds.body_bytes));
    // The body limit of axum counts received bytes. Refuse a larger Content-Length immediately,
    // before any bytes are read.
    if request.body().size_hint().lower() > bounds.body_bytes as u64 {
        return Err(too_large());
    }
    let too_slow = || {
        let text = "the request did not arrive in time";
        Failure::new(StatusCode::REQUEST_TIMEOUT, "too_slow", text)
    };
    // Use one time-out for the whole body, because `tower_http::timeout` would restart with each
    // frame.
    let body = tokio::time::timeout(bounds.body_time, Bytes::from_request(request, &()));
    let body = body.await.map_err(|_| too_slow())?.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => Failure::input("the body does not have the form that its headers announce"),
    })?;
    let text = std::str::from_utf8(&body).map_err(|_| Failure::input("the body is no valid UTF-8"))?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let lines: Vec<(usize, String)> = lines.map(|(number, line)| (number, line.to_owned())).collect();
    match lines.len() {
        0 => Err(Failure::input("expected a position on each line of the body, as a JSON string")),
        count if count > MAX_POSITIONS => {
            let text = format!("{count} positions: a request may have at most {MAX_POSITIONS}");
            Err(Failure::too_large(text))
        }
        _ => Ok(lines),
    }
}

impl Batch {
    /// Answers one line. Waits while the queue is full.
    async fn answer(&self, line: &str) -> Result<StoredAnswer, Failure> {
        let PositionLine { p, rules, distance } = PositionLine::parse(line)?;
        let rules = rules.as_deref().unwrap_or(&self.rules);
        let query = self.service.parse(rules, &p, distance.unwrap_or(self.distance))?;
        let end = self.end.min(self.service.deadline());
        loop {
            if Instant::now() > end {
                return Err(Failure::time_up());
            }
            match self.service.ask(&query, self.client, end).outcome().await {
                Err(failure) if failure.status == StatusCode::TOO_MANY_REQUESTS => {
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
                outcome => return outcome,
            }
        }
    }
}
