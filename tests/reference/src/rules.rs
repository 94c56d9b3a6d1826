//! The options of the rules, on which the national rule sheets differ, and the size of the board.

/// The condition under which the player who has placed a marble may decline to turn a quadrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// Players may never decline.
    Never,
    /// Players may decline if at least one quadrant is empty.
    Empty,
    /// Players may decline if at least one quadrant is empty or has its only marble in the centre
    /// socket. A 2x2 quadrant has no centre socket, so on such boards this variant equals
    /// [`Skip::Empty`].
    Neutral,
}

/// The rules of one game: the board and the options on which the rule sheets differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of sockets per side of the board: 6, or 4 for Mini-Pentago.
    pub n: usize,
    /// The number of sockets per side of a quadrant. The board is two quadrants wide.
    pub bs: usize,
    /// The number of marbles in a line that wins.
    pub k: usize,
    /// `true` if quadrants turn clockwise only (`dir=cw`).
    pub cw_only: bool,
    /// `true` if a turn that gives both players a line wins for the player who turned
    /// (`both=mover`). Otherwise the game is a draw.
    pub both_mover: bool,
    /// `true` if the opponent may answer a turn that gives a line only to the player who turned
    /// (`reply=place`). The opponent places one more marble, and draws if that marble makes a line.
    pub reply_place: bool,
    /// The condition for declining the turn (option `skip`).
    pub skip: Skip,
    /// `true` if a placement that fills the board without a line ends the game as a draw, without a
    /// turn (`last=stop`).
    pub last_stop: bool,
    /// `true` if a line made by a placement counts only if the turn doesn't break the line
    /// (`place=turn`).
    pub place_turn: bool,
}

impl Options {
    /// The default rules of Pentago.
    pub const PENTAGO: Options = Options {
        n: 6,
        bs: 3,
        k: 5,
        cw_only: false,
        both_mover: false,
        reply_place: false,
        skip: Skip::Never,
        last_stop: false,
        place_turn: false,
    };

    /// Returns the named rule sets. The first rule set is the default.
    pub fn presets() -> Vec<(&'static str, Options)> {
        let pentago = Options::PENTAGO;
        vec![
            ("pentago", pentago),
            ("pentago-eu", Options { cw_only: true, ..pentago }),
            ("pentago-fi", Options { both_mover: true, skip: Skip::Empty, ..pentago }),
            ("pentago-cs", Options { reply_place: true, ..pentago }),
            ("pentago-nl", Options { last_stop: true, ..pentago }),
            ("mini", Options { n: 4, bs: 2, k: 4, ..pentago }),
        ]
    }

    /// Parses the name of a preset. A colon and options may follow, which override the options of
    /// the preset. Examples: `pentago`, `pentago:dir=cw,both=mover`, `pentago:n=4,bs=2,k=4`,
    /// `pentago-fi:skip=never`.
    ///
    /// # Errors
    /// If a preset, option or value is unknown, or if an option is repeated. Also if the board is
    /// neither 6x6 with 3x3 quadrants nor 4x4 with 2x2 quadrants, or if a line has fewer than 3
    /// marbles or is longer than the board.
    pub fn parse(text: &str) -> Result<Options, String> {
        let (name, list) = match text.split_once(':') {
            Some((name, list)) => (name, Some(list)),
            None => (text, None),
        };
        let presets = Options::presets();
        let preset = presets.iter().find(|(preset, _)| *preset == name);
        let mut options = preset.ok_or_else(|| format!("unknown game `{name}`"))?.1;

        let mut given: Vec<&str> = Vec::new();
        for item in list.into_iter().flat_map(|list| list.split(',')) {
            let (key, value) =
                item.split_once('=').ok_or_else(|| format!("`{item}` is not of the form option=value"))?;
            if given.contains(&key) {
                return Err(format!("option `{key}` is given twice"));
            }
            given.push(key);
            options.set(key, value)?;
        }
        options.check()?;
        Ok(options)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let unknown = || format!("`{value}` is no value of the option `{key}`");
        let number = || value.parse::<usize>().map_err(|_| unknown());
        match key {
            "n" => self.n = number()?,
            "bs" => self.bs = number()?,
            "k" => self.k = number()?,
            "dir" => self.cw_only = second_of(value, "both", "cw").ok_or_else(unknown)?,
            "both" => self.both_mover = second_of(value, "draw", "mover").ok_or_else(unknown)?,
            "reply" => self.reply_place = second_of(value, "none", "place").ok_or_else(unknown)?,
            "last" => self.last_stop = second_of(value, "turn", "stop").ok_or_else(unknown)?,
            "place" => self.place_turn = second_of(value, "wins", "turn").ok_or_else(unknown)?,
            "skip" => {
                self.skip = match value {
                    "never" => Skip::Never,
                    "empty" => Skip::Empty,
                    "neutral" => Skip::Neutral,
                    _ => return Err(unknown()),
                }
            }
            _ => return Err(format!("unknown option `{key}`")),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        if !matches!((self.n, self.bs), (6, 3) | (4, 2)) {
            return Err(format!("no board of {0}x{0} sockets in {1}x{1} quadrants", self.n, self.bs));
        }
        if self.place_turn && (self.reply_place || self.last_stop) {
            return Err("place=turn goes with neither reply=place nor last=stop".to_string());
        }
        if !(3..=self.n).contains(&self.k) {
            return Err(format!("no line of {} on a board of width {}", self.k, self.n));
        }
        Ok(())
    }
}

/// Returns `false` if `value` is the first word, `true` if `value` is the second word, and `None`
/// for any other word.
fn second_of(value: &str, first: &str, second: &str) -> Option<bool> {
    if value == first {
        Some(false)
    } else if value == second {
        Some(true)
    } else {
        None
    }
}
