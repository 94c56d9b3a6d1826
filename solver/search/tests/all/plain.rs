//! Pentago XL and Pente with the checker's plain rules, as games of the searches: consecutive seats
//! on the same side, captures, and certificates of both.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};

use pentago_check::blocks::Blocks;
use pentago_check::check;
use pentago_check::pente::Pente;
use pentago_check::rules::{Move, MoveResult, Places, Rules, Turn};
use pentago_search::{
    Budget, Deepening, Distance, Game, Goal, Method, NoCertificate, Notation, Outcome, ProofNumbers, Side,
    Table, Verdict, prove,
};

/// A game with plain rules, in which the seats of `first` play against all others.
pub struct Plain<'r, R: Rules> {
    rules: &'r R,
    game: &'r str,
    start: &'r str,
    /// The name of the side and the height of the board.
    side: &'r str,
    height: usize,
    first: [bool; 4],
    state: R::State,
    over: Option<Places>,
    left: u32,
}

impl<'r, R: Rules> Plain<'r, R> {
    pub fn new(rules: &'r R, [game, start, side]: [&'r str; 3], left: u32) -> Self {
        let state = rules.position(start).unwrap();
        rules.possible(&state).unwrap();
        let height = start.split('/').count();
        let first = rules.side(side).unwrap();
        Self { rules, game, start, side, height, first, state, over: None, left }
    }

    fn outcome_of(&self, places: Places) -> Outcome {
        let first = |own: bool| (0..4).any(|seat| self.first[seat] == own && places[seat] == 1);
        match (first(true), first(false)) {
            (true, false) => Outcome::Win(Side::First),
            (false, _) => Outcome::Win(Side::Second),
            (true, true) => Outcome::Draw,
        }
    }
}

impl<R: Rules> Game for Plain<'_, R>
where
    R::State: Debug,
{
    type Move = Move;
    type Undo = R::State;

    fn side(&self) -> Side {
        if self.first[self.rules.to_move(&self.state)] { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.over.map(|places| self.outcome_of(places))
    }

    fn plies_left(&self) -> u32 {
        if self.over.is_some() { 0 } else { self.left }
    }

    fn moves(&mut self, out: &mut Vec<Move>) {
        self.all_moves(out);
    }

    fn all_moves(&mut self, out: &mut Vec<Move>) {
        self.rules.moves(&self.state, out);
    }

    fn make(&mut self, mv: Move) -> R::State {
        let before = self.state.clone();
        match self.rules.play(&self.state, mv).expect("a legal move") {
            MoveResult::Goes(next) => self.state = next,
            MoveResult::Over(places) => self.over = Some(places),
        }
        self.left -= 1;
        before
    }

    fn unmake(&mut self, _: Move, before: R::State) {
        (self.state, self.over) = (before, None);
        self.left += 1;
    }

    fn winning_move(&mut self) -> Option<Move> {
        let mut moves = Vec::new();
        self.rules.moves(&self.state, &mut moves);
        let side = Outcome::Win(self.side());
        moves.into_iter().find(|&mv| match self.rules.play(&self.state, mv) {
            Ok(MoveResult::Over(places)) => self.outcome_of(places) == side,
            _ => false,
        })
    }

    fn key(&self) -> u128 {
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, &self.state).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        half(0) << 64 | half(1)
    }
}

impl<R: Rules> Notation for Plain<'_, R>
where
    R::State: Debug,
{
    fn game_text(&self) -> String {
        self.game.into()
    }

    /// The text of the start is known. All other texts only have to be distinct.
    fn position_text(&self) -> String {
        if self.state == self.rules.position(self.start).unwrap() {
            self.start.into()
        } else {
            format!("{:?}", self.state)
        }
    }

    fn move_text(&self, mv: Move) -> String {
        let ranks = (1..=self.height).rev();
        let names =
            |files: &'static str| ranks.clone().flat_map(move |rank| files.chars().map(move |f| (f, rank)));
        let width = self.start.split('/').next().unwrap().chars();
        let width: usize = width.map(|c| c.to_digit(10).unwrap_or(1) as usize).sum();
        let files = if self.game.starts_with("pente") {
            &"ABCDEFGHJKLMNOPQRST"[..width]
        } else {
            &"abcdefghi"[..width]
        };
        let (file, rank) = names(files).nth(usize::from(mv.point)).unwrap();
        match mv.turn {
            Turn::None => format!("{file}{rank}"),
            Turn::Declined => format!("{file}{rank}/0"),
            Turn::Block(block, clockwise) => {
                format!("{file}{rank}/{}{}", block + 1, if clockwise { '+' } else { '-' })
            }
        }
    }

    fn side_text(&self, _: Side) -> String {
        self.side.into()
    }
}

/// Returns the number of plies in which the first side reaches its goal, by trying every move.
fn brute<R: Rules>(
    game: &mut Plain<'_, R>,
    goal: Goal,
    memo: &mut HashMap<R::State, Option<u32>>,
) -> Option<u32>
where
    R::State: Debug,
{
    if let Some(outcome) = game.outcome() {
        return goal.reached(outcome).then_some(0);
    }
    if let Some(&known) = memo.get(&game.state) {
        return known;
    }
    let mut moves = Vec::new();
    game.all_moves(&mut moves);
    let mut below = Vec::new();
    for mv in moves {
        let undo = game.make(mv);
        below.push(brute(game, goal, memo));
        game.unmake(mv, undo);
    }
    let best = if game.side() == goal.side {
        below.into_iter().flatten().min()
    } else {
        below.into_iter().collect::<Option<Vec<u32>>>().and_then(|below| below.into_iter().max())
    };
    let best = best.map(|plies| plies + 1);
    memo.insert(game.state.clone(), best);
    best
}

/// Compares the searches with brute force, and checks each proof. Returns the number of proofs.
fn compare<R: Rules>(game: &mut Plain<'_, R>) -> usize
where
    R::State: Debug,
{
    let mut proofs = 0;
    for goal in [Goal::win(Side::First), Goal::not_lose(Side::First)] {
        let truth = brute(game, goal, &mut HashMap::new());
        let mut table = Table::new(1 << 18).unwrap();
        let mut budget = Budget::nodes(50_000_000);
        let verdict = ProofNumbers::new(&mut table, goal).solve(game, &mut budget).unwrap();
        assert_eq!(verdict == Verdict::Proved, truth.is_some(), "{} {}", game.game, game.start);
        if !goal.draw_is_enough {
            let expected = truth.map_or(Distance::Never, Distance::Exactly);
            let found = Deepening::new(&mut table, goal).shortest(game, u32::MAX, &mut budget);
            assert_eq!(found, expected, "{} {}", game.game, game.start);
        }
        for method in [Method::Any, Method::Shortest(u32::MAX)] {
            match prove(game, goal, method, &mut table, &mut budget) {
                Ok(written) => {
                    let proved = check(written.text.as_bytes()).unwrap();
                    assert!(truth.is_some_and(|plies| plies <= proved.plies || goal.draw_is_enough));
                    assert_eq!((proved.plies, proved.positions), (written.plies, written.moves));
                    proofs += 1;
                }
                Err(error) => assert_eq!((error, truth), (NoCertificate::Refuted, None)),
            }
        }
    }
    proofs
}

/// A random number generator that needs no crate: the low bits of SplitMix64 are good enough to
/// shuffle.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % n as u64) as usize
    }
}

/// Returns the rows of a random board with this number of marbles, placed by the seats in turn.
pub fn random_rows(
    random: &mut Random,
    width: usize,
    height: usize,
    marbles: usize,
    letters: &[char],
) -> String {
    let mut board = vec!['1'; width * height];
    let mut places: Vec<usize> = (0..board.len()).collect();
    for i in 0..marbles {
        let other = i + random.below(places.len() - i);
        places.swap(i, other);
        board[places[i]] = letters[i % letters.len()];
    }
    let rows: Vec<String> = board.chunks(width).map(|row| row.iter().collect()).collect();
    rows.join("/").replace("111", "3").replace("11", "2")
}

#[test]
fn xl_with_two_to_four_seats_and_teams() {
    let mut random = Random(1);
    for (game, marbles, sides) in [
        ("xl", 77, ["a", "b"]),
        ("xl:seats=3,supply=27", 78, ["a", "c"]),
        ("xl:seats=4", 77, ["b", "d"]),
        ("xl:seats=4,mode=2v2", 77, ["ac", "bd"]),
    ] {
        let rules = Blocks::read(game).unwrap();
        let seats = rules.seats();
        let letters = ['A', 'B', 'C', 'D'];
        let (mut proofs, mut boards) = (0, 0);
        while boards < 4 {
            let text = random_rows(&mut random, 9, 9, marbles, &letters[..seats]);
            let text = format!("{text} {}", letters[marbles % seats].to_ascii_lowercase());
            let state = rules.position(&text).unwrap();
            if rules.possible(&state).is_err() {
                continue;
            }
            boards += 1;
            for side in sides {
                proofs += compare(&mut Plain::new(&rules, [game, &text, side], 81 - marbles as u32));
            }
        }
        println!("{game}: {proofs} proofs");
        assert!(proofs > 4, "{game}: {proofs}");
    }
}

#[test]
fn pente_on_small_boards() {
    let mut random = Random(2);
    for (game, width, height, stones) in [
        ("pente:n=4,k=4,opening=free,win=4", 4, 4, 10),
        ("pente:n=4,k=3,opening=free", 4, 4, 9),
        ("pente:w=5,h=3,k=4,opening=free,win=2", 5, 3, 9),
        ("pente:w=5,h=3,k=4,opening=free,over=no,cap=2+3,win=3", 5, 3, 10),
    ] {
        let rules = Pente::read(game).unwrap();
        let (mut proofs, mut boards) = (0, 0);
        while boards < 12 {
            let text = random_rows(&mut random, width, height, stones, &['X', 'O']);
            let text = format!("{text} {}", ["x", "o"][stones % 2]);
            if rules.possible(&rules.position(&text).unwrap()).is_err() {
                continue;
            }
            boards += 1;
            for side in ["x", "o"] {
                proofs += compare(&mut Plain::new(&rules, [game, &text, side], 60));
            }
        }
        println!("{game}: {proofs} proofs");
        assert!(proofs > 12, "{game}: {proofs}");
    }
}
