//! `pentago man`: generates the man pages.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use clap_mangen::Man as Page;

use crate::output;

/// Generate the man pages: the main one to standard output, or all into a folder
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago man ~/.local/share/man/man1")]
pub struct Man {
    /// Folder for all pages, created if necessary [default: the main page goes to standard output]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Man {
    /// Runs the command: writes the pages of `program`.
    pub fn run(self, mut program: clap::Command) -> anyhow::Result<()> {
        let Some(folder) = self.folder else {
            let mut page = Vec::new();
            Page::new(program).render(&mut page)?;
            output::plain_stdout().write_all(&page)?;
            return Ok(());
        };
        output::check_folder(&folder)?;
        program.build();
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", output::shown_path(&folder)))?;
        let pages = program.get_subcommands().filter(|c| c.get_name() != "help").cloned();
        let names = pages.map(|page| (format!("pentago-{}", page.get_name()), page));
        for (name, page) in std::iter::once(("pentago".to_owned(), program.clone())).chain(names) {
            let mut text = Vec::new();
            Page::new(page).title(name.clone()).render(&mut text)?;
            write(&folder, &name, &text)?;
        }
        write(&folder, "pentago-check", pentago_check::command::MANUAL.as_bytes())
    }
}

fn write(folder: &Path, name: &str, text: &[u8]) -> anyhow::Result<()> {
    output::write_file(&folder.join(format!("{name}.1")), text)
}
