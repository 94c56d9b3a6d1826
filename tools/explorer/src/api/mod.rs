//! The HTTP routes, and the checks that apply to all of them.
//!
//! | file | contents |
//! |---|---|
//! | `gate` | the checks of headers and target before any route |
//! | `common` | the state, extractors and responses that the routes share |
//! | `position` | the answer for one position, with or without progress events |
//! | `positions` | the answers for many positions, one per line |
//! | `about` | the rules, the tables, the health check, the metrics, the description of the API |

mod about;
mod common;
mod gate;
mod position;
mod positions;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{Any as AnyOrigin, CorsLayer};

use crate::clients::Slots;
use crate::failure::Failure;
use crate::page;
use crate::service::Service;
use common::AppState;

/// The maximum number of simultaneous requests with a body.
const MAX_BODIES: usize = 64;

/// Returns the router of all paths.
pub(crate) fn router(service: Arc<Service>, connections: Arc<Slots>) -> Router {
    let bounds = service.config.bounds;
    let cors = service.config.cors;
    let state = AppState { service, connections, bodies: Slots::new(MAX_BODIES), listing: Arc::default() };
    let router = Router::new()
        .route("/api/v1/position", get(position::position))
        .route("/api/v1/events", get(position::events))
        .route("/api/v1/positions", post(positions::positions))
        .route("/api/v1/rules", get(about::rules))
        .route("/api/v1/tables", get(about::tables))
        .route("/api/v1/openapi.json", get(about::openapi))
        .route("/healthz", get(about::health))
        .route("/metrics", get(about::metrics))
        .fallback(page_file)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(bounds.body_bytes))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn_with_state(state.clone(), watch))
        .with_state(state);
    if !cors {
        return router;
    }
    let layer = CorsLayer::new()
        .allow_origin(AnyOrigin)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([header::CONTENT_TYPE, header::IF_NONE_MATCH])
        .expose_headers([header::ETAG, header::RETRY_AFTER]);
    router.layer(layer)
}

/// Serves a file of the page at any path that is not a route.
async fn page_file(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return ([(header::ALLOW, "GET,HEAD")], wrong_method().await).into_response();
    }
    page::file(uri.path(), &headers, page::is_framed(&uri))
}

async fn wrong_method() -> Response {
    let text = Failure::input("this address does not support the method of the request").json(None);
    (StatusCode::METHOD_NOT_ALLOWED, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// Refuses requests that fail the checks, and counts all requests.
async fn watch(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let mut response = match gate::check(&state.service.config, &request) {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let metrics = &state.service.metrics;
    if response.status() == StatusCode::INTERNAL_SERVER_ERROR {
        metrics.panics.fetch_add(1, Ordering::Relaxed);
    }
    metrics.request(response.status().as_u16(), start.elapsed());
    response
}

/// Returns the response after a panic. The panic message was already written to standard error.
fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    Failure::bug("this request").into_response()
}
