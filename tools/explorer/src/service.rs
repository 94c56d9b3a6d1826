//! Answers: from the cache, from tables, from the solver. Requests for the same position wait for
//! one solution; when the last of them has left, it is stopped.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderValue;
use bytes::Bytes;
use pentago::Control;
use pentago_games::{Answer, Game, Kept, Position, read_rules_of};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::{Notify, watch};
use twox_hash::XxHash3_64;

use crate::clients::Client;
use crate::config::Config;
use crate::failure::Failure;
use crate::lane::Lane;
use crate::metrics::Metrics;

/// Boards of a question that is answered at once, by the thread that has it: that takes milliseconds.
const SMALL_BOARDS: u64 = 1_000_000;

/// How long a cancelled solution may take to end.
const LEAVE: Duration = Duration::from_secs(3);

/// A question: a position, and what is asked of it.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub game: Arc<dyn Game>,
    pub position: Position,
    pub distance: bool,
    /// Seconds for what can't be solved to the end, if less than the server's own.
    pub seconds: Option<u32>,
}

impl Question {
    /// The one text of a question: equal questions have equal answers.
    pub fn key(&self) -> String {
        let distance = if self.distance { " distance" } else { "" };
        let seconds = self.seconds.map(|seconds| format!(" {seconds} s")).unwrap_or_default();
        format!("{} {}{distance}{seconds}", self.game.rules(), self.position.text)
    }
}

/// An answer as it is kept.
struct Found {
    /// The JSON object.
    json: String,
    /// Nothing in it is unknown: it holds for ever.
    complete: bool,
    /// Boards that were computed for it.
    boards: u64,
}

impl Found {
    fn new(question: &Question, answer: &Answer) -> Found {
        let json = serde_json::to_string(answer).expect("plain data becomes JSON");
        // A distance that isn't known may be known next time.
        let told = !question.distance || answer.distance.is_some() || answer.moves.is_empty();
        Found { json, complete: answer.is_complete() && told, boards: answer.boards.unwrap_or(0) }
    }
}

/// An answer that may be sent any number of times.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    /// The JSON object, with a line break behind it.
    pub body: Bytes,
    /// The tag of a complete answer.
    pub tag: Option<HeaderValue>,
}

/// What became of a question.
pub(crate) type Outcome = Result<Stored, Failure>;

/// Bytes of an answer and of what the cache keeps with it.
#[derive(Clone)]
struct StoredBytes;

impl Weighter<String, Stored> for StoredBytes {
    fn weight(&self, key: &String, stored: &Stored) -> u64 {
        (key.len() + stored.body.len() + 256) as u64
    }
}

/// A solution under way.
#[derive(Debug)]
struct Flight {
    /// Its number in the queues.
    number: u64,
    /// Who asked first: it waits in this client's line.
    client: Client,
    control: Arc<Control>,
    /// How many requests wait for it; changed under the lock of all flights.
    waiting: Mutex<usize>,
    outcome: watch::Sender<Option<Outcome>>,
    /// Whether it has left the queue.
    began: AtomicBool,
    /// Nobody waits for it any more.
    left: Notify,
}

impl Flight {
    /// Stops it, or takes it out of the queue.
    fn end(&self) {
        self.control.cancel();
        self.left.notify_one();
    }
}

/// What answers questions.
pub(crate) struct Service {
    pub config: Config,
    pub metrics: Metrics,
    cache: Cache<String, Stored, StoredBytes>,
    /// What proofs have shown.
    kept: Arc<Kept>,
    flights: Mutex<HashMap<String, Arc<Flight>>>,
    /// Flights up to now.
    flown: AtomicU64,
    pub small: Arc<Lane>,
    pub large: Arc<Lane>,
    pool: rayon::ThreadPool,
    stopping: AtomicBool,
}

/// A request's interest in a solution: given up when the client has gone.
pub(crate) struct Wait {
    service: Arc<Service>,
    key: String,
    flight: Arc<Flight>,
}

/// How far a solution is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub(crate) enum Progress {
    /// It waits for its turn.
    Queued {
        /// Solutions that wait, this one included.
        waiting: usize,
    },
    /// It runs.
    Solving {
        /// What is done now, in a word or two.
        what: String,
        /// What is counted.
        unit: &'static str,
        /// How much is done.
        done: u64,
        /// How much there is to do.
        total: u64,
        /// Whether this goes to the end of the game.
        to_the_end: bool,
    },
}

impl Service {
    /// A service.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub fn new(config: Config) -> Result<Arc<Service>, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(config.threads.get()).build();
        let pool = pool.map_err(|error| Failure::Machine(error.to_string()))?;
        let bounds = config.bounds;
        // A usual answer has 16 KB.
        let usual = usize::try_from(bounds.cache / 16_384).unwrap_or(usize::MAX).clamp(16, 1 << 20);
        Ok(Arc::new(Service {
            cache: Cache::with_weighter(usual, bounds.cache, StoredBytes),
            metrics: Metrics::default(),
            kept: Arc::default(),
            flights: Mutex::default(),
            flown: AtomicU64::new(0),
            small: Lane::new(config.threads.get(), bounds.small_queue),
            large: Lane::new(bounds.solves, bounds.queue),
            pool,
            stopping: AtomicBool::new(false),
            config,
        }))
    }

    /// Reads a question.
    ///
    /// # Errors
    /// If the rules or the position can't be read, or these rules are not answered for.
    pub fn read(&self, rules: &str, position: &str, distance: bool) -> Result<Question, Failure> {
        let read = || {
            let game = read_rules_of(self.config.kinds, rules)?;
            let position = game.read(position)?;
            Ok(Question { game, position, distance, seconds: None })
        };
        let question = read().map_err(|error| Failure::of(&error))?;
        let only = &self.config.rules;
        if !only.is_empty() && !only.contains(&question.game.rules()) {
            let text = format!("this server answers for {} only", only.join(", "));
            return Err(Failure::input(text));
        }
        Ok(question)
    }

    /// The tag of the complete answer for a question: a value never changes.
    pub fn tag(key: &str) -> HeaderValue {
        let hash = XxHash3_64::oneshot_with_seed(1, key.as_bytes());
        let text = format!("W/\"{}-{hash:016x}\"", env!("CARGO_PKG_VERSION"));
        HeaderValue::from_str(&text).expect("a tag of ASCII characters")
    }

    /// The answer, if it is in the cache.
    pub fn kept(&self, key: &str) -> Option<Stored> {
        self.cache.get(key)
    }

    /// Bytes of answers that are kept.
    pub fn cache_bytes(&self) -> u64 {
        self.cache.weight()
    }

    /// The answer for a client's question.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn answer(self: &Arc<Service>, question: &Question, client: Client) -> Outcome {
        let key = question.key();
        if let Some(stored) = self.kept(&key) {
            self.metrics.hits.add();
            return Ok(stored);
        }
        self.ask(question, key, client).wait().await
    }

    /// Joins the solution of a question that is under way, or begins one.
    pub fn ask(self: &Arc<Service>, question: &Question, key: String, client: Client) -> Wait {
        let mut flights = self.flights();
        if let Some(flight) = flights.get(&key) {
            let flight = Arc::clone(flight);
            *lock(&flight.waiting) += 1;
            self.small.join(flight.number, client);
            self.large.join(flight.number, client);
            return Wait { service: Arc::clone(self), key, flight };
        }
        let flight = Arc::new(Flight {
            number: self.flown.fetch_add(1, Ordering::Relaxed),
            client,
            control: Arc::default(),
            waiting: Mutex::new(1),
            outcome: watch::Sender::new(None),
            began: AtomicBool::new(false),
            left: Notify::new(),
        });
        if self.stopping.load(Ordering::SeqCst) {
            flight.outcome.send_replace(Some(Err(Failure::Stopped)));
        } else {
            flights.insert(key.clone(), Arc::clone(&flight));
            tokio::spawn(Arc::clone(self).fly(question.clone(), key.clone(), Arc::clone(&flight)));
        }
        Wait { service: Arc::clone(self), key, flight }
    }

    /// Finds an answer, and tells it to everyone who waits.
    async fn fly(self: Arc<Service>, question: Question, key: String, flight: Arc<Flight>) {
        let found = tokio::select! {
            found = self.find(&question, &flight) => found,
            // What runs is stopped by its control, and keeps its permit until it has ended.
            () = flight.left.notified() => Err(Failure::Stopped),
        };
        let outcome = found.map(|found| {
            let tag = found.complete.then(|| Service::tag(&key));
            let mut json = found.json;
            json.push('\n');
            let stored = Stored { body: Bytes::from(json), tag };
            if found.complete {
                self.cache.insert(key.clone(), stored.clone());
            }
            stored
        });
        self.forget(&key, &flight);
        flight.outcome.send_replace(Some(outcome));
    }

    /// Removes a solution from those under way.
    fn forget(&self, key: &str, flight: &Arc<Flight>) {
        let mut flights = self.flights();
        if flights.get(key).is_some_and(|other| Arc::ptr_eq(other, flight)) {
            flights.remove(key);
        }
    }

    async fn find(self: &Arc<Service>, question: &Question, flight: &Arc<Flight>) -> Result<Found, Failure> {
        let bounds = self.config.bounds;
        let permit = self.small.enter(flight.client, flight.number)?.turn().await?;
        if flight.control.is_cancelled() {
            return Err(Failure::Stopped);
        }
        let (service, asked, control) = (Arc::clone(self), question.clone(), flight.control.clone());
        let small = self.timed(flight, move || {
            // Given back when the work is done, not when nobody waits for it any more.
            let _permit = permit;
            service.small(&asked, &control)
        });
        if let Some(found) = small.await? {
            return Ok(found);
        }
        let permit = self.large.enter(flight.client, flight.number)?.turn().await?;
        if flight.control.is_cancelled() {
            return Err(Failure::Stopped);
        }
        flight.began.store(true, Ordering::Release);
        let (service, question, control) = (Arc::clone(self), question.clone(), flight.control.clone());
        let began = Instant::now();
        let found = self
            .timed(flight, move || {
                let _permit = permit;
                service.large(&question, &control)
            })
            .await?;
        self.large.took(began.elapsed().min(bounds.solve_time));
        self.metrics.solved.add();
        self.metrics.boards.add_many(found.boards);
        Ok(found)
    }

    /// Runs work in a thread of its own; it is stopped when it takes too long.
    async fn timed<T: Send + 'static>(
        &self,
        flight: &Flight,
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let mut thread = tokio::task::spawn_blocking(work);
        let limit = tokio::time::sleep(self.config.bounds.solve_time);
        let (ended, late) = tokio::select! {
            ended = &mut thread => (ended, false),
            () = limit => {
                flight.control.cancel();
                // A computation ends soon. What waits for another host is left behind, with its permit.
                match tokio::time::timeout(LEAVE, &mut thread).await {
                    Ok(ended) => (ended, true),
                    Err(_) => return Err(Failure::TimeUp),
                }
            }
        };
        match ended {
            Ok(Err(Failure::Stopped)) if late => Err(Failure::TimeUp),
            Ok(result) => result,
            Err(_) => Err(Failure::bug("solving this position")),
        }
    }

    /// What the game is asked: by one thread, or by all; solutions at a time share the memory.
    fn ask_of<'a>(
        &'a self,
        question: &Question,
        threads: NonZeroUsize,
        control: &'a Control,
    ) -> pentago_games::Question<'a> {
        let config = &self.config;
        let memory = config.memory / config.bounds.solves.max(1) as u64;
        let asked = question.seconds.map(|seconds| Duration::from_secs(seconds.into()));
        let time = asked.map_or(config.time, |asked| asked.min(config.time));
        pentago_games::Question {
            distance: question.distance,
            threads: threads.get(),
            kernel: Some(config.kernel),
            tables: Some(&config.tables),
            kept: Some(&self.kept),
            ..pentago_games::Question::new(time, memory, control)
        }
    }

    /// The answer, if nothing large is to be solved for it.
    fn small(&self, question: &Question, control: &Control) -> Result<Option<Found>, Failure> {
        let ask = self.ask_of(question, NonZeroUsize::MIN, control);
        let answer = question.game.quick_answer(&question.position, &ask, SMALL_BOARDS);
        Ok(answer.map_err(|error| Failure::of(&error))?.map(|answer| Found::new(question, &answer)))
    }

    /// The answer, whatever it takes.
    fn large(&self, question: &Question, control: &Control) -> Result<Found, Failure> {
        let ask = self.ask_of(question, self.config.threads, control);
        let answer = self.pool.install(|| question.game.answer(&question.position, &ask));
        Ok(Found::new(question, &answer.map_err(|error| Failure::of(&error))?))
    }

    /// Stops everything that is under way, and what will be asked.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        for flight in self.flights().values() {
            flight.outcome.send_replace(Some(Err(Failure::Stopped)));
            flight.end();
        }
    }

    /// Solutions under way.
    pub fn under_way(&self) -> usize {
        self.flights().len()
    }

    fn flights(&self) -> MutexGuard<'_, HashMap<String, Arc<Flight>>> {
        lock(&self.flights)
    }
}

impl Wait {
    /// Waits for the outcome.
    pub async fn wait(&self) -> Outcome {
        let mut outcome = self.flight.outcome.subscribe();
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or(Err(Failure::Stopped)),
            Err(_) => Err(Failure::Stopped),
        }
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let flight = &self.flight;
        match flight.control.stage() {
            Some((_, stage)) => Progress::Solving {
                what: stage.what.clone(),
                unit: stage.unit,
                done: stage.done,
                total: stage.total(),
                to_the_end: stage.to_the_end,
            },
            None if flight.began.load(Ordering::Acquire) => Progress::Solving {
                what: "solving".to_owned(),
                unit: "boards",
                done: flight.control.done(),
                total: 0,
                to_the_end: false,
            },
            None => Progress::Queued { waiting: self.service.large.waiting() },
        }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let mut flights = self.service.flights();
        let mut waiting = lock(&self.flight.waiting);
        *waiting -= 1;
        if *waiting == 0 {
            // The next request for it begins anew.
            if flights.get(&self.key).is_some_and(|other| Arc::ptr_eq(other, &self.flight)) {
                flights.remove(&self.key);
            }
            self.flight.end();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
