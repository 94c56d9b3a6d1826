//! The built-in HTTP client for tables on hosts.

use crate::fetch::Fetch;
use crate::listing::LISTING;
use pentago_base::lock;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};
use ureq::Agent;
use ureq::http::Response;
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
    /// are retried. Attempts after a delay that the host has named (`Retry-After`) don't count.
    pub attempts: u32,
    /// The delay before the second attempt. Each further delay is four times as long.
    pub wait: Duration,
    /// The time since the first attempt after which a failed attempt is not repeated. A delay that
    /// the host has named must end within this time.
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
    /// A transient error: a retry may succeed. The second field is the delay that the host has
    /// named, if any.
    Transient(io::Error, Option<Duration>),
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
            let (error, named) = match attempt() {
                Ok(found) => return Ok(found),
                Err(RequestError::Permanent(error)) => return Err(error),
                Err(RequestError::Transient(error, named)) => (error, named),
            };
            let delay = named.unwrap_or_else(|| {
                left -= 1;
                wait *= 4;
                wait / 4
            });
            if left == 0 || began.elapsed() + named.unwrap_or_default() >= whole {
                *lock(&self.resting) = Some((Instant::now() + rest, error.to_string()));
                return Err(error);
            }
            std::thread::sleep(delay);
        }
    }

    /// Requests a whole file of at most `most` bytes.
    fn file(&self, address: &str, most: u64) -> Result<Vec<u8>, RequestError> {
        let mut answer = self.agent.get(address).call().map_err(passing)?;
        match answer.status().as_u16() {
            200 if compression(&answer).is_some() => Err(refusal(address, &answer)),
            200 => answer.body_mut().with_config().limit(most).read_to_vec().map_err(passing),
            _ => Err(refusal(address, &answer)),
        }
    }

    /// Requests a part of a file of `size` bytes.
    fn part(&self, address: &str, size: u64, part: &Range<u64>) -> Result<Vec<u8>, RequestError> {
        let (at, len, last) = (part.start, part.end - part.start, part.end - 1);
        let asked = self.agent.get(address).header("range", format!("bytes={at}-{last}"));
        let mut answer = asked.call().map_err(passing)?;
        // The kind tells a wrong file from a failure of the host.
        let changed = |text| RequestError::Permanent(io::Error::new(io::ErrorKind::InvalidData, text));
        match answer.status().as_u16() {
            206 if compression(&answer).is_none() => {}
            200 if compression(&answer).is_none() => {
                return Err(lasting("the host sends only whole files, but must answer range requests"));
            }
            416 => {
                let text = "the file is shorter than it was when it was published, or the host compresses it";
                return Err(changed(text.to_owned()));
            }
            _ => return Err(refusal(address, &answer)),
        }
        let sent = header(&answer, "content-range").unwrap_or("no range");
        match content_range(sent) {
            Some((.., Some(found))) if found != size => {
                let text = "was the table published again?";
                return Err(changed(format!("the file has {found} bytes instead of {size}: {text}")));
            }
            Some((first, end, _)) if (first, end) == (at, last) => {}
            _ => return Err(lasting(&format!("requested bytes {at}-{last}, but the host sent {sent}"))),
        }
        let body = answer.body_mut().with_config().limit(len).read_to_vec().map_err(passing)?;
        if body.len() as u64 == len {
            return Ok(body);
        }
        let text = format!("the answer has {} bytes instead of {len}", body.len());
        Err(RequestError::Transient(io::Error::new(io::ErrorKind::UnexpectedEof, text), None))
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
        ureq::Error::Io(error) => RequestError::Transient(io::Error::other(error), None),
        error => RequestError::Transient(io::Error::other(error), None),
    }
}

fn lasting(text: &str) -> RequestError {
    RequestError::Permanent(io::Error::other(text.to_owned()))
}

/// Returns the value of a header, or `None` if the header is missing or not ASCII.
fn header<'a, T>(answer: &'a Response<T>, name: &str) -> Option<&'a str> {
    answer.headers().get(name)?.to_str().ok()
}

/// Returns the content coding of an answer, or `None` if the answer has no content coding. Requests
/// ask for no coding, because checksums and ranges refer to the uncompressed bytes.
fn compression<T>(answer: &Response<T>) -> Option<&str> {
    header(answer, "content-encoding").filter(|coding| !coding.eq_ignore_ascii_case("identity"))
}

/// Parses a `Content-Range` header (RFC 9110, section 14.4): the offsets of the first and the last
/// byte, and the size of the file, if the host knows the size. Returns `None` if the header is
/// malformed.
fn content_range(text: &str) -> Option<(u64, u64, Option<u64>)> {
    let (unit, rest) = text.split_once(' ')?;
    let (range, size) = rest.trim().split_once('/').filter(|_| unit.eq_ignore_ascii_case("bytes"))?;
    let (first, last) = range.split_once('-')?;
    let size = if size == "*" { None } else { Some(size.parse().ok()?) };
    Some((first.parse().ok()?, last.parse().ok()?, size))
}

/// Returns the delay that a host has named (`Retry-After`, RFC 9110, section 10.2.3): a number of
/// seconds, or a date. A delay in the past is ignored.
fn retry_after<T>(answer: &Response<T>) -> Option<Duration> {
    let text = header(answer, "retry-after")?.trim();
    let until = || httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).ok();
    let delay = text.parse().ok().map(Duration::from_secs).or_else(until);
    delay.filter(|delay| !delay.is_zero())
}

/// Returns the address of the folder to which a host redirects a request to `address`, the list of
/// its tables. Returns `None` if the target is no list of tables.
pub(crate) fn folder_of(address: &str, target: &str) -> Option<String> {
    let end = address.find("://")? + 3;
    let host = end + address[end..].find('/')?;
    let target = target.split(['?', '#']).next()?;
    let whole = match target {
        _ if target.contains("://") => target.to_owned(),
        _ if target.starts_with("//") => format!("{}{target}", &address[..end - 2]),
        _ if target.starts_with('/') => format!("{}{target}", &address[..host]),
        _ => format!("{}/{target}", &address[..address.rfind('/')?]),
    };
    Some(whole.strip_suffix(LISTING)?.trim_end_matches('/').to_owned())
}

/// Returns the error for an answer that isn't the requested file or part.
fn refusal<T>(address: &str, answer: &Response<T>) -> RequestError {
    let status = answer.status().as_u16();
    match status {
        404 | 410 => RequestError::Permanent(io::Error::new(
            io::ErrorKind::NotFound,
            format!("the host has no such file ({status})"),
        )),
        300..400 => {
            let target = header(answer, "location").unwrap_or("elsewhere");
            lasting(&match folder_of(address, target) {
                Some(to) => format!("the host redirects to {to}: name that address instead, if you trust it"),
                None => format!(
                    "the host redirects to {}: the program contacts only the named host, so the tables must \
                     be there",
                    target.split(['?', '#']).next().unwrap_or_default()
                ),
            })
        }
        429 | 500.. => {
            let delay = retry_after(answer);
            let when = delay.map(|delay| format!(", and asks to retry in {} s", delay.as_secs().max(1)));
            let text = format!("the host answers with status {status}{}", when.unwrap_or_default());
            RequestError::Transient(io::Error::other(text), delay)
        }
        _ => lasting(&match compression(answer) {
            Some(coding) => format!(
                "the host compresses the file (Content-Encoding: {coding}): switch off compression for tables"
            ),
            None => format!("the host answers with status {status}"),
        }),
    }
}
