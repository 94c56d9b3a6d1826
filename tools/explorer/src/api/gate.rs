//! Requests that are refused whatever they ask for: those that a browser was led to send by another
//! site, and those that a proxy may read in another way than this server.

use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};

use crate::config::Config;
use crate::failure::Failure;
use crate::page;

/// Lets a request in.
///
/// # Errors
/// Why it is refused.
pub(super) fn check(config: &Config, request: &Request) -> Result<(), Failure> {
    let uri = request.uri();
    if uri.path_and_query().map_or(0, |path| path.as_str().len()) > config.bounds.url_bytes {
        return Err(Failure::AddressTooLong);
    }
    let headers = request.headers();
    coding(headers)?;
    host(config, &named(headers)?)?;
    if let Some(authority) = uri.authority() {
        host(config, authority)?;
    }
    if config.cors { Ok(()) } else { site(headers, uri) }
}

/// Refuses bodies in other codings than chunks, which the connection would read as chunks alone.
fn coding(headers: &HeaderMap) -> Result<(), Failure> {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).into_iter();
    let understood = match (codings.next(), codings.next()) {
        (None, _) => true,
        (Some(coding), None) => coding.as_bytes().eq_ignore_ascii_case(b"chunked"),
        _ => false,
    };
    let refuse = || Failure::NotImplemented("the only transfer coding understood is chunked".to_owned());
    understood.then_some(()).ok_or_else(refuse)
}

/// The server as the client calls it.
fn named(headers: &HeaderMap) -> Result<Authority, Failure> {
    let mut hosts = headers.get_all(header::HOST).into_iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(Failure::input("a request has one Host header"));
    };
    let host = host.to_str().ok().filter(|host| !host.contains('@'));
    let host = host.and_then(|host| host.parse().ok());
    let host = host.filter(|authority: &Authority| !authority.host().is_empty());
    host.ok_or_else(|| Failure::input("the Host header names no host"))
}

/// Refuses names that aren't the server's: a page of another site may have its own name lead here.
fn host(config: &Config, authority: &Authority) -> Result<(), Failure> {
    let name = authority.host().trim_end_matches('.').to_ascii_lowercase();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    let here = name == "localhost" || name.ends_with(".localhost") || address.is_ok_and(|a| a.is_loopback());
    let any = config.hosts.is_empty() && !config.listen.ip().is_loopback();
    if any || here || config.hosts.iter().any(|host| host.eq_ignore_ascii_case(&name)) {
        return Ok(());
    }
    let text = format!("this server doesn't answer for {name}: start it with --host {name} if it should");
    Err(Failure::Forbidden(text))
}

/// Refuses what pages of other sites ask for. A link on them may lead to the page, and a frame may hold
/// it where its address says so.
fn site(headers: &HeaderMap, uri: &Uri) -> Result<(), Failure> {
    let says = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    let leads = |to: &str| says("sec-fetch-mode", "navigate") && says("sec-fetch-dest", to);
    let link = leads("document") && !uri.path().starts_with("/api/");
    if !says("sec-fetch-site", "cross-site") || link || leads("iframe") && page::is_framed(uri) {
        return Ok(());
    }
    let text = "pages of other sites may not ask this server: it was started without --cors";
    Err(Failure::Forbidden(text.to_owned()))
}
