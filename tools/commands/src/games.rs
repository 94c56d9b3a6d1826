//! The games that the program supports.

use std::sync::OnceLock;

use pentago_games::{KINDS, Kind};

static GAMES: OnceLock<&[&Kind]> = OnceLock::new();

/// Sets the games of the program. Only the first call has an effect.
pub fn set_kinds(kinds: &'static [&'static Kind]) {
    let _ = GAMES.set(kinds);
}

/// Returns the games of the program; by default, all games of `pentago_games`.
pub fn kinds() -> &'static [&'static Kind] {
    GAMES.get_or_init(|| KINDS)
}
