//! The rules of Pentago, Mini-Pentago and Pentago XL: games with marbles on blocks that turn.
//!
//! Sockets are numbered block by block, and row by row within a block, so a turn of a block
//! permutes `side * side` adjacent bits. The marbles of a seat are a set of sockets.

mod lemmas;

use crate::rules::{Move, MoveResult, Places, Rules, Turn, number, one_of, options, rows};

/// The rules of a game that is played on blocks.
#[derive(Default)]
pub struct Blocks {
    /// `size` is the number of sockets along a side of the board. `side` is the number of sockets
    /// along a side of a block.
    size: usize,
    side: usize,
    /// The number of blocks along a side of the board.
    per_side: usize,
    seats: usize,
    xl: bool,
    /// The options of Pentago. `clockwise_only`: blocks turn only clockwise. `mover_wins`: the
    /// player who turned wins if both players have a line. `answer`: the opponent can answer a line
    /// made by a turn. `stop`: no turn follows the placement that fills the board.
    clockwise_only: bool,
    mover_wins: bool,
    answer: bool,
    stop: bool,
    /// `true` if, in Pentago, a line counts only after the turn.
    after_turn: bool,
    skip: Skip,
    /// The options of XL. `teams`: two teams play. `go_on`: play continues for the remaining
    /// places. `supply`: the number of marbles of each seat.
    teams: bool,
    go_on: bool,
    supply: u32,
    /// Sets of lines: `lines` has all lines, `through` has the lines through each socket, and
    /// `across` has the lines that cross each block. A line is a set of sockets.
    lines: Vec<u128>,
    through: Vec<Vec<u128>>,
    across: Vec<Vec<u128>>,
    /// The index of the socket at each place of the board, with the places in reading order.
    reading: Vec<usize>,
    /// The image of each pattern of a block: first under a clockwise turn, then under a
    /// counter-clockwise turn.
    images: [Vec<u16>; 2],
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Skip {
    #[default]
    Never,
    Empty,
    Neutral,
}

/// A position in which the seat to move must place a marble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockState {
    marbles: [u128; 4],
    to_move: u8,
    /// The places of the seats that have left the game, which happens only in XL with
    /// `continue=yes`.
    places: Places,
}

impl Blocks {
    /// Parses rules such as `pentago:dir=cw`, `mini` or `xl:seats=4,mode=2v2`.
    ///
    /// # Errors
    /// If the text doesn't name valid rules of a game on blocks.
    pub fn read(text: &str) -> Result<Self, String> {
        let (name, list) = options(text)?;
        let mut rules = Self { seats: 2, ..Self::default() };
        let (mut size, mut side, mut run) = (6, 3, 5);
        match name {
            "pentago" => {}
            "pentago-eu" => rules.clockwise_only = true,
            "pentago-fi" => (rules.mover_wins, rules.skip) = (true, Skip::Empty),
            "pentago-cs" => rules.answer = true,
            "pentago-nl" => rules.stop = true,
            "mini" => (size, side, run) = (4, 2, 4),
            "xl" => (rules.xl, size) = (true, 9),
            _ => return Err(format!("{name}: unknown game")),
        }
        let mut supply = None;
        for (key, value) in list {
            let flag = |no, yes| one_of(key, value, &[(no, false), (yes, true)]);
            match (rules.xl, key) {
                (false, "dir") => rules.clockwise_only = flag("both", "cw")?,
                (false, "both") => rules.mover_wins = flag("draw", "mover")?,
                (false, "reply") => rules.answer = flag("none", "place")?,
                (false, "last") => rules.stop = flag("turn", "stop")?,
                (false, "place") => rules.after_turn = flag("wins", "turn")?,
                (false, "skip") => {
                    let values = [("never", Skip::Never), ("empty", Skip::Empty), ("neutral", Skip::Neutral)];
                    rules.skip = one_of(key, value, &values)?;
                }
                (false, "n") => size = one_of(key, value, &[("4", 4), ("6", 6)])?,
                (false, "bs") => side = one_of(key, value, &[("2", 2), ("3", 3)])?,
                (false, "k") => run = one_of(key, value, &[("3", 3), ("4", 4), ("5", 5)])?,
                (true, "seats") => rules.seats = one_of(key, value, &[("2", 2), ("3", 3), ("4", 4)])?,
                (true, "mode") => rules.teams = flag("ffa", "2v2")?,
                (true, "continue") => rules.go_on = flag("no", "yes")?,
                (true, "supply") => {
                    let marbles = number(value).filter(|marbles| (1..=81).contains(marbles));
                    supply = Some(marbles.ok_or(format!("supply={value}: expected 1 to 81"))?);
                }
                _ => return Err(format!("{key}: unknown option")),
            }
        }
        if !matches!((size, side, run), (6, 3, 5) | (9, 3, 5) | (4, 2, 3 | 4)) {
            return Err(format!("n={size}, bs={side}, k={run}: there is no such board"));
        }
        if rules.after_turn && (rules.answer || rules.stop) {
            return Err("place=turn goes with neither reply=place nor last=stop".into());
        }
        if rules.teams && (rules.seats != 4 || rules.go_on) {
            return Err("mode=2v2 needs seats=4 and continue=no".into());
        }
        let supply = supply.unwrap_or(if rules.seats == 2 { 40 } else { 20 }) as u32;
        rules.supply = if rules.xl { supply } else { u32::MAX };
        rules.build(size, side, run);
        Ok(rules)
    }

    fn socket(&self, row: usize, column: usize) -> usize {
        let block = row / self.side * self.per_side + column / self.side;
        block * self.side * self.side + row % self.side * self.side + column % self.side
    }

    /// Computes the lines and the turns for a board with `size` sockets per side, blocks with
    /// `side` sockets per side, and lines of `run` sockets.
    fn build(&mut self, size: usize, side: usize, run: usize) {
        (self.size, self.side, self.per_side) = (size, side, size / side);
        let places = || (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
        self.reading = places().map(|(row, column)| self.socket(row, column)).collect();
        let mut lines = Vec::new();
        for (row, column) in places() {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let end = |step: usize| {
                    let row = (row + down * step < size).then_some(row + down * step)?;
                    let column = column.checked_add_signed(right * step as isize).filter(|&c| c < size)?;
                    Some(1_u128 << self.socket(row, column))
                };
                lines.extend((0..run).map(end).sum::<Option<u128>>());
            }
        }
        let with = |set: u128| lines.iter().copied().filter(|line| line & set != 0).collect();
        self.through = (0..size * size).map(|socket| with(1 << socket)).collect();
        self.across = (0..self.per_side * self.per_side).map(|block| with(self.block(block))).collect();
        self.lines = lines;
        let turn = |pattern: u16, clockwise: bool| {
            let mut image = 0;
            for cell in (0..side * side).filter(|cell| pattern >> cell & 1 == 1) {
                let (row, column) = (cell / side, cell % side);
                let (row, column) =
                    if clockwise { (column, side - 1 - row) } else { (side - 1 - column, row) };
                image |= 1 << (row * side + column);
            }
            image
        };
        self.images =
            [true, false].map(|clockwise| (0..1 << (side * side)).map(|p| turn(p, clockwise)).collect());
    }

    /// Returns the set of the sockets of a block.
    fn block(&self, block: usize) -> u128 {
        let cells = self.side * self.side;
        ((1 << cells) - 1) << (block * cells)
    }

    fn turn(&self, set: u128, block: usize, clockwise: bool) -> u128 {
        let shift = block * self.side * self.side;
        let pattern = (set & self.block(block)) >> shift;
        set & !self.block(block) | u128::from(self.images[usize::from(!clockwise)][pattern as usize]) << shift
    }

    fn free(&self, state: &BlockState) -> u128 {
        let board = (1_u128 << (self.size * self.size)) - 1;
        state.marbles.iter().fold(board, |free, marbles| free & !marbles)
    }

    fn has(lines: &[u128], marbles: u128) -> bool {
        lines.iter().any(|line| line & !marbles == 0)
    }

    fn active(&self, state: &BlockState, seat: usize) -> bool {
        seat < self.seats && state.places[seat] == 0
    }

    fn may_turn(&self, block: usize, clockwise: bool) -> bool {
        block < self.per_side * self.per_side
            && !(self.xl && block == 4)
            && (clockwise || !self.clockwise_only)
    }

    fn may_decline(&self, state: &BlockState) -> bool {
        let cells = self.side * self.side;
        let centre = if cells == 9 { 1 << 4 } else { 0 };
        let ignored = match self.skip {
            Skip::Never => return false,
            Skip::Empty => 0,
            Skip::Neutral => (0..4).map(|block| centre << (block * cells)).sum(),
        };
        let marbles = (state.marbles[0] | state.marbles[1]) & !ignored;
        (0..4).any(|block| marbles & self.block(block) == 0)
    }

    /// Returns `true` if the placement ends the move without a turn. This happens if the placement
    /// completes a line of the mover, or if it fills the board under `last=stop`.
    fn ends(&self, state: &BlockState, socket: usize) -> bool {
        let own = state.marbles[usize::from(state.to_move)] | 1 << socket;
        !self.after_turn && Self::has(&self.through[socket], own)
            || self.stop && self.free(state) == 1 << socket
    }

    /// Returns the position after the placement, with the same seat to move.
    fn placed(state: &BlockState, socket: usize) -> BlockState {
        let mut next = *state;
        next.marbles[usize::from(state.to_move)] |= 1 << socket;
        next
    }

    /// Returns the result of a move after which the seats in the bit set `set`, and no others, have
    /// lines.
    fn won(&self, mut state: BlockState, set: u8) -> MoveResult<BlockState> {
        let has = |seat: usize| set >> seat & 1 == 1;
        if self.teams {
            let places = match (has(0) || has(2), has(1) || has(3)) {
                (true, false) => [1, 2, 1, 2],
                (false, true) => [2, 1, 2, 1],
                _ => [1; 4],
            };
            return MoveResult::Over(places);
        }
        let taken = state.places.iter().filter(|&&place| place > 0).count() as u8;
        for seat in 0..self.seats {
            if has(seat) {
                state.places[seat] = taken + 1;
            }
        }
        let next = taken + set.count_ones() as u8 + 1;
        let left = (0..self.seats).filter(|&seat| state.places[seat] == 0).count();
        if !self.go_on || left <= 1 {
            return MoveResult::Over(self.rest(state.places, next));
        }
        self.pass_on(state)
    }

    /// Assigns the same place to all seats that have no place yet.
    fn rest(&self, mut places: Places, place: u8) -> Places {
        places[..self.seats].iter_mut().filter(|p| **p == 0).for_each(|p| *p = place);
        places
    }

    /// Passes the move to the next seat. The game is over if the board is full or that seat has no
    /// marble left.
    fn pass_on(&self, mut state: BlockState) -> MoveResult<BlockState> {
        let mut seat = usize::from(state.to_move);
        loop {
            seat = (seat + 1) % self.seats;
            if self.active(&state, seat) {
                break;
            }
        }
        state.to_move = seat as u8;
        if self.free(&state) == 0 || state.marbles[seat].count_ones() >= self.supply {
            let taken = state.places.iter().filter(|&&place| place > 0).count() as u8;
            return MoveResult::Over(self.rest(state.places, taken + 1));
        }
        MoveResult::Goes(state)
    }

    /// Returns the result of turning `block`, or of declining to turn if `block` is `None`.
    fn turned(&self, state: BlockState, block: Option<usize>) -> MoveResult<BlockState> {
        // Check only lines across the turned block: a line elsewhere would have ended the game
        // before the turn.
        let lines = match block {
            _ if self.after_turn => &self.lines[..],
            Some(block) => &self.across[block],
            None => &[],
        };
        let mover = usize::from(state.to_move);
        let mut set = 0_u8;
        for seat in 0..self.seats {
            if self.active(&state, seat) && Self::has(lines, state.marbles[seat]) {
                set |= 1 << seat;
            }
        }
        if set == 0 {
            return self.pass_on(state);
        }
        if !self.xl {
            let (own, other) = (1 << mover, 1 << (1 - mover));
            if set == own && self.answer {
                let free = self.free(&state);
                let open = |line: &u128| (line & !state.marbles[1 - mover]).count_ones() == 1;
                if self.lines.iter().any(|line| open(line) && line & free != 0) {
                    return MoveResult::Over([1, 1, 0, 0]);
                }
            }
            if set == own | other && self.mover_wins {
                set = own;
            }
        }
        self.won(state, set)
    }
}

impl Rules for Blocks {
    type State = BlockState;

    fn position(&self, text: &str) -> Result<BlockState, String> {
        let words: Vec<&str> = text.split(' ').collect();
        let (board, side, placed) = match words[..] {
            [board, side] => (board, side, None),
            [board, side, placed] if self.go_on => (board, side, Some(placed)),
            _ => return Err("expected the rows and the side to move".into()),
        };
        let (letters, sides) = if self.xl { ("ABCDXO", "abcd") } else { ("XO", "xo") };
        let mut state = BlockState { marbles: [0; 4], to_move: 0, places: [0; 4] };
        for (place, letter) in rows(board, self.size, self.size, letters)?.into_iter().enumerate() {
            let Some(letter) = letter else { continue };
            let seat = if letter >= 4 && self.seats == 2 { letter - 4 } else { letter };
            if seat >= self.seats {
                return Err("a marble of a seat that doesn't play".into());
            }
            state.marbles[seat] |= 1 << self.reading[place];
        }
        let mut letter = side.chars();
        let seat = letter.next().and_then(|letter| sides.find(letter)).filter(|_| letter.next().is_none());
        let seat = seat.filter(|&seat| seat < self.seats).ok_or(format!("{side}: not a side to move"))?;
        state.to_move = seat as u8;
        let mut taken = 0;
        for group in placed.into_iter().flat_map(|placed| placed.split(',')) {
            let place = taken + 1;
            for seat in group.split('=') {
                let seat = ["A", "B", "C", "D"].iter().position(|&name| name == seat);
                let seat =
                    seat.filter(|&seat| self.active(&state, seat)).ok_or("not a list of placed seats")?;
                state.places[seat] = place;
                taken += 1;
            }
        }
        if self.active(&state, seat) { Ok(state) } else { Err("the side to move has left the game".into()) }
    }

    fn possible(&self, state: &BlockState) -> Result<(), String> {
        if self.go_on {
            return Err("a win of the first place doesn't depend on continue=yes: use continue=no".into());
        }
        let marbles: u32 = state.marbles.iter().map(|marbles| marbles.count_ones()).sum();
        let seats = self.seats as u32;
        for seat in 0..seats {
            let expected = (marbles + seats - 1 - seat) / seats;
            if state.marbles[seat as usize].count_ones() != expected {
                return Err("these numbers of marbles can't arise in play".into());
            }
            if expected > self.supply {
                return Err("a seat has more marbles on the board than its supply".into());
            }
        }
        if marbles % seats != u32::from(state.to_move) {
            return Err("with so many marbles it is another seat's move".into());
        }
        let out = state.marbles[usize::from(state.to_move)].count_ones() >= self.supply;
        if out || self.free(state) == 0 || state.marbles.iter().any(|&set| Self::has(&self.lines, set)) {
            return Err("the game is over in this position".into());
        }
        Ok(())
    }

    fn side(&self, text: &str) -> Option<[bool; 4]> {
        let all = [("a", 0b0001), ("b", 0b0010), ("c", 0b0100), ("d", 0b1000)];
        let (_, seats) = match text {
            "x" if !self.xl => all[0],
            "o" if !self.xl => all[1],
            "ac" if self.teams => ("", 0b0101),
            "bd" if self.teams => ("", 0b1010),
            _ if self.xl && !self.teams => *all[..self.seats].iter().find(|(name, _)| *name == text)?,
            _ => return None,
        };
        Some([0, 1, 2, 3].map(|seat| seats >> seat & 1 == 1))
    }

    fn to_move(&self, state: &BlockState) -> usize {
        usize::from(state.to_move)
    }

    fn moves(&self, state: &BlockState, out: &mut Vec<Move>) {
        let free = self.free(state);
        for (point, &socket) in self.reading.iter().enumerate() {
            if free >> socket & 1 == 0 {
                continue;
            }
            let mut add = |turn| out.push(Move { point: point as u16, turn });
            if self.ends(state, socket) {
                add(Turn::None);
                continue;
            }
            if self.may_decline(&Self::placed(state, socket)) {
                add(Turn::Declined);
            }
            for block in 0..self.per_side * self.per_side {
                for clockwise in [true, false] {
                    if self.may_turn(block, clockwise) {
                        add(Turn::Block(block as u8, clockwise));
                    }
                }
            }
        }
    }

    fn play(&self, state: &BlockState, mv: Move) -> Result<MoveResult<BlockState>, &'static str> {
        let socket = *self.reading.get(usize::from(mv.point)).ok_or("there is no such socket")?;
        if self.free(state) >> socket & 1 == 0 {
            return Err("the socket is taken");
        }
        let mut next = Self::placed(state, socket);
        match (self.ends(state, socket), mv.turn) {
            (true, Turn::None) => {
                let mover = usize::from(state.to_move);
                let won = Self::has(&self.through[socket], next.marbles[mover]);
                Ok(self.won(next, u8::from(won) << mover))
            }
            (true, _) => Err("the placement ends the game: no turn follows"),
            (false, Turn::None) => Err("a turn is missing"),
            (false, Turn::Declined) if self.may_decline(&next) => Ok(self.turned(next, None)),
            (false, Turn::Block(block, clockwise)) if self.may_turn(usize::from(block), clockwise) => {
                let block = usize::from(block);
                for set in &mut next.marbles[..self.seats] {
                    *set = self.turn(*set, block, clockwise);
                }
                Ok(self.turned(next, Some(block)))
            }
            _ => Err("this turn is not allowed"),
        }
    }

    fn read_move(&self, text: &str) -> Option<Move> {
        let (place, turn) = match text.split_once('/') {
            Some((place, turn)) => (place, Some(turn)),
            None => (text, None),
        };
        let &[file, rank] = place.as_bytes() else { return None };
        let column = usize::from(file.checked_sub(b'a')?);
        let up = usize::from(rank.checked_sub(b'1')?);
        if column >= self.size || up >= self.size {
            return None;
        }
        let turn = match turn.map(str::as_bytes) {
            None => Turn::None,
            Some(b"0") => Turn::Declined,
            Some(&[block @ b'1'..=b'9', sign @ (b'+' | b'-')]) => Turn::Block(block - b'1', sign == b'+'),
            Some(_) => return None,
        };
        Some(Move { point: ((self.size - 1 - up) * self.size + column) as u16, turn })
    }
}
