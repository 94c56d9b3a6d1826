//! Where tables lie: in a folder of this machine, or in one behind an address.

use crate::error::StoreError;
use crate::folder::{Scan, scan_folder};
use std::path::Path;

/// Looks through a folder and the folders in it, or through the folder behind an address. A file or
/// folder that is there under several names, by links, is taken once.
///
/// # Errors
/// If a folder can't be read, or a host can't be reached; damaged files are listed.
pub fn scan(path: &Path) -> Result<Scan, StoreError> {
    if is_address(path) { crate::remote::scan(path) } else { scan_folder(path) }
}

/// Whether a name is the address of a folder on a host, and no path.
#[must_use]
pub fn is_address(path: &Path) -> bool {
    let text = path.to_str().unwrap_or_default();
    ["http://", "https://"]
        .iter()
        .any(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
