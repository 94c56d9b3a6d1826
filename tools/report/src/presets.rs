//! The rule sets with a name, each with a title and a sentence that says what its sheet does.

use ::pentago::rules::Rules;

/// A rule set with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// The name, as `--rules` takes it.
    pub name: &'static str,
    /// A title for people.
    pub title: &'static str,
    /// The options that the name stands for; empty where all are at their defaults.
    pub options: &'static str,
    /// What these rules do, in a sentence without its full stop.
    pub explanation: &'static str,
}

/// The presets of Pentago, in the order in which they are listed.
const PRESETS: [Preset; 6] = [
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

/// Pentago XL by its own rules.
pub const XL: Preset = Preset {
    name: "xl",
    title: "Pentago XL",
    options: "",
    explanation: "Pentago XL: 9x9 sockets, nine quadrants, the centre one fixed",
};

/// Pente by its own rules.
pub const PENTE: Preset = Preset {
    name: "pente",
    title: "Pente",
    options: "",
    explanation: "Pente: five in a row or ten captured stones",
};

/// The presets of Pentago, in the order of [`Rules::presets`].
#[must_use]
pub fn presets() -> &'static [Preset] {
    debug_assert_eq!(PRESETS.len(), Rules::presets().len());
    &PRESETS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_explained_and_spelled_out() {
        assert_eq!(presets().len(), Rules::presets().len());
        for (preset, (name, rules)) in presets().iter().zip(Rules::presets()) {
            assert_eq!(preset.name, *name);
            assert!(!preset.explanation.is_empty() && !preset.title.is_empty(), "{name}");
            let options = preset.options;
            let text = if options.is_empty() { "pentago".into() } else { format!("pentago:{options}") };
            assert_eq!(text.parse::<Rules>().as_ref(), Ok(rules), "{name}");
        }
    }
}
