//! Ctrl-C and SIGTERM cancel the running computation, and the program ends within a second.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use pentago::Control;

use crate::exit::Exit;
use crate::output;

/// The control of every computation of this process.
static CONTROL: LazyLock<Control> = LazyLock::new(Control::new);

/// The time between a signal and the end of the process. A solver stops within milliseconds, but
/// perft and a read of standard input never check [`CONTROL`].
const GRACE: Duration = Duration::from_millis(400);

/// Returns the control that cancels every computation of this process.
pub fn control() -> &'static Control {
    &CONTROL
}

/// Lets Ctrl-C and SIGTERM cancel the running computation. The second signal ends the process
/// immediately.
///
/// # Errors
/// If the system refuses a handler or a thread.
pub fn install() -> anyhow::Result<()> {
    let runtime = runtime()?;
    let mut signals = runtime.block_on(async { Signals::new() })?;
    let watch = move || {
        loop {
            runtime.block_on(signals.next());
            stop();
        }
    };
    std::thread::Builder::new().spawn(watch).context("starting the thread that waits for signals")?;
    Ok(())
}

/// The signals that ask the program to end: Ctrl-C, and on Unix SIGTERM.
pub struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
}

impl Signals {
    /// Installs the handlers. The caller must be in a tokio runtime.
    ///
    /// # Errors
    /// If the system refuses a handler.
    #[cfg(unix)]
    pub fn new() -> anyhow::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let interrupt = signal(SignalKind::interrupt()).context("installing the handler for Ctrl-C")?;
        let terminate = signal(SignalKind::terminate()).context("installing the handler for SIGTERM")?;
        Ok(Signals { interrupt, terminate })
    }

    /// Installs the handler. The caller must be in a tokio runtime.
    ///
    /// # Errors
    /// If the system refuses the handler.
    #[cfg(windows)]
    pub fn new() -> anyhow::Result<Signals> {
        let interrupt = tokio::signal::windows::ctrl_c().context("installing the handler for Ctrl-C")?;
        Ok(Signals { interrupt })
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// Waits for the next signal.
    #[cfg(windows)]
    pub async fn next(&mut self) {
        self.interrupt.recv().await;
    }
}

/// Turns SIGXFSZ, which a file above the limit of `ulimit -f` raises, into an error of the write.
/// Without a handler the signal would end the program without a message.
///
/// # Errors
/// If the system refuses a handler.
pub fn survive_large_files() -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // The handler stays installed when the runtime and the receiver are dropped.
        let handler = runtime()?.block_on(async { signal(SignalKind::from_raw(libc::SIGXFSZ)) });
        let _ = handler.context("installing the handler for SIGXFSZ")?;
    }
    Ok(())
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("installing the handlers for signals")
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

/// Notes on standard error that the program was stopped. Only the first call writes the note.
pub fn say_stopped() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        output::note("stopped");
    }
}
