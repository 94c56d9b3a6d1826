//! The checker refuses invalid rules, positions and moves.

use pentago_check::blocks::Blocks;
use pentago_check::pente::Pente;
use pentago_check::rules::Rules;

#[test]
fn refusals() {
    let pentago = "go pentago: pentago:dir pentago:dir=up pentago:dir=cw,dir=cw pentago:n=4 mini:k=5 xl:n=6 \
                   xl:seats=5 xl:mode=2v2 xl:supply=0 xl:supply=82 xl:seats=4,mode=2v2,continue=yes \
                   pentago:seats=2";
    assert!(pentago.split(' ').all(|game| Blocks::read(game).is_err()));
    let pente = "pente:n=20 pente:n=0 pente:n=6 pente:w=4 pente:k=1 pente:win=0 pente:cap=3 pentex";
    assert!(pente.split(' ').all(|game| Pente::read(game).is_err()));
    let pentago = Blocks::read("pentago").unwrap();
    for position in [
        "",
        "6/6/6/6/6/6",
        "6/6/6/6/6 x",
        "6/6/6/6/6/6/6 x",
        "6/6/6/6/6/7 x",
        "6/6/6/6/6/5 x",
        "6/6/6/6/6/5Z x",
        "6/6/6/6/6/6 a",
        "6/6/6/6/6/6 xx",
        "6/6/6/6/6/06 x",
        "6/6/6/6/6/6 x turn",
        "6/6/6/6/6/6  x",
        "6/6/6/6/6/5é x",
        "6/6/6/6/6/99999999999999999999 x",
    ] {
        assert!(pentago.position(position).is_err(), "{position}");
    }
    for position in ["6/6/6/6/6/6 o", "6/6/6/6/6/X5 x", "6/6/6/6/6/O5 o", "OOOO2/6/6/6/6/XXXXX1 o"] {
        assert!(pentago.possible(&pentago.position(position).unwrap()).is_err(), "{position}");
    }
    for mv in ["", "c", "g1", "a7", "a0", "c4/", "c4/1", "c4/0+", "c4/1*", "c4/1+ ", "é4", "c4/1+1"] {
        assert!(pentago.read_move(mv).is_none(), "{mv}");
    }
    let pente = Pente::read("pente:n=5,opening=free").unwrap();
    for position in [
        "5/5/5/5/5 o",
        "5/5/5/5/XX3 x",
        "5/5/5/5/5 x cap=2-0",
        "5/5/XXX2/5/OO3 o cap=1-0",
        "XXXXX/OOOO1/5/5/5 o",
    ] {
        assert!(pente.possible(&pente.position(position).unwrap()).is_err(), "{position}");
    }
    for mv in ["", "A", "A0", "A6", "F1", "I1", "A01", "A1/1+", "A99999999999999999999"] {
        assert!(pente.read_move(mv).is_none(), "{mv}");
    }
    let xl = Blocks::read("xl:supply=1").unwrap();
    assert!(xl.possible(&xl.position("AB7/9/9/9/9/9/9/9/9 a").unwrap()).is_err());
    assert!(xl.possible(&xl.position("XO7/9/9/9/9/9/9/9/9 a").unwrap()).is_err());
    assert!(xl.possible(&xl.position("X8/9/9/9/9/9/9/9/9 b").unwrap()).is_ok());
    assert!(xl.position("C8/9/9/9/9/9/9/9/9 b").is_err());
    let three = Blocks::read("xl:seats=3").unwrap();
    assert!(three.position("X8/9/9/9/9/9/9/9/9 b").is_err());
}
