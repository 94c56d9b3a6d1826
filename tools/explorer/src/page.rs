//! The files of the page: what lies in the folder `page` when the program is built. A request's
//! path is only compared with their names.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::read::GzDecoder;
use twox_hash::XxHash3_64;

use crate::failure::Failure;

/// Names and contents: those of names that end with `.br` as they are, all others compressed with gzip.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// A file as it is sent.
struct Sent {
    gzip: &'static [u8],
    /// Where the folder has that: a file of the same name with `.br` behind it.
    brotli: Option<&'static [u8]>,
    /// Filled when the first client asks for it: browsers take the others.
    plain: OnceLock<Bytes>,
    kind: HeaderValue,
    tag: HeaderValue,
}

/// By path.
static BY_PATH: LazyLock<HashMap<String, Sent>> = LazyLock::new(|| {
    let mut all = HashMap::new();
    for &(name, bytes) in FILES {
        if name.ends_with(".br") {
            continue;
        }
        all.insert(format!("/{name}"), Sent::new(name, bytes));
        if let Some(folder) = name.strip_suffix("index.html") {
            all.insert(format!("/{folder}"), Sent::new(name, bytes));
        }
    }
    all
});

/// What a browser lets the page do: nothing but its own files and this server. Styles may stand in
/// elements, as those of a drawing do. WebAssembly is compiled.
const SAFETY: [(&str, &str); 4] = [
    (
        "content-security-policy",
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data:; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
];

impl Sent {
    fn new(name: &str, gzip: &'static [u8]) -> Sent {
        let brotli = FILES.iter().find(|(other, _)| other.strip_suffix(".br") == Some(name));
        let tag = format!("\"{:016x}\"", XxHash3_64::oneshot(gzip));
        Sent {
            gzip,
            brotli: brotli.map(|&(_, bytes)| bytes),
            plain: OnceLock::new(),
            kind: HeaderValue::from_static(kind(name)),
            tag: HeaderValue::from_str(&tag).expect("a tag of ASCII characters"),
        }
    }
}

/// The type of a file by its name.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

/// What was compressed with gzip.
fn plain(gzip: &[u8]) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(gzip).read_to_end(&mut plain)?;
    Ok(plain)
}

/// Whether a list in a header has this word.
fn lists(headers: &HeaderMap, name: header::HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|part| {
        let mut part = part.split(';').map(str::trim);
        part.next() == Some(word) && part.all(|weight| weight != "q=0")
    })
}

/// Whether the client has the version with this tag already.
pub(crate) fn has(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let weak = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Ok(tag) = tag.to_str().map(weak) else { return false };
    let values = headers.get_all(header::IF_NONE_MATCH).into_iter();
    let mut tags = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    tags.any(|other| other.trim() == "*" || weak(other) == tag)
}

/// What of the page names the address of tables.
const TABLES: &str = "<meta name=\"pentago-tables\" content=\"\">";

/// Writes the files of the page into a folder, which is made if it isn't there: any web host can
/// serve them. The page looks in the tables at an address, if one is given, which may be relative to its
/// own. Returns how many files there are.
///
/// # Errors
/// If the folder can't be made or written.
pub fn export(folder: &Path, tables: Option<&str>) -> io::Result<usize> {
    for &(name, bytes) in FILES {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        if name.ends_with(".br") {
            fs::write(path, bytes)?;
        } else {
            let bytes = plain(bytes)?;
            let named = tables.filter(|_| name == "index.html").map(|tables| with_tables(&bytes, tables));
            fs::write(path, named.as_ref().map_or(&bytes[..], String::as_bytes))?;
        }
    }
    Ok(FILES.len())
}

/// The page with the address of tables.
fn with_tables(page: &[u8], address: &str) -> String {
    let address = address.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    String::from_utf8_lossy(page).replace(TABLES, &TABLES.replace("\"\"", &format!("\"{address}\"")))
}

/// The file at a path.
///
/// With `framed` it may be part of a page of another site.
pub(crate) fn file(path: &str, headers: &HeaderMap, framed: bool) -> Response {
    let Some(sent) = BY_PATH.get(path) else { return Failure::NotFound.into_response() };
    let takes = |coding| lists(headers, header::ACCEPT_ENCODING, coding);
    let (body, coding) = match sent.brotli {
        Some(brotli) if takes("br") => (Bytes::from_static(brotli), Some("br")),
        _ if takes("gzip") => (Bytes::from_static(sent.gzip), Some("gzip")),
        _ => (sent.plain.get_or_init(|| plain(sent.gzip).expect("what was compressed").into()).clone(), None),
    };
    let mut response =
        if has(headers, &sent.tag) { StatusCode::NOT_MODIFIED.into_response() } else { body.into_response() };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, sent.kind.clone());
    out.insert(header::ETAG, sent.tag.clone());
    // A new version of the program has a new page.
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(coding) = coding {
        out.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    for (name, value) in SAFETY {
        out.insert(name, HeaderValue::from_static(value));
    }
    if framed {
        let policy = SAFETY[0].1.replace("frame-ancestors 'none'", "frame-ancestors *");
        out.insert(SAFETY[0].0, HeaderValue::from_str(&policy).expect("a policy of ASCII characters"));
        out.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    }
    response
}

/// Whether an address asks for the page as a part of another one: `?embed=1`.
pub(crate) fn is_framed(uri: &Uri) -> bool {
    uri.path() == "/" && uri.query().is_some_and(|query| query.split('&').any(|part| part == "embed=1"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_page_is_there_and_nothing_else_is() {
        let headers = HeaderMap::new();
        assert_eq!(file("/", &headers, false).status(), StatusCode::OK);
        assert_eq!(file("/index.html", &headers, false).status(), StatusCode::OK);
        for path in
            ["", "/..", "/../Cargo.toml", "/etc/passwd", "/%2e%2e/Cargo.toml", "//index.html", "/index"]
        {
            assert_eq!(file(path, &headers, false).status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[test]
    fn the_files_of_an_export_are_those_that_are_served() {
        let folder = tempfile::tempdir().unwrap();
        let count = export(&folder.path().join("page"), None).unwrap();
        assert_eq!(count, FILES.len());
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        for (name, _) in FILES {
            let exported = fs::read(folder.path().join("page").join(name)).unwrap();
            assert_eq!(exported, fs::read(source.join(name)).unwrap(), "{name}");
        }
    }

    #[test]
    fn an_export_names_its_tables() {
        let folder = tempfile::tempdir().unwrap();
        export(folder.path(), Some("../tables?a=\"1\"&b")).unwrap();
        let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
        assert!(page.contains("<meta name=\"pentago-tables\" content=\"../tables?a=&quot;1&quot;&amp;b\">"));
    }

    #[test]
    fn the_module_is_sent_as_small_as_the_client_takes_it() {
        let size = |accepted: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            let response = file("/pentago.wasm", &headers, false);
            let coding = response.headers().get(header::CONTENT_ENCODING).cloned();
            assert_eq!(response.headers()[header::CONTENT_TYPE], "application/wasm");
            (coding, hyper::body::Body::size_hint(response.body()).exact().unwrap())
        };
        let [(brotli, smallest), (gzip, small), (none, plain)] = ["gzip, br", "gzip", ""].map(size);
        assert!(brotli.unwrap() == "br" && gzip.unwrap() == "gzip" && none.is_none());
        assert!(smallest < small && small < plain && smallest < 750_000, "{smallest}");
        assert_eq!(file("/pentago.wasm.br", &HeaderMap::new(), false).status(), StatusCode::NOT_FOUND);
    }

    /// A browser takes scripts, styles and modules only as what they are.
    #[test]
    fn every_file_but_one_has_a_type() {
        let unknown = FILES.iter().map(|(name, _)| *name).filter(|name| kind(name).ends_with("octet-stream"));
        let unknown: Vec<&str> = unknown.filter(|name| !name.ends_with(".br")).collect();
        assert_eq!(unknown, ["openings.bin"]);
    }

    /// The worker that keeps the page offline names every file, but for itself.
    #[test]
    fn every_file_is_there_offline() {
        let worker = FILES.iter().find(|(name, _)| *name == "sw.js").expect("the worker").1;
        let worker = String::from_utf8(plain(worker).unwrap()).expect("text");
        let kept =
            worker.split_once("const FILES = [").expect("a list").1.split_once("];").expect("its end").0;
        let kept: BTreeSet<&str> = kept.split('"').skip(1).step_by(2).collect();
        let known = |name: &str| name != "sw.js" && !name.ends_with(".br");
        let page = |name: &'static str| if name == "index.html" { "./" } else { name };
        let files: BTreeSet<&str> =
            FILES.iter().map(|(name, _)| *name).filter(|name| known(name)).map(page).collect();
        assert_eq!(kept, files);
    }

    #[test]
    fn what_the_client_has_is_not_sent() {
        let headers = HeaderMap::new();
        let tag = file("/", &headers, false).headers()[header::ETAG].clone();
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_NONE_MATCH, tag);
        assert_eq!(file("/", &headers, false).status(), StatusCode::NOT_MODIFIED);
        headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("\"other\", W/\"another\""));
        assert_eq!(file("/", &headers, false).status(), StatusCode::OK);
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("br, gzip;q=0.5"));
        assert!(lists(&headers, header::ACCEPT_ENCODING, "gzip"));
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip;q=0"));
        assert!(!lists(&headers, header::ACCEPT_ENCODING, "gzip"));
    }
}
