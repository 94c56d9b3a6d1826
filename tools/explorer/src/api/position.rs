//! `/api/v1/position` and `/api/v1/events`: the answer for one position, at once or with progress
//! before it.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use serde::Deserialize;

use super::{Parameters, Shared, send};
use crate::clients::Client;
use crate::failure::Failure;
use crate::page;
use crate::service::{Outcome, Question, Service, Stored, Wait};

/// What is asked.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    /// The position, in any notation.
    p: String,
    /// The rules.
    #[serde(default = "pentago")]
    rules: String,
    /// `1` asks for distances, too.
    #[serde(default = "no")]
    distance: String,
    /// Seconds for what can't be solved to the end, if less than the server's own.
    seconds: Option<u32>,
}

pub(super) fn pentago() -> String {
    "pentago".to_owned()
}

pub(super) fn no() -> String {
    "0".to_owned()
}

/// Whether distances are asked for, too.
pub(super) fn with_distance(text: &str) -> Result<bool, Failure> {
    match text {
        "0" | "false" => Ok(false),
        "1" | "true" => Ok(true),
        _ => Err(Failure::input("expected distance=1, or no distance")),
    }
}

impl Asked {
    fn question(&self, service: &Service) -> Result<Question, Failure> {
        let question = service.read(&self.rules, &self.p, with_distance(&self.distance)?)?;
        Ok(Question { seconds: self.seconds, ..question })
    }
}

/// The answer for a position.
pub(crate) async fn position(
    State(shared): State<Shared>,
    client: Client,
    headers: HeaderMap,
    Parameters(asked): Parameters<Asked>,
) -> Result<Response, Failure> {
    let service = &shared.service;
    let question = asked.question(service)?;
    // Only complete answers have tags, and these never change: nothing is to be solved.
    let tag = Service::tag(&question.key());
    if page::has(&headers, &tag) && !headers.get_all("if-none-match").iter().any(|value| value == "*") {
        let stored = Stored { body: bytes::Bytes::new(), tag: Some(tag) };
        return Ok(send(stored, &headers));
    }
    Ok(send(service.answer(&question, client).await?, &headers))
}

/// How often progress is told.
const EVERY: Duration = Duration::from_millis(250);

/// What a stream of events does next.
enum Step {
    Watch(Wait, Instant),
    End,
}

/// Progress, and then the answer, as server-sent events: `progress` with a JSON object now and then,
/// at last `result` with the answer or `failure` with the reason. The solution stops when the client
/// leaves.
pub(crate) async fn events(
    State(shared): State<Shared>,
    client: Client,
    Parameters(asked): Parameters<Asked>,
) -> Result<Response, Failure> {
    let service = &shared.service;
    let question = asked.question(service)?;
    let key = question.key();
    if let Some(stored) = service.kept(&key) {
        let events = stream::iter([Ok::<_, Infallible>(last(Ok(stored)))]);
        return Ok(stream_of(events));
    }
    let wait = service.ask(&question, key, client);
    let end = Instant::now() + service.config.bounds.stream_time;
    let events = stream::unfold(Step::Watch(wait, end), |step| async {
        let Step::Watch(wait, end) = step else { return None };
        let event = match tokio::time::timeout(EVERY, wait.wait()).await {
            Ok(outcome) => return Some((Ok::<_, Infallible>(last(outcome)), Step::End)),
            Err(_) if Instant::now() > end => return Some((Ok(last(Err(Failure::TimeUp))), Step::End)),
            Err(_) => {
                let json = serde_json::to_string(&wait.progress()).expect("plain data becomes JSON");
                Event::default().event("progress").data(json)
            }
        };
        Some((Ok(event), Step::Watch(wait, end)))
    });
    Ok(stream_of(events))
}

fn stream_of(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

fn last(outcome: Outcome) -> Event {
    match outcome {
        Ok(stored) => {
            let text = String::from_utf8_lossy(&stored.body);
            Event::default().event("result").data(text.trim_end())
        }
        Err(failure) => Event::default().event("failure").data(failure.json(None)),
    }
}
