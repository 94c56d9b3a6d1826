//! The files of the page: what lies in the folder `page` when the program is built. A request's
//! path is only compared with their names.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use brotli_decompressor::Decompressor;
use bytes::Bytes;
use flate2::read::GzDecoder;
use twox_hash::XxHash3_64;

use crate::failure::Failure;

/// Names and contents, compressed: with Brotli, if the name ends with `.br`, or else with gzip.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// A file as it is sent.
struct Sent {
    packed: &'static [u8],
    coding: &'static str,
    /// Filled when the first client asks for it: browsers take what is packed, Brotli only by https or from
    /// their own machine.
    plain: OnceLock<Bytes>,
    kind: HeaderValue,
    /// Of what is packed, and of what isn't.
    tags: [HeaderValue; 2],
}

/// By path.
static BY_PATH: LazyLock<HashMap<String, Sent>> = LazyLock::new(|| {
    let mut all = HashMap::new();
    for &(packed_name, packed) in FILES {
        let (name, coding) = named(packed_name);
        all.insert(format!("/{name}"), Sent::new(name, coding, packed));
        if let Some(folder) = name.strip_suffix("index.html") {
            all.insert(format!("/{folder}"), Sent::new(name, coding, packed));
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

/// The name of a file, and how it is compressed.
fn named(packed: &str) -> (&str, &'static str) {
    packed.strip_suffix(".br").map_or((packed, "gzip"), |name| (name, "br"))
}

impl Sent {
    fn new(name: &str, coding: &'static str, packed: &'static [u8]) -> Sent {
        let hash = XxHash3_64::oneshot(packed);
        let tag = |form: &str| {
            HeaderValue::from_str(&format!("\"{hash:016x}{form}\"")).expect("a tag of ASCII characters")
        };
        Sent {
            packed,
            coding,
            plain: OnceLock::new(),
            kind: HeaderValue::from_static(kind(name)),
            tags: [tag(""), tag("-plain")],
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

/// What was compressed.
fn plain(packed: &[u8], coding: &str) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    match coding {
        "br" => Decompressor::new(packed, 1 << 16).read_to_end(&mut plain)?,
        _ => GzDecoder::new(packed).read_to_end(&mut plain)?,
    };
    Ok(plain)
}

/// Whether a list in a header has this word.
fn lists(headers: &HeaderMap, name: header::HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|part| {
        let mut part = part.split(';').map(str::trim);
        let refused = |weight: &str| weight.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        part.next() == Some(word) && !part.any(refused)
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
    let mut files = 0;
    let mut write = |name: &str, bytes: &[u8]| -> io::Result<()> {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        files += 1;
        fs::write(path, bytes)
    };
    for &(packed_name, packed) in FILES {
        let (name, coding) = named(packed_name);
        let bytes = plain(packed, coding)?;
        let with_tables = tables.filter(|_| name == "index.html").map(|tables| with_tables(&bytes, tables));
        write(name, with_tables.as_ref().map_or(&bytes[..], String::as_bytes))?;
        // A host can send what is compressed already.
        if coding == "br" {
            write(packed_name, packed)?;
        }
    }
    Ok(files)
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
    let Some(sent) = BY_PATH.get(path) else {
        return Failure::NotFound("there is nothing at this address".to_owned()).into_response();
    };
    let [of_packed, of_plain] = &sent.tags;
    let (body, coding, tag) = if lists(headers, header::ACCEPT_ENCODING, sent.coding) {
        (Bytes::from_static(sent.packed), Some(sent.coding), of_packed)
    } else {
        let plain = || plain(sent.packed, sent.coding).expect("what was compressed").into();
        (sent.plain.get_or_init(plain).clone(), None, of_plain)
    };
    let mut response =
        if has(headers, tag) { StatusCode::NOT_MODIFIED.into_response() } else { body.into_response() };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, sent.kind.clone());
    out.insert(header::ETAG, tag.clone());
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
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut files = 0;
        for (packed_name, _) in FILES {
            let (name, _) = named(packed_name);
            for name in BTreeSet::from([*packed_name, name]) {
                files += 1;
                let exported = fs::read(folder.path().join("page").join(name)).unwrap();
                assert_eq!(exported, fs::read(source.join(name)).unwrap(), "{name}");
            }
        }
        assert_eq!(count, files);
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
        let [(brotli, small), (none, plain)] = ["gzip, br", "gzip"].map(size);
        assert!(brotli.unwrap() == "br" && none.is_none());
        assert!(small < plain && small < 800_000, "{small}");
        assert_eq!(file("/pentago.wasm.br", &HeaderMap::new(), false).status(), StatusCode::NOT_FOUND);
    }

    /// A browser takes scripts, styles and modules only as what they are.
    #[test]
    fn every_file_but_one_has_a_type() {
        let names = FILES.iter().map(|(name, _)| named(name).0);
        let unknown: Vec<&str> = names.filter(|name| kind(name).ends_with("octet-stream")).collect();
        assert_eq!(unknown, ["openings.bin"]);
    }

    /// The worker that keeps the page offline names every file, but for itself.
    #[test]
    fn every_file_is_there_offline() {
        let worker = FILES.iter().find(|(name, _)| *name == "sw.js").expect("the worker").1;
        let worker = String::from_utf8(plain(worker, "gzip").unwrap()).expect("text");
        let kept =
            worker.split_once("const FILES = [").expect("a list").1.split_once("];").expect("its end").0;
        let kept: BTreeSet<&str> = kept.split('"').skip(1).step_by(2).collect();
        let known = |name: &str| name != "sw.js";
        let page = |name: &'static str| if name == "index.html" { "./" } else { name };
        let files: BTreeSet<&str> =
            FILES.iter().map(|(name, _)| named(name).0).filter(|name| known(name)).map(page).collect();
        assert_eq!(kept, files);
    }

    #[test]
    fn what_the_client_has_is_not_sent() {
        let headers = HeaderMap::new();
        let tag = file("/", &headers, false).headers()[header::ETAG].clone();
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_NONE_MATCH, tag.clone());
        assert_eq!(file("/", &headers, false).status(), StatusCode::NOT_MODIFIED);
        headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("\"other\", W/\"another\""));
        assert_eq!(file("/", &headers, false).status(), StatusCode::OK);
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("br, gzip;q=0.5"));
        let packed = file("/", &headers, false);
        assert_ne!(packed.headers()[header::ETAG], tag, "other bytes");
        assert!(lists(&headers, header::ACCEPT_ENCODING, "gzip"));
        for refused in ["gzip;q=0", "br, gzip; q=0.000"] {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(refused));
            assert!(!lists(&headers, header::ACCEPT_ENCODING, "gzip"), "{refused}");
        }
    }
}
