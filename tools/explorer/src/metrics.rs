//! Counters, and their output in Prometheus's text format.
//!
//! This code is written by hand because all metrics are fixed, and no metric needs labels at run
//! time.

use std::fmt::Write;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A counter that never decreases.
type Counter = AtomicU64;

/// The upper bounds of the buckets of request times, in microseconds.
const BUCKETS: [u64; 8] = [1_000, 5_000, 20_000, 100_000, 500_000, 2_000_000, 10_000_000, 60_000_000];

/// The counters of the server.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// The number of requests for each class of status codes: 2xx, 3xx, 4xx and 5xx.
    statuses: [Counter; 4],
    /// The number of requests in each bucket of [`BUCKETS`]. The last entry counts slower requests.
    times: [Counter; BUCKETS.len() + 1],
    /// The sum of all request times, in microseconds.
    microseconds: Counter,
    /// The number of answers from the cache.
    pub hits: Counter,
    /// The number of large solutions that were completed.
    pub solved: Counter,
    /// The number of boards computed in large solutions.
    pub boards: Counter,
    /// The number of requests that failed because of a bug.
    pub panics: Counter,
    /// The number of connections accepted.
    pub connections: Counter,
    /// The number of connections refused.
    pub refused: Counter,
}

impl Metrics {
    /// Counts a request with its status, and the time until the response headers.
    pub fn request(&self, status: u16, time: Duration) {
        if let Some(counter) = usize::from(status / 100).checked_sub(2).and_then(|at| self.statuses.get(at)) {
            counter.fetch_add(1, Relaxed);
        }
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.iter().position(|&end| micros <= end).unwrap_or(BUCKETS.len());
        self.times[bucket].fetch_add(1, Relaxed);
        self.microseconds.fetch_add(micros, Relaxed);
    }

    /// Returns all metrics in Prometheus's text format. Each gauge is a tuple: name, description
    /// and value.
    pub fn text(&self, gauges: &[(&str, &str, u64)]) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let head = |text: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(text, "# HELP pentago_{name} {help}\n# TYPE pentago_{name} {kind}");
        };
        head(&mut text, "requests_total", "counter", "Requests by class of status.");
        for (class, counter) in (2..).zip(&self.statuses) {
            let _ =
                writeln!(text, "pentago_requests_total{{status=\"{class}xx\"}} {}", counter.load(Relaxed));
        }
        head(&mut text, "request_seconds", "histogram", "Time until the headers of the response.");
        let mut sum = 0;
        for (end, counter) in BUCKETS.into_iter().zip(&self.times) {
            sum += counter.load(Relaxed);
            let end = end as f64 / 1e6;
            let _ = writeln!(text, "pentago_request_seconds_bucket{{le=\"{end}\"}} {sum}");
        }
        sum += self.times[BUCKETS.len()].load(Relaxed);
        let seconds = self.microseconds.load(Relaxed) as f64 / 1e6;
        let _ = writeln!(text, "pentago_request_seconds_bucket{{le=\"+Inf\"}} {sum}");
        let _ = writeln!(text, "pentago_request_seconds_sum {seconds}\npentago_request_seconds_count {sum}");
        for (name, help, counter) in [
            ("cache_hits_total", "Answers from the cache.", &self.hits),
            ("solved_total", "Large solutions completed.", &self.solved),
            ("boards_total", "Boards computed in large solutions.", &self.boards),
            ("panics_total", "Requests that failed because of a bug.", &self.panics),
            ("connections_total", "Connections accepted.", &self.connections),
            ("refused_total", "Connections refused.", &self.refused),
        ] {
            head(&mut text, name, "counter", help);
            let _ = writeln!(text, "pentago_{name} {}", counter.load(Relaxed));
        }
        for &(name, help, value) in gauges {
            head(&mut text, name, "gauge", help);
            let _ = writeln!(text, "pentago_{name} {value}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative() {
        let metrics = Metrics::default();
        metrics.request(200, Duration::from_micros(10));
        metrics.request(404, Duration::from_secs(1));
        metrics.request(200, Duration::from_secs(100));
        let text = metrics.text(&[("queue", "Waiting large solutions.", 3)]);
        for line in [
            "pentago_requests_total{status=\"2xx\"} 2",
            "pentago_requests_total{status=\"4xx\"} 1",
            "pentago_request_seconds_bucket{le=\"0.001\"} 1",
            "pentago_request_seconds_bucket{le=\"0.5\"} 1",
            "pentago_request_seconds_bucket{le=\"60\"} 2",
            "pentago_request_seconds_bucket{le=\"+Inf\"} 3",
            "pentago_request_seconds_count 3",
            "pentago_queue 3",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
    }
}
