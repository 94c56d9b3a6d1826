//! The clock of the browser, which the page passes to the module as an import.

/// Returns the clock of the browser, or of this system outside a browser.
pub fn clock() -> pentago::Clock {
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    {
        #[allow(unsafe_code)]
        #[link(wasm_import_module = "host")]
        // SAFETY: `page/js/wasm.js` defines `now` with this signature. `now` has no preconditions.
        unsafe extern "C" {
            /// Returns the milliseconds since a fixed moment.
            safe fn now() -> f64;
        }
        pentago::Clock::new(|| std::time::Duration::from_secs_f64((now() / 1e3).max(0.0)))
    }
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    pentago::Clock::default()
}
