//! The rules of Pente: placing stones on points, winning with rows, and capturing stones.

use crate::rules::{Move, MoveResult, Places, Rules, Turn, number, one_of, options, rows};

/// The rules of a game of Pente.
pub struct Pente {
    width: usize,
    height: usize,
    /// `run` is the number of stones in a line that wins. `over` is `true` if longer lines win,
    /// too.
    run: usize,
    over: bool,
    /// The numbers of stones in a flanked row that are captured together.
    captured: &'static [usize],
    /// The number of captured stones that wins.
    win: usize,
    pro: bool,
}

/// A position. Points are numbered in reading order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PenteState {
    stones: [[u64; 6]; 2],
    to_move: u8,
    /// The number of stones that X has captured, and the number that O has captured.
    pub captured: [u16; 2],
}

impl PenteState {
    fn has(&self, seat: usize, point: usize) -> bool {
        self.stones[seat][point / 64] >> (point % 64) & 1 == 1
    }

    fn flip(&mut self, seat: usize, point: usize) {
        self.stones[seat][point / 64] ^= 1 << (point % 64);
    }

    fn is_free(&self, point: usize) -> bool {
        !self.has(0, point) && !self.has(1, point)
    }

    fn on_board(&self, seat: usize) -> usize {
        self.stones[seat].iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the number of plies played so far.
    fn plies(&self) -> usize {
        let captured: u16 = self.captured.iter().sum();
        self.on_board(0) + self.on_board(1) + usize::from(captured)
    }
}

const FILES: &str = "ABCDEFGHJKLMNOPQRST";
const WINS: [Places; 2] = [[1, 2, 0, 0], [2, 1, 0, 0]];
const DRAW: Places = [1, 1, 0, 0];

impl Pente {
    /// Parses rules such as `pente:n=9,opening=free`.
    ///
    /// # Errors
    /// If the text doesn't name valid rules of Pente.
    pub fn read(text: &str) -> Result<Self, String> {
        let (name, list) = options(text)?;
        if name != "pente" {
            return Err(format!("{name}: unknown game"));
        }
        let mut rules =
            Self { width: 19, height: 19, run: 5, over: true, captured: &[2], win: 10, pro: true };
        let within = |key: &str, value: &str, least: usize, most: usize| {
            let known = number(value).filter(|number| (least..=most).contains(number));
            known.ok_or(format!("{key}={value}: expected {least} to {most}"))
        };
        for (key, value) in list {
            match key {
                "opening" => rules.pro = one_of(key, value, &[("pro", true), ("free", false)])?,
                "cap" => {
                    let values: [(&str, &[usize]); 3] = [("2", &[2]), ("2+3", &[2, 3]), ("0", &[])];
                    rules.captured = one_of(key, value, &values)?;
                }
                "win" => rules.win = within(key, value, 1, 400)?,
                "over" => rules.over = one_of(key, value, &[("yes", true), ("no", false)])?,
                "n" => (rules.width, rules.height) = (within(key, value, 1, 19)?, within(key, value, 1, 19)?),
                "w" => rules.width = within(key, value, 1, 19)?,
                "h" => rules.height = within(key, value, 1, 19)?,
                "k" => rules.run = within(key, value, 2, 19)?,
                _ => return Err(format!("{key}: unknown option")),
            }
        }
        let odd = rules.width % 2 == 1 && rules.height % 2 == 1;
        if rules.pro && !(odd && rules.width.max(rules.height) >= 7) {
            return Err("opening=pro needs a board with a centre and a point three away".into());
        }
        Ok(rules)
    }

    fn points(&self) -> usize {
        self.width * self.height
    }

    /// Returns the point that is `steps` steps away from a row and column in a direction, or `None`
    /// if that point is outside of the board.
    fn step(&self, from: (usize, usize), (down, right): (isize, isize), steps: usize) -> Option<usize> {
        let steps = steps as isize;
        let row = from.0.checked_add_signed(down * steps).filter(|&row| row < self.height)?;
        let column = from.1.checked_add_signed(right * steps).filter(|&column| column < self.width)?;
        Some(row * self.width + column)
    }

    fn place(&self, point: usize) -> (usize, usize) {
        (point / self.width, point % self.width)
    }

    /// Returns `true` if a winning line of `seat` passes through this point.
    fn wins(&self, state: &PenteState, seat: usize, point: usize) -> bool {
        let place = self.place(point);
        let count = |(down, right): (isize, isize)| {
            let own = |&steps: &usize| {
                self.step(place, (down, right), steps).is_some_and(|point| state.has(seat, point))
            };
            (1..=19).take_while(own).count()
        };
        [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().any(|(down, right)| {
            let line = 1 + count((down, right)) + count((-down, -right));
            line == self.run || self.over && line > self.run
        })
    }

    /// Returns the directions in which a stone of `seat` on this point captures. Each direction is
    /// paired with the number of captured stones.
    fn captures(
        &self,
        state: &PenteState,
        seat: usize,
        place: (usize, usize),
    ) -> impl Iterator<Item = ((isize, isize), usize)> {
        let directions = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
        directions.into_iter().filter_map(move |direction| {
            let has = |seat: usize, steps: usize| {
                self.step(place, direction, steps).is_some_and(|point| state.has(seat, point))
            };
            if !has(1 - seat, 1) {
                return None;
            }
            let flanked = |&&count: &&usize| has(seat, count + 1) && (2..=count).all(|i| has(1 - seat, i));
            self.captured.iter().find(flanked).map(|&count| (direction, count))
        })
    }

    /// Removes the stones that a stone of `seat` on this point captures.
    fn capture(&self, state: &mut PenteState, seat: usize, point: usize) {
        let place = self.place(point);
        let before = state.clone();
        for (direction, count) in self.captures(&before, seat, place) {
            for taken in (1..=count).filter_map(|steps| self.step(place, direction, steps)) {
                state.flip(1 - seat, taken);
            }
            state.captured[seat] += count as u16;
        }
    }

    /// Returns `true` if the opening rule allows a stone on this point.
    fn opening_allows(&self, state: &PenteState, point: usize) -> bool {
        let (row, column) = self.place(point);
        let away = row.abs_diff(self.height / 2).max(column.abs_diff(self.width / 2));
        match state.plies() {
            0 if self.pro => away == 0,
            2 if self.pro => away >= 3,
            _ => true,
        }
    }

    fn counts(&self, seat: usize, state: &PenteState) -> bool {
        let captured = usize::from(state.captured[seat]);
        match self.captured {
            [] => captured == 0,
            [2] => captured.is_multiple_of(2),
            _ => captured != 1,
        }
    }
}

impl Rules for Pente {
    type State = PenteState;

    fn position(&self, text: &str) -> Result<PenteState, String> {
        let words: Vec<&str> = text.split(' ').collect();
        let (board, side, captured) = match words[..] {
            [board, side] => (board, side, "0-0"),
            [board, side, captured] => {
                (board, side, captured.strip_prefix("cap=").ok_or("expected cap=A-B")?)
            }
            _ => return Err("expected the rows, the side to move and cap=A-B".into()),
        };
        let count = |text| number(text).filter(|&count| count <= 400).map(|count| count as u16);
        let captured = captured.split_once('-').and_then(|(x, o)| Some([count(x)?, count(o)?]));
        let captured = captured.ok_or("expected the captured stones as in cap=2-0")?;
        let to_move = u8::from(one_of("side", side, &[("x", false), ("o", true)])?);
        let mut state = PenteState { stones: [[0; 6]; 2], to_move, captured };
        for (point, seat) in rows(board, self.width, self.height, "XO")?.into_iter().enumerate() {
            if let Some(seat) = seat {
                state.flip(seat, point);
            }
        }
        Ok(state)
    }

    fn possible(&self, state: &PenteState) -> Result<(), String> {
        let plies = state.plies();
        let played = |seat: usize| state.on_board(seat) + usize::from(state.captured[1 - seat]);
        if played(0) != plies.div_ceil(2) || usize::from(state.to_move) != plies % 2 {
            return Err("these numbers of stones can't arise in play, or it is the other side's move".into());
        }
        if !(0..2).all(|seat| self.counts(seat, state)) {
            return Err("so many stones can't be captured".into());
        }
        let line = |seat| (0..self.points()).any(|p| state.has(seat, p) && self.wins(state, seat, p));
        let won = |seat: usize| usize::from(state.captured[seat]) >= self.win || line(seat);
        if won(0) || won(1) || (0..self.points()).all(|point| !state.is_free(point)) {
            return Err("the game is over in this position".into());
        }
        Ok(())
    }

    fn side(&self, text: &str) -> Option<[bool; 4]> {
        match text {
            "x" => Some([true, false, false, false]),
            "o" => Some([false, true, false, false]),
            _ => None,
        }
    }

    fn to_move(&self, state: &PenteState) -> usize {
        usize::from(state.to_move)
    }

    fn moves(&self, state: &PenteState, out: &mut Vec<Move>) {
        let opened = !self.pro || state.plies() > 2;
        for point in (0..self.points()).filter(|&point| state.is_free(point)) {
            if opened || self.opening_allows(state, point) {
                out.push(Move { point: point as u16, turn: Turn::None });
            }
        }
    }

    fn play(&self, state: &PenteState, mv: Move) -> Result<MoveResult<PenteState>, &'static str> {
        let (point, seat) = (usize::from(mv.point), usize::from(state.to_move));
        if mv.turn != Turn::None || point >= self.points() {
            return Err("there is no such move");
        }
        if !state.is_free(point) {
            return Err("there is a stone on this point");
        }
        if self.pro && !self.opening_allows(state, point) {
            return Err("the opening rule forbids it");
        }
        let mut next = state.clone();
        next.flip(seat, point);
        self.capture(&mut next, seat, point);
        if usize::from(next.captured[seat]) >= self.win || self.wins(&next, seat, point) {
            return Ok(MoveResult::Over(WINS[seat]));
        }
        if (0..self.points()).all(|point| !next.is_free(point)) {
            return Ok(MoveResult::Over(DRAW));
        }
        next.to_move = 1 - state.to_move;
        Ok(MoveResult::Goes(next))
    }

    fn won_by(&self, state: &PenteState, mv: Move) -> Option<Places> {
        let (point, seat) = (usize::from(mv.point), usize::from(state.to_move));
        let legal = mv.turn == Turn::None
            && point < self.points()
            && state.is_free(point)
            && (!self.pro || self.opening_allows(state, point));
        if !legal {
            return None;
        }
        let taken = || self.captures(state, seat, self.place(point)).map(|(_, count)| count).sum::<usize>();
        let won = self.wins(state, seat, point) || usize::from(state.captured[seat]) + taken() >= self.win;
        won.then_some(WINS[seat])
    }

    fn read_move(&self, text: &str) -> Option<Move> {
        let file = FILES.find(text.chars().next()?.to_ascii_uppercase())?;
        let up = number(text.get(1..)?)?.checked_sub(1)?;
        if file >= self.width || up >= self.height {
            return None;
        }
        Some(Move { point: ((self.height - 1 - up) * self.width + file) as u16, turn: Turn::None })
    }
}
