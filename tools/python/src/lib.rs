//! The Python module `pentago_solver._pentago`, which exposes the library to Python. The library
//! does all computation. This crate converts arguments and results, and raises exceptions. During a
//! computation, the crate releases the interpreter, so that other Python threads run and Ctrl-C
//! works.
//!
//! | file | contents |
//! |---|---|
//! | `errors` | conversion of errors to exceptions |
//! | `watch` | computations in a worker thread, with progress and Ctrl-C |
//! | `arguments` | conversion of sizes, thread counts and arrays |
//! | `records` | conversion of answers and reports to dataclasses of `pentago_solver._records` |
//! | `picture` | drawing a position as SVG |
//! | `position`, `game` | the classes `Rules`, `Position` and `Game` |
//! | `solver`, `tablebase` | the class `Solver`, and the classes of tables |
//! | `build` | the functions `build` and `plan` |

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

// All shared state is immutable or behind a lock, so the module doesn't need the global interpreter
// lock.
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
