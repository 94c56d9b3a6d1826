//! Ctrl-C and SIGTERM cancel the running computation, and the program ends within a second.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use pentago::Control;

use crate::exit::Exit;
use crate::output;

/// The control that cancels every computation of this process.
static CONTROL: LazyLock<Control> = LazyLock::new(Control::new);

/// The time from a signal to the forced end of the process. A solver stops within milliseconds, but
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
/// If a handler can't be installed, or the thread can't be started.
pub fn install() -> anyhow::Result<()> {
    let runtime = runtime()?;
    let mut next = runtime.block_on(async { signals() })?;
    let watch = move || {
        loop {
            runtime.block_on(next());
            stop();
        }
    };
    std::thread::Builder::new().spawn(watch).context("starting the thread that waits for signals")?;
    Ok(())
}

/// Installs the handlers of the signals that end the program: Ctrl-C, and on Unix SIGTERM. Each
/// call of the returned function waits for the next signal. The caller must be in a tokio runtime.
///
/// # Errors
/// If a handler can't be installed.
#[cfg(unix)]
pub fn signals() -> anyhow::Result<impl AsyncFnMut() + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt()).context("installing the handler for Ctrl-C")?;
    let mut terminate = signal(SignalKind::terminate()).context("installing the handler for SIGTERM")?;
    Ok(async move || {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Installs the handler of Ctrl-C. Each call of the returned function waits for the next Ctrl-C.
/// The caller must be in a tokio runtime.
///
/// # Errors
/// If the handler can't be installed.
#[cfg(windows)]
pub fn signals() -> anyhow::Result<impl AsyncFnMut() + Send> {
    let mut interrupt = tokio::signal::windows::ctrl_c().context("installing the handler for Ctrl-C")?;
    Ok(async move || {
        interrupt.recv().await;
    })
}

/// Installs a handler for SIGXFSZ, so that writing a file above the limit of `ulimit -f` returns an
/// error. Without a handler, the signal would end the program without a message.
///
/// # Errors
/// If a handler can't be installed.
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
    let action = "installing the handlers for signals";
    // Tokio opens about six files, and would panic if the system refused some of them.
    #[cfg(unix)]
    (0..4).map(|_| std::os::unix::net::UnixStream::pair()).collect::<Result<Vec<_>, _>>().context(action)?;
    tokio::runtime::Builder::new_current_thread().enable_all().build().context(action)
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
        output::warn("stopped");
    }
}
