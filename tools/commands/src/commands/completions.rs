//! `pentago completions`: generates shell completions.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;

use crate::output;

/// Generate shell completions
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  pentago completions bash > ~/.local/share/bash-completion/completions/pentago"
)]
pub struct Completions {
    /// Shell to generate completions for
    shell: Shell,
}

impl Completions {
    /// Runs the command: writes the completions of `program`.
    pub fn run(self, program: &mut clap::Command) -> anyhow::Result<()> {
        // The generator panics on write errors, so generate the script into a buffer.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, program, "pentago", &mut script);
        output::plain_stdout().write_all(&script)?;
        Ok(())
    }
}
