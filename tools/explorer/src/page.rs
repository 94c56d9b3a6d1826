//! The embedded files of the page: the folder `page` as it was when the program was built.
//!
//! This code is written by hand because `tower_http::services::ServeDir` serves files of a folder
//! on disk, and the program must work without such a folder. A request path is only compared with
//! the file names, so no request can reach another file. `tower_http::compression` would compress
//! every response again.

use std::io::Read;
use std::sync::OnceLock;

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::read::GzDecoder;

use crate::failure::Failure;

// The build script writes this array: `static FILES: [PageFile; _]`, all files sorted by name.
include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// A file of the page.
struct PageFile {
    name: &'static str,
    /// The hash of the uncompressed content, for ETags.
    hash: u64,
    gzip: &'static [u8],
    brotli: Option<&'static [u8]>,
    /// The uncompressed content. The content is decompressed only once, because a client could
    /// request it in a loop.
    plain: OnceLock<Bytes>,
}

/// The Content-Security-Policy. The policy lets the page load only its own files and connect only
/// to this server. The policy also allows inline styles, which SVG drawings need, and the
/// compilation of WebAssembly.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; worker-src 'self' blob:; object-src 'none'; \
    base-uri 'none'; form-action 'none'; frame-ancestors ";

impl PageFile {
    /// Returns the uncompressed content.
    fn plain(&self) -> Bytes {
        let decompress = || {
            let mut plain = Vec::new();
            GzDecoder::new(self.gzip).read_to_end(&mut plain).expect("the build script wrote valid gzip");
            plain.into()
        };
        self.plain.get_or_init(decompress).clone()
    }

    /// Returns the content in the smallest form that the client accepts, and its content coding.
    fn encoded(&self, headers: &HeaderMap) -> (Bytes, &'static str) {
        match self.brotli {
            Some(brotli) if accepts(headers, "br") => (Bytes::from_static(brotli), "br"),
            _ if accepts(headers, "gzip") => (Bytes::from_static(self.gzip), "gzip"),
            _ => (self.plain(), "identity"),
        }
    }

    /// Returns the MIME type of the file. Browsers reject scripts, stylesheets and modules with a
    /// wrong MIME type.
    fn mime_type(&self) -> &'static str {
        match self.name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "css" => "text/css; charset=utf-8",
            "html" => "text/html; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "svg" => "image/svg+xml",
            "txt" => "text/plain; charset=utf-8",
            "wasm" => "application/wasm",
            "webmanifest" => "application/manifest+json",
            _ => "application/octet-stream",
        }
    }
}

/// Returns `true` if the header `Accept-Encoding` lists a content coding with a weight above 0.
fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|part| {
        let mut part = part.split(';').map(str::trim);
        let refused = |weight: &str| weight.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        part.next() == Some(coding) && !part.any(refused)
    })
}

/// Returns `true` if the header `If-None-Match` contains the ETag `tag` or `*`.
pub(crate) fn client_has(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let weak = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Ok(tag) = tag.to_str().map(weak) else { return false };
    let values = headers.get_all(header::IF_NONE_MATCH).into_iter();
    let mut tags = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    tags.any(|other| other.trim() == "*" || weak(other) == tag)
}

/// The element of `index.html` that names the address of tables.
const TABLES: &str = "<meta name=\"pentago-tables\" content=\"\">";

/// Returns the files of the page, which any web host can serve: the path of each file relative to
/// the page, with `/` as the separator, and its content. `tables` is the address at which the page
/// looks for tables: a URL, absolute or relative to the page.
#[must_use]
pub fn page_files(tables: Option<&str>) -> Vec<(String, Bytes)> {
    let mut files = Vec::new();
    for file in &FILES {
        let mut content = file.plain();
        if let Some(tables) = tables.filter(|_| file.name == "index.html") {
            let address = tables.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
            let element = TABLES.replace("\"\"", &format!("\"{address}\""));
            content = String::from_utf8_lossy(&content).replace(TABLES, &element).into();
        }
        files.push((file.name.to_owned(), content));
        // Some hosts send the Brotli file instead if it lies beside the uncompressed file. The page
        // unpacks the gzip file itself if the host does not compress.
        if let Some(brotli) = file.brotli {
            files.push((format!("{}.br", file.name), Bytes::from_static(brotli)));
            files.push((format!("{}.gz", file.name), Bytes::from_static(file.gzip)));
        }
    }
    files
}

/// Returns the response for the file at a path, or a failure with status 404. If `framed` is
/// `true`, pages of other sites may show the file in a frame.
pub(crate) fn file(path: &str, headers: &HeaderMap, framed: bool) -> Response {
    let name = if path == "/" { "index.html" } else { path.strip_prefix('/').unwrap_or_default() };
    let Some(file) = FILES.iter().find(|file| file.name == name) else {
        return Failure::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address")
            .into_response();
    };
    let (body, coding) = file.encoded(headers);
    let tag = HeaderValue::from_str(&format!("\"{:016x}-{coding}\"", file.hash)).expect("an ASCII string");
    let content = match client_has(headers, &tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => body.into_response(),
    };
    let (ancestors, policy) = if framed { ("*", "cross-origin") } else { ("'none'", "same-origin") };
    let csp = HeaderValue::from_str(&format!("{POLICY}{ancestors}")).expect("an ASCII string");
    let values = [
        (header::CONTENT_TYPE, HeaderValue::from_static(file.mime_type())),
        (header::ETAG, tag),
        // Another version of the program may serve a different file at this address, so clients
        // must check the ETag before each use.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
        (header::CONTENT_SECURITY_POLICY, csp),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    let mut response = (values, [("cross-origin-resource-policy", policy)], content).into_response();
    if coding != "identity" {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    response
}

/// Returns `true` if a request target asks for the page inside a frame: `/?embed=1`.
pub(crate) fn is_framed(uri: &Uri) -> bool {
    uri.path() == "/" && uri.query().is_some_and(|query| query.split('&').any(|part| part == "embed=1"))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn an_export_has_all_files_of_the_folder() {
        let files: BTreeMap<String, Bytes> = page_files(None).into_iter().collect();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let module = fs::read(source.join("pentago.wasm")).unwrap();
        let mut unpacked = Vec::new();
        GzDecoder::new(&*files["pentago.wasm.gz"]).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == module);
        let mut names = Vec::new();
        for file in &FILES {
            names.push(file.name.to_owned());
            names.extend(file.brotli.map(|_| format!("{}.br", file.name)));
        }
        for name in &names {
            let exported = &files[name];
            let original = fs::read(source.join(name)).unwrap();
            if name.ends_with(".js") {
                // A script keeps its lines, except comments.
                let [exported, original] =
                    [exported, &*original].map(|bytes| std::str::from_utf8(bytes).unwrap());
                let mut lines = original.lines();
                assert!(exported.lines().all(|line| lines.any(|other| other == line)), "{name}");
                assert!(!exported.contains("\n// "), "{name}");
            } else {
                assert_eq!(*exported, original, "{name}");
            }
        }
        assert_eq!(files.len(), names.len() + 1);
    }

    #[test]
    fn an_export_names_its_tables() {
        let files = page_files(Some("../tables?a=\"1\"&b"));
        let (_, page) = files.iter().find(|(name, _)| name == "index.html").unwrap();
        let page = std::str::from_utf8(page).unwrap();
        assert!(page.contains("<meta name=\"pentago-tables\" content=\"../tables?a=&quot;1&quot;&amp;b\">"));
    }

    #[test]
    fn the_module_is_sent_in_the_smallest_form_that_the_client_accepts() {
        let response = |accepted: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            let response = file("/pentago.wasm", &headers, false);
            let coding = response.headers().get(header::CONTENT_ENCODING).cloned();
            assert_eq!(response.headers()[header::CONTENT_TYPE], "application/wasm");
            let size = hyper::body::Body::size_hint(response.body()).exact().unwrap();
            (coding, size, response.headers()[header::ETAG].clone())
        };
        let forms = ["gzip, br", "gzip", "deflate"].map(response);
        let codings = forms.each_ref().map(|(coding, ..)| coding.as_ref().map(|c| c.to_str().unwrap()));
        assert_eq!(codings, [Some("br"), Some("gzip"), None]);
        let [brotli, gzip, plain] = forms.each_ref().map(|(_, size, _)| *size);
        assert!(brotli < gzip && gzip < plain && brotli < 700_000, "{brotli} {gzip} {plain}");
        assert_eq!(BTreeSet::from(forms.map(|(.., tag)| tag.to_str().unwrap().to_owned())).len(), 3);
        assert_eq!(file("/pentago.wasm.br", &HeaderMap::new(), false).status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn every_file_but_the_stored_values_has_a_mime_type() {
        let unknown = FILES.iter().filter(|file| file.mime_type().ends_with("octet-stream"));
        assert_eq!(
            unknown.map(|file| file.name).collect::<Vec<_>>(),
            ["certificate.bin", "openings-6.bin", "openings.bin"]
        );
    }

    /// The service worker lists every file except itself.
    #[test]
    fn every_file_is_available_offline() {
        let worker = FILES.iter().find(|file| file.name == "sw.js").expect("the service worker").plain();
        let worker = String::from_utf8(worker.to_vec()).expect("text");
        let lists = worker.split("FILES = [").skip(1).chain(worker.split("LATER = [").skip(1));
        let lists = lists.map(|list| list.split_once("];").expect("the end of the list").0);
        let listed: BTreeSet<&str> = lists.flat_map(|list| list.split('"').skip(1).step_by(2)).collect();
        let names = FILES.iter().map(|file| file.name).filter(|&name| name != "sw.js");
        let names = names.map(|name| if name == "index.html" { "./" } else { name });
        assert_eq!(listed, names.collect());
    }

    #[test]
    fn a_file_that_the_client_has_is_not_sent_again() {
        let headers = HeaderMap::new();
        let tag = file("/", &headers, false).headers()[header::ETAG].clone();
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_NONE_MATCH, tag.clone());
        assert_eq!(file("/", &headers, false).status(), StatusCode::NOT_MODIFIED);
        headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("\"other\", W/\"another\""));
        assert_eq!(file("/", &headers, false).status(), StatusCode::OK);
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("br, gzip;q=0.5"));
        let gzip = file("/", &headers, false);
        assert_ne!(gzip.headers()[header::ETAG], tag, "the gzip form has a tag of its own");
        assert!(accepts(&headers, "gzip"));
        for refused in ["gzip;q=0", "br, gzip; q=0.000"] {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(refused));
            assert!(!accepts(&headers, "gzip"), "{refused}");
        }
    }
}
