//! `pentago serve`: serves the explorer, a web page and an API.

use std::fs;
use std::io::{ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use pentago_base::counted;
use pentago_explorer::{Bounds, Config, Server};
use pentago_games::Game;
use pentago_store::{LISTING, is_address, shown};

use crate::exit::{bad_input, missing_data};
use crate::games::kinds;
use crate::options::{Overwrite, PAGE_MARK, SolverArgs, game, number, seconds, threads_or_all};
use crate::output::{check_file, check_folder, note, plain_stdout, quoted_path, shown_path, write_file};
use crate::{engine, folder, interrupt};

/// Serve the explorer: a page and an API with the value of every move
///
/// The web page sets up, plays and solves any position. Programs use the API under /api/v1, which
/// /api/v1/openapi.json describes. The page is part of the program and loads nothing from other
/// hosts. Without --listen, only this computer can connect. Ctrl-C or SIGTERM ends the server.
#[derive(Debug, Args)]
#[command(mut_arg("memory", |arg| arg.help("Memory limit of the solver [default: half of the free memory]")))]
#[command(after_help = "\
Examples:
  pentago serve
  pentago serve --port 8080
  pentago serve --export public
  pentago publish public/tables && pentago serve --export public --tables public/tables
  pentago serve --listen 0.0.0.0 --tables tables --memory 8G
  pentago serve --behind-proxy --host pentago.example.org")]
pub struct Serve {
    /// Address, port or ADDRESS:PORT to listen on, such as localhost:8080 [default: 127.0.0.1:8036]
    #[arg(long, value_name = "ADDR", value_parser = listen)]
    listen: Option<(IpAddr, Option<u16>)>,

    /// Port to listen on, 0 for any free one
    #[arg(long, value_name = "PORT", value_parser = number(0..=u16::MAX))]
    port: Option<u16>,

    /// Host name to answer requests for; may be repeated
    ///
    /// On a loopback address, the server refuses requests for other names than localhost, because
    /// other sites could resolve their own names to this address. With this option, the server
    /// makes this check on every address, and accepts NAME as well.
    #[arg(long, value_name = "NAME", value_parser = host)]
    host: Vec<String>,

    /// Identify clients by X-Forwarded-For; use this only behind a proxy that sets the header
    ///
    /// Clients take turns in the queue, and each client has a share of the queue. Without a proxy,
    /// a client could forge the header and take the turns of many clients.
    #[arg(long)]
    behind_proxy: bool,

    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder if it
    /// has any]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Folder to write the page to instead of serving it; the page on any web host solves late
    /// positions by itself
    ///
    /// With --tables, the page also reads published tables (`pentago publish`) at an address or in
    /// a folder. The host must have that folder at the same path relative to the page.
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = [
            "listen", "port", "host", "behind_proxy", "rules", "cors", "solves", "queue", "time", "time_limit",
            "connections", "cache", "threads", "memory",
        ]
    )]
    export: Option<PathBuf>,

    #[command(flatten)]
    overwrite: Overwrite,

    /// Rules to answer for; may be repeated [default: all]
    #[arg(long, value_name = "RULES", value_parser = game)]
    rules: Vec<Arc<dyn Game>>,

    /// Allow requests by pages of other sites (CORS)
    #[arg(long)]
    cors: bool,

    /// Number of large positions to solve at the same time; they share the memory
    #[arg(long, value_name = "N", default_value = "1", value_parser = number(1..=64u16))]
    solves: u16,

    /// Number of requests that may wait for a large position; further requests get status 429
    #[arg(long, value_name = "N", default_value = "16", value_parser = number(1..=4096u16))]
    queue: u16,

    /// Time limit of an answer, as for `solve` [default: 10 for a limited search, or --time-limit
    /// if less]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,

    /// Longest time for a position, including its time in the queue
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    time_limit: Duration,

    /// Largest number of connections
    #[arg(long, value_name = "N", default_value = "1024", value_parser = number(1..=u16::MAX))]
    connections: u16,

    /// Memory for the cache of answers, such as 64M
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = pentago_memory::parse_size)]
    cache: u64,

    #[command(flatten)]
    solver: SolverArgs,
}

/// The default port.
const PORT: u16 = 8036;

/// The default time budget for a limited search.
const TIME: Duration = Duration::from_secs(10);

/// Parses an address, a port, or both.
fn listen(text: &str) -> Result<(IpAddr, Option<u16>), String> {
    let wrong = "expected an address such as 127.0.0.1:8036, 0.0.0.0, [::1]:8036, localhost or 8036";
    let address = |text: &str| match text {
        "" | "localhost" => Some(IpAddr::from(Ipv4Addr::LOCALHOST)),
        _ => text.trim_start_matches('[').trim_end_matches(']').parse().ok(),
    };
    if let Ok(port) = text.parse() {
        return Ok((Ipv4Addr::LOCALHOST.into(), Some(port)));
    }
    if let Some(address) = address(text) {
        return Ok((address, None));
    }
    let (host, port) = text.rsplit_once(':').filter(|(host, _)| !host.is_empty()).ok_or(wrong)?;
    Ok((address(host).ok_or(wrong)?, Some(port.parse().map_err(|_| wrong)?)))
}

/// Returns the address and port to listen on, from the values of `--listen` and `--port`.
///
/// # Errors
/// If both options name a port.
fn socket(listen: Option<(IpAddr, Option<u16>)>, port: Option<u16>) -> anyhow::Result<SocketAddr> {
    let (address, own) = listen.unwrap_or((Ipv4Addr::LOCALHOST.into(), None));
    if own.is_some() && port.is_some() {
        return Err(bad_input("--listen and --port both name a port: leave one out"));
    }
    Ok(SocketAddr::new(address, own.or(port).unwrap_or(PORT)))
}

impl Serve {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if let Some(folder) = &self.export {
            check_folder(folder)?;
            self.overwrite.check(&folder.join("index.html"), &[PAGE_MARK])?;
            let tables = self.tables.as_deref().map(|tables| from_page(folder, tables)).transpose()?;
            let files = pentago_explorer::page_files(tables.as_deref());
            files.iter().try_for_each(|(name, _)| check_file(&folder.join(name)))?;
            for (name, bytes) in &files {
                let path = folder.join(name);
                let parent = path.parent().unwrap_or(folder);
                fs::create_dir_all(parent)
                    .with_context(|| format!("cannot create {}", shown_path(parent)))?;
                write_file(&path, bytes)?;
            }
            note(format_args!("{} in {}", counted(files.len() as u64, "file"), shown_path(folder)));
            if let Some(tables) = tables {
                note(format_args!("the page reads tables at {tables}"));
            }
            return Ok(());
        }
        let listen = socket(self.listen, self.port)?;
        let (limit, time) = (self.time_limit, self.time.unwrap_or(TIME.min(self.time_limit)));
        if limit.is_zero() || time > limit {
            let (time, limit) = (time.as_secs_f64(), limit.as_secs_f64());
            let text = format!(
                "a request would have {time} seconds, but may have at most {limit}: --time-limit must be above 0, \
                 and at least --time"
            );
            return Err(bad_input(text));
        }
        let tables = folder::with_openings(self.tables.as_deref())?;
        let config = Config {
            listen,
            kinds: kinds(),
            tables: Arc::new(tables),
            rules: self.rules.iter().map(|game| game.rules()).collect(),
            kernel: self.solver.kernel(),
            threads: self.solver.threads(),
            memory: self.solver.memory.unwrap_or_else(|| pentago_memory::usable() / 2),
            time,
            finish: self.time.is_none(),
            hosts: self.host,
            behind_proxy: self.behind_proxy,
            cors: self.cors,
            bounds: Bounds {
                solves: usize::from(self.solves),
                queue: usize::from(self.queue),
                solve_time: limit,
                connections: usize::from(self.connections),
                cache: self.cache,
                ..Bounds::default()
            },
        };
        // Tokio panics if the system refuses a thread, so start as many threads before. An answer
        // needs one more thread.
        let workers = threads_or_all(None).saturating_add(1);
        engine::check_threads(workers).context("starting the threads of the server")?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.context("starting the threads of the server")?;
        let ended = runtime.block_on(serve(config));
        // Don't wait for threads that still read from the host of the tables.
        runtime.shutdown_background();
        ended
    }
}

/// Parses a host name without a port.
fn host(text: &str) -> Result<String, String> {
    let name = text.strip_suffix('.').unwrap_or(text);
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_address = bare.is_some_and(|bare| bare.parse::<Ipv6Addr>().is_ok());
    let wrong =
        "expected a name or an address without a port: pentago.example.org, 192.0.2.1 or [2001:db8::1]";
    if !name.is_empty() && is_name || is_address { Ok(name.to_owned()) } else { Err(wrong.to_owned()) }
}

/// Returns the address of published tables, relative to the folder of the page if `tables` is a
/// folder.
///
/// # Errors
/// If the tables are not published, or the current folder of this process was deleted.
fn from_page(page: &Path, tables: &Path) -> anyhow::Result<String> {
    if is_address(tables) {
        folder::names_host(tables)?;
        // Browsers refuse addresses with a password, so use `shown`, which removes the password.
        return Ok(shown(tables).to_string_lossy().into_owned());
    }
    folder::exists(tables)?;
    if !tables.join(LISTING).is_file() {
        let tables = quoted_path(tables);
        return Err(missing_data(format!(
            "{tables} has no {LISTING}, where the page looks for tables: run `pentago publish {tables}` first"
        )));
    }
    let (page, tables) = (as_named(page)?, as_named(tables)?);
    let same = page.components().zip(tables.components()).take_while(|(a, b)| a == b).count();
    let up = page.components().skip(same).map(|_| "..".to_owned());
    let down = tables.components().skip(same).map(|part| encoded(&part.as_os_str().to_string_lossy()));
    let address = up.chain(down).collect::<Vec<_>>().join("/");
    Ok(if address.is_empty() { ".".to_owned() } else { address })
}

/// Returns the absolute path of a folder without `..`. Symbolic links stay unresolved, because the
/// web host uses their names.
fn as_named(folder: &Path) -> std::io::Result<PathBuf> {
    let mut path = PathBuf::new();
    for part in std::path::absolute(folder)?.components() {
        if part == Component::ParentDir {
            path.pop();
        } else {
            path.push(part);
        }
    }
    Ok(path)
}

/// Encodes a name for use in an address (percent-encoding).
fn encoded(name: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(byte).collect()
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let listen = config.listen;
    // Install the signal handlers before the address is printed, so that no signal arrives before
    // its handler is installed.
    let mut next_signal = interrupt::signals()?;
    let server = Server::bind(config).await.map_err(|error| {
        let taken = error.kind() == ErrorKind::AddrInUse;
        let tip = if taken { ": choose another port by --port, or 0 for any free one" } else { "" };
        anyhow::anyhow!("listening on {listen}: {error}{tip}")
    })?;
    let address = server.address()?;
    {
        let mut out = plain_stdout();
        writeln!(out, "http://{address}")?;
        out.flush()?;
    }
    server.run(Box::pin(next_signal())).await;
    note("stopped");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_ports_are_understood_alone_and_together() {
        let read = |text: &str, port| {
            let given = (!text.is_empty()).then(|| listen(text).unwrap());
            socket(given, port).map(|at| at.to_string())
        };
        for (text, port, expected) in [
            ("", None, "127.0.0.1:8036"),
            ("", Some(80), "127.0.0.1:80"),
            ("8080", None, "127.0.0.1:8080"),
            ("localhost", None, "127.0.0.1:8036"),
            ("localhost:9", None, "127.0.0.1:9"),
            ("0.0.0.0", Some(9), "0.0.0.0:9"),
            ("127.0.0.1:0", None, "127.0.0.1:0"),
            ("::1", None, "[::1]:8036"),
            ("[::1]", Some(9), "[::1]:9"),
            ("[::1]:9", None, "[::1]:9"),
        ] {
            assert_eq!(read(text, port).unwrap(), expected, "{text:?} {port:?}");
        }
        assert!(read("localhost:9", Some(9)).is_err(), "two ports");
        for wrong in ["nowhere", "localhost:", "localhost:65536", ":80", "1.2.3:80", "70000", "a:b:c"] {
            assert!(listen(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_page_finds_tables_by_the_names_that_a_host_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["public", "public/tables", "public/page", "public/more tables", "elsewhere"] {
            fs::create_dir_all(path(name)).unwrap();
            fs::write(path(name).join(LISTING), "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(path("elsewhere"), path("public/linked")).unwrap();
        for (page, tables, expected) in [
            ("public", "public/tables", "tables"),
            ("public", "public", "."),
            ("public/page", "public/tables", "../tables"),
            ("public/tables/../page", "public/page/../more tables", "../more%20tables"),
            #[cfg(unix)]
            ("public", "public/linked", "linked"),
        ] {
            assert_eq!(from_page(&path(page), &path(tables)).unwrap(), expected, "{page} {tables}");
        }
        assert!(from_page(&path("public"), &path("public/nothing")).is_err(), "not published");
        let address = "https://host/tables";
        for address in [address, "https://user:password@host/tables"] {
            let found = from_page(&path("public"), Path::new(address)).unwrap();
            assert_eq!(found, "https://host/tables");
        }
        for address in ["http://", "https:///tables", "http://:80/tables", "http://no host/", "http://[::1/"]
        {
            let error = from_page(&path("public"), Path::new(address)).unwrap_err().to_string();
            assert!(error.contains("names no host"), "{error}");
        }
    }
}
