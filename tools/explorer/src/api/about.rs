//! Routes about the server: rules, tables, health check, metrics, and the description of the API.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use pentago_base::lock;
use pentago_games::{Sheet, TargetTables, read_rules_of};
use serde_json::{Value, json};

use super::common::{self, AppState};
use crate::failure::Failure;
use crate::service::on_thread;

/// The `Cache-Control` header of responses that change with the version or the settings of the
/// server: ten minutes.
const TEN_MINUTES: &str = "public, max-age=600";

/// Lists the rules that the server answers for, with their boards.
pub(super) async fn rules(State(state): State<AppState>) -> Response {
    let config = &state.service.config;
    let mut sheets = Sheet::presets(config.kinds);
    if !config.rules.is_empty() {
        sheets.retain(|sheet| config.rules.contains(&sheet.name));
        for name in &config.rules {
            if sheets.iter().any(|sheet| sheet.name == *name) {
                continue;
            }
            // Rules with options are not a preset, so their name is their canonical form.
            if let Ok(game) = read_rules_of(config.kinds, name) {
                let sheet = Sheet::of(&*game);
                let title = if sheet.title.is_empty() { name.clone() } else { sheet.title };
                sheets.push(Sheet { name: name.clone(), title, ..sheet });
            }
        }
    }
    common::json(&json!({ "presets": sheets }), TEN_MINUTES)
}

/// Returns the tables of one target as JSON.
///
/// # Errors
/// If a table is damaged or cannot be read.
fn target_json(set: &dyn TargetTables) -> Result<Value, Failure> {
    let mut slices = Vec::new();
    let mut bytes = 0;
    for table in set.list()? {
        bytes += table.bytes;
        let mut slice = json!({
            "marbles": table.marbles, "captures": table.captures, "sections": table.sections,
            "bytes": table.bytes, "wins": table.wins, "draws": table.draws, "losses": table.losses,
        });
        // A table has either a number of marbles or the numbers of captured stones, so remove the
        // missing field.
        slice.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        slices.push(slice);
    }
    Ok(json!({
        "target": set.target(),
        "rules": set.rules(),
        "source": set.source(),
        "bytes": bytes,
        "slices": slices,
    }))
}

/// Lists the tables. For each table, reports the numbers of wins, draws and losses.
pub(super) async fn tables(State(state): State<AppState>) -> Result<Response, Failure> {
    // The first request reads the counts of XL tables, possibly over HTTP, so the list is made on a
    // thread of its own. Only one thread at a time lists tables.
    let turn = state.listing.lock_owned().await;
    let tables = Arc::clone(&state.service.config.tables);
    let targets = on_thread("listing the tables", move || {
        let _turn = turn;
        tables.all_targets().map(target_json).collect::<Result<Vec<Value>, Failure>>()
    });
    Ok(common::json(&json!({ "targets": targets.await? }), TEN_MINUTES))
}

/// Reports that the server runs.
pub(super) async fn health() -> Response {
    ([(header::CONTENT_TYPE, "text/plain"), (header::CACHE_CONTROL, "no-store")], "ok\n").into_response()
}

/// Returns the metrics for Prometheus.
pub(super) async fn metrics(State(state): State<AppState>) -> Response {
    let service = &state.service;
    let text = service.metrics.text(&[
        ("connections", "Open connections.", state.connections.count() as u64),
        ("solving", "Running large solutions.", service.large.running() as u64),
        ("queue", "Waiting large solutions.", service.large.waiting() as u64),
        ("under_way", "Answers that are being computed.", lock(&service.pending).len() as u64),
        ("cache_bytes", "Size of the cached answers in bytes.", service.cache.weight()),
    ]);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

/// Returns the description of the API.
pub(super) async fn openapi() -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, TEN_MINUTES)];
    (headers, include_str!("../../openapi.json")).into_response()
}
