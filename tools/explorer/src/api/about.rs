//! What the server has and does: rules, tables, health, counts, the description of the API.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use pentago_games::{Set, Sheet, TableInfo, read_rules_of};
use serde::Serialize;

use super::{Shared, json};
use crate::failure::Failure;
use crate::metrics::Gauges;

/// How long a browser may keep what only a new version of the program changes: ten minutes.
const FOR_A_WHILE: &str = "public, max-age=600";

/// The rules that are answered for.
#[derive(Serialize)]
struct RulesReport {
    presets: Vec<Sheet>,
}

/// The rules that are answered for, with their boards.
pub(crate) async fn rules(State(shared): State<Shared>) -> Response {
    let config = &shared.service.config;
    let mut sheets = Sheet::presets(config.kinds);
    if !config.rules.is_empty() {
        sheets.retain(|sheet| config.rules.contains(&sheet.name));
        let more = config.rules.iter().filter(|name| !sheets.iter().any(|sheet| sheet.name == **name));
        let more = more.filter_map(|name| {
            let sheet = Sheet::of(&*read_rules_of(config.kinds, name).ok()?);
            let title = if sheet.title.is_empty() { name.clone() } else { sheet.title };
            Some(Sheet { name: name.clone(), title, ..sheet })
        });
        let more: Vec<Sheet> = more.collect();
        sheets.extend(more);
    }
    json(&RulesReport { presets: sheets }, FOR_A_WHILE)
}

/// The tables at hand.
#[derive(Serialize)]
struct TablesReport {
    targets: Vec<TargetReport>,
}

/// The tables of one target.
#[derive(Serialize)]
struct TargetReport {
    target: String,
    rules: String,
    /// What their values have as `source`.
    source: &'static str,
    bytes: u64,
    slices: Vec<SliceReport>,
}

/// A table.
#[derive(Serialize)]
struct SliceReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    marbles: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    captures: Option<BTreeMap<&'static str, u16>>,
    sections: u32,
    bytes: u64,
    wins: u64,
    draws: u64,
    losses: u64,
}

impl TargetReport {
    fn new(set: &dyn Set) -> Result<TargetReport, Failure> {
        let slice = |table: TableInfo| {
            let TableInfo { marbles, captures, sections, bytes, wins, draws, losses, .. } = table;
            SliceReport { marbles, captures, sections, bytes, wins, draws, losses }
        };
        let slices: Vec<SliceReport> =
            set.list().map_err(|error| Failure::of(&error))?.into_iter().map(slice).collect();
        Ok(TargetReport {
            target: set.target(),
            rules: set.rules(),
            source: set.source(),
            bytes: slices.iter().map(|slice| slice.bytes).sum(),
            slices,
        })
    }
}

/// The tables at hand, with the wins, draws and losses of each.
pub(crate) async fn tables(State(shared): State<Shared>) -> Result<Response, Failure> {
    // A table's counts are read at the first request, possibly over HTTP: never on an async worker, and
    // never on more than one thread, since solutions run on threads of the same pool.
    let turn = Arc::clone(&shared.listing).lock_owned().await;
    let tables = Arc::clone(&shared.service.config.tables);
    let reports = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        tables.all_sets().map(TargetReport::new).collect::<Result<Vec<_>, _>>()
    });
    let targets = reports.await.map_err(|_| Failure::bug("listing the tables"))??;
    Ok(json(&TablesReport { targets }, FOR_A_WHILE))
}

/// That the server answers.
pub(crate) async fn health() -> Response {
    ([(header::CONTENT_TYPE, "text/plain"), (header::CACHE_CONTROL, "no-store")], "ok\n").into_response()
}

/// Counts for Prometheus.
pub(crate) async fn metrics(State(shared): State<Shared>) -> Response {
    let service = &shared.service;
    let gauges = Gauges {
        connections: shared.connections.count() as u64,
        running: service.large.running() as u64,
        waiting: service.large.waiting() as u64,
        under_way: service.under_way() as u64,
        cache_bytes: service.cache_bytes(),
    };
    let text = service.metrics.text(&gauges);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

/// The description of the API.
pub(crate) async fn openapi() -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, FOR_A_WHILE)];
    (headers, include_str!("../../openapi.json")).into_response()
}
