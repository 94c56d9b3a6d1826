//! Builds of tables of Pentago XL.

use std::path::Path;

use ::pentago::make::Resources;
use pentago_base::{Control, Stage};
use pentago_xl::tables::{Rates as XlRates, RootBuild};
use pentago_xl::{Moment, Rules};

use crate::build::{failed, pending_root};
use crate::{Build, Built, Estimate, Machine, Order, Rates, Result, Wanted, bad_input};

/// A build of everything below a position.
struct Below {
    build: RootBuild,
}

/// Prepares a build.
pub fn build(rules: Rules, title: &str, order: &Order) -> Result<Box<dyn Build>> {
    let level = order.level(title)?;
    let Wanted::Root(position) = &order.what else {
        return Err(bad_input(
            "tables of Pentago XL hold everything below a position: name one with root:POSITION",
        ));
    };
    let Moment::Move(root) = position.parsed()? else { return Err(pending_root()) };
    let keep = order.keep.map(|marbles| marbles as usize);
    let build = RootBuild::new(rules, root, keep).map_err(|error| bad_input(error.to_string()))?;
    Ok(Box::new(Below { build: level.map_or(build, |level| build.level(level)) }))
}

impl Build for Below {
    fn target(&self) -> String {
        self.build.target().to_string()
    }

    fn estimate(&self, out: Option<&Path>, machine: &Machine, rates: &Rates) -> Result<Option<Estimate>> {
        if out.is_some_and(Path::exists) && self.build.missing(out.expect("it exists"))?.is_empty() {
            return Ok(None);
        }
        let one = self.build.estimate(1, &rates.xl);
        Ok(Some(Estimate::of_tables(self.target(), "boards", one, machine)))
    }

    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built> {
        let estimate = self.build.estimate(1, &XlRates::BUILT_IN);
        control.begin(Stage::new("building", estimate.boards, estimate.times));
        let built = self.build.run(out, resources.memory, resources.kernel, control);
        built.map(Built::from).map_err(failed)
    }
}
