//! Tests of `pentago review`, `pentago convert` and `pentago ugi`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::Value;

use crate::common::{program, run_with};

/// A game near its end. X throws away a win, then O throws away a draw.
const GAME: &str = "\
[Rules \"mini\"]
[SetUp \"XX2/OO2/4/4 x\"]

1. a1/4+ d1/1+ *
";

#[test]
fn a_game_is_reviewed() {
    let out = run_with(&["review", "-", "--quiet"], GAME.as_bytes()).ok();
    let beginning = "Pentago (rules mini): not over yet.\nIt starts from XX2/OO2/4/4 x.\n\n  1. x  a1/4+";
    assert!(out.starts_with(beginning), "{out}");
    assert!(out.contains("\nx: 1 move, 1 with known values; "), "{out}");
    assert!(!out.contains('~'), "{out}");
    let json = run_with(&["review", "-", "--json", "--quiet"], GAME.as_bytes()).ok();
    let review: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&review["rules"], &review["moves"][1]["move"]), (&"mini".into(), &"d1/1+".into()));
    let marks = ["win thrown away", "draw thrown away", "only move", "best", "fine"];
    for m in review["moves"].as_array().unwrap() {
        assert!(marks.contains(&m["mark"].as_str().unwrap()), "{m}");
        let kept = m["before"] == m["after"];
        assert_eq!(!kept, m["mark"].as_str().unwrap().contains("thrown"), "{m}");
    }
    let record = run_with(&["review", "-", "--record", "--quiet"], GAME.as_bytes()).ok();
    assert!(record.starts_with("[Game \"Mini-Pentago\"]\n[Rules \"mini\"]\n"), "{record}");
    // A move with a guess gets no mark, because a guess is not a value.
    let early = "1. c4/2+ c3/1+ 2. a1/1+ f6/2- 3. b2/3- e5/2+ 4. f1/4- d2/1+ *";
    let limits = ["review", "-", "--time", "0", "--memory", "100M", "--quiet"];
    let out = run_with(&limits, early.as_bytes()).ok();
    let guessed = out.lines().find(|line| line.contains('~')).unwrap();
    assert!(marks.iter().all(|mark| !guessed.contains(mark)), "{out}");
    assert!(out.contains("~ is a guess"), "{out}");
    assert!(run_with(&["review", "-"], b"[Game \"Go\"]\n").fails(2).contains("line 1: unknown game: "));
    assert!(run_with(&["review", "-"], &[b' '; 70_000]).fails(2).contains("more than 65536 bytes"));
}

#[test]
fn the_sample_of_the_documentation_is_read() {
    let document = include_str!("../../../../docs/records.md");
    let sample = document.split("```").nth(1).unwrap();
    let record = run_with(&["convert", "-"], sample.as_bytes()).ok();
    assert!(record.contains("[Event \"Club evening\"]") && record.trim_end().ends_with(" x"), "{record}");
}

#[test]
fn games_are_converted() {
    let convert = |to: &str, text: &str| run_with(&["convert", "-", "--to", to], text.as_bytes());
    let record = convert("record", "a1s c4t").ok();
    assert_eq!(
        record,
        "[Game \"Pentago\"]\n[Rules \"pentago:place=turn\"]\n[Result \"*\"]\n\n1. a6/1- c3/1+ *\n"
    );
    assert_eq!(convert("openspiel", &record).ok(), "a1s c4t\n");
    let numbers = convert("numbers", "c4/2+ d3/1-").ok();
    assert_eq!(numbers.lines().count(), 5);
    assert!(convert("record", &format!("\u{feff}{numbers}")).ok().ends_with("1. c4/2+ d3/1- *\n"));
    let text = convert("pente.org", "1. K10 L9 2. K14").ok();
    assert!(text.starts_with("[Game \"Pente\"]\n[Result \"*\"]\n\n1. K10 L9 2. K14 *"), "{text}");
    assert!(convert("record", &text).ok().contains("[Rules \"pente\"]"));
    let old = convert("record", "game xl\nA e5/1+\n").ok();
    assert!(old.contains("[Rules \"xl\"]") && old.ends_with("1. e5/1+ *\n"), "{old}");
    let mini = run_with(&["convert", "-", "--rules", "mini"], b"a1/1+").ok();
    assert!(mini.contains("[Rules \"mini\"]"), "{mini}");
    let kept = run_with(&["convert", "-", "--rules", "pentago"], mini.as_bytes());
    assert!(kept.err.contains("its rules, mini: --rules pentago is ignored"), "{}", kept.err);
    assert_eq!(kept.ok(), mini);
    assert!(convert("sgf", "c4/2+").fails(2).contains("record or one of openspiel, numbers, pente.org"));
    let error = convert("record", "[Rules \"xl\"]\n[Rules \"pentago\"]\n1. c4/2+ *").fails(2);
    assert!(error.contains("line 1: [Rules \"xl\"]: another tag says pentago"), "{error}");
    for (text, said) in [
        (
            "[Game \"Mini-Pentago\"]\n[Rules \"pentago-cs\"]\n",
            "[Game \"Mini-Pentago\"]: another tag says pentago-cs",
        ),
        ("[Game \"Keryo-Pente\"]\n[Rules \"pente\"]\n", "[Game \"Keryo-Pente\"]: another tag says pente"),
        ("[Result \"1-0\"]\n[Result \"o\"]\n1. c4/2+ *", "line 1: [Result \"1-0\"]: another tag says o"),
        ("[Rules \"xl:seats=4,mode=2v2\"]\n[Result \"a\"]\na1/1+", "the results are ac, bd, draw and *"),
        ("[FEN \"6/6/6/6/6/6 x\"]\n[FEN \"X5/6/6/6/6/6 o\"]\nb1/1+", "another tag says X5/6/6/6/6/6 o"),
        ("(;GM[101]SZ[19];B[K10];W[L9])", "games in SGF can't be read: expected record, openspiel"),
        ("[Rules \"pente:n=7,opening=free,win=2\"]\n1. B1 A1 2. C1 D1 3. E5", "o has won (captured stones)"),
    ] {
        assert!(convert("record", text).fails(2).contains(said), "{text}");
    }
    let twice = "[Result \"1-0\"]\n[Result \"x\"]\n1. c4/2+ x";
    assert!(convert("record", twice).ok().contains("[Result \"x\"]"));
    let teams =
        convert("record", "[Rules \"xl:seats=4,mode=2v2\"]\n[Result \"0-1\"]\n1. e1/1+ a1/1+ 0-1").ok();
    assert!(teams.contains("[Result \"bd\"]") && teams.ends_with("1. e1/1+ a1/1+ bd\n"), "{teams}");
    let drawn = convert("record", "[Rules \"xl:seats=4,mode=2v2\"]\n1. e1/1+ 1/2-1/2").ok();
    assert!(drawn.contains("[Result \"draw\"]"), "{drawn}");
    let loose = "[Game \"Pentago\"]\n[Rules \"pentago-cs\"]\n[Game \"A club's\"]\n1. c4/2+ *";
    assert!(convert("record", loose).ok().contains("[Rules \"pentago-cs\"]"));
    assert!(convert("openspiel", "1. K10").fails(2).contains("OpenSpiel doesn't know the rules pente"));
}

/// A process that runs as an engine, with pipes for input and output.
struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn new(arguments: &[&str]) -> Engine {
        let mut child = program()
            .args(["ugi", "--quiet", "--threads", "1", "--memory", "200M"])
            .args(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Engine { child, input, output }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "it goes on");
        line.trim_end().to_owned()
    }

    /// Reads up to the first line that starts with `beginning`, and returns the rest of that line.
    fn until(&mut self, beginning: &str) -> String {
        loop {
            let line = self.line();
            if let Some(rest) = line.strip_prefix(beginning) {
                return rest.trim().to_owned();
            }
            assert!(
                line.starts_with("info") || line.starts_with("id") || line.starts_with("option"),
                "{line}"
            );
            assert!(!line.contains("error"), "{line}");
        }
    }

    fn ask(&mut self, question: &str) -> String {
        self.say(&format!("query {question}"));
        self.until("response")
    }

    fn quit(mut self) {
        self.say("quit");
        assert!(self.child.wait().unwrap().success());
    }
}

/// Plays a tournament between two engines without knowing the rules. In each position, both engines
/// are queried for the state of the game.
fn play(rules: &str, games: usize, go: &str) {
    let rules_of = pentago_games::read_rules(rules).unwrap();
    let mut engines = [Engine::new(&["--rules", rules]), Engine::new(&["--rules", "mini"])];
    engines[1].say(&format!("setoption name rules value {rules}"));
    for engine in &mut engines {
        engine.say("ugi");
        engine.until("ugiok");
    }
    let mut results = Vec::new();
    for game in 0..games {
        let mut moves: Vec<String> = Vec::new();
        engines.iter_mut().for_each(|engine| engine.say("uginewgame"));
        loop {
            let list = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
            let mut said = Vec::new();
            for engine in &mut engines {
                engine.say("isready");
                engine.until("readyok");
                engine.say(&format!("position startpos{list}"));
                said.push((engine.ask("gameover"), engine.ask("p1turn"), engine.ask("result")));
            }
            assert_eq!(said[0], said[1], "{rules}{list}");
            let (over, first, result) = said.swap_remove(0);
            assert_eq!(over == "true", result != "none");
            if over == "true" {
                results.push(result);
                break;
            }
            assert_eq!(first == "true", moves.len().is_multiple_of(2), "{rules}{list}");
            let engine = &mut engines[(moves.len() + game) % 2];
            // Start each game with a different move.
            if moves.is_empty() {
                let all = rules_of.moves(&rules_of.start());
                moves.push(all[game * 7 % all.len()].clone());
                continue;
            }
            engine.say(go);
            let mv = engine.until("bestmove");
            moves.push(mv);
            assert!(moves.len() < 200, "{rules}: {moves:?}");
        }
    }
    assert_eq!(results.len(), games);
    engines.into_iter().for_each(Engine::quit);
}

#[test]
fn games_between_two_processes() {
    games_of_all(1);
}

#[test]
#[ignore = "long: finds bugs late in a game"]
fn long_games_between_two_processes() {
    games_of_all(6);
    play("pente:n=5,k=4,opening=free", 4, "go movetime 20");
    play("xl", 1, "go movetime 1");
    play("xl:seats=4,mode=2v2", 1, "go movetime 1");
}

/// Plays games of every kind. Games on small boards are played `times` times as often.
fn games_of_all(times: usize) {
    play("mini", 2 * times, "go movetime 1");
    play("mini:place=turn", times, "go depth 2");
    play("pente:w=4,h=3,k=3,opening=free", times, "go movetime 5");
    play("pentago", 1, "go p1time 100 p2time 100 p1inc 0 p2inc 0");
    play("xl:supply=4", 1, "go movetime 1");
    play("xl:seats=4,mode=2v2,supply=2", 1, "go movetime 1");
    play("mini:reply=place", 1, "go nodes 100");
}

/// No line of a search contradicts an earlier line.
#[test]
fn a_search_to_a_depth_stays_within_it() {
    let mut engine = Engine::new(&[]);
    engine.say("position fen OOXXOX/X2O1O/1XXX1O/1XOOXO/2X1O1/OXOX2 x");
    for (depth, says) in [(1, "string not decided"), (8, "string this wins")] {
        engine.say(&format!("go depth {depth}"));
        let mut lines = vec![engine.line()];
        while !lines.last().unwrap().starts_with("bestmove") {
            lines.push(engine.line());
        }
        lines.pop();
        assert!(lines.last().unwrap().ends_with(says), "{lines:?}");
        assert!(lines.iter().map(|line| line.ends_with("this wins")).is_sorted(), "{lines:?}");
    }
    engine.quit();
}

/// A search of a number of boards or positions counts them, and therefore ends.
#[test]
fn a_search_of_nodes_ends() {
    for (rules, position) in [
        ("pente:n=9", "startpos moves E5 E6"),
        ("xl", "fen 3B5/4B4/2A6/2B6/8B/7A1/5A2A/9/9 a"),
        ("mini", "startpos moves a1/1+"),
    ] {
        let mut engine = Engine::new(&["--rules", rules]);
        engine.say(&format!("position {position}"));
        engine.say("go nodes 1");
        let mut last = String::new();
        let mut line = engine.line();
        while !line.starts_with("bestmove") {
            last = std::mem::replace(&mut line, engine.line());
        }
        let words: Vec<&str> = last.split(' ').collect();
        let nodes: u64 = words.windows(2).find(|pair| pair[0] == "nodes").unwrap()[1].parse().unwrap();
        assert!(nodes > 0, "{rules}: {last}");
        engine.quit();
    }
}

#[test]
fn hostile_input_changes_nothing() {
    let mut engine = Engine::new(&[]);
    engine.say("position startpos moves c4/2+");
    let long = "x".repeat(200_000);
    let junk = [
        "position",
        "position fen",
        "position fen nonsense moves c4/2+",
        "position startpos moves c4/2+ c4/2+ c9/9",
        "position startpos moves",
        "query",
        "query everything",
        "go movetime",
        "go movetime -1",
        "go sideways",
        "setoption",
        "setoption name rules value chess",
        "setoption name rules value xl:seats=3",
        "setoption name threads value 0",
        "setoption name hash value 99999999999999999999",
        "setoption name speed value 3",
        "\u{1b}[2J \u{0}",
        &long,
    ];
    for line in junk {
        engine.say(line);
    }
    engine.input.write_all(b"\xff\xfe\n\n   \n").unwrap();
    engine.say("isready");
    let mut complaints = 0;
    loop {
        let line = engine.line();
        if line == "readyok" {
            break;
        }
        assert!(line.starts_with("info string error: ") && !line.chars().any(char::is_control), "{line}");
        complaints += 1;
    }
    // Each line of `junk` causes an error, except `position startpos moves`, which is valid. The
    // bytes that aren't UTF-8 cause one more error.
    assert_eq!(complaints, junk.len());
    engine.say("position startpos moves c4/2+ zz");
    let why = engine.line();
    assert!(why.starts_with("info string error: zz: ") && why.contains("expected"), "{why}");
    engine.say("position fen OO1OO1/6/6/6/6/XXXX2 x turn");
    let why = engine.line();
    assert!(why.contains("it is O's turn"), "{why}");
    engine.say("position startpos moves c4/2+");
    assert_eq!((engine.ask("p1turn").as_str(), engine.ask("result").as_str()), ("false", "none"));
    engine.quit();
}

#[test]
fn a_search_runs_until_it_is_stopped() {
    let mut engine = Engine::new(&[]);
    engine.say("go infinite");
    engine.say("isready");
    assert_eq!(engine.until("readyok"), "");
    engine.say("stop");
    let mv = engine.until("bestmove");
    assert!(mv.contains('/'), "{mv}");
    engine.say("stop");
    engine.say("position fen OO1OO1/6/6/6/6/XXXX2 x moves e1");
    assert_eq!((engine.ask("gameover").as_str(), engine.ask("result").as_str()), ("true", "p1win"));
    engine.say("go movetime 10");
    assert!(engine.line().contains("the game is over"));
    assert_eq!(engine.line(), "bestmove none");
    engine.quit();
    // The end of the input stops an infinite search, but a limited search completes. Even a search
    // that is stopped immediately finds an immediate win.
    for go in ["go infinite", "go movetime 200", "go depth 2", "go infinite\nstop"] {
        let commands = format!("ugi\nposition fen OO1OO1/6/6/6/6/XXXX2 x\n{go}\n");
        let out = run_with(&["ugi", "--quiet"], commands.as_bytes()).ok();
        assert!(out.lines().last().unwrap().starts_with("bestmove e1"), "{go}: {out}");
    }
}
