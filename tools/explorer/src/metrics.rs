//! Counts for Prometheus, in its text format.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub fn add(&self) {
        self.add_many(1);
    }

    pub fn add_many(&self, many: u64) {
        self.0.fetch_add(many, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The upper ends of the buckets of times, in microseconds, and as Prometheus writes seconds.
const BUCKETS: [(u64, &str); 8] = [
    (1_000, "0.001"),
    (5_000, "0.005"),
    (20_000, "0.02"),
    (100_000, "0.1"),
    (500_000, "0.5"),
    (2_000_000, "2"),
    (10_000_000, "10"),
    (60_000_000, "60"),
];

/// Everything that is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Requests by the first digit of their status, from 2.
    statuses: [Counter; 4],
    /// Times of requests: those in each bucket, and above all.
    times: [Counter; BUCKETS.len() + 1],
    microseconds: Counter,
    /// Answers from the cache.
    pub hits: Counter,
    /// Large solutions.
    pub solved: Counter,
    /// Boards of large solutions.
    pub boards: Counter,
    /// Requests that failed by a fault of the program.
    pub panics: Counter,
    /// Connections taken.
    pub connections: Counter,
    /// Connections refused.
    pub refused: Counter,
}

/// What is measured when someone asks.
pub(crate) struct Gauges {
    pub connections: u64,
    pub running: u64,
    pub waiting: u64,
    pub under_way: u64,
    pub cache_bytes: u64,
}

impl Metrics {
    /// Counts a request.
    pub fn request(&self, status: u16, time: Duration) {
        if let Some(counter) = usize::from(status / 100).checked_sub(2).and_then(|at| self.statuses.get(at)) {
            counter.add();
        }
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.iter().position(|(end, _)| micros <= *end).unwrap_or(BUCKETS.len());
        self.times[bucket].add();
        self.microseconds.add_many(micros);
    }

    /// The text for Prometheus.
    pub fn text(&self, gauges: &Gauges) -> String {
        let mut text = String::new();
        let head = |text: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(text, "# HELP pentago_{name} {help}\n# TYPE pentago_{name} {kind}");
        };
        head(&mut text, "requests_total", "counter", "Requests by class of status.");
        for (class, counter) in (2..).zip(&self.statuses) {
            let _ = writeln!(text, "pentago_requests_total{{status=\"{class}xx\"}} {}", counter.get());
        }
        head(&mut text, "request_seconds", "histogram", "Time until the headers of the answer.");
        let mut sum = 0;
        for ((_, end), counter) in BUCKETS.iter().zip(&self.times) {
            sum += counter.get();
            let _ = writeln!(text, "pentago_request_seconds_bucket{{le=\"{end}\"}} {sum}");
        }
        sum += self.times[BUCKETS.len()].get();
        let seconds = self.microseconds.get() as f64 / 1e6;
        let _ = writeln!(text, "pentago_request_seconds_bucket{{le=\"+Inf\"}} {sum}");
        let _ = writeln!(text, "pentago_request_seconds_sum {seconds}\npentago_request_seconds_count {sum}");
        for (name, help, counter) in [
            ("cache_hits_total", "Answers from the cache.", &self.hits),
            ("solved_total", "Large solutions.", &self.solved),
            ("boards_total", "Boards of large solutions.", &self.boards),
            ("panics_total", "Requests that failed by a fault of the program.", &self.panics),
            ("connections_total", "Connections taken.", &self.connections),
            ("refused_total", "Connections refused.", &self.refused),
        ] {
            head(&mut text, name, "counter", help);
            let _ = writeln!(text, "pentago_{name} {}", counter.get());
        }
        for (name, help, value) in [
            ("connections", "Open connections.", gauges.connections),
            ("solving", "Large solutions that run.", gauges.running),
            ("queue", "Large solutions that wait.", gauges.waiting),
            ("under_way", "Positions that are being answered.", gauges.under_way),
            ("cache_bytes", "Bytes of answers that are kept.", gauges.cache_bytes),
        ] {
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
    fn buckets_add_up() {
        let metrics = Metrics::default();
        metrics.request(200, Duration::from_micros(10));
        metrics.request(404, Duration::from_secs(1));
        metrics.request(200, Duration::from_secs(100));
        let gauges = Gauges { connections: 1, running: 2, waiting: 3, under_way: 4, cache_bytes: 5 };
        let text = metrics.text(&gauges);
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
