//! Solves a position, builds the tables of all positions below it, and looks up values in these
//! tables.

use pentago::{Build, Control, Error, Position, Question, Rules, Solver, Tablebase};

fn main() -> Result<(), Error> {
    let rules = Rules::default();
    let position: Position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o".parse()?;

    let question = Question { distance: true, ..Question::default() };
    let answer = Solver::builder().rules(rules).build()?.answer(&position, &question, &Control::new())?;
    println!("{position}: {}", answer.value);
    for eval in answer.best_moves() {
        println!("{} {} in {:?} plies", rules.format_move(eval.mv), eval.value, eval.distance);
    }

    let folder = std::env::temp_dir().join("pentago-example");
    let built = Build::root(rules, position).keep(28).run(&folder)?;
    println!("{} tables, {} bytes", built.paths.len(), built.bytes);
    println!("in the tables: {:?}", Tablebase::open(&folder)?.probe(&position)?);
    Ok(())
}
