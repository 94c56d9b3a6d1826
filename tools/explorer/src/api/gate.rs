//! Checks that apply before any route. The checks refuse requests that another site made a browser
//! send, and requests that a proxy may parse differently from this server.

use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri, header};

use crate::config::Config;
use crate::failure::Failure;
use crate::page;

/// The maximum length of the request target (path and query), in bytes.
const MAX_TARGET: usize = 8 << 10;

/// The maximum number of header lines of a request.
const MAX_HEADERS: usize = 64;

/// The maximum size of all headers, in bytes.
const MAX_HEADER_BYTES: usize = 16 << 10;

/// Checks a request.
///
/// # Errors
/// The reason why the request is refused.
pub(super) fn check(config: &Config, request: &Request) -> Result<(), Failure> {
    let uri = request.uri();
    if uri.path_and_query().map_or(0, |path| path.as_str().len()) > MAX_TARGET {
        return Err(Failure::new(StatusCode::URI_TOO_LONG, "too_large", "the address is too long"));
    }
    let headers = request.headers();
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if headers.len() > MAX_HEADERS || bytes > MAX_HEADER_BYTES {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Err(Failure::new(status, "too_large", "the headers are too large"));
    }
    check_coding(headers)?;
    check_host(config, &host_header(headers)?)?;
    if let Some(authority) = uri.authority() {
        check_host(config, authority)?;
    }
    if config.cors { Ok(()) } else { check_site(headers, uri) }
}

/// Refuses transfer codings other than `chunked`. The HTTP library would parse a body with another
/// coding as chunks, but a proxy might parse the body differently (request smuggling).
fn check_coding(headers: &HeaderMap) -> Result<(), Failure> {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).into_iter();
    let supported = match (codings.next(), codings.next()) {
        (None, _) => true,
        (Some(coding), None) => coding.as_bytes().eq_ignore_ascii_case(b"chunked"),
        _ => false,
    };
    let text = "the only supported transfer coding is chunked";
    let refused = || Failure::new(StatusCode::NOT_IMPLEMENTED, "not_implemented", text);
    supported.then_some(()).ok_or_else(refused)
}

/// Returns the host and port of the `Host` header, of which a request must have exactly one.
fn host_header(headers: &HeaderMap) -> Result<Authority, Failure> {
    let mut hosts = headers.get_all(header::HOST).into_iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(Failure::input("a request must have exactly one Host header"));
    };
    let host = host.to_str().ok().filter(|host| !host.contains('@'));
    let host = host.and_then(|host| host.parse().ok());
    let host = host.filter(|authority: &Authority| !authority.host().is_empty());
    host.ok_or_else(|| Failure::input("the Host header names no host"))
}

/// Refuses host names of other servers. Another site's host name can resolve to this server's
/// address (DNS rebinding), and the pages of that site would then have access to this server.
fn check_host(config: &Config, authority: &Authority) -> Result<(), Failure> {
    let name = authority.host().trim_end_matches('.').to_ascii_lowercase();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    let local = name == "localhost" || name.ends_with(".localhost") || address.is_ok_and(|a| a.is_loopback());
    let any = config.hosts.is_empty() && !config.listen.ip().is_loopback();
    if any || local || config.hosts.iter().any(|host| host.eq_ignore_ascii_case(&name)) {
        return Ok(());
    }
    let text = format!("this server does not answer for {name}: start it with --host {name} to allow that");
    Err(Failure::forbidden(text))
}

/// Refuses requests from pages of other sites. There are two exceptions: links to the page, and
/// frames that show the address `/?embed=1`.
fn check_site(headers: &HeaderMap, uri: &Uri) -> Result<(), Failure> {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    let navigates = |to: &str| is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", to);
    let link = navigates("document") && !uri.path().starts_with("/api/");
    if !is("sec-fetch-site", "cross-site") || link || navigates("iframe") && page::is_framed(uri) {
        return Ok(());
    }
    let text = "this server refuses requests from pages of other sites: start it with --cors to allow them";
    Err(Failure::forbidden(text))
}
