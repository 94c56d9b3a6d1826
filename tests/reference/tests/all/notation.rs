//! Parsing and formatting of positions, moves and options.

use pentago_reference::{Options, Skip};

use crate::{Random, rules};

#[test]
fn a_written_position_is_read_back() {
    for game in ["pentago", "mini"] {
        let options = rules(game);
        let mut random = Random::new(2);
        for marbles in 1..options.n * options.n {
            for state in [random.position(&options, marbles), random.pending(&options, marbles)] {
                let text = options.write(&state);
                assert_eq!(options.read(&text), Ok(state), "{text}");
            }
        }
    }
}

#[test]
fn the_side_to_move_follows_from_the_marbles() {
    let options = rules("pentago");
    for (text, to_move, written) in [
        ("6/6/6/6/6/6", 1, "6/6/6/6/6/6 x"),
        ("6/6/6/6/6/X5", 2, "6/6/6/6/6/X5 o"),
        ("33/6/6/6/6/X4O x", 1, "6/6/6/6/6/X4O x"),
        ("6/6/6/6/6/X5 x turn", 1, "6/6/6/6/6/X5 x turn"),
        ("6/6/6/6/6/X4O o turn", 2, "6/6/6/6/6/X4O o turn"),
    ] {
        let state = options.read(text).unwrap();
        assert_eq!(state.to_move, to_move);
        assert_eq!(options.write(&state), written);
    }
    let corner = options.read("6/6/6/6/6/X5").unwrap();
    assert_eq!(corner.cells[30], 1, "the last row is rank 1");
}

#[test]
fn other_positions_are_refused() {
    let options = rules("pentago");
    for text in [
        "",
        "6/6/6/6/6",
        "6/6/6/6/6/6/6",
        "6/6/6/6/6/5",
        "6/6/6/6/6/7",
        "6/6/6/6/6/06",
        "6/6/6/6/6/x5 o",
        "6/6/6/6/6/6 o",
        "6/6/6/6/6/6 X",
        "6/6/6/6/6/X5 x",
        "6/6/6/6/6/O5",
        "6/6/6/6/6/XX4 o",
        "6/6/6/6/6/6 o turn",
        "6/6/6/6/6/X5 o turn",
        "6/6/6/6/6/X5 turn",
        "6/6/6/6/6/X5 x place",
        "6/6/6/6/6/X5 x turn turn",
        "4/4/4/4 x",
    ] {
        assert!(options.read(text).is_err(), "{text}");
    }
}

#[test]
fn other_moves_are_refused() {
    let options = rules("pentago");
    let state = options.start();
    for text in [
        "", "/", "a1", "a1/", "a1/5+", "a1/0+", "a1/1", "a1/+", "a0/1+", "a7/1+", "g1/1+", "A1/1+", "a1 /1+",
        "a1/1+/1+", "a01/1+", "/1+", "1a/1+", "a1/01+",
    ] {
        assert!(options.play(&state, text).is_err(), "{text}");
    }
    assert!(options.play(&state, "a1/1+").is_ok());
    let pending = options.read("6/6/6/6/6/X5 x turn").unwrap();
    assert!(options.play(&pending, "/1+").is_ok());
    assert!(options.play(&pending, "b1/1+").is_err());
    assert!(options.play(&pending, "/0").is_err());
}

#[test]
fn presets_and_options() {
    for (name, options) in Options::presets() {
        assert_eq!(Options::parse(name), Ok(options));
    }
    assert_eq!(rules("pentago"), Options::PENTAGO);
    assert_eq!(rules("mini"), rules("pentago:n=4,bs=2,k=4"));
    assert_eq!(rules("pentago-eu"), rules("pentago:dir=cw"));
    assert_eq!(rules("pentago-fi"), rules("pentago:skip=empty,both=mover"));
    assert_eq!(rules("pentago-cs"), rules("pentago:reply=place"));
    assert_eq!(rules("pentago-nl"), rules("pentago:last=stop,dir=both"));
    assert_eq!(rules("pentago-fi:skip=neutral").skip, Skip::Neutral);
    for text in [
        "",
        "chess",
        "pentago:",
        "pentago:dir",
        "pentago:dir=",
        "pentago:dir=ccw",
        "pentago:dir=cw,",
        "pentago:dir=cw,dir=cw",
        "pentago:colour=red",
        "pentago:n=4",
        "pentago:n=4,bs=2",
        "pentago:n=5,bs=2,k=4",
        "pentago:k=7",
        "pentago:k=2",
        "pentago:k=five",
    ] {
        assert!(Options::parse(text).is_err(), "{text}");
    }
}
