//! A host that this program connects to itself.

use crate::fetch::Fetch;
use pentago_base::lock;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use ureq::Agent;
#[cfg(feature = "https")]
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

/// How long a host may take, and how often it is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryPolicy {
    /// Until it is reached.
    pub connect: Duration,
    /// Until it answers.
    pub answer: Duration,
    /// Until an answer is complete.
    pub body: Duration,
    /// How often it is asked in all, where it might do better next time.
    pub attempts: u32,
    /// Before it is asked a second time; then four times as long, and so on.
    pub wait: Duration,
    /// After so long it isn't asked again.
    pub whole: Duration,
    /// How long it is left alone when all was in vain: until then the same error is given at once.
    pub rest: Duration,
}

impl RetryPolicy {
    /// For people who wait.
    pub const USUAL: RetryPolicy = RetryPolicy {
        connect: Duration::from_secs(5),
        answer: Duration::from_secs(10),
        body: Duration::from_secs(20),
        attempts: 4,
        wait: Duration::from_millis(200),
        whole: Duration::from_secs(20),
        rest: Duration::from_secs(20),
    };
}

/// Connections to hosts.
pub(crate) struct HttpClient {
    agent: Agent,
    patience: RetryPolicy,
    /// Until when the host is left alone, and why.
    resting: Mutex<Option<(Instant, String)>>,
}

/// Why a request failed.
enum RequestError {
    /// It may be better next time.
    Transient(io::Error),
    /// It won't.
    Permanent(io::Error),
}

/// Names a file with the certificates of those whose signatures count, as for OpenSSL and curl. Without it
/// they are Mozilla's.
#[cfg(feature = "https")]
const SIGNERS_VARIABLE: &str = "SSL_CERT_FILE";

/// Whose signatures under a host's certificate count.
#[cfg(feature = "https")]
fn signers() -> io::Result<RootCerts> {
    let Some(file) = std::env::var_os(SIGNERS_VARIABLE).filter(|file| !file.is_empty()) else {
        return Ok(RootCerts::WebPki);
    };
    let named = |text: String| io::Error::other(format!("{SIGNERS_VARIABLE}, {}: {text}", file.display()));
    let pem = std::fs::read(&file).map_err(|error| named(error.to_string()))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| named(error.to_string()))? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        return Err(named("it has no certificates".into()));
    }
    Ok(certificates.into())
}

impl HttpClient {
    /// # Errors
    /// If the file with the certificates of those whose signatures count can't be read.
    pub fn new(patience: RetryPolicy) -> io::Result<HttpClient> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // To whom a host sends its readers, nobody has named.
            .max_redirects(0)
            .accept_encoding("identity")
            .user_agent(crate::PROGRAM)
            .timeout_connect(Some(patience.connect))
            .timeout_recv_response(Some(patience.answer))
            .timeout_recv_body(Some(patience.body));
        #[cfg(feature = "https")]
        let config = config.tls_config(TlsConfig::builder().root_certs(signers()?).build());
        let agent = Agent::new_with_config(config.build());
        Ok(HttpClient { agent, patience, resting: Mutex::default() })
    }

    /// Tries something until it succeeds, as often as patience lasts.
    fn again<T>(&self, attempt: impl Fn() -> Result<T, RequestError>) -> io::Result<T> {
        let RetryPolicy { attempts, mut wait, whole, rest, .. } = self.patience;
        let began = Instant::now();
        if let Some((_, why)) = lock(&self.resting).as_ref().filter(|(until, _)| began < *until) {
            return Err(io::Error::other(format!("it failed a moment ago: {why}")));
        }
        let mut left = attempts;
        loop {
            left -= 1;
            match attempt() {
                Ok(found) => return Ok(found),
                Err(RequestError::Permanent(error)) => return Err(error),
                Err(RequestError::Transient(error)) if left == 0 || began.elapsed() >= whole => {
                    *lock(&self.resting) = Some((Instant::now() + rest, error.to_string()));
                    return Err(error);
                }
                Err(RequestError::Transient(_)) => std::thread::sleep(wait),
            }
            wait *= 4;
        }
    }

    /// A whole file of at most `most` bytes.
    fn file(&self, address: &str, most: u64) -> Result<Vec<u8>, RequestError> {
        let mut answer = self.agent.get(address).call().map_err(passing)?;
        match answer.status().as_u16() {
            200 => answer.body_mut().with_config().limit(most).read_to_vec().map_err(passing),
            status => Err(refusal(status, &answer)),
        }
    }

    /// A part of a file of `size` bytes.
    fn part(&self, address: &str, size: u64, part: &Range<u64>) -> Result<Vec<u8>, RequestError> {
        let (at, len, last) = (part.start, part.end - part.start, part.end - 1);
        let asked = self.agent.get(address).header("range", format!("bytes={at}-{last}"));
        let mut answer = asked.call().map_err(passing)?;
        match answer.status().as_u16() {
            206 => {}
            200 => return Err(lasting("the host sends whole files only: it must answer range requests")),
            416 => return Err(lasting("the file is shorter than it was when it was published")),
            status => return Err(refusal(status, &answer)),
        }
        let sent = answer.headers().get("content-range").and_then(|value| value.to_str().ok());
        if sent != Some(&*format!("bytes {at}-{last}/{size}")) {
            let sent = sent.unwrap_or("no range");
            return Err(lasting(&format!(
                "asked for bytes {at}-{last}/{size}, it sends {sent}: was it published again?"
            )));
        }
        let body = answer.body_mut().with_config().limit(len).read_to_vec().map_err(passing)?;
        if body.len() as u64 == len {
            return Ok(body);
        }
        let text = format!("the answer has {} of {len} bytes", body.len());
        Err(RequestError::Transient(io::Error::new(io::ErrorKind::UnexpectedEof, text)))
    }
}

impl Fetch for HttpClient {
    fn whole(&self, address: &str, most: u64) -> io::Result<Vec<u8>> {
        self.again(|| self.file(address, most))
    }

    fn parts(&self, address: &str, size: u64, parts: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let one = |part: &Range<u64>| self.again(|| self.part(address, size, part));
        std::thread::scope(|scope| {
            let others: Vec<_> = parts.iter().skip(1).map(|part| scope.spawn(move || one(part))).collect();
            let first = parts.first().map(one);
            let rest = others
                .into_iter()
                .map(|other| other.join().unwrap_or_else(|_| Err(io::Error::other("a thread has failed"))));
            first.into_iter().chain(rest).collect()
        })
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").field("patience", &self.patience).finish_non_exhaustive()
    }
}

fn passing(error: ureq::Error) -> RequestError {
    match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => lasting(&format!("not an address: {error}")),
        ureq::Error::TlsRequired => lasting("this program was built without https (feature `https`)"),
        // What TLS refuses, such as a certificate that nobody known has signed.
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            RequestError::Permanent(error)
        }
        ureq::Error::BodyExceedsLimit(_) => lasting("the answer is longer than what was asked for"),
        // Without its kind: whoever waits for bytes that are on their way says so by one.
        ureq::Error::Io(error) => RequestError::Transient(io::Error::other(error)),
        error => RequestError::Transient(io::Error::other(error)),
    }
}

fn lasting(text: &str) -> RequestError {
    RequestError::Permanent(io::Error::other(text.to_owned()))
}

/// The failure that a status tells of.
fn refusal<T>(status: u16, answer: &ureq::http::Response<T>) -> RequestError {
    let error = |kind, text: String| io::Error::new(kind, text);
    match status {
        404 | 410 => RequestError::Permanent(error(
            io::ErrorKind::NotFound,
            format!("the host has no such file ({status})"),
        )),
        300..400 => {
            let to = answer.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or("elsewhere");
            lasting(&format!("the host sends its readers to {to}: name that address, if you trust it"))
        }
        429 | 500.. => {
            RequestError::Transient(io::Error::other(format!("the host answers with status {status}")))
        }
        _ => lasting(&format!("the host answers with status {status}")),
    }
}
