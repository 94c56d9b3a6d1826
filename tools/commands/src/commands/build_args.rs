//! The options that `build` and `plan` share: the target, and the resources to build it with.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use pentago::Codec;
use pentago_games::{Game, Order, Resources, Scope, SolveError};

use crate::exit::bad_input;
use crate::input;
use crate::options::{GameArg, MOST_MARBLES, SolverArgs, game, number};
use crate::output::{bytes, check_folder};

/// The error message for a text that is not a valid target.
const EXPECTED: &str = "expected root:POSITION, slice:MARBLES, section:COUNTS (such as \
                        section:54,45,44,33), game, or rules such as mini or pente:n=4,k=4,opening=free";

/// The target of a build.
#[derive(Debug, Clone)]
pub enum Target {
    /// All positions below the root with this text. `--rules` decides how the text is parsed.
    Root(String),
    /// The whole game of `--rules`, or one slice or section of the game.
    Part(Scope),
    /// The complete game of these rules.
    Rules(Arc<dyn Game>),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        match text.split_once(':') {
            Some(("root", "")) => Err("expected a position after root:, rows from the top".to_owned()),
            Some(("root", position)) => Ok(Target::Root(position.to_owned())),
            Some(("slice", marbles)) => {
                let marbles =
                    marbles.parse().map_err(|_| "expected a number of marbles, as in slice:34".to_owned());
                Ok(Target::Part(Scope::Slice(marbles?)))
            }
            Some(("section", counts)) => Ok(Target::Part(Scope::Section(counts.to_owned()))),
            None if text == "game" => Ok(Target::Part(Scope::Game)),
            // The name of the default rules is no target, because their complete game has the
            // target `game`.
            None if text == pentago::Rules::default().to_string() => Err(EXPECTED.to_owned()),
            named => game(text).map(Target::Rules).map_err(|error| match named {
                Some(_) if !error.starts_with("unknown rules") => error,
                _ => EXPECTED.to_owned(),
            }),
        }
    }
}

/// Parses a range of slices by their numbers of marbles, both ends included.
fn parse_slices(text: &str) -> Result<RangeInclusive<u8>, String> {
    let range = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..=to.parse().ok()?));
    range
        .filter(|range: &RangeInclusive<u8>| !range.is_empty())
        .ok_or_else(|| "expected two numbers of marbles, as in 0..18".to_owned())
}

/// The options that `build` and `plan` share.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// What to build
    ///
    /// root:POSITION   all positions that can follow POSITION
    /// slice:MARBLES   all positions with MARBLES or more marbles; existing slices are kept
    /// section:COUNTS  one section and everything that it depends on; COUNTS are the marbles of X
    ///                 and O in each quadrant, such as 54,45,44,33
    /// game            the complete game of Pentago
    /// mini            the complete Mini-Pentago, also with options, such as mini:dir=cw
    /// pente:OPTIONS   complete Pente on a small board, such as pente:n=4,k=4,opening=free
    ///
    /// With --rules xl or xl:OPTIONS, root:POSITION is a position of Pentago XL.
    #[arg(value_name = "TARGET", verbatim_doc_comment)]
    target: Target,

    #[command(flatten)]
    rules: GameArg,

    /// Largest number of marbles of the slices of a root to keep [default: the slices of positions
    /// with more than 18 empty sockets, which are slow to solve on demand, and at least two slices]
    #[arg(long, value_name = "MARBLES", value_parser = number(0..=u32::from(MOST_MARBLES)))]
    keep: Option<u32>,

    /// Count the values of the last slice without storing them
    #[arg(long)]
    counts_only: bool,

    /// Compression of the tables: quick (fastest to write and read), compact (half to three
    /// quarters of the size; 30 times as slow to write), or zstd:LEVEL with a level from 1 to 19.
    /// With another codec than quick, each slice of a game that the next slice depends on is first
    /// compressed with quick, and then with CODEC once it is finished; the first copy is freed
    /// while the next slice is computed [default: quick; Pentago XL and Pente support zstd only, at
    /// a level of their own]
    #[arg(long, value_name = "CODEC")]
    codec: Option<Codec>,

    /// Slices of a game to keep, from FROM to TO marbles, such as 0..18. Every other slice is
    /// compressed with quick, and deleted block by block while the next slice is built; the last
    /// slice stays in the subfolder passing, because a later build starts from it [default: all
    /// slices]
    #[arg(long, value_name = "FROM..TO", value_parser = parse_slices)]
    keep_slices: Option<RangeInclusive<u8>>,

    /// Folder of tables to start from: the build starts below their slice with the fewest marbles
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Folder for temporary data that doesn't fit in memory [default: the folder of the tables]
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,

    /// Largest size of temporary data, such as 60G [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = pentago_memory::parse_size)]
    scratch_limit: Option<u64>,

    #[command(flatten)]
    pub solver: SolverArgs,
}

impl BuildArgs {
    /// Returns the game and the order of the build.
    ///
    /// # Errors
    /// If the position of a root can't be parsed, the target contradicts `--rules`, or `--from`
    /// names an address or a file.
    pub fn order(&self) -> anyhow::Result<(&dyn Game, Order)> {
        let named = &self.rules.rules;
        let (game, scope) = match &self.target {
            Target::Root(text) => (named, Scope::Root(input::position(&**named, text)?)),
            Target::Part(scope) => (named, scope.clone()),
            Target::Rules(game) if named.rules() != pentago::Rules::default().to_string() => {
                let rules = game.rules();
                return Err(bad_input(format!("{rules} names the rules itself: leave out --rules")));
            }
            Target::Rules(game) => (game, Scope::Game),
        };
        self.from.as_deref().map(check_folder).transpose()?;
        let order = Order {
            scope,
            keep: self.keep,
            counts_only: self.counts_only,
            codec: self.codec,
            keep_slices: self.keep_slices.clone(),
            from: self.from.clone(),
            scratch: self.scratch.is_some() || self.scratch_limit.is_some(),
        };
        Ok((&**game, order))
    }

    /// Returns the resources of the build. The default folder for temporary data is `out`.
    pub fn resources(&self, out: PathBuf) -> Resources {
        self.solver.resources(self.scratch.clone().unwrap_or(out), self.scratch_limit.unwrap_or(u64::MAX))
    }
}

/// Converts the error of a build. Adds advice if memory does not suffice.
pub fn explained(error: pentago::Error) -> anyhow::Error {
    let Some(SolveError::Memory { need, limit }) = error.downcast_ref() else { return error.into() };
    let text = format!(
        "at least {} of memory is needed, but the limit is {}:\n  \
         raise --memory, use fewer --threads, or choose a later position or slice, or a smaller board",
        bytes(*need),
        bytes(*limit)
    );
    pentago::Error::new(error.kind(), text).into()
}
