//! Converts answers and reports of the library to the dataclasses in `pentago_solver._records`.

use crate::position::{Position, Rules};
use pentago::{BuildEstimate, Built, Estimate, Stage, Value, Verified, Wdl};
use pentago::{FullReport, SampleReport};
use pentago_games::{Answer, MoveAnswer, Proved};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyTuple};

/// A Python object, or the exception that was raised during its construction.
type ObjectResult<'py> = PyResult<Bound<'py, PyAny>>;

/// Returns the class with this name in the module `pentago_solver._records`.
fn class<'py>(py: Python<'py>, name: &str) -> ObjectResult<'py> {
    py.import("pentago_solver._records")?.getattr(name)
}

/// Creates a Python `Progress` from a stage and the number of the stage.
pub fn progress<'py>(py: Python<'py>, number: u64, stage: &Stage) -> ObjectResult<'py> {
    class(py, "Progress")?.call1((number, &stage.what, stage.done, stage.total(), stage.unit))
}

fn number(value: Value) -> i8 {
    value.known().map_or(pentago::UNKNOWN, Wdl::number)
}

/// Converts a win, draw or loss to a Python `Value`.
pub fn wdl<'py>(py: Python<'py>, wdl: Wdl) -> ObjectResult<'py> {
    class(py, "Value")?.call1((wdl.number(),))
}

/// Converts the estimated costs of a full solution to a Python `Estimate`.
pub fn estimate<'py>(py: Python<'py>, estimate: &Estimate) -> ObjectResult<'py> {
    class(py, "Estimate")?.call1((estimate.plies, estimate.boards, estimate.bytes))
}

/// Returns the reason why a value is unknown, or `None` if the value is known. `proved` contains
/// the bounds that were proved.
fn why(source: &str, reason: &Option<String>, proved: Option<&Proved>) -> Option<String> {
    let open = || proved.map_or_else(|| "the search did not decide it".to_owned(), ToString::to_string);
    reason.clone().or_else(|| (source == "unknown").then(open))
}

/// Converts the answer for a position to a Python `Answer`.
pub fn answer<'py>(py: Python<'py>, position: &Position, answer: Answer) -> ObjectResult<'py> {
    let answer = answer.best_first();
    let (value, evaluated) = (class(py, "Value")?, class(py, "MoveEval")?);
    let one = |eval: &MoveAnswer| -> ObjectResult<'py> {
        let after = Position::written(&position.game, &eval.position)?;
        let reason = why(eval.source, &eval.reason, eval.proved.as_ref());
        let value = value.call1((number(eval.value),))?;
        evaluated.call1((&eval.text, after, value, eval.distance, eval.source, reason, eval.guess))
    };
    let moves: Vec<Bound<'py, PyAny>> = answer.moves.iter().map(one).collect::<PyResult<_>>()?;
    let reason = why(answer.source, &answer.reason, answer.proved.as_ref());
    let (win, loss) = match answer.proved {
        Some(Proved::Within { no_win_within, no_loss_within }) => (no_win_within, no_loss_within),
        _ => (0, 0),
    };
    let full = answer.full.map(|full| {
        let plies = position.game.plies_left(&position.inner);
        class(py, "Estimate")?.call1((plies, full.boards, full.bytes))
    });
    let line = answer.line.clone().unwrap_or_default();
    let named = [("no_win_within", win), ("no_loss_within", loss)].into_py_dict(py)?;
    named.set_item("guess", answer.guess)?;
    named.set_item("at_least", answer.at_least)?;
    let fields = (
        position.clone(),
        value.call1((number(answer.value),))?,
        answer.distance,
        answer.source,
        reason,
        PyTuple::new(py, moves)?,
        answer.advised().len(),
        answer.plies.unwrap_or(0),
        answer.is_complete(),
        answer.work(),
        PyTuple::new(py, line)?,
        full.transpose()?,
    );
    class(py, "Answer")?.call(fields, Some(&named))
}

/// Converts the result of a build to a Python `Built`.
pub fn built<'py>(py: Python<'py>, built: &Built) -> ObjectResult<'py> {
    let paths = PyTuple::new(py, &built.paths)?;
    class(py, "Built")?.call1((paths, built.bytes, built.scratch_bytes, built.already))
}

/// Converts the estimated costs of a build to a Python `BuildEstimate`.
pub fn build_estimate<'py>(py: Python<'py>, estimate: &BuildEstimate) -> ObjectResult<'py> {
    let slice = class(py, "SliceEstimate")?;
    let slices = estimate.slices.iter().map(|s| {
        slice.call1((
            s.marbles,
            s.sections,
            s.entries,
            s.raw_bytes,
            s.table_bytes,
            s.memory_bytes,
            s.core_seconds,
        ))
    });
    let slices: Vec<Bound<'py, PyAny>> = slices.collect::<PyResult<_>>()?;
    class(py, "BuildEstimate")?.call1((
        estimate.boards,
        estimate.memory_bytes,
        estimate.scratch_bytes,
        estimate.kept_bytes,
        estimate.seconds,
        PyTuple::new(py, slices)?,
    ))
}

/// Converts the report of a verification to a Python `Verified`.
pub fn verified<'py>(py: Python<'py>, verified: &Verified) -> ObjectResult<'py> {
    let SampleReport { positions, over, by_moves, by_solver, unchecked } = verified.sampled;
    let FullReport { entries, without_moves } = verified.full;
    class(py, "Verified")?.call1((
        verified.tables,
        verified.bytes,
        positions,
        over,
        by_moves,
        by_solver,
        unchecked,
        entries,
        without_moves,
    ))
}

/// Converts the counts of a table to a Python `Counts`.
pub fn counts<'py>(py: Python<'py>, counts: &pentago::WdlCounts) -> ObjectResult<'py> {
    class(py, "Counts")?.call1((counts.wins, counts.draws, counts.losses))
}

/// Creates a Python `Sample` from boards, their values, and optionally the values of their moves.
pub fn sample<'py>(
    py: Python<'py>,
    rules: pentago::Rules,
    boards: Bound<'py, PyAny>,
    values: Bound<'py, PyAny>,
    moves: Option<Bound<'py, PyAny>>,
) -> ObjectResult<'py> {
    class(py, "Sample")?.call1((Rules::from(rules), boards, values, moves))
}
