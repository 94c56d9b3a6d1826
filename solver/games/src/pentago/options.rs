//! The presets and options of Pentago's rules. Printed rule sheets of the game differ in these
//! options, and the options affect the values of positions.

use crate::{Choice, Meaning, Preset};

/// The presets, in the order in which lists show them.
pub const PRESETS: [Preset; 6] = [
    Preset {
        name: "pentago",
        title: "Pentago",
        options: "",
        explanation: "6x6 sockets, 3x3 quadrants, five in a row: all options at their defaults",
    },
    Preset {
        name: "pentago-eu",
        title: "Pentago, Basque rules",
        options: "dir=cw",
        explanation: "the Basque rules: quadrants turn clockwise only",
    },
    Preset {
        name: "pentago-fi",
        title: "Pentago, Finnish rules",
        options: "both=mover,skip=empty",
        explanation: "the Finnish rules: a turn that gives both players five wins; turns may be declined early",
    },
    Preset {
        name: "pentago-cs",
        title: "Pentago, Czech and Slovak rules",
        options: "reply=place",
        explanation: "the Czech and Slovak rules: a five made by a turn may be answered",
    },
    Preset {
        name: "pentago-nl",
        title: "Pentago, Dutch rules",
        options: "last=stop",
        explanation: "the Dutch rules, read literally: no turn after the last marble",
    },
    Preset {
        name: "mini",
        title: "Mini-Pentago",
        options: "n=4,bs=2,k=4",
        explanation: "Mini-Pentago: 4x4 sockets, 2x2 quadrants, four in a row",
    },
];

/// The options of Pentago's rules, in the order in which lists show them.
pub const OPTIONS: [Choice; 9] = [
    Choice {
        key: "dir",
        question: "direction in which quadrants turn",
        sheet: "Basque",
        values: &[Meaning::new("both", "either direction"), Meaning::new("cw", "clockwise only")],
    },
    Choice {
        key: "both",
        question: "result if a turn gives both players five",
        sheet: "Finnish",
        values: &[Meaning::new("draw", "a draw"), Meaning::new("mover", "the player who made the turn wins")],
    },
    Choice {
        key: "reply",
        question: "whether a five made by a turn, for the mover alone, may be answered",
        sheet: "Czech, Slovak",
        values: &[
            Meaning::new("none", "no"),
            Meaning::new("place", "the opponent may place one marble without a turn; a five makes it a draw"),
        ],
    },
    Choice {
        key: "skip",
        question: "when the turn may be declined (written /0)",
        sheet: "Finnish; another edition",
        values: &[
            Meaning::new("never", "never"),
            Meaning::new("empty", "while some quadrant is empty"),
            Meaning::new("neutral", "while some quadrant is empty or holds only a centre marble"),
        ],
    },
    Choice {
        key: "last",
        question: "after the last marble, if it makes no five",
        sheet: "Dutch, literal reading",
        values: &[
            Meaning::new("turn", "a turn follows, as always"),
            Meaning::new("stop", "the game is drawn"),
        ],
    },
    Choice {
        key: "place",
        question: "when a five made by a placement counts",
        sheet: "OpenSpiel",
        values: &[
            Meaning::new("wins", "at once, without a turn"),
            Meaning::new("turn", "after the turn, if it is still there; not with reply=place or last=stop"),
        ],
    },
    Choice {
        key: "n",
        question: "side of the board, in sockets",
        sheet: "",
        values: &[Meaning::new("6", "Pentago"), Meaning::new("4", "Mini-Pentago")],
    },
    Choice {
        key: "bs",
        question: "side of a quadrant, in sockets",
        sheet: "",
        values: &[Meaning::new("3", "with n=6"), Meaning::new("2", "with n=4")],
    },
    Choice {
        key: "k",
        question: "marbles in a row that win",
        sheet: "",
        values: &[
            Meaning::new("5", "with n=6"),
            Meaning::new("4", "with n=4"),
            Meaning::new("3", "with n=4, a shorter game"),
        ],
    },
];
