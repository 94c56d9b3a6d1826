//! The ranks of a job, and all their communication through MPI.
//!
//! Only the thread that started MPI calls it, while other threads compute. No call blocks, not even
//! a collective one. A waiting rank keeps receiving messages, sending heartbeats, and checking the
//! heartbeats of other ranks. Therefore no two ranks can wait for each other forever, and a rank
//! that is silent for [`SILENCE`] ends the job.

use crate::remote::FileExchange;
use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::request::{Request, Scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use pentago::ErrorKind;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The interval of heartbeats: from each rank to rank 0, with its progress, and from rank 0 to all.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// The longest silence of a rank before the job ends.
const SILENCE: Duration = Duration::from_secs(40);
/// The silence of a rank after which rank 0 warns. The launcher may end the job before [`SILENCE`],
/// with a less helpful message.
const WARNING: Duration = Duration::from_secs(10);
/// The additional silence of rank 0 that ranks above 1 accept, so that only rank 1 reports it.
const SILENCE_MARGIN: Duration = Duration::from_secs(5);
/// The first sleep of the MPI thread after an idle turn. Each further idle turn doubles it, because
/// thousands of wake-ups per second would slow the computing threads down by a tenth.
const NAP: Duration = Duration::from_micros(100);
/// The longest sleep during computation.
const LONGEST_NAP: Duration = Duration::from_millis(5);
/// The longest sleep during a collective operation.
const WAITING_NAP: Duration = Duration::from_micros(400);
/// The number of messages that are sent at the same time.
const BATCH: usize = 64;
/// The size of MPI's buffer for heartbeats, in bytes. Buffered messages never wait for their
/// receiver.
const BUFFER: usize = 1 << 24;

/// The kind of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// The number of entries that a rank has finished.
    Heartbeat = 1,
    /// A request for bytes of a file.
    Read = 2,
    /// The requested bytes.
    Data = 3,
}

/// The ranks of a job, as seen by one rank.
pub struct Team {
    world: SimpleCommunicator,
    exchange: Arc<FileExchange>,
    outbox: RefCell<VecDeque<Message>>,
    heartbeats: RefCell<Heartbeats>,
    /// The next sleep of the MPI thread.
    nap: Cell<Duration>,
    /// The names of the machines, indexed by rank.
    hosts: Vec<String>,
    // The last field: dropping it ends MPI, which the other fields still need.
    _universe: Universe,
}

/// An outgoing message: its receiver, its kind and its content.
type Message = (i32, Tag, Vec<u8>);

/// The heartbeats sent and received.
struct Heartbeats {
    /// The number of entries that this rank has finished.
    done: u64,
    /// The time of this rank's last heartbeat.
    sent: Instant,
    /// The time of the last check of the other ranks.
    checked: Instant,
    /// Indexed by rank: the number of finished entries, the time of the last message, and `true` if
    /// a warning was printed since.
    heard: Vec<(u64, Instant, bool)>,
}

/// Returns the exit status for an error, equal to that of `pentago`.
pub fn exit_status(error: &anyhow::Error) -> u8 {
    match error.chain().find_map(ErrorKind::of) {
        Some(ErrorKind::Contradiction) => 1,
        Some(ErrorKind::Input) => 2,
        Some(ErrorKind::Missing) => 3,
        _ => 4,
    }
}

impl Team {
    /// Starts MPI. `exchange` holds the read requests between the ranks.
    ///
    /// # Errors
    /// If this MPI does not support programs with threads.
    pub fn start(exchange: Arc<FileExchange>) -> anyhow::Result<Team> {
        let started = mpi::initialize_with_threading(Threading::Funneled);
        let Some((mut universe, _)) = started.filter(|(_, level)| *level >= Threading::Funneled) else {
            anyhow::bail!("this MPI does not support programs with threads: it needs MPI_THREAD_FUNNELED");
        };
        universe.set_buffer_size(BUFFER);
        let (world, now) = (universe.world(), Instant::now());
        let heard = vec![(0, now, false); world.size() as usize];
        let heartbeats = RefCell::new(Heartbeats { done: 0, sent: now, checked: now, heard });
        let (outbox, nap, hosts) = (RefCell::default(), Cell::new(NAP), Vec::new());
        let mut team = Team { world, exchange, outbox, heartbeats, nap, hosts, _universe: universe };
        let host = mpi::environment::processor_name().unwrap_or_default();
        let hosts = team.gather_bytes(host.as_bytes());
        team.hosts = hosts.iter().map(|host| String::from_utf8_lossy(host).into_owned()).collect();
        Ok(team)
    }

    /// Returns the number of this rank.
    pub fn rank(&self) -> u32 {
        self.world.rank() as u32
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> u32 {
        self.world.size() as u32
    }

    /// Returns the name of this machine.
    pub fn host(&self) -> &str {
        self.hosts.get(self.world.rank() as usize).map_or("", String::as_str)
    }

    /// Returns the number of ranks on this machine.
    pub fn on_this_machine(&self) -> u32 {
        self.world.split_shared(self.world.rank()).size() as u32
    }

    /// Prints a message to standard error with the number of this rank and the name of its machine.
    pub fn say(&self, kind: &str, what: impl fmt::Display) {
        let (rank, size) = (self.rank(), self.size());
        let host = self.host();
        // One write per line: messages of two ranks must not be interleaved.
        let line = format!("{kind}: rank {rank} of {size} on {host}: {what}\n");
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    /// Prints an error, and aborts the job on all machines with an exit status.
    pub fn fail(&self, error: impl fmt::Display, status: u8) -> ! {
        self.say("error", error);
        self.world.abort(status.into())
    }

    /// Gathers numbers from all ranks: an equal count from each. Returns them indexed by rank.
    pub fn gather(&self, own: &[u64]) -> Vec<Vec<u64>> {
        let mut all = vec![0; own.len() * self.size() as usize];
        mpi::request::scope(|scope| {
            self.wait(self.world.immediate_all_gather_into(scope, own, &mut all[..]), &mut |_| ());
        });
        all.chunks(own.len()).map(<[u64]>::to_vec).collect()
    }

    /// Gathers bytes from all ranks, of any length. Returns them indexed by rank.
    pub fn gather_bytes(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let longest = self.gather(&[own.len() as u64]).into_iter().flatten().collect::<Vec<u64>>();
        let most = longest.iter().copied().max().unwrap_or(0) as usize;
        let mut padded = own.to_vec();
        padded.resize(most, 0);
        let mut all = vec![0; most * self.size() as usize];
        mpi::request::scope(|scope| {
            let gathered = self.world.immediate_all_gather_into(scope, &padded[..], &mut all[..]);
            self.wait(gathered, &mut |_| ());
        });
        let of = |(rank, len): (usize, u64)| all[rank * most..][..len as usize].to_vec();
        longest.into_iter().enumerate().map(of).collect()
    }

    /// Adds the numbers of all ranks, element by element. All ranks give equally many numbers.
    pub fn sum(&self, own: &[u64]) -> Vec<u64> {
        let mut all = vec![0; own.len()];
        mpi::request::scope(|scope| {
            let sum = SystemOperation::sum();
            self.wait(self.world.immediate_all_reduce_into(scope, own, &mut all[..], sum), &mut |_| ());
        });
        all
    }

    /// Runs this rank's part of a piece of work in another thread, serves other ranks meanwhile,
    /// and waits until all ranks are done. `done` returns the number of entries that this rank has
    /// finished. At rank 0, `report` is called once per second with the sum over all ranks. Returns
    /// the result of `work`, the time until `work` was done, and the time from then until all ranks
    /// were done.
    ///
    /// # Errors
    /// The error of `work`. The caller must end the job with it: other ranks wait for this one.
    pub fn during<T: Send>(
        &self,
        done: impl Fn() -> u64,
        mut report: impl FnMut(u64),
        work: impl FnOnce() -> anyhow::Result<T> + Send,
    ) -> anyhow::Result<(T, [Duration; 2])> {
        let began = Instant::now();
        self.heartbeats.borrow_mut().heard.iter_mut().for_each(|(done, ..)| *done = 0);
        self.nap.set(NAP);
        let result = std::thread::scope(|scope| {
            let worker = scope.spawn(work);
            while !worker.is_finished() {
                self.heartbeats.borrow_mut().done = done();
                self.turn(&mut report);
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        self.heartbeats.borrow_mut().done = done();
        let busy = began.elapsed();
        self.wait(self.world.immediate_barrier(), &mut report);
        Ok((result, [busy, began.elapsed() - busy]))
    }

    /// Waits for a collective operation.
    fn wait<'a, D: ?Sized, S: Scope<'a>>(&self, mut all: Request<'a, D, S>, report: &mut dyn FnMut(u64)) {
        while let Err(left) = all.test() {
            all = left;
            // A collective operation may take many messages, and this thread handles each: sleep
            // briefly.
            self.nap.set(self.nap.get().min(WAITING_NAP));
            self.turn(report);
        }
    }

    /// Receives all arrived messages, sends all pending ones, and exchanges heartbeats. Sleeps if
    /// idle.
    fn turn(&self, report: &mut dyn FnMut(u64)) {
        let mut idle = !self.receive();
        if self.exchange_heartbeats() && self.rank() == 0 {
            report(self.heartbeats.borrow().heard.iter().map(|(done, ..)| done).sum());
        }
        while let Some((owner, bytes)) = self.exchange.next_request() {
            self.outbox.borrow_mut().push_back((owner as i32, Tag::Read, bytes));
        }
        if !self.outbox.borrow().is_empty() {
            idle = false;
            self.send();
        }
        self.rest(idle);
    }

    /// Sleeps after an idle turn, until a read request is pending or the sleep is over.
    fn rest(&self, idle: bool) {
        if idle {
            self.exchange.nap(self.nap.get());
            self.nap.set(LONGEST_NAP.min(2 * self.nap.get()));
        } else {
            self.nap.set(NAP);
        }
    }

    /// Sends a heartbeat once per [`HEARTBEAT`], and ends the job if another rank was silent for
    /// too long. Rank 0 exchanges heartbeats with all ranks, the others only with rank 0. Returns
    /// `true` if the interval was over.
    fn exchange_heartbeats(&self) -> bool {
        let (heartbeats, now, own) =
            (&mut *self.heartbeats.borrow_mut(), Instant::now(), self.rank() as usize);
        if now - heartbeats.sent < HEARTBEAT {
            return false;
        }
        // This process was suspended, and missed heartbeats in that time: start all silences anew.
        if now - heartbeats.checked > WARNING / 2 {
            heartbeats.heard.iter_mut().for_each(|(_, last, _)| *last = now);
        }
        (heartbeats.sent, heartbeats.checked, heartbeats.heard[own]) =
            (now, now, (heartbeats.done, now, false));
        let others = if own == 0 { 1..heartbeats.heard.len() } else { 0..1 };
        for rank in others {
            let to = self.world.process_at_rank(rank as i32);
            to.buffered_send_with_tag(&heartbeats.done.to_le_bytes()[..], Tag::Heartbeat as i32);
            let (_, last, warned) = &mut heartbeats.heard[rank];
            let silent = now - *last;
            let (seconds, host) = (silent.as_secs(), self.hosts.get(rank).map_or("", String::as_str));
            let what = format_args!("no message from rank {rank} on {host} for {seconds} s");
            if silent > SILENCE + if own > 1 { SILENCE_MARGIN } else { Duration::ZERO } {
                self.fail(format_args!("{what}; run the same command again to resume"), 4);
            }
            if silent > WARNING && own == 0 && !*warned {
                *warned = true;
                self.say("warning", what);
            }
        }
        true
    }

    /// Handles all messages that have arrived. Returns `true` if there was one.
    fn receive(&self) -> bool {
        let mut received = false;
        while let Some((message, status)) = self.world.any_process().immediate_matched_probe() {
            received = true;
            let mut bytes = vec![0; status.count(u8::equivalent_datatype()) as usize];
            // The probe matches as soon as the head of a message arrives. A long message is still
            // in transit.
            mpi::request::scope(|scope| {
                let mut request = message.immediate_matched_receive_into(scope, &mut bytes[..]);
                while let Err(left) = request.test() {
                    request = left;
                    self.exchange_heartbeats();
                }
            });
            let from = status.source_rank();
            match [Tag::Heartbeat, Tag::Read, Tag::Data].into_iter().find(|&tag| tag as i32 == status.tag()) {
                Some(Tag::Heartbeat) => {
                    let done = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
                    self.heartbeats.borrow_mut().heard[from as usize].0 = done;
                }
                Some(Tag::Read) => match self.exchange.answer(&bytes) {
                    Ok(bytes) => self.outbox.borrow_mut().push_back((from, Tag::Data, bytes)),
                    Err(error) => self.fail(error, 4),
                },
                Some(Tag::Data) => self.exchange.deliver(&bytes),
                None => {}
            }
            let heard = &mut self.heartbeats.borrow_mut().heard[from as usize];
            (heard.1, heard.2) = (Instant::now(), false);
        }
        received
    }

    /// Sends up to [`BATCH`] messages, and receives messages until these are sent.
    fn send(&self) {
        let outbox: Vec<Message> = {
            let mut outbox = self.outbox.borrow_mut();
            let count = outbox.len().min(BATCH);
            outbox.drain(..count).collect()
        };
        mpi::request::scope(|scope| {
            let mut sending = Vec::with_capacity(outbox.len());
            for (to, tag, bytes) in &outbox {
                let to = self.world.process_at_rank(*to);
                sending.push(to.immediate_send_with_tag(scope, &bytes[..], *tag as i32));
            }
            while !sending.is_empty() {
                sending = sending.into_iter().filter_map(|request| request.test().err()).collect();
                // MPI makes progress only inside of its calls: sleep briefly.
                if !sending.is_empty() && !self.receive() {
                    self.exchange.nap(NAP);
                    self.exchange_heartbeats();
                }
            }
        });
    }
}
