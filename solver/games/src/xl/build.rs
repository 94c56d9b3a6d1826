//! Builds of tables of Pentago XL.

use std::path::Path;

use ::pentago::make::Resources;
use ::pentago::{BuildEstimate, Built};
use pentago_base::{Control, Stage};
use pentago_xl::tables::{Rates as XlRates, RootBuild};
use pentago_xl::{Moment, Rules};

use crate::build::{failed, of_tables, pending_root};
use crate::error::{Result, bad_input};
use crate::{Build, Order, Rates, Scope};

/// Prepares a build of the tables of all positions that can follow a root position.
///
/// # Errors
/// If the order names no position, or an option doesn't apply.
pub fn build(rules: Rules, title: &str, order: &Order) -> Result<Box<dyn Build>> {
    let level = order.level(title)?;
    let Scope::Root(position) = &order.scope else {
        return Err(bad_input(
            "tables of Pentago XL hold everything below a position: name one with root:POSITION",
        ));
    };
    let Moment::Move(root) = position.parsed()? else { return Err(pending_root()) };
    let keep = order.keep.map(|marbles| marbles as usize);
    let build = RootBuild::new(rules, root, keep).map_err(|error| bad_input(error.to_string()))?;
    Ok(Box::new(level.map_or(build, |level| build.level(level))))
}

impl Build for RootBuild {
    fn target(&self) -> String {
        self.target.to_string()
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
        let tables = self.estimate(&rates.xl);
        Ok(Some(of_tables(self.target.to_string(), "boards", tables, resources)))
    }

    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built> {
        let estimate = self.estimate(&XlRates::BUILT_IN);
        control.begin(Stage::new("building", estimate.boards, estimate.times));
        let built = self.run(out, resources.memory, resources.kernel, control);
        built.map(Built::from).map_err(failed)
    }
}
