//! The checker: its rules against the cases of the rule sheets, its answers.

mod cases;
mod judgement;
