//! The state, extractors and responses that the routes share.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;

use crate::clients::{Client, Slots};
use crate::failure::Failure;
use crate::page::client_has;
use crate::service::{Service, StoredAnswer};

/// The `Cache-Control` header of complete answers: one week. Values never change, but a later
/// version of the program may add fields.
const ONE_WEEK: &str = "public, max-age=604800";

/// The time limit of a request for many positions.
pub(super) const STREAM_TIME: Duration = Duration::from_secs(600);

/// The state that all routes share.
#[derive(Clone)]
pub(crate) struct AppState {
    pub service: Arc<Service>,
    pub connections: Arc<Slots>,
    /// The limit on simultaneous requests with a body.
    pub bodies: Arc<Slots>,
    /// Locked while a thread lists the tables, so that only one thread at a time does so.
    pub listing: Arc<Mutex<()>>,
}

/// Identifies the client by the proxy's header, or else by the extension of its connection.
impl FromRequestParts<AppState> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Client, Infallible> {
        let config = &state.service.config;
        let forwarded = config.behind_proxy.then(|| Client::forwarded(&parts.headers)).flatten();
        let peer = || parts.extensions.get::<Client>().copied();
        Ok(forwarded.or_else(peer).unwrap_or(Client::new(config.listen.ip())))
    }
}

/// The query parameters of a request. A parse error becomes a [`Failure`].
pub(super) struct Parameters<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(parameters)) => Ok(Parameters(parameters)),
            Err(error) => Err(Failure::input(explain(&error.body_text()))),
        }
    }
}

/// Converts an error of the query parser, which mentions Rust types, into a message for users.
fn explain(error: &str) -> String {
    let error = error.rsplit_once("query string: ").map_or(error, |(_, error)| error);
    let name_after = |start: &str| error.split_once(start)?.1.split('`').nth(1);
    if let Some(name) = name_after("missing field") {
        return format!("the parameter {name} is missing: expected ?{name}=...");
    }
    if let Some(name) = name_after("duplicate field") {
        return format!("the parameter {name} is given twice");
    }
    if let Some((name, names)) = name_after("unknown field").zip(error.split_once("expected ")) {
        return format!("the parameter {name} is unknown: expected {}", names.1.replace('`', ""));
    }
    match error.split_once(": ") {
        Some((name, _)) => format!("the parameter {name} has a wrong value: expected a whole number"),
        None => format!("the query parameters are invalid: {error}"),
    }
}

/// Returns the response with an answer, or status 304 if the client already has that answer.
pub(super) fn send(stored: StoredAnswer, headers: &HeaderMap) -> Response {
    let StoredAnswer { body, tag } = stored;
    let mut response = match &tag {
        Some(tag) if client_has(headers, tag) => StatusCode::NOT_MODIFIED.into_response(),
        _ => body.into_response(),
    };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Incomplete answers are not cached, because more memory or time may improve them.
    let caching = if tag.is_some() { ONE_WEEK } else { "no-cache" };
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Some(tag) = tag {
        out.insert(header::ETAG, tag);
    }
    response
}

/// Returns the response with a value as JSON. `caching` is the `Cache-Control` header.
pub(super) fn json(value: &impl Serialize, caching: &'static str) -> Response {
    let text = serde_json::to_string(value).expect("the value is valid JSON") + "\n";
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, caching)], text).into_response()
}
