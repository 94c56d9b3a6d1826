//! `/api/v1/position` and `/api/v1/events`: the answer for one position, without or with progress
//! events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize;

use super::common::{AppState, Parameters, send};
use crate::clients::Client;
use crate::failure::Failure;
use crate::page::client_has;
use crate::service::{PositionQuery, Service, StoredAnswer};

/// The interval of progress events.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// The query parameters of both routes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PositionParameters {
    /// The position, in any notation.
    p: String,
    /// The rules: a preset, with options if necessary. The default is `pentago`.
    #[serde(default = "pentago")]
    rules: String,
    /// `1` or `true` requests distances.
    distance: Option<String>,
    /// The time limit in seconds. A longer time than the server's limit is reduced to the limit.
    seconds: Option<u32>,
}

/// Returns the default of the parameter `rules`.
pub(super) fn pentago() -> String {
    "pentago".to_owned()
}

/// Parses the parameter `distance`.
pub(super) fn parse_distance(text: Option<&str>) -> Result<bool, Failure> {
    match text {
        None | Some("0" | "false") => Ok(false),
        Some("1" | "true") => Ok(true),
        _ => Err(Failure::input("expected distance=1, or no distance")),
    }
}

impl PositionParameters {
    fn query(&self, service: &Service) -> Result<PositionQuery, Failure> {
        let query = service.parse(&self.rules, &self.p, parse_distance(self.distance.as_deref())?)?;
        Ok(PositionQuery { seconds: self.seconds, ..query })
    }
}

/// Returns the answer for a position.
pub(super) async fn position(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    Parameters(parameters): Parameters<PositionParameters>,
) -> Result<Response, Failure> {
    let query = parameters.query(&state.service)?;
    // Only complete answers have ETags, and complete answers never change. A client that sends the
    // ETag has the answer, so there is nothing to solve. A client that sends `*` may not have the
    // answer.
    let tag = query.tag();
    if client_has(&headers, &tag) && !headers.get_all("if-none-match").iter().any(|value| value == "*") {
        return Ok(send(StoredAnswer { body: bytes::Bytes::new(), tag: Some(tag) }, &headers));
    }
    Ok(send(state.service.ask(&query, client, state.service.deadline()).outcome().await?, &headers))
}

/// Sends server-sent events: `progress` at intervals, and finally `result` or `failure`. The data
/// of each event is a JSON object. If the client disconnects, the computation is cancelled.
pub(super) async fn events(
    State(state): State<AppState>,
    client: Client,
    Parameters(parameters): Parameters<PositionParameters>,
) -> Result<Response, Failure> {
    let service = &state.service;
    let wait = service.ask(&parameters.query(service)?, client, service.deadline());
    let events = stream::unfold(Some(wait), move |wait| async move {
        let wait = wait?;
        let (event, wait) = match tokio::time::timeout(PROGRESS_INTERVAL, wait.outcome()).await {
            Ok(outcome) => (last_event(outcome), None),
            Err(_) => (Event::default().event("progress").data(wait.progress().to_string()), Some(wait)),
        };
        Some((Ok::<_, Infallible>(event), wait))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

fn last_event(outcome: Result<StoredAnswer, Failure>) -> Event {
    match outcome {
        Ok(stored) => {
            let text = String::from_utf8_lossy(&stored.body);
            Event::default().event("result").data(text.trim_end())
        }
        Err(failure) => Event::default().event("failure").data(failure.json(None)),
    }
}
