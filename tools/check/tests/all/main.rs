//! The checker: its rules against the cases of the rule sheets, its answers, its exit statuses.

mod cases;
mod command;
mod judgement;
