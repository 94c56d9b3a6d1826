//! Builds of Pente's tables.

use std::path::Path;

use ::pentago::make::Resources;
use pentago_base::{Control, Stage};
use pentago_pente::Rules;
use pentago_pente::tables::GameBuild;
use pentago_store::BuildError;

use crate::build::failed;
use crate::{Build, Built, Estimate, Machine, Order, Rates, Result, Wanted, bad_input};

/// A build of a complete game.
struct WholeGame {
    build: GameBuild,
}

/// Prepares a build.
pub fn build(rules: Rules, title: &str, order: &Order) -> Result<Box<dyn Build>> {
    let level = order.level(title)?;
    if !matches!(order.what, Wanted::Game | Wanted::Slice(0)) {
        return Err(bad_input(
            "tables of Pente hold complete games on small boards: build pente:n=4,k=4,opening=free, say",
        ));
    }
    if order.keep.is_some() {
        return Err(bad_input("--keep applies to a root only: of a game, everything is kept"));
    }
    let build = GameBuild::new(rules).map_err(|error| match error {
        BuildError::TooLarge(error) => {
            // Without symmetries: each point is free, X or O.
            let positions = 3f64.powi(rules.points() as i32);
            bad_input(format!(
                "{error}: for each pair of numbers of captured stones there would be up to {positions:.0e} positions"
            ))
        }
        other => failed(other),
    })?;
    Ok(Box::new(WholeGame { build: level.map_or(build, |level| build.level(level)) }))
}

impl Build for WholeGame {
    fn target(&self) -> String {
        self.build.rules().to_string()
    }

    fn estimate(&self, out: Option<&Path>, machine: &Machine, rates: &Rates) -> Result<Option<Estimate>> {
        if out.is_some_and(Path::exists) && self.build.missing(out.expect("it exists"))?.is_empty() {
            return Ok(None);
        }
        let one = self.build.estimate(1, &rates.pente);
        Ok(Some(Estimate::of_tables(self.target(), "positions", one, machine)))
    }

    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built> {
        control.begin(Stage::new("building", self.build.positions(), 1));
        self.build.run(out, resources.memory, control).map(Built::from).map_err(failed)
    }
}
