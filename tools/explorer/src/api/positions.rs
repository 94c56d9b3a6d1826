//! `/api/v1/positions`: answers for many positions, a JSON object a line.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use http_body_util::LengthLimitError;
use serde::Deserialize;

use super::position::{no, pentago, with_distance};
use super::{Parameters, Shared};
use crate::clients::{Client, Share};
use crate::failure::Failure;
use crate::service::{Service, Stored};

/// How long a line waits before it asks again for a place in a full queue.
const AGAIN: Duration = Duration::from_millis(100);

/// What holds for all lines that say nothing else.
#[derive(Debug, Deserialize)]
pub(crate) struct Common {
    #[serde(default = "pentago")]
    rules: String,
    #[serde(default = "no")]
    distance: String,
}

/// A line: a position alone, or with rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    p: String,
    rules: Option<String>,
    distance: Option<bool>,
}

impl Line {
    /// Reads a line.
    fn read(text: &str) -> Result<Line, Failure> {
        let expected = "expected a JSON string with a position, or an object with p";
        let wrong = |error: serde_json::Error| match error.classify() {
            serde_json::error::Category::Data => format!("{expected}: {error}"),
            _ => format!("{expected}: this isn't JSON (column {})", error.column()),
        };
        let wrong = |error| Failure::input(wrong(error));
        match serde_json::from_str(text).map_err(wrong)? {
            serde_json::Value::String(p) => Ok(Line { p, rules: None, distance: None }),
            object @ serde_json::Value::Object(_) => serde_json::from_value(object).map_err(wrong),
            _ => Err(Failure::input(expected)),
        }
    }
}

/// The lines that are still to be answered.
struct Work {
    service: Arc<Service>,
    rules: String,
    /// Where a line doesn't say.
    distance: bool,
    lines: std::vec::IntoIter<(usize, String)>,
    end: Instant,
    client: Client,
    /// Gives its place to the next request when the last answer was taken.
    _body: Share,
}

/// The answers for the positions of the body, in its order. A line that has no answer gives an
/// object with `error` and `line`.
pub(crate) async fn positions(
    State(shared): State<Shared>,
    client: Client,
    Parameters(common): Parameters<Common>,
    request: Request,
) -> Result<Response, Failure> {
    let bounds = shared.service.config.bounds;
    let distance = with_distance(&common.distance)?;
    let share = shared.bodies.take(client, bounds.bodies_each).ok_or(Failure::Busy(5))?;
    let too_large = || Failure::TooLarge(format!("a body may have {} bytes", bounds.body_bytes));
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    // What claims to be too large isn't waited for.
    if length.and_then(|length| length.parse::<u64>().ok()).is_some_and(|n| n > bounds.body_bytes as u64) {
        return Err(too_large());
    }
    let body = tokio::time::timeout(bounds.body_time, to_bytes(request.into_body(), bounds.body_bytes));
    let body = body.await.map_err(|_| Failure::TooSlow)?.map_err(|error| {
        // What else can go wrong is the form in which the client sends it.
        let long = std::error::Error::source(&error).is_some_and(|source| source.is::<LengthLimitError>());
        if long {
            too_large()
        } else {
            Failure::input("the body doesn't come in the form that its headers say")
        }
    })?;
    let text = std::str::from_utf8(&body).map_err(|_| Failure::input("the body isn't valid UTF-8"))?;
    let lines: Vec<(usize, String)> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| (number, line.to_owned()))
        .collect();
    if lines.is_empty() {
        return Err(Failure::input("expected a position on each line of the body, as a JSON string"));
    }
    if lines.len() > bounds.positions {
        let text = format!("{} positions: a request may have {}", lines.len(), bounds.positions);
        return Err(Failure::TooLarge(text));
    }
    let work = Work {
        service: Arc::clone(&shared.service),
        rules: common.rules,
        distance,
        lines: lines.into_iter(),
        end: Instant::now() + bounds.stream_time,
        client,
        _body: share,
    };
    // The next line is answered when the client has taken the last.
    let answers = stream::unfold(work, |mut work| async {
        let (number, line) = work.lines.next()?;
        let bytes = match work.answer(&line).await {
            Ok(Stored { body, .. }) => body,
            Err(failure) => Bytes::from(failure.json(Some(number)) + "\n"),
        };
        Some((Ok::<_, Infallible>(bytes), work))
    });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(answers)).into_response())
}

impl Work {
    async fn answer(&self, line: &str) -> Result<Stored, Failure> {
        let Line { p, rules, distance } = Line::read(line)?;
        let rules = rules.as_deref().unwrap_or(&self.rules);
        let question = self.service.read(rules, &p, distance.unwrap_or(self.distance))?;
        loop {
            if Instant::now() > self.end {
                return Err(Failure::TimeUp);
            }
            match self.service.answer(&question, self.client).await {
                Err(Failure::Busy(_)) => tokio::time::sleep(AGAIN).await,
                outcome => return outcome,
            }
        }
    }
}
