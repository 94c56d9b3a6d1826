//! Ctrl-C and SIGTERM stop the running solution, and the program ends within a second.

#[cfg(unix)]
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use pentago::Control;

use crate::exit::Exit;
use crate::output;

/// Stops every solution of this process, and counts its boards.
static CONTROL: LazyLock<Control> = LazyLock::new(Control::new);

/// The time that the program has to end by itself. A solution stops within milliseconds, but perft
/// and waiting for input don't look at [`CONTROL`].
const GRACE: Duration = Duration::from_millis(400);

/// The control that every solution is started with.
pub fn control() -> &'static Control {
    &CONTROL
}

/// Makes Ctrl-C stop the running solution, and SIGTERM where there is such a thing. The second time
/// they end the program at once.
///
/// # Errors
/// If the system refuses a handler.
pub fn install() -> anyhow::Result<()> {
    ctrlc::set_handler(stop).context("installing the handler for Ctrl-C")?;
    #[cfg(unix)]
    {
        let signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM]);
        let mut signals = signals.context("installing the handler for SIGTERM")?;
        std::thread::spawn(move || signals.forever().for_each(|_| stop()));
    }
    Ok(())
}

/// Lets a file that grows too large (`ulimit -f`) be an error of the write, instead of ending the
/// program without a word.
///
/// # Errors
/// If the system refuses a handler.
pub fn survive_large_files() -> anyhow::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())
        .context("installing the handler for SIGXFSZ")?;
    Ok(())
}

fn stop() {
    if CONTROL.is_cancelled() {
        exit();
    }
    CONTROL.cancel();
    std::thread::spawn(|| {
        std::thread::sleep(GRACE);
        exit();
    });
}

fn exit() -> ! {
    say_stopped();
    std::process::exit(Exit::Interrupted as i32)
}

/// Notes, once, that the program was stopped.
pub fn say_stopped() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        output::note("stopped");
    }
}
