//! `pentago play` of Pentago XL and Pente through a pipe.

use crate::common::{Folder, Run};
use crate::play::{self, said};

fn play(arguments: &[&str], lines: &[&str]) -> Run {
    play::play(&[&["--memory", "64M"], arguments].concat(), lines)
}

#[test]
fn xl_with_two_seats() {
    let out = play(&["--rules", "xl"], &["help", "e5/5+", "e5", "e5/1+", "undo", "c4/9-", "quit"]).ok();
    assert!(out.starts_with("You are a. Type a move such as c4/2+, or help.\n"), "{out}");
    assert!(out.contains("block 5, in the centre, is fixed"));
    assert!(out.contains("Illegal move: a block must be turned unless"));
    assert_eq!(said(&out, "b").len(), 2, "one reply was taken back: {out}");
    assert!(out.contains("\n    a b c   d e f   g h i\n"));
    assert!(out.ends_with("\nBye.\n"));
}

#[test]
fn xl_with_every_number_of_seats() {
    for (rules, side, people, programs) in [
        ("xl", "b", "b", "a"),
        ("xl:seats=3", "b", "b", "ac"),
        ("xl:seats=4", "a,c", "ac", "bd"),
        ("xl:seats=4,mode=2v2", "d", "d", "abc"),
        ("xl:seats=3,continue=yes", "a", "a", "bc"),
    ] {
        // Each person gets two prompts, but the last prompt gets no input.
        let moves = &["a1/1+", "i9/9-", "a9/1+"][..2 * people.len() - 1];
        let out = play(&["--rules", rules, "--side", side], moves).ok();
        for program in programs.chars() {
            assert!(!said(&out, &program.to_string()).is_empty(), "{rules} {program}: {out}");
        }
        for person in people.chars() {
            assert!(said(&out, &person.to_string()).len() >= 2, "{rules} {person}: {out}");
        }
    }
    let teams = play(&["--rules", "xl:seats=4,mode=2v2"], &[]).ok();
    assert!(teams.starts_with("You are a, together with c. Type"), "{teams}");
    let both = play(&["--rules", "xl:seats=4", "--side", "all"], &["a1/1+", "b1/1+", "undo"]).ok();
    assert!(both.starts_with("You are a and b and c and d."));
    assert!(both.ends_with("\nb> \nBye.\n"), "the last decision was b's: {both}");
}

#[test]
fn xl_ends_in_every_mode() {
    for (rules, position, moves, result) in [
        ("xl", "AAAA5/BBBB5/9/9/9/9/9/9/9 a", "e9", "a has won"),
        ("xl:seats=3", "AAAA5/BBBB5/CCCC5/9/9/9/9/9/9 a", "e9", "a has won"),
        ("xl:seats=4,mode=2v2", "AAAA5/BBBB5/CCCC5/DDDD5/9/9/9/9/9 a", "e9", "a and c have won"),
    ] {
        let out =
            play(&["--rules", rules, "--position", position], &["value", "moves", "hint", moves, "hint"])
                .ok();
        assert!(out.contains("Try e9 (this wins)."), "{out}");
        assert!(out.contains("\nvalue: win for a\n"), "{out}");
        assert!(out.lines().any(|line| line.starts_with("win ") && line.contains(" e9")), "{out}");
        let said = format!("\nThe game is over: {result} (5 in a row).\n");
        assert_eq!(out.matches(&said).count(), 2, "{out}");
    }
    // With `continue=yes`, the game continues for the remaining places: the program takes the first
    // place with seat a, and the second with seat b.
    let three = ["--rules", "xl:seats=3,continue=yes", "--side", "c"];
    let at = [&three[..], &["--position", "AAAA5/BBBB5/CCCC5/9/9/9/9/9/9 a"]].concat();
    let out = play(&at, &["e7"]).ok();
    assert_eq!(said(&out, "a"), ["e9  (this wins)"]);
    assert_eq!(said(&out, "b"), ["e8  (this takes place 2)"]);
    assert!(out.contains("\nThe game is over: A1 B2 C3 (1 is the first place).\n"), "{out}");
}

#[test]
fn the_program_alone_plays_to_the_end() {
    for rules in [
        "xl:supply=2",
        "xl:seats=3,supply=2",
        "xl:seats=4,mode=2v2,supply=1",
        "pente:w=4,h=3,k=3,opening=free",
    ] {
        let out = play(&["--rules", rules, "--side", "none"], &[]).ok();
        assert!(out.starts_with("The program plays all seats.\n"));
        assert!(out.contains("\nThe game is over: "), "{rules}: {out}");
        assert!(!out.contains("Bye"));
    }
}

#[test]
fn resigning() {
    let out = play(&["--rules", "xl"], &["resign", "resign", "e5/1+", "undo", "e5/1+"]).ok();
    assert_eq!(out.matches("\nThe game is over: b has won.\n").count(), 2, "{out}");
    assert!(out.contains("a resigns.\n") && out.contains("Illegal move: the game is over: b has won."));
    assert_eq!(said(&out, "b").len(), 1, "{out}");
    let teams = play(&["--rules", "xl:seats=4,mode=2v2"], &["resign"]).ok();
    assert!(teams.contains("The game is over: b and d have won."));
    let many = play(&["--rules", "xl:seats=3", "--side", "ab"], &["resign", "resign", "b1/1+", "undo"]).ok();
    assert!(many.contains("a resigns: the program plays on for a."), "{many}");
    assert!(many.contains("b resigns.\nThe game is over: all people have resigned."), "{many}");
    // After `undo` or `load`, the person who resigned is to move again.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("saved.txt");
    let [save, load] = ["save", "load"].map(|word| format!("{word} {}", file.display()));
    let lines = ["e5/1+", &save, "resign", "undo", "resign", &load, "quit"];
    let back = play(&["--rules", "xl:seats=3"], &lines).ok();
    assert_eq!(said(&back, "b").len(), 1, "{back}");
    assert!(back.contains("a> resign\n") && back.contains("a> quit\n"), "{back}");
    let pente = play(&["--rules", "pente", "--side", "o"], &["resign"]).ok();
    assert!(pente.contains("The game is over: x has won."));
    let pentago = play(&["--side", "o"], &["resign", "undo", "resign"]).ok();
    assert_eq!(pentago.matches("The game is over: x has won.").count(), 2);
}

#[test]
fn pente_with_the_pro_opening() {
    let lines = ["a1", "I9", "k10", "K10", "k12", "undo", "K10", "O10", "value", "quit"];
    let out = play(&["--rules", "pente"], &lines).ok();
    assert!(out.starts_with("You are x. Type a move such as K10, or help.\n"));
    assert!(out.contains("the first stone of the game belongs on the centre"));
    assert!(out.contains("there is no file I"));
    assert!(out.contains("Illegal move: there is a stone of X on this point already."));
    assert!(out.contains("the second stone of X belongs three or more points away"));
    assert_eq!(said(&out, "o").len(), 3, "{out}");
    assert!(out.contains("\nunknown: "), "{out}");
}

#[test]
fn pente_wins_and_does_not_lose_at_once() {
    // In the first position, a fifth stone completes a row. In the second, a capture completes ten
    // captured stones.
    for (position, points, by) in [
        ("9/9/9/9/2XXXX3/9/2OOOO3/9/9 x", ["B5", "G5"], "5 in a row"),
        ("X1X1X1X1X/9/9/9/2XOO4/9/9/9/X1X1X1X2 x cap=8-0", ["F5", "F5"], "captured stones"),
    ] {
        let arguments = ["--rules", "pente:n=9,opening=free", "--position", position, "--side", "o"];
        let out = play(&arguments, &[]).ok();
        let reply = said(&out, "x")[0].split(' ').next().unwrap();
        assert!(points.contains(&reply), "{out}");
        assert!(out.contains(&format!("The game is over: x has won ({by}).")), "{out}");
    }
    // O has four in a row with one open end, so X must play at that end.
    let out = play(
        &[
            "--rules",
            "pente:n=9,opening=free",
            "--side",
            "o",
            "--position",
            "9/9/9/9/1XOOOO3/9/2X2X3/7X1/9 x",
        ],
        &["hint"],
    )
    .ok();
    assert!(said(&out, "x")[0].starts_with("G5"), "{out}");
}

#[test]
fn a_hint_and_the_value_say_the_same() {
    // Only the full table of the board shows that the position is a draw. The program finds the
    // draw without a time budget.
    let out = play(&["--rules", "pente:w=4,h=3,k=4,opening=free"], &["value", "hint", "moves"]).ok();
    assert!(out.contains("x> value\nvalue: draw\n"), "{out}");
    assert!(out.contains("x> hint\nTry B2 (a draw).\n"), "{out}");
    assert!(!out.contains("unknown"), "{out}");
}

#[test]
fn games_are_saved_and_loaded_in_their_own_text() {
    let folder = Folder::new();
    for (rules, moves, beginning) in [
        ("xl:seats=3", "a1/1+", "[Game \"Pentago XL\"]\n[Rules \"xl:seats=3\"]\n[Result \"*\"]\n\n1. a1/1+ "),
        ("pente", "K10", "[Game \"Pente\"]\n[Rules \"pente\"]\n[Result \"o\"]\n\n1. K10 "),
        ("pente:n=9,opening=free", "E5", "[Game \"Pente\"]\n[Rules \"pente:n=9,opening=free\"]\n"),
        ("pentago", "a1/1+", "[Game \"Pentago\"]\n[Rules \"pentago\"]\n[Result \"o\"]\n\n1. a1/1+ "),
    ] {
        let file = folder.at("game.txt");
        let _ = std::fs::remove_file(&file);
        let save = format!("save {file}");
        let out = play(&["--rules", rules], &[moves, &save, "resign", &save]).ok();
        assert_eq!(
            out.matches(&format!("Saved {file}.")).count(),
            1 + usize::from(!out.contains("plays on")),
            "{out}"
        );
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(beginning), "{text}");
        // Load the game in a session that started with other rules.
        let load = format!("load {file}");
        let out = play(&["--rules", "mini"], &[&load, "board"]).ok();
        assert!(out.contains(&format!("rules {rules}.\n")), "{out}");
    }
    // Load and save a game in the format of pente.org.
    let file = folder.at("pente.org.txt");
    std::fs::write(&file, "[Game \"Pente\"]\n[Site \"Pente.org\"]\n\n1. K10 L9 2. K13 *\n").unwrap();
    let (load, save) = (format!("load {file}"), format!("save {file}"));
    let out = play(&["--rules", "pente", "--side", "x"], &[&load, &save]).ok();
    assert!(out.contains("Loaded 3 moves, rules pente.\n"), "{out}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("[Site \"Pente.org\"]") && text.contains("1. K10 L9 2. K13 "), "{text}");
    // A file that contains no game of this program is not overwritten.
    std::fs::write(&file, "[Game \"Go\"]\n").unwrap();
    let out = play(&["--rules", "pente"], &[&load, &save]).ok();
    assert!(out.contains("line 1: unknown game"), "{out}");
    assert!(out.contains("exists already and isn't this game"));
    std::fs::write(&file, "game xl\nB e5/1+\n").unwrap();
    assert!(play(&["--rules", "xl"], &[&load]).ok().contains("it is A's turn"));
}

#[test]
fn moves_outside_of_a_small_board() {
    let small = play(&["--rules", "pente:n=4,k=4,opening=free"], &["K10"]).ok();
    assert!(small.starts_with("You are x. Type a move such as A1, or help."), "{small}");
    assert!(small.contains("this board has the files A to D"), "{small}");
}
