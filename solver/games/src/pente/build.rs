//! Builds of Pente's tables.

use std::path::Path;

use ::pentago::make::Resources;
use ::pentago::{BuildEstimate, Built};
use pentago_base::{Control, Stage};
use pentago_pente::Rules;
use pentago_pente::tables::GameBuild;

use crate::build::{failed, of_tables};
use crate::error::{Result, bad_input};
use crate::{Build, Order, Rates, Scope};

/// Prepares a build of a complete game.
///
/// # Errors
/// If the board is too large for tables, or an option doesn't apply.
pub fn build(rules: Rules, title: &str, order: &Order) -> Result<Box<dyn Build>> {
    let level = order.level(title)?;
    if !matches!(order.scope, Scope::Game | Scope::Slice(0)) {
        return Err(bad_input(
            "tables of Pente hold complete games on small boards: build pente:n=4,k=4,opening=free, say",
        ));
    }
    if order.keep.is_some() {
        return Err(bad_input("--keep applies to a root only: of a game, everything is kept"));
    }
    let build = GameBuild::new(rules).map_err(|error| {
        // An upper bound that ignores symmetries: each point is free, X or O.
        let positions = 3f64.powi(rules.points() as i32);
        bad_input(format!(
            "{error}: for each pair of numbers of captured stones there would be up to {positions:.0e} positions"
        ))
    })?;
    Ok(Box::new(level.map_or(build, |level| build.level(level))))
}

impl Build for GameBuild {
    fn target(&self) -> String {
        self.rules.to_string()
    }

    fn estimate(
        &self,
        out: Option<&Path>,
        resources: &Resources,
        rates: &Rates,
    ) -> Result<Option<BuildEstimate>> {
        if let Some(out) = out.filter(|out| out.exists())
            && self.missing(out)?.is_empty()
        {
            return Ok(None);
        }
        let tables = self.estimate(&rates.pente);
        Ok(Some(of_tables(self.rules.to_string(), "positions", tables, resources)))
    }

    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built> {
        control.begin(Stage::new("building", self.positions(), 1));
        self.run(out, resources.memory, control).map(Built::from).map_err(failed)
    }
}
