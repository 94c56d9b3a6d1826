//! The rule options: which of the rule sheets is played, and on which board.

/// When the player who has placed a marble may decline to turn a quadrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// Turning is compulsory.
    Never,
    /// While some quadrant holds no marble.
    Empty,
    /// While some quadrant holds no marble, or none but one in its centre socket. A 2x2 quadrant has no
    /// centre socket: there this is the same as [`Skip::Empty`].
    Neutral,
}

/// The rules of one game: the board and the options on which the rule sheets differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Sockets on a side of the board: 6, or 4 for Mini-Pentago.
    pub n: usize,
    /// Sockets on a side of a quadrant; the board is two quadrants wide.
    pub bs: usize,
    /// Marbles in a line that win.
    pub k: usize,
    /// Quadrants turn clockwise only (`dir=cw`).
    pub cw_only: bool,
    /// When a turn gives both players a line, the player who turned wins (`both=mover`); otherwise
    /// it is a draw.
    pub both_mover: bool,
    /// When a turn gives a line to the player who turned alone, the opponent may place one more
    /// marble, and draws if that makes a line (`reply=place`).
    pub reply_place: bool,
    /// When the turn may be declined (`skip`).
    pub skip: Skip,
    /// A placement that fills the board without a line is a draw at once, without a turn
    /// (`last=stop`).
    pub last_stop: bool,
    /// A line made by a placement counts only if it is still there after the turn (`place=turn`).
    pub place_turn: bool,
}

impl Options {
    /// Pentago by its default rules.
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

    /// The named rule sets, the default first.
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

    /// Reads a preset, optionally followed by a colon and options that replace its own: `pentago`,
    /// `pentago:dir=cw,both=mover`, `pentago:n=4,bs=2,k=4`, `pentago-fi:skip=never`.
    ///
    /// # Errors
    /// An unknown preset, option or value; an option given twice; a board that is not 6x6 of 3x3
    /// quadrants or 4x4 of 2x2 quadrants; a line of fewer than 3 marbles or longer than the board.
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

/// Whether `value` is the second of two words; `None` when it is neither.
fn second_of(value: &str, first: &str, second: &str) -> Option<bool> {
    if value == first {
        Some(false)
    } else if value == second {
        Some(true)
    } else {
        None
    }
}
