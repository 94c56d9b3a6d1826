//! Values of tiny boards of Pente.

use pentago_reference::pente::{Rules, Solver};

#[test]
fn values_of_tiny_boards() {
    for (text, value) in [
        ("pente:n=3,k=3,opening=free", 0),
        ("pente:n=3,k=3,opening=free,win=2", 0),
        ("pente:n=2,k=2,opening=free", 1),
        ("pente:w=5,h=1,k=3,opening=free,win=2", 0),
    ] {
        let rules = Rules::parse(text).unwrap();
        assert_eq!(Solver::new(rules.clone()).solve(&rules.start()).0, value, "{text}");
    }
}
