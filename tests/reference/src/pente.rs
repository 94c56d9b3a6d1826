//! A slow reference for Pente. The reference uses a plain grid, finds rows by walking along them,
//! captures stone by stone, and finds values by trying every move.
//!
//! This module uses neither the reference for Pentago nor code of the fast program.

use std::collections::HashMap;

/// A point of the grid: 0 is empty, 1 is a stone of the first player, 2 is a stone of the second
/// player.
pub type Cell = u8;

/// The rules of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The number of columns of the board.
    pub width: i32,
    /// The number of rows of the board.
    pub height: i32,
    /// The number of stones in a row that wins.
    pub k: i32,
    /// `true` if the pro opening restricts the first player's first two stones.
    pub pro: bool,
    /// The numbers of stones in a flanked row that are captured together.
    pub captured_lengths: Vec<i32>,
    /// The number of captured stones that wins.
    pub win: i32,
    /// `true` if a row longer than `k` wins, too.
    pub over: bool,
}

/// A position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The content of the points, row by row from the top.
    pub grid: Vec<Cell>,
    /// The number of stones that the first player has captured, and the number that the second
    /// player has captured.
    pub captured: [i32; 2],
    /// The player to move, 1 or 2.
    pub to_move: Cell,
}

/// The result of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct After {
    /// The position after the move.
    pub state: State,
    /// The winner, 1 or 2, or 0 for a draw. `None` if the game continues.
    pub over: Option<u8>,
}

const AROUND: [(i32, i32); 8] = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

impl Rules {
    /// Parses rules of the form `pente` or `pente:key=value,...`.
    pub fn parse(text: &str) -> Result<Rules, String> {
        let mut rules =
            Rules { width: 19, height: 19, k: 5, pro: true, captured_lengths: vec![2], win: 10, over: true };
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        if name != "pente" {
            return Err(format!("{name} is not pente"));
        }
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').ok_or("no value")?;
            let number = value.parse::<i32>().unwrap_or(0);
            match key {
                "n" => (rules.width, rules.height) = (number, number),
                "w" => rules.width = number,
                "h" => rules.height = number,
                "k" => rules.k = number,
                "win" => rules.win = number,
                "opening" => rules.pro = value == "pro",
                "over" => rules.over = value == "yes",
                "cap" => {
                    rules.captured_lengths = match value {
                        "2" => vec![2],
                        "2+3" => vec![2, 3],
                        _ => vec![],
                    }
                }
                _ => return Err(format!("unknown option {key}")),
            }
        }
        Ok(rules)
    }

    /// Returns the empty board with the first player to move.
    pub fn start(&self) -> State {
        let grid = vec![0; (self.width * self.height) as usize];
        State { grid, captured: [0, 0], to_move: 1 }
    }

    /// Parses a position of the form `ROWS x|o [cap=A-B]`. Accepts any numbers of stones.
    pub fn read(&self, text: &str) -> Result<State, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut state = self.start();
        let rows: Vec<&str> = words.first().ok_or("no rows")?.split('/').collect();
        if rows.len() != self.height as usize {
            return Err(format!("{} rows", rows.len()));
        }
        for (y, row) in rows.iter().enumerate() {
            let mut x = 0;
            let mut run = 0;
            for letter in row.chars().chain([' ']) {
                if let Some(digit) = letter.to_digit(10) {
                    run = 10 * run + digit as usize;
                    continue;
                }
                x += run;
                run = 0;
                if letter != ' ' {
                    if x >= self.width as usize {
                        return Err(String::from("a row is too long"));
                    }
                    state.grid[y * self.width as usize + x] = if letter == 'X' { 1 } else { 2 };
                    x += 1;
                }
            }
            if x != self.width as usize {
                return Err(format!("{x} points in a row"));
            }
        }
        state.to_move = if words.get(1) == Some(&"o") { 2 } else { 1 };
        if let Some(numbers) = words.get(2).and_then(|word| word.strip_prefix("cap=")) {
            let (a, b) = numbers.split_once('-').ok_or("no pair of captures")?;
            state.captured = [a.parse().map_err(|_| "captures")?, b.parse().map_err(|_| "captures")?];
        }
        Ok(state)
    }

    /// Formats a position in the form that `read` parses.
    pub fn write(&self, state: &State) -> String {
        let rows: Vec<String> = state
            .grid
            .chunks(self.width as usize)
            .map(|row| {
                let mut text = String::new();
                let mut run = 0;
                for &cell in row.iter().chain([&9]) {
                    if cell == 0 {
                        run += 1;
                        continue;
                    }
                    if run > 0 {
                        text += &run.to_string();
                        run = 0;
                    }
                    text += ["", "X", "O", "", "", "", "", "", "", ""][cell as usize];
                }
                text
            })
            .collect();
        let side = if state.to_move == 1 { "x" } else { "o" };
        let captured = match state.captured {
            [0, 0] => String::new(),
            [a, b] => format!(" cap={a}-{b}"),
        };
        format!("{} {side}{captured}", rows.join("/"))
    }

    /// Returns the name of the point in column `x` and row `y`, counted from the left and the top.
    pub fn name(&self, x: i32, y: i32) -> String {
        let letters: Vec<char> = ('A'..='T').filter(|&letter| letter != 'I').collect();
        format!("{}{}", letters[x as usize], self.height - y)
    }

    fn cell(&self, state: &State, x: i32, y: i32) -> Option<Cell> {
        let inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        inside.then(|| state.grid[(y * self.width + x) as usize])
    }

    /// Returns `true` if a player has a row that wins.
    pub fn has_row(&self, state: &State, player: Cell) -> bool {
        for y in 0..self.height {
            for x in 0..self.width {
                for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    let mine = |i: i32| self.cell(state, x + i * dx, y + i * dy) == Some(player);
                    let row = (0..self.k).all(mine);
                    let longer = mine(-1) || mine(self.k);
                    if row && (self.over || !longer) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Returns the result of the game: 1 or 2 if the player who moved last has won, 0 for a draw,
    /// `None` if the game continues.
    pub fn over(&self, state: &State) -> Option<u8> {
        let last = 3 - state.to_move;
        if self.has_row(state, last) || state.captured[last as usize - 1] >= self.win {
            return Some(last);
        }
        let full = state.grid.iter().all(|&cell| cell != 0);
        full.then_some(0)
    }

    /// Plays a move in column `x` and row `y`, counted from the left and the top. Returns an error
    /// if the move is illegal.
    pub fn play(&self, state: &State, x: i32, y: i32) -> Result<After, String> {
        if self.cell(state, x, y) != Some(0) {
            return Err(String::from("not a free point"));
        }
        if self.over(state).is_some() {
            return Err(String::from("the game is over"));
        }
        if !self.allows(state, x, y) {
            return Err(String::from("against the opening rule"));
        }
        Ok(self.place(state, x, y))
    }

    /// Returns `true` if the opening rule allows a stone of the player to move on a point.
    fn allows(&self, state: &State, x: i32, y: i32) -> bool {
        let stones = state.grid.iter().filter(|&&cell| cell != 0).count() as i32;
        let plies = stones + state.captured[0] + state.captured[1];
        let away = (x - self.width / 2).abs().max((y - self.height / 2).abs());
        !(self.pro && state.to_move == 1 && (plies == 0 && away != 0 || plies == 2 && away < 3))
    }

    /// Places a stone, removes captured stones, and determines whether the game is over.
    fn place(&self, state: &State, x: i32, y: i32) -> After {
        let (me, enemy) = (state.to_move, 3 - state.to_move);
        let mut next = state.clone();
        next.grid[(y * self.width + x) as usize] = me;
        for (dx, dy) in AROUND {
            for &length in &self.captured_lengths {
                let row = (1..=length).all(|i| self.cell(state, x + i * dx, y + i * dy) == Some(enemy));
                let far = length + 1;
                if row && self.cell(state, x + far * dx, y + far * dy) == Some(me) {
                    for i in 1..=length {
                        next.grid[((y + i * dy) * self.width + x + i * dx) as usize] = 0;
                        next.captured[me as usize - 1] += 1;
                    }
                }
            }
        }
        next.to_move = enemy;
        let over = self.over(&next);
        After { state: next, over }
    }

    /// Returns every legal move, row by row from the top. A move is the name of a point, and its
    /// result.
    pub fn moves(&self, state: &State) -> Vec<(String, After)> {
        let mut moves = Vec::new();
        if self.over(state).is_some() {
            return moves;
        }
        for y in 0..self.height {
            for x in 0..self.width {
                if self.cell(state, x, y) == Some(0) && self.allows(state, x, y) {
                    moves.push((self.name(x, y), self.place(state, x, y)));
                }
            }
        }
        moves
    }

    /// Returns the number of move sequences of length `depth`. A shorter sequence counts, too, if
    /// it ends the game.
    pub fn perft(&self, state: &State, depth: u32) -> u64 {
        if depth == 0 || self.over(state).is_some() {
            return 1;
        }
        self.moves(state).iter().map(|(_, after)| self.perft(&after.state, depth - 1)).sum()
    }

    /// Returns `true` if the side to move can force a win within `plies` plies.
    pub fn wins_within(&self, state: &State, plies: u32) -> bool {
        if plies == 0 || self.over(state).is_some() {
            return false;
        }
        let moves = self.moves(state);
        moves.iter().any(|(_, after)| after.over == Some(state.to_move))
            || plies >= 3
                && moves.iter().any(|(_, after)| {
                    after.over.is_none()
                        && self.moves(&after.state).iter().all(|(_, reply)| {
                            reply.over.is_none() && self.wins_within(&reply.state, plies - 2)
                        })
                })
    }
}

/// A memoising solver for exact values and distances.
///
/// A value is +1, 0 or -1: a win, a draw or a loss for the side to move. A distance is the number
/// of plies to the end of the game, if the winner minimises and the loser maximises this number. A
/// draw has distance 0.
pub struct Solver {
    rules: Rules,
    known: HashMap<State, (i8, u32)>,
}

impl Solver {
    /// Creates a solver with an empty memo.
    pub fn new(rules: Rules) -> Solver {
        Solver { rules, known: HashMap::new() }
    }

    /// Returns the value of a position for the side to move, and the distance in plies.
    pub fn solve(&mut self, state: &State) -> (i8, u32) {
        if let Some(winner) = self.rules.over(state) {
            return (score(winner, state.to_move), 0);
        }
        if let Some(&known) = self.known.get(state) {
            return known;
        }
        let mut best = (-1, 0);
        for (_, after) in self.rules.moves(state) {
            let found = self.after(&after, state.to_move);
            let better = match found.0 - best.0 {
                0 if found.0 > 0 => found.1 < best.1,
                0 => found.1 > best.1,
                more => more > 0,
            };
            if better {
                best = found;
            }
        }
        self.known.insert(state.clone(), best);
        best
    }

    /// Returns every move with its value for the player who moves, and the distance in plies,
    /// including this move.
    pub fn moves(&mut self, state: &State) -> Vec<(String, i8, u32)> {
        let moves = self.rules.moves(state);
        let mut found = Vec::new();
        for (name, after) in moves {
            let (value, distance) = self.after(&after, state.to_move);
            found.push((name, value, distance));
        }
        found
    }

    fn after(&mut self, after: &After, player: Cell) -> (i8, u32) {
        match after.over {
            Some(winner) => (score(winner, player), u32::from(winner != 0)),
            None => {
                let (value, distance) = self.solve(&after.state);
                (-value, if value == 0 { 0 } else { distance + 1 })
            }
        }
    }
}

fn score(winner: u8, player: u8) -> i8 {
    match winner {
        0 => 0,
        winner if winner == player => 1,
        _ => -1,
    }
}
