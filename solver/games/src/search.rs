//! Certificates by forward search, for every game.

use ::pentago::{Error, ErrorKind, Question, Stopped};
use pentago_search::{Budget, Certificate, Goal, Method, NoCertificate, Notation, Table};

use crate::context::SearchContext;
use crate::error::{Result, missing, out_of_memory};

/// Returns the error for the attempt to prove a win after the game is over.
pub(crate) fn game_over() -> Error {
    missing("the game is over in this position: the side to move can't win any more")
}

/// Converts the error of a search for a certificate.
pub(crate) fn no_certificate(error: NoCertificate, context: &SearchContext) -> Error {
    match error {
        NoCertificate::Stopped if context.control.is_cancelled() => Stopped.into(),
        NoCertificate::Stopped => {
            missing("no win was proved in time: allow more with --time, or try a later position")
        }
        NoCertificate::Refuted => missing("the side to move has no such win"),
        other => Error::new(ErrorKind::Environment, other),
    }
}

/// Searches for a certificate of a goal, within the limits of the question.
pub(crate) fn prove<G: Notation>(
    game: &mut G,
    goal: Goal,
    question: &Question,
    context: &SearchContext,
) -> Result<Certificate> {
    let bytes = usize::try_from(context.memory / 2).unwrap_or(1 << 30);
    let mut table = Table::new(bytes).map_err(out_of_memory)?;
    let method = question.depth.map_or(Method::Any, Method::Shortest);
    let mut budget = Budget::watched(u64::MAX, &context.in_time(question));
    let proof = pentago_search::prove(game, goal, method, &mut table, &mut budget);
    proof.map_err(|error| no_certificate(error, context))
}
