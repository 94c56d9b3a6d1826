//! The Python module `pentago_solver._pentago`: the library's front door in Python's terms. What is
//! computed, and how, is the library's matter; here are conversions, exceptions, and the wait for a
//! computation that leaves Python free to run and to be interrupted.
//!
//! | file | what it represents |
//! |---|---|
//! | `errors` | errors as exceptions |
//! | `watch` | a computation in a thread of its own, with progress and Ctrl-C |
//! | `arguments` | sizes, numbers of threads and arrays as Python gives them |
//! | `records` | answers and reports as the dataclasses of `pentago_solver._records` |
//! | `picture` | a position as SVG |
//! | `position`, `game` | the rules with a position, and a game that is played |
//! | `solver`, `tablebase`, `build` | the rest of the front door |

mod arguments;
mod build;
mod errors;
mod game;
mod picture;
mod position;
mod records;
mod solver;
mod tablebase;
mod watch;

use pyo3::prelude::*;

// Everything that is shared is immutable or locked: it needs no global interpreter lock.
#[pymodule(gil_used = false)]
fn _pentago(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("UNKNOWN", pentago::UNKNOWN)?;
    module.add("ILLEGAL", pentago::ILLEGAL)?;
    module.add("ContradictionError", module.py().get_type::<errors::ContradictionError>())?;
    module.add_class::<position::Rules>()?;
    module.add_class::<position::Position>()?;
    module.add_class::<game::Game>()?;
    module.add_class::<solver::Solver>()?;
    module.add_class::<tablebase::Tablebase>()?;
    module.add_class::<tablebase::Table>()?;
    module.add_class::<tablebase::Batches>()?;
    module.add_class::<tablebase::SampleBatches>()?;
    module.add_function(wrap_pyfunction!(position::random_positions, module)?)?;
    module.add_function(wrap_pyfunction!(build::build, module)?)?;
    module.add_function(wrap_pyfunction!(build::plan, module)?)
}
