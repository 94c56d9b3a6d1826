//! The built-in HTTP client for tables on hosts.

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

/// The timeouts of requests, and the limits on retries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryPolicy {
    /// The timeout of a connection attempt.
    pub connect: Duration,
    /// The timeout from the request to the start of the answer.
    pub answer: Duration,
    /// The timeout of the body of an answer.
    pub body: Duration,
    /// The maximum number of attempts for one request, including the first. Only transient errors
    /// are retried.
    pub attempts: u32,
    /// The delay before the second attempt. Each further delay is four times as long.
    pub wait: Duration,
    /// The time since the first attempt after which no further attempt is started.
    pub whole: Duration,
    /// The cool-down after all attempts have failed. Until it ends, each request returns the same
    /// error immediately.
    pub rest: Duration,
}

impl RetryPolicy {
    /// The policy for interactive programs.
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

/// An HTTP client: a connection pool with a retry policy.
pub(crate) struct HttpClient {
    agent: Agent,
    patience: RetryPolicy,
    /// The end of the latest cool-down, and the error that caused the cool-down. `None` if no
    /// request has failed yet.
    resting: Mutex<Option<(Instant, String)>>,
}

/// An error of a single attempt.
enum RequestError {
    /// A transient error: a retry may succeed.
    Transient(io::Error),
    /// A permanent error: a retry would fail in the same way.
    Permanent(io::Error),
}

/// The environment variable that names a file of trusted root certificates, as in OpenSSL and curl.
/// Without this variable, the client trusts Mozilla's root certificates.
#[cfg(feature = "https")]
const SIGNERS_VARIABLE: &str = "SSL_CERT_FILE";

/// Returns the root certificates to trust.
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
        return Err(named("the file has no certificates".into()));
    }
    Ok(certificates.into())
}

impl HttpClient {
    /// Creates a client with a retry policy.
    ///
    /// # Errors
    /// If the file of trusted root certificates can't be read.
    pub fn new(patience: RetryPolicy) -> io::Result<HttpClient> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Redirects aren't followed: the user trusts only the host that was named.
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

    /// Repeats a request until an attempt succeeds, an error is permanent, or the retry policy
    /// allows no further attempt.
    fn again<T>(&self, attempt: impl Fn() -> Result<T, RequestError>) -> io::Result<T> {
        let RetryPolicy { attempts, mut wait, whole, rest, .. } = self.patience;
        let began = Instant::now();
        if let Some((_, why)) = lock(&self.resting).as_ref().filter(|(until, _)| began < *until) {
            return Err(io::Error::other(format!("the host failed a moment ago: {why}")));
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

    /// Requests a whole file of at most `most` bytes.
    fn file(&self, address: &str, most: u64) -> Result<Vec<u8>, RequestError> {
        let mut answer = self.agent.get(address).call().map_err(passing)?;
        match answer.status().as_u16() {
            200 => answer.body_mut().with_config().limit(most).read_to_vec().map_err(passing),
            status => Err(refusal(status, &answer)),
        }
    }

    /// Requests a part of a file of `size` bytes.
    fn part(&self, address: &str, size: u64, part: &Range<u64>) -> Result<Vec<u8>, RequestError> {
        let (at, len, last) = (part.start, part.end - part.start, part.end - 1);
        let asked = self.agent.get(address).header("range", format!("bytes={at}-{last}"));
        let mut answer = asked.call().map_err(passing)?;
        match answer.status().as_u16() {
            206 => {}
            200 => return Err(lasting("the host sends only whole files, but must answer range requests")),
            416 => return Err(lasting("the file is shorter than it was when it was published")),
            status => return Err(refusal(status, &answer)),
        }
        let sent = answer.headers().get("content-range").and_then(|value| value.to_str().ok());
        // A host need not send the size (RFC 9110, section 14.4).
        let right = [format!("bytes {at}-{last}/{size}"), format!("bytes {at}-{last}/*")];
        if !right.iter().any(|right| sent == Some(&**right)) {
            let sent = sent.unwrap_or("no range");
            return Err(lasting(&format!(
                "requested bytes {at}-{last}/{size}, but the host sent {sent}: was the table published again?"
            )));
        }
        let body = answer.body_mut().with_config().limit(len).read_to_vec().map_err(passing)?;
        if body.len() as u64 == len {
            return Ok(body);
        }
        let text = format!("the answer has {} bytes instead of {len}", body.len());
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
            let rest = others.into_iter().map(|other| {
                other.join().unwrap_or_else(|_| Err(io::Error::other("a thread of the request has panicked")))
            });
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
        // TLS reports a rejected certificate as invalid data; a retry would not help.
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            RequestError::Permanent(error)
        }
        ureq::Error::BodyExceedsLimit(_) => lasting("the answer is longer than requested"),
        // Replace the kind of the error by `Other`. Callers would interpret the kind `WouldBlock`
        // as an announcement that the bytes arrive later.
        ureq::Error::Io(error) => RequestError::Transient(io::Error::other(error)),
        error => RequestError::Transient(io::Error::other(error)),
    }
}

fn lasting(text: &str) -> RequestError {
    RequestError::Permanent(io::Error::other(text.to_owned()))
}

/// Returns the error for an HTTP status other than success.
fn refusal<T>(status: u16, answer: &ureq::http::Response<T>) -> RequestError {
    let error = |kind, text: String| io::Error::new(kind, text);
    match status {
        404 | 410 => RequestError::Permanent(error(
            io::ErrorKind::NotFound,
            format!("the host has no such file ({status})"),
        )),
        300..400 => {
            let to = answer.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or("elsewhere");
            lasting(&format!("the host redirects to {to}: name that address instead, if you trust it"))
        }
        429 | 500.. => {
            RequestError::Transient(io::Error::other(format!("the host answers with status {status}")))
        }
        _ => lasting(&format!("the host answers with status {status}")),
    }
}
