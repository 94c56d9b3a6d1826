//! The rules of Pentago XL on a grid of player numbers.

/// The rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XlOptions {
    /// The number of players, 2 to 4.
    pub seats: usize,
    /// `true` if the first and third player play against the second and fourth.
    pub teams: bool,
    /// The number of marbles that each player has at the start of the game.
    pub supply: usize,
    /// `true` if the game continues after a player has five in a line, to decide the remaining
    /// places.
    pub continues: bool,
}

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct XlState {
    /// The content of each socket, indexed by row from the top, then by column: 0 is empty, and
    /// other numbers are players, from 1.
    pub cells: [[u8; 9]; 9],
    /// The player to move, from 1.
    pub to_move: u8,
    /// For each player, the place of the player if the player has left the game, otherwise 0. The
    /// index is the number of the player minus 1.
    pub places: [u8; 4],
}

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XlAfter {
    /// The game continues from this position.
    Goes(XlState),
    /// The game is over. The field is the place of each player. 1 is the best place. In a team
    /// game, partners have the same place, 1 or 2. In a draw, all players have place 1.
    Over([u8; 4]),
}

impl XlOptions {
    /// Parses rules such as `xl` or `xl:seats=4,mode=2v2,supply=20,continue=yes`. `p` is short for
    /// `seats`, and `m` is short for `supply`.
    ///
    /// # Errors
    /// If the game or an option is unknown, or if a value isn't a number.
    pub fn parse(text: &str) -> Result<XlOptions, String> {
        let mut options = XlOptions { seats: 2, teams: false, supply: 0, continues: false };
        let given = match text.split_once(':') {
            None if text == "xl" => "",
            Some(("xl", given)) => given,
            _ => return Err(format!("`{text}` is not xl")),
        };
        for option in given.split(',').filter(|option| !option.is_empty()) {
            let number = |value: &str| value.parse::<usize>().map_err(|e| e.to_string());
            match option.split_once('=') {
                Some(("seats" | "p", value)) => options.seats = number(value)?,
                Some(("supply" | "m", value)) => options.supply = number(value)?,
                Some(("mode", "ffa")) => options.teams = false,
                Some(("mode", "2v2")) => options.teams = true,
                Some(("continue", value)) => options.continues = value == "yes",
                _ => return Err(format!("unknown option `{option}`")),
            }
        }
        if options.supply == 0 {
            options.supply = if options.seats == 2 { 40 } else { 20 };
        }
        Ok(options)
    }

    /// Parses a position: nine rows, the player to move, and the players who already have a place.
    /// An example of the end of the text is `... b A,C=D`.
    ///
    /// # Errors
    /// If the text has another form.
    pub fn read(&self, text: &str) -> Result<XlState, String> {
        let mut words = text.split_whitespace();
        let mut state = XlState { cells: [[0; 9]; 9], to_move: 1, places: [0; 4] };
        for (row, line) in words.next().ok_or("no rows")?.split('/').enumerate() {
            let mut column = 0;
            for letter in line.chars() {
                match letter {
                    '1'..='9' => column += letter as usize - '0' as usize,
                    'A'..='D' if row < 9 && column < 9 => {
                        state.cells[row][column] = letter as u8 - b'A' + 1;
                        column += 1;
                    }
                    _ => return Err(format!("`{letter}` in row {}", row + 1)),
                }
            }
            if column != 9 {
                return Err(format!("row {} has {column} sockets", row + 1));
            }
        }
        let side = words.next().ok_or("no player to move")?;
        state.to_move = side.bytes().next().map_or(0, |letter| letter.wrapping_sub(b'a').wrapping_add(1));
        let mut place = 1;
        for group in words.next().unwrap_or_default().split(',').filter(|group| !group.is_empty()) {
            let players: Vec<&str> = group.split('=').collect();
            for player in &players {
                state.places[(player.as_bytes()[0] - b'A') as usize] = place;
            }
            place += players.len() as u8;
        }
        Ok(state)
    }

    /// Returns the numbers, from 1, of the players who don't have a place yet.
    fn playing(&self, state: &XlState) -> Vec<u8> {
        (1..=self.seats as u8).filter(|&player| state.places[player as usize - 1] == 0).collect()
    }

    fn next_player(&self, state: &XlState) -> u8 {
        let mut player = state.to_move;
        loop {
            player = player % self.seats as u8 + 1;
            if state.places[player as usize - 1] == 0 || player == state.to_move {
                return player;
            }
        }
    }

    /// Returns every legal move with its result, in reading order of the sockets and blocks.
    /// Clockwise turns come first. The game must not be over.
    pub fn moves(&self, state: &XlState) -> Vec<(String, XlAfter)> {
        let mut moves = Vec::new();
        for row in 0..9 {
            for column in 0..9 {
                if state.cells[row][column] != 0 {
                    continue;
                }
                let name = format!("{}{}", (b'a' + column as u8) as char, 9 - row);
                let mut placed = *state;
                placed.cells[row][column] = state.to_move;
                if line_of_five(&placed.cells, state.to_move) {
                    moves.push((name, self.after(&placed, &[state.to_move])));
                    continue;
                }
                for block in 0..9 {
                    if block == 4 {
                        continue;
                    }
                    for clockwise in [true, false] {
                        let mut turned = placed;
                        turned.cells = turn(&placed.cells, block, clockwise);
                        let mut fives = self.playing(&turned);
                        fives.retain(|&player| line_of_five(&turned.cells, player));
                        let sign = if clockwise { '+' } else { '-' };
                        moves.push((format!("{name}/{}{sign}", block + 1), self.after(&turned, &fives)));
                    }
                }
            }
        }
        moves
    }

    /// Returns the result of a placement or a turn. `fives` contains the players who then have five
    /// in a line.
    fn after(&self, state: &XlState, fives: &[u8]) -> XlAfter {
        if !self.continues && !fives.is_empty() {
            return XlAfter::Over(self.first_places(fives));
        }
        let mut next = *state;
        let taken = state.places.iter().filter(|&&place| place > 0).count() as u8;
        for &player in fives {
            next.places[player as usize - 1] = taken + 1;
        }
        let left = self.playing(&next);
        if left.len() == 1 && self.continues {
            next.places[left[0] as usize - 1] = self.seats as u8;
            return XlAfter::Over(next.places);
        }
        if left.is_empty() {
            return XlAfter::Over(next.places);
        }
        next.to_move = self.next_player(&next);
        let cells = next.cells.as_flattened();
        let on_board = |player: u8| cells.iter().filter(|&&cell| cell == player).count();
        if !cells.contains(&0) || on_board(next.to_move) >= self.supply {
            let taken = next.places.iter().filter(|&&place| place > 0).count() as u8;
            for &player in &left {
                next.places[player as usize - 1] = taken + 1;
            }
            return XlAfter::Over(next.places);
        }
        XlAfter::Goes(next)
    }

    /// Returns the places of all players if the first five in a line ends the game. `fives`
    /// contains the players who have five in a line.
    fn first_places(&self, fives: &[u8]) -> [u8; 4] {
        let mut places = [0; 4];
        if self.teams {
            // Players 1 and 3 are one team. Players 2 and 4 are the other team.
            let odd = fives.iter().any(|player| player % 2 == 1);
            let even = fives.iter().any(|player| player % 2 == 0);
            return match (odd, even) {
                (true, false) => [1, 2, 1, 2],
                (false, true) => [2, 1, 2, 1],
                _ => [1; 4],
            };
        }
        for player in 1..=self.seats as u8 {
            places[player as usize - 1] = if fives.contains(&player) { 1 } else { fives.len() as u8 + 1 };
        }
        places
    }

    /// Plays one move.
    ///
    /// # Errors
    /// If the move is illegal.
    pub fn play(&self, state: &XlState, text: &str) -> Result<XlAfter, String> {
        let found = self.moves(state).into_iter().find(|(name, _)| name == text);
        found.map(|(_, after)| after).ok_or_else(|| format!("`{text}` is not legal"))
    }
}

/// Turns one block by a quarter turn. Blocks are numbered from 0 in reading order.
fn turn(cells: &[[u8; 9]; 9], block: usize, clockwise: bool) -> [[u8; 9]; 9] {
    let (top, left) = (block / 3 * 3, block % 3 * 3);
    let mut turned = *cells;
    for row in 0..3 {
        for column in 0..3 {
            let marble = cells[top + row][left + column];
            if clockwise {
                turned[top + column][left + 2 - row] = marble;
            } else {
                turned[top + 2 - column][left + row] = marble;
            }
        }
    }
    turned
}

/// Returns `true` if a player has five in a line. Walks from every socket in four directions.
fn line_of_five(cells: &[[u8; 9]; 9], player: u8) -> bool {
    for row in 0..9_i32 {
        for column in 0..9_i32 {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let mut length = 0;
                let (mut r, mut c) = (row, column);
                while (0..9).contains(&r) && (0..9).contains(&c) && cells[r as usize][c as usize] == player {
                    length += 1;
                    if length == 5 {
                        return true;
                    }
                    r += down;
                    c += right;
                }
            }
        }
    }
    false
}
