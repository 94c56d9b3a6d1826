//! The ranks of a job, and all their communication through MPI.
//!
//! Only the thread that started MPI calls MPI, while other threads compute. No call blocks, not
//! even for a collective operation. A rank that waits still receives messages, sends heartbeats,
//! and checks the heartbeats of other ranks. Two ranks therefore cannot wait for each other
//! forever. A rank that is silent for [`SILENCE`] ends the job.

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

/// The interval between two heartbeats. Each rank sends its progress to rank 0, and rank 0 sends a
/// heartbeat to every rank.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// The longest time without a message from a rank. If this time is exceeded, the job ends.
const SILENCE: Duration = Duration::from_secs(40);
/// The time without a message from a rank after which rank 0 prints a warning. The launcher may end
/// the job before [`SILENCE`] is over, with a less helpful message than this warning.
const WARNING: Duration = Duration::from_secs(10);
/// The additional time for which ranks above 1 tolerate the silence of rank 0. As a result, only
/// rank 1 reports the silence.
const SILENCE_MARGIN: Duration = Duration::from_secs(5);
/// The time for which the MPI thread first sleeps when it has nothing to do. Each further sleep is
/// twice as long, because thousands of wake-ups per second would slow the computing threads down by
/// a tenth.
const NAP: Duration = Duration::from_micros(100);
/// The longest time for which the MPI thread sleeps during a computation.
const LONGEST_NAP: Duration = Duration::from_millis(5);
/// The longest time for which the MPI thread sleeps during a collective operation.
const WAITING_NAP: Duration = Duration::from_micros(400);
/// The maximum number of messages that are in transit from this rank at the same time.
const BATCH: usize = 64;
/// The size in bytes of the buffer from which MPI sends heartbeats. Sending a buffered message
/// never waits for the receiver.
const BUFFER: usize = 1 << 24;

/// The kind of a message between ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// A heartbeat. The content is the number of entries that the sender has finished.
    Heartbeat = 1,
    /// A request for bytes of a file that the receiver owns.
    Read = 2,
    /// The answer to a request: the ticket of the request, then the bytes of the file.
    Data = 3,
}

/// The ranks of a job, from the point of view of one rank.
pub struct Team {
    world: SimpleCommunicator,
    exchange: Arc<FileExchange>,
    outbox: RefCell<VecDeque<Message>>,
    heartbeats: RefCell<Heartbeats>,
    /// The time for which the MPI thread sleeps next, if it has nothing to do.
    nap: Cell<Duration>,
    /// The name of each rank's machine, indexed by rank.
    hosts: Vec<String>,
    // This field must be dropped last: dropping it ends MPI, which the other fields still need.
    _universe: Universe,
}

/// An outgoing message: the receiving rank, the kind, and the content.
type Message = (i32, Tag, Vec<u8>);

/// The heartbeats that this rank has sent and received.
struct Heartbeats {
    /// The number of entries that this rank has finished.
    done: u64,
    /// The time at which this rank last sent a heartbeat.
    sent: Instant,
    /// The time at which this rank last checked whether other ranks are silent.
    checked: Instant,
    /// For each rank, the number of entries that it has finished, and the time of its latest
    /// message. The third element is `true` if a warning about its silence was printed since that
    /// message.
    heard: Vec<(u64, Instant, bool)>,
}

/// Returns the exit status for an error, the same status that `pentago` returns.
pub fn exit_status(error: &anyhow::Error) -> u8 {
    match error.chain().find_map(ErrorKind::of) {
        Some(ErrorKind::Contradiction) => 1,
        Some(ErrorKind::Input) => 2,
        Some(ErrorKind::Missing) => 3,
        _ => 4,
    }
}

impl Team {
    /// Starts MPI and returns the ranks of the job. `exchange` holds the read requests between the
    /// ranks.
    ///
    /// # Errors
    /// If this MPI library does not support programs with threads.
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

    /// Returns the number of this rank, from 0.
    pub fn rank(&self) -> u32 {
        self.world.rank() as u32
    }

    /// Returns the number of ranks in the job.
    pub fn size(&self) -> u32 {
        self.world.size() as u32
    }

    /// Returns the name of the machine on which this rank runs.
    pub fn host(&self) -> &str {
        self.hosts.get(self.world.rank() as usize).map_or("", String::as_str)
    }

    /// Returns the number of ranks that run on the same machine as this rank, including this rank.
    pub fn on_this_machine(&self) -> u32 {
        self.world.split_shared(self.world.rank()).size() as u32
    }

    /// Prints a message to standard error, with the number of this rank and the name of its
    /// machine.
    pub fn say(&self, kind: &str, what: impl fmt::Display) {
        let (rank, size) = (self.rank(), self.size());
        let host = self.host();
        // Write the line with one call, so that the messages of two ranks are not interleaved.
        let line = format!("{kind}: rank {rank} of {size} on {host}: {what}\n");
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    /// Prints an error, and aborts the job on all machines. `status` is the exit status of the job.
    pub fn fail(&self, error: impl fmt::Display, status: u8) -> ! {
        self.say("error", error);
        self.world.abort(status.into())
    }

    /// Gathers a list of numbers from every rank. All lists must have the same length. Returns the
    /// lists indexed by rank.
    pub fn gather(&self, own: &[u64]) -> Vec<Vec<u64>> {
        let mut all = vec![0; own.len() * self.size() as usize];
        mpi::request::scope(|scope| {
            self.wait(self.world.immediate_all_gather_into(scope, own, &mut all[..]), &mut |_| ());
        });
        all.chunks(own.len()).map(<[u64]>::to_vec).collect()
    }

    /// Gathers a string of bytes from every rank. The lengths may differ. Returns the strings
    /// indexed by rank.
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

    /// Returns the sums of the lists of all ranks, element by element. All lists must have the same
    /// length.
    pub fn sum(&self, own: &[u64]) -> Vec<u64> {
        let mut all = vec![0; own.len()];
        mpi::request::scope(|scope| {
            let sum = SystemOperation::sum();
            self.wait(self.world.immediate_all_reduce_into(scope, own, &mut all[..], sum), &mut |_| ());
        });
        all
    }

    /// Runs `work`, this rank's share of a task, in another thread. This thread serves the other
    /// ranks meanwhile, and waits until all ranks are done. `done` returns the number of entries
    /// that this rank has finished. At rank 0, `report` is called once per second with the number
    /// of entries that all ranks have finished. Returns the result of `work`, the time until `work`
    /// was done, and the time from the end of `work` until all ranks were done.
    ///
    /// # Errors
    /// The error of `work`. The caller must then end the job, because the other ranks wait for this
    /// rank.
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

    /// Waits until a collective operation is complete, and serves other ranks meanwhile.
    fn wait<'a, D: ?Sized, S: Scope<'a>>(&self, mut all: Request<'a, D, S>, report: &mut dyn FnMut(u64)) {
        while let Err(left) = all.test() {
            all = left;
            // A collective operation may need many messages, and this thread handles all of them,
            // so sleep only briefly.
            self.nap.set(self.nap.get().min(WAITING_NAP));
            self.turn(report);
        }
    }

    /// Receives all messages that have arrived, sends the messages that wait to be sent, and
    /// exchanges heartbeats. Sleeps if there was nothing to do.
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

    /// If `idle` is `true`, sleeps until a read request is added or the time to sleep is over.
    fn rest(&self, idle: bool) {
        if idle {
            self.exchange.nap(self.nap.get());
            self.nap.set(LONGEST_NAP.min(2 * self.nap.get()));
        } else {
            self.nap.set(NAP);
        }
    }

    /// If [`HEARTBEAT`] has passed since the last heartbeat, sends another heartbeat, and ends the
    /// job if another rank was silent for too long. Rank 0 exchanges heartbeats with all ranks, and
    /// all other ranks only with rank 0. Returns `true` if a heartbeat was sent.
    fn exchange_heartbeats(&self) -> bool {
        let (heartbeats, now, own) =
            (&mut *self.heartbeats.borrow_mut(), Instant::now(), self.rank() as usize);
        if now - heartbeats.sent < HEARTBEAT {
            return false;
        }
        // A long time without a check means that this process was suspended and missed heartbeats.
        // Measure the silence of all ranks from now on.
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

    /// Receives and handles all messages that have arrived. Returns `true` if there was any
    /// message.
    fn receive(&self) -> bool {
        let mut received = false;
        while let Some((message, status)) = self.world.any_process().immediate_matched_probe() {
            received = true;
            let mut bytes = vec![0; status.count(u8::equivalent_datatype()) as usize];
            // The probe succeeds as soon as the head of a message has arrived. The rest of a long
            // message may still be in transit, so continue sending heartbeats.
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

    /// Sends up to [`BATCH`] waiting messages. Receives messages until the sending is complete.
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
                // MPI makes progress only during its calls, so sleep only briefly.
                if !sending.is_empty() && !self.receive() {
                    self.exchange.nap(NAP);
                    self.exchange_heartbeats();
                }
            }
        });
    }
}
