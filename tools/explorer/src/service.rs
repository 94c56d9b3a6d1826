//! Answers to questions about positions: from the cache, the tables or the solver.
//!
//! Simultaneous requests for the same answer share one solution. The solution is cancelled when the
//! last of these requests is dropped.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode};
use bytes::Bytes;
use pentago::Control;
use pentago_base::lock;
use pentago_games::{Answer, Game, Position, ProofCache, Question, SearchContext, read_rules_of};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::json;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout, timeout_at};
use twox_hash::XxHash3_64;

use crate::clients::Client;
use crate::config::Config;
use crate::failure::Failure;
use crate::lane::Lane;
use crate::metrics::Metrics;

/// The maximum number of boards of a small solution, which takes milliseconds on one thread.
const SMALL_BOARDS: u64 = 1_000_000;

/// The maximum number of requests that wait for a table probe or a small solution. If the queue is
/// full, a new request is treated as described for `Bounds::queue`.
const SMALL_QUEUE: usize = 1024;

/// The size of a typical answer in bytes.
const USUAL_ANSWER: u64 = 16_384;

/// A position, and the requested contents of its answer.
#[derive(Debug, Clone)]
pub(crate) struct PositionQuery {
    pub game: Arc<dyn Game>,
    pub position: Position,
    /// `true` to include the distance to the end of the game.
    pub distance: bool,
    /// The time limit in seconds, or `None` for the server's limit. The server reduces a longer
    /// time to its limit.
    pub seconds: Option<u32>,
}

impl PositionQuery {
    /// Returns the canonical form of the query. Queries with equal keys have equal answers.
    pub fn key(&self) -> String {
        let distance = if self.distance { " distance" } else { "" };
        let seconds = self.seconds.map(|seconds| format!(" {seconds} s")).unwrap_or_default();
        format!("{} {}{distance}{seconds}", self.game.rules(), self.position.text)
    }

    /// Returns the ETag of a complete answer. The ETag depends only on the query and the version of
    /// the program, because values never change.
    pub fn tag(&self) -> HeaderValue {
        let hash = XxHash3_64::oneshot_with_seed(1, self.key().as_bytes());
        let text = format!("W/\"{}-{hash:016x}\"", env!("CARGO_PKG_VERSION"));
        HeaderValue::from_str(&text).expect("an ASCII string")
    }
}

/// A finished answer.
#[derive(Debug, Clone)]
pub(crate) struct StoredAnswer {
    /// The JSON object, followed by a line break.
    pub body: Bytes,
    /// The ETag, or `None` for an incomplete answer, which more memory or time may improve.
    pub tag: Option<HeaderValue>,
}

impl StoredAnswer {
    fn new(query: &PositionQuery, answer: &Answer) -> StoredAnswer {
        let json = serde_json::to_string(answer).expect("an answer is valid JSON");
        let has_distance = !query.distance || answer.distance.is_some() || answer.moves.is_empty();
        let complete = answer.is_complete() && has_distance;
        StoredAnswer { body: (json + "\n").into(), tag: complete.then(|| query.tag()) }
    }
}

/// Weighs the entries of the cache: the weight is the size of an entry in bytes.
#[derive(Clone)]
pub(crate) struct EntryBytes;

impl Weighter<String, StoredAnswer> for EntryBytes {
    fn weight(&self, key: &String, stored: &StoredAnswer) -> u64 {
        (key.len() + stored.body.len() + 256) as u64
    }
}

/// An answer that is being computed.
#[derive(Debug)]
pub(crate) struct PendingAnswer {
    /// The number of the request in the queues of both lanes.
    number: u64,
    /// The client that requested the answer first. The request waits in the line of this client.
    client: Client,
    control: Arc<Control>,
    /// The end of the first request.
    end: Instant,
    /// The channel for the outcome. Each request that waits for the answer has a receiver.
    outcome: watch::Sender<Option<Outcome>>,
    /// `true` once the request has left the queue of large solutions.
    started: AtomicBool,
}

/// An answer, or the reason why there is none.
type Outcome = Result<StoredAnswer, Failure>;

/// The answers that are being computed, keyed by [`PositionQuery::key`].
type PendingAnswers = HashMap<String, Arc<PendingAnswer>>;

/// The engine of the server: its cache, tables, solver and queues.
pub(crate) struct Service {
    pub config: Config,
    pub metrics: Metrics,
    /// The complete answers to earlier queries, keyed by [`PositionQuery::key`].
    pub cache: Cache<String, StoredAnswer, EntryBytes>,
    /// The results of earlier proofs, which later searches reuse.
    kept: Arc<ProofCache>,
    pub pending: Mutex<PendingAnswers>,
    /// The number of answers that were started.
    started: AtomicU64,
    /// The lane of table probes and small solutions.
    pub small: Arc<Lane>,
    /// The lane of large solutions.
    pub large: Arc<Lane>,
    pool: rayon::ThreadPool,
    stopping: AtomicBool,
}

/// A request that waits for an answer. When the last request for the same answer is dropped, the
/// solution is cancelled.
pub(crate) struct AnswerWait {
    service: Arc<Service>,
    key: String,
    answer: Arc<PendingAnswer>,
    /// The time at which the request fails if it has no answer yet.
    end: Instant,
    /// Created and dropped only while `Service::pending` is locked, so that the number of receivers
    /// is reliable.
    receiver: Option<watch::Receiver<Option<Outcome>>>,
}

impl Service {
    /// Returns a service with an empty cache.
    ///
    /// # Errors
    /// If the operating system cannot create the threads of the solver.
    pub fn new(config: Config) -> Result<Arc<Service>, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(config.threads.get()).build()?;
        let bounds = config.bounds;
        let answers = usize::try_from(bounds.cache / USUAL_ANSWER).unwrap_or(usize::MAX).clamp(16, 1 << 20);
        Ok(Arc::new(Service {
            cache: Cache::with_weighter(answers, bounds.cache, EntryBytes),
            metrics: Metrics::default(),
            kept: Arc::default(),
            pending: Mutex::default(),
            started: AtomicU64::new(0),
            small: Lane::new(config.threads.get(), SMALL_QUEUE),
            large: Lane::new(bounds.solves, bounds.queue),
            pool,
            stopping: AtomicBool::new(false),
            config,
        }))
    }

    /// Parses the rules and the position of a query.
    ///
    /// # Errors
    /// If the rules or the position are invalid, or if the server does not answer for these rules.
    pub fn parse(&self, rules: &str, position: &str, distance: bool) -> Result<PositionQuery, Failure> {
        let game = read_rules_of(self.config.kinds, rules)?;
        let position = game.read(position)?;
        let allowed = &self.config.rules;
        if !allowed.is_empty() && !allowed.contains(&game.rules()) {
            return Err(Failure::input(format!("this server answers for {} only", allowed.join(", "))));
        }
        Ok(PositionQuery { game, position, distance, seconds: None })
    }

    /// Returns the end of a request that begins now.
    pub fn deadline(&self) -> Instant {
        Instant::now() + self.config.bounds.solve_time
    }

    /// Requests an answer: takes it from the cache, joins a pending answer, or starts a new one.
    /// The request fails at the time `end`.
    pub fn ask(self: &Arc<Service>, query: &PositionQuery, client: Client, end: Instant) -> AnswerWait {
        let key = query.key();
        let mut pending = lock(&self.pending);
        if let Some(answer) = pending.get(&key) {
            let (answer, receiver) = (Arc::clone(answer), Some(answer.outcome.subscribe()));
            self.small.join(answer.number, client);
            self.large.join(answer.number, client);
            return AnswerWait { service: Arc::clone(self), key, answer, end, receiver };
        }
        let (outcome, receiver) = watch::channel(None);
        let answer = Arc::new(PendingAnswer {
            number: self.started.fetch_add(1, Ordering::Relaxed),
            client,
            control: Arc::default(),
            end,
            outcome,
            started: AtomicBool::new(false),
        });
        // `compute` stores an answer in the cache before it removes the pending answer. So an
        // answer that is no longer pending is found here.
        if let Some(stored) = self.cache.get(&key) {
            self.metrics.hits.fetch_add(1, Ordering::Relaxed);
            answer.outcome.send_replace(Some(Ok(stored)));
        } else if self.stopping.load(Ordering::SeqCst) {
            answer.outcome.send_replace(Some(Err(Failure::stopped())));
        } else {
            pending.insert(key.clone(), Arc::clone(&answer));
            tokio::spawn(Arc::clone(self).compute(query.clone(), key.clone(), Arc::clone(&answer)));
        }
        AnswerWait { service: Arc::clone(self), key, answer, end, receiver: Some(receiver) }
    }

    /// Computes a pending answer from the tables or by a small solution. If neither is possible,
    /// computes a large solution. Sends the answer to all requests that wait for it.
    async fn compute(self: Arc<Service>, query: PositionQuery, key: String, answer: Arc<PendingAnswer>) {
        let outcome = tokio::select! {
            outcome = async {
                match self.run(&self.small, Service::solve_small, &query, &answer).await? {
                    Some(stored) => Ok(stored),
                    None => self.run(&self.large, Service::solve_large, &query, &answer).await,
                }
            } => outcome,
            // No request waits any more. A running solution keeps its permit until it notices the
            // cancellation.
            () = answer.outcome.closed() => Err(Failure::stopped()),
        };
        if let Ok(stored) = &outcome
            && stored.tag.is_some()
        {
            self.cache.insert(key.clone(), stored.clone());
        }
        remove(&mut lock(&self.pending), &key, &answer);
        answer.outcome.send_replace(Some(outcome));
    }

    /// Waits until a lane grants a permit, and then runs a solution on a thread of its own with a
    /// time limit.
    async fn run<T: Send + 'static>(
        self: &Arc<Service>,
        lane: &Arc<Lane>,
        solve: fn(&Service, &PositionQuery, &PendingAnswer) -> Result<T, Failure>,
        query: &PositionQuery,
        answer: &Arc<PendingAnswer>,
    ) -> Result<T, Failure> {
        let permit = lane.enter(answer.client, answer.number)?.turn().await?;
        if answer.control.is_cancelled() {
            return Err(Failure::stopped());
        }
        let (service, query, pending) = (Arc::clone(self), query.clone(), Arc::clone(answer));
        let result = on_thread("solving this position", move || {
            // The thread holds the permit, so that a cancelled solution counts as running until it
            // returns.
            let _permit = permit;
            solve(&service, &query, &pending)
        });
        // Requests that join a pending answer may wait longer than the first request. This limit
        // ends the solution in any case.
        match timeout(self.config.bounds.solve_time, result).await {
            Ok(result) => result,
            // A thread that waits for a remote table does not notice the cancellation. Such a
            // thread keeps its permit until the network request ends.
            Err(_) => {
                answer.control.cancel();
                Err(Failure::time_up())
            }
        }
    }

    /// Answers from the tables or by a small solution. Returns `None` if only a large solution can
    /// answer.
    fn solve_small(
        &self,
        query: &PositionQuery,
        pending: &PendingAnswer,
    ) -> Result<Option<StoredAnswer>, Failure> {
        let question = self.question(query, pending);
        let context = self.context(NonZeroUsize::MIN, &pending.control);
        let answer = query.game.quick_answer(&query.position, &question, &context, SMALL_BOARDS)?;
        Ok(answer.map(|answer| StoredAnswer::new(query, &answer)))
    }

    /// Answers with a solution of any size, on all threads of the solver.
    fn solve_large(&self, query: &PositionQuery, pending: &PendingAnswer) -> Result<StoredAnswer, Failure> {
        pending.started.store(true, Ordering::Release);
        let start = Instant::now();
        let question = self.question(query, pending);
        let context = self.context(self.config.threads, &pending.control);
        let answer = self.pool.install(|| query.game.answer(&query.position, &question, &context))?;
        self.large.took(start.elapsed().min(self.config.bounds.solve_time));
        self.metrics.solved.fetch_add(1, Ordering::Relaxed);
        self.metrics.boards.fetch_add(answer.boards.unwrap_or(0), Ordering::Relaxed);
        Ok(StoredAnswer::new(query, &answer))
    }

    /// Converts a query into the question that the game answers. A limited search ends before the
    /// request does.
    fn question(&self, query: &PositionQuery, pending: &PendingAnswer) -> Question {
        let seconds = query.seconds.map(|seconds| Duration::from_secs(seconds.into()));
        let left = pending.end.saturating_duration_since(Instant::now()) * 9 / 10;
        let time = seconds.unwrap_or(self.config.time).min(self.config.time).min(left);
        let finish = Some(left).filter(|_| self.config.finish && seconds.is_none());
        Question { distance: query.distance, time: Some(time), finish, ..Question::default() }
    }

    /// Returns the context of a solution. Simultaneous large solutions share the memory equally.
    fn context<'a>(&'a self, threads: NonZeroUsize, control: &'a Control) -> SearchContext<'a> {
        let config = &self.config;
        SearchContext {
            threads,
            kernel: Some(config.kernel),
            tables: Some(&config.tables),
            kept: Some(&self.kept),
            ..SearchContext::new(config.memory / config.bounds.solves.max(1) as u64, control)
        }
    }

    /// Cancels all pending answers, and refuses new requests.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        for answer in lock(&self.pending).values() {
            answer.outcome.send_replace(Some(Err(Failure::stopped())));
            answer.control.cancel();
        }
    }
}

/// Runs `work` on a new thread. `action` names the work in the failure of a panic. Tokio's own
/// blocking threads would panic if the system refuses a thread.
pub(crate) async fn on_thread<T: Send + 'static>(
    action: &str,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (sender, result) = oneshot::channel();
    // If no request waits any more, the result is dropped.
    let started = std::thread::Builder::new().spawn(move || drop(sender.send(work())));
    started.map_err(|error| {
        let text = format!("the server cannot start a thread: {error}");
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "machine", text)
    })?;
    result.await.unwrap_or_else(|_| Err(Failure::bug(action)))
}

/// Removes a pending answer, unless a newer pending answer has the same key.
fn remove(pending: &mut PendingAnswers, key: &str, answer: &Arc<PendingAnswer>) {
    if pending.get(key).is_some_and(|other| Arc::ptr_eq(other, answer)) {
        pending.remove(key);
    }
}

impl AnswerWait {
    /// Waits for the answer.
    ///
    /// # Errors
    /// The reason why there is no answer, such as the end of the request.
    pub async fn outcome(&self) -> Result<StoredAnswer, Failure> {
        let mut outcome = self.answer.outcome.subscribe();
        match timeout_at(self.end, outcome.wait_for(Option::is_some)).await {
            Ok(Ok(outcome)) => outcome.clone().unwrap_or_else(|| Err(Failure::stopped())),
            Ok(Err(_)) => Err(Failure::stopped()),
            Err(_) => Err(Failure::time_up()),
        }
    }

    /// Returns the progress of the solution as a JSON object: the number of requests in the queue,
    /// or the finished part of the current stage. A `total` of 0 means that the total is unknown.
    pub fn progress(&self) -> serde_json::Value {
        let answer = &self.answer;
        match answer.control.stage() {
            Some((_, stage)) => json!({
                "state": "solving", "what": stage.what, "unit": stage.unit, "done": stage.done,
                "total": stage.total(), "to_the_end": stage.to_the_end,
            }),
            None if answer.started.load(Ordering::Acquire) => json!({
                "state": "solving", "what": "solving", "unit": "boards", "done": answer.control.done(),
                "total": 0, "to_the_end": false,
            }),
            None => json!({ "state": "queued", "waiting": self.service.large.waiting() }),
        }
    }
}

impl Drop for AnswerWait {
    fn drop(&mut self) {
        let mut pending = lock(&self.service.pending);
        self.receiver = None;
        if self.answer.outcome.receiver_count() == 0 {
            // The next request for this key must start a new solution, not join the cancelled one.
            remove(&mut pending, &self.key, &self.answer);
            self.answer.control.cancel();
        }
    }
}
