//! The paths of the API, and what holds for all of them.
//!
//! | file | what it represents |
//! |---|---|
//! | `position` | the answer for one position, at once or with progress before it |
//! | `positions` | answers for many positions, a line each |
//! | `gate` | requests that are refused whatever they ask for |
//! | `about` | rules, tables, health, counts, the description of the API |

mod about;
mod gate;
mod position;
mod positions;

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{FromRequestParts, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::de::DeserializeOwned;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{Any as Anyone, CorsLayer};

use crate::clients::Shares;
use crate::failure::Failure;
use crate::page;
use crate::service::{Service, Stored};

/// What all paths share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub service: Arc<Service>,
    pub connections: Arc<Shares>,
    /// Requests with a body at a time.
    pub bodies: Arc<Shares>,
    /// Held while a thread lists the tables.
    pub listing: Arc<tokio::sync::Mutex<()>>,
}

/// The address's parameters as a type.
pub(crate) struct Parameters<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let read = Query::<T>::try_from_uri(&parts.uri);
        read.map(|Query(read)| Parameters(read)).map_err(|error| Failure::input(in_words(&error.body_text())))
    }
}

/// What is wrong with parameters, in words: the reader of the address says it in its own.
fn in_words(text: &str) -> String {
    let text = text.rsplit_once("query string: ").map_or(text, |(_, text)| text);
    let named = |start: &str| Some(text.split_once(start)?.1.split('`').nth(1)?.to_owned());
    if let Some(name) = named("missing field") {
        return format!("the parameter {name} is missing: expected ?{name}=...");
    }
    if let Some(name) = named("duplicate field") {
        return format!("the parameter {name} is given twice");
    }
    match text.split_once(": ") {
        Some((name, _)) => format!("the parameter {name} has a wrong value: expected a whole number"),
        None => format!("the parameters can't be read: {text}"),
    }
}

/// All paths.
pub(crate) fn router(service: Arc<Service>, connections: Arc<Shares>) -> Router {
    let bodies = Shares::new(service.config.bounds.bodies);
    let cors = service.config.cors;
    let shared = Shared { service, connections, bodies, listing: Arc::default() };
    let mut router = Router::new()
        .route("/api/v1/position", get(position::position))
        .route("/api/v1/events", get(position::events))
        .route("/api/v1/positions", post(positions::positions))
        .route("/api/v1/rules", get(about::rules))
        .route("/api/v1/tables", get(about::tables))
        .route("/api/v1/openapi.json", get(about::openapi))
        .route("/healthz", get(about::health))
        .route("/metrics", get(about::metrics))
        .fallback(rest)
        .method_not_allowed_fallback(wrong_method)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn_with_state(shared.clone(), watch))
        .with_state(shared);
    if cors {
        let layer = CorsLayer::new()
            .allow_origin(Anyone)
            .allow_methods([Method::GET, Method::POST])
            .allow_headers([header::CONTENT_TYPE, header::IF_NONE_MATCH])
            .expose_headers([header::ETAG, header::RETRY_AFTER]);
        router = router.layer(layer);
    }
    router
}

/// What is none of the API: the page's files.
async fn rest(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        let mut response = wrong_method().await;
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET,HEAD"));
        return response;
    }
    page::file(uri.path(), &headers, page::is_framed(&uri))
}

async fn wrong_method() -> Response {
    let text = Failure::input("this address knows another method only").json(None);
    (StatusCode::METHOD_NOT_ALLOWED, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// Refuses what isn't let in, and counts.
async fn watch(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let mut response = match gate::check(&shared.service.config, &request) {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if response.status() == StatusCode::INTERNAL_SERVER_ERROR {
        shared.service.metrics.panics.add();
    }
    shared.service.metrics.request(response.status().as_u16(), began.elapsed());
    response
}

/// The answer when a request made the program panic; what happened is on standard error.
fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    Failure::bug("this request").into_response()
}

/// How long a complete answer may be kept by anyone: a week. A value never changes, but a later
/// version of the program may say more.
const FOR_LONG: &str = "public, max-age=604800";

/// An answer, or that the client has it already.
pub(crate) fn send(stored: Stored, headers: &HeaderMap) -> Response {
    let Stored { body, tag } = stored;
    let mut response = match &tag {
        Some(tag) if page::has(headers, tag) => StatusCode::NOT_MODIFIED.into_response(),
        _ => body.into_response(),
    };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // What is unknown may be known with more memory or time.
    let keep = if tag.is_some() { FOR_LONG } else { "no-cache" };
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    if let Some(tag) = tag {
        out.insert(header::ETAG, tag);
    }
    response
}

/// A JSON object.
pub(crate) fn json(value: &impl serde::Serialize, keep: &'static str) -> Response {
    let mut text = serde_json::to_string(value).expect("plain data becomes JSON");
    text.push('\n');
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, keep)];
    (headers, text).into_response()
}
