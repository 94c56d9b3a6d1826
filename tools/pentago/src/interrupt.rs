//! Ctrl-C: the running solution is stopped, the program ends within a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use pentago::solve::Control;

use crate::exit::Exit;
use crate::output;

/// What stops every solution of this process, and counts its boards.
static CONTROL: Control = Control::new();

/// How long the program has to end by itself: a solution stops within milliseconds, but whoever
/// waits for input or counts perft doesn't look at [`CONTROL`].
const GRACE: Duration = Duration::from_millis(400);

/// The control that every solution is started with.
pub fn control() -> &'static Control {
    &CONTROL
}

/// Makes Ctrl-C stop the running solution. The second time it ends the program at once.
///
/// # Errors
/// If the system refuses a handler.
pub fn install() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if CONTROL.is_cancelled() {
            exit();
        }
        CONTROL.cancel();
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            exit();
        });
    })
    .context("Ctrl-C could not be taken over")
}

fn exit() -> ! {
    say_stopped();
    std::process::exit(Exit::Interrupted as i32)
}

/// Says, once, that the program was stopped.
pub fn say_stopped() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        output::note("stopped");
    }
}
