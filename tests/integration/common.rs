//! What the tests share: the same position for the solver and for the reference, and where the published data lies.

use pentago_reference::{Options, State};
use pentago_solver::rules::{Position, Rules};
use pentago_solver::solve::{Answer, Control, Request, Solver, Value};
use pentago_solver::supers::Kernel;
use std::path::PathBuf;

/// The kernel under test: `PENTAGO_KERNEL`, or the fastest.
pub fn kernel() -> Kernel {
    Kernel::chosen().expect("PENTAGO_KERNEL names a kernel that runs here")
}

/// A solver in the calling thread with room for a position of 18 marbles.
pub fn solver(rules: Rules) -> Solver {
    Solver::new(rules, kernel(), 1, 1 << 30)
}

/// The solver's answer.
pub fn answer(solver: &mut Solver, position: &Position, request: &Request) -> Answer {
    solver.answer(position, request, &Control::new(), &mut |_| {}).expect("small positions are solved")
}

/// The reference's options for the same rules, and the state for the same position, by way of their texts.
pub fn reference(rules: &Rules, position: &Position) -> (Options, State) {
    let options = Options::parse(&rules.to_string()).expect("the reference reads rules");
    let state = options.read(&rules.format_position(position)).expect("the reference reads positions");
    (options, state)
}

/// +1, 0 or -1, as the reference says it.
pub fn worth(value: Value) -> i8 {
    match value {
        Value::Win => 1,
        Value::Draw => 0,
        Value::Loss => -1,
        Value::Unknown => panic!("a complete solution leaves nothing unknown"),
    }
}

/// A file of the published data and facts, or None (said on standard error) where they are not at hand.
pub fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: no {}", path.display());
    None
}
