//! The HTTP and HTTPS addresses of folders on hosts. Functions that open a folder accept an address
//! in place of a path.

use std::path::{Path, PathBuf};

/// Returns `true` if a path is the HTTP or HTTPS address of a folder on a host.
pub fn is_address(path: &Path) -> bool {
    let text = path.to_str().unwrap_or_default();
    ["http://", "https://"]
        .iter()
        .any(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

/// Returns a path for display in messages. If the path is an address, the user name and the
/// password are removed.
pub fn shown(path: &Path) -> PathBuf {
    let address = path.to_str().filter(|_| is_address(path));
    let Some((scheme, rest)) = address.and_then(|address| address.split_once("://")) else {
        return path.to_owned();
    };
    let (host, folder) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}{folder}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown() {
        for (text, expected) in [
            ("https://user:p@ss@host:8/a@b", "https://host:8/a@b"),
            ("http://user@host", "http://host"),
            ("http://host/tables?a@b", "http://host/tables?a@b"),
            ("folder/http://user@host", "folder/http://user@host"),
        ] {
            assert_eq!(shown(Path::new(text)), Path::new(expected));
        }
    }

    #[test]
    fn addresses_are_no_paths() {
        for (text, is) in [
            ("http://host/tables", true),
            ("HTTPS://host", true),
            ("http:/host", false),
            ("tables", false),
            ("/http://", false),
            ("htt", false),
        ] {
            assert_eq!(is_address(Path::new(text)), is, "{text}");
        }
    }
}
