//! The ranks of a job, and what they say to each other: everything that goes through MPI.
//!
//! All calls are made by the thread that has started MPI, while others compute. Nothing blocks, not
//! even what all do together: whoever waits receives whatever comes, says that it is there, and
//! looks whether the others are. So no two ranks can wait for each other, and one of which nothing
//! was heard for [`SILENCE`] ends the job.

use crate::remote::{Ask, Desk};
use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::request::{Request, Scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So often each rank tells rank 0 how far it is, and rank 0 all that it is there.
const EVERY: Duration = Duration::from_secs(1);
/// So long nothing may be heard of a rank.
const SILENCE: Duration = Duration::from_secs(40);
/// After so long rank 0 says of whom nothing is heard: what starts the ranks may end the job before
/// they do, with less to say.
const WARNING: Duration = Duration::from_secs(10);
/// If rank 0 is silent, rank 1 says so, and the others only if it doesn't.
const OTHERS: Duration = Duration::from_secs(5);
/// How long the thread sleeps where nothing has come: twice as long each time, because waking up
/// thousands of times in a second would slow down those who compute by a tenth.
const NAP: Duration = Duration::from_micros(100);
const LONGEST_NAP: Duration = Duration::from_millis(5);
/// The longest while all do something together.
const WAITING_NAP: Duration = Duration::from_micros(400);
/// Messages that are sent at a time.
const BATCH: usize = 64;
/// Bytes for messages that a rank is there, which mustn't wait for anybody.
const BUFFER: usize = 1 << 24;

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// How far a rank is.
    Alive = 1,
    /// Bytes of a file that are wanted.
    Ask = 2,
    /// These bytes.
    Answer = 3,
}

/// The ranks of a job, seen by one of them.
pub struct Team {
    world: SimpleCommunicator,
    desk: Arc<Desk>,
    letters: RefCell<VecDeque<Letter>>,
    watch: RefCell<Watch>,
    /// How long the thread sleeps next.
    nap: Cell<Duration>,
    /// The names of their machines.
    hosts: Vec<String>,
    // Ends MPI when it is dropped, after everything else.
    _universe: Universe,
}

/// What a rank did in a piece of work that all did together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Until its own part was done.
    pub busy: Duration,
    /// From then on until all were.
    pub waiting: Duration,
}

/// A message to another rank.
struct Letter {
    to: i32,
    tag: Tag,
    bytes: Vec<u8>,
}

/// Who is there.
struct Watch {
    /// How far this rank is.
    done: u64,
    /// When it said so last.
    told: Instant,
    /// When it looked around last.
    looked: Instant,
    /// By rank: how far it is, when it was heard of, and whether it was said to be silent.
    heard: Vec<(u64, Instant, bool)>,
}

impl Team {
    /// Starts MPI. The ranks read each other's files over the desk.
    ///
    /// # Errors
    /// If MPI can't be used beside other threads.
    pub fn start(desk: Arc<Desk>) -> anyhow::Result<Team> {
        let started = mpi::initialize_with_threading(Threading::Funneled);
        let Some((mut universe, _)) = started.filter(|(_, level)| *level >= Threading::Funneled) else {
            anyhow::bail!("this MPI can't be used by a program with threads");
        };
        universe.set_buffer_size(BUFFER);
        let (world, now) = (universe.world(), Instant::now());
        let heard = vec![(0, now, false); world.size() as usize];
        let watch = RefCell::new(Watch { done: 0, told: now, looked: now, heard });
        let (letters, nap, hosts) = (RefCell::default(), Cell::new(NAP), Vec::new());
        let mut team = Team { world, desk, letters, watch, nap, hosts, _universe: universe };
        let host = mpi::environment::processor_name().unwrap_or_default();
        let hosts = team.gather_bytes(host.as_bytes());
        team.hosts = hosts.iter().map(|host| String::from_utf8_lossy(host).into_owned()).collect();
        Ok(team)
    }

    /// The number of this rank.
    pub fn rank(&self) -> u32 {
        self.world.rank() as u32
    }

    /// How many ranks there are.
    pub fn size(&self) -> u32 {
        self.world.size() as u32
    }

    /// The name of this machine.
    pub fn host(&self) -> &str {
        self.hosts.get(self.world.rank() as usize).map_or("", String::as_str)
    }

    /// How many of them share this machine.
    pub fn on_this_machine(&self) -> u32 {
        self.world.split_shared(self.world.rank()).size() as u32
    }

    /// Says something to the user, as this rank.
    pub fn say(&self, kind: &str, what: impl fmt::Display) {
        let (rank, size) = (self.rank(), self.size());
        let host = self.host();
        // Written at once: the messages of two ranks must not be mixed.
        let line = format!("{kind}: rank {rank} of {size} on {host}: {what}\n");
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    /// Says what went wrong here, and ends the job on all machines.
    pub fn fail(&self, error: impl fmt::Display, status: u8) -> ! {
        self.say("error", error);
        self.world.abort(status.into())
    }

    /// The numbers of each rank, as many of each.
    pub fn gather(&self, own: &[u64]) -> Vec<Vec<u64>> {
        let mut all = vec![0; own.len() * self.size() as usize];
        mpi::request::scope(|scope| {
            self.wait(self.world.immediate_all_gather_into(scope, own, &mut all[..]), &mut |_| ());
        });
        all.chunks(own.len()).map(<[u64]>::to_vec).collect()
    }

    /// Bytes of each rank, however many.
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

    /// The sums of the numbers of all ranks, as many of each.
    pub fn sum(&self, own: &[u64]) -> Vec<u64> {
        let mut all = vec![0; own.len()];
        mpi::request::scope(|scope| {
            let sum = SystemOperation::sum();
            self.wait(self.world.immediate_all_reduce_into(scope, own, &mut all[..], sum), &mut |_| ());
        });
        all
    }

    /// Does this rank's part of a piece of work in another thread, serves other ranks meanwhile,
    /// and waits until all have done theirs. `done` says how far this rank is; `see` is told at
    /// rank 0, now and then, how far all are together. The first error of any rank ends the job.
    pub fn during<T: Send>(
        &self,
        done: impl Fn() -> u64,
        mut see: impl FnMut(u64),
        work: impl FnOnce() -> anyhow::Result<T> + Send,
    ) -> anyhow::Result<(T, Spent)> {
        let began = Instant::now();
        self.watch.borrow_mut().heard.iter_mut().for_each(|(done, ..)| *done = 0);
        let mut spent = Spent::default();
        self.nap.set(NAP);
        let result = std::thread::scope(|scope| {
            let worker = scope.spawn(work);
            while !worker.is_finished() {
                self.watch.borrow_mut().done = done();
                self.turn(&mut see);
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        self.watch.borrow_mut().done = done();
        spent.busy = began.elapsed();
        self.wait(self.world.immediate_barrier(), &mut see);
        spent.waiting = began.elapsed() - spent.busy;
        Ok((result, spent))
    }

    /// Waits for what all do together.
    fn wait<'a, D: ?Sized, S: Scope<'a>>(&self, mut all: Request<'a, D, S>, see: &mut dyn FnMut(u64)) {
        while let Err(left) = all.test() {
            all = left;
            // It may take many messages, each of which needs this thread.
            self.nap.set(self.nap.get().min(WAITING_NAP));
            self.turn(see);
        }
    }

    /// Receives what has come, sends what is to be sent, and says that this rank is there.
    fn turn(&self, see: &mut dyn FnMut(u64)) {
        let mut idle = !self.receive();
        if self.look_around() && self.rank() == 0 {
            see(self.watch.borrow().heard.iter().map(|(done, ..)| done).sum());
        }
        while let Some(Ask { owner, bytes }) = self.desk.next_ask() {
            self.letters.borrow_mut().push_back(Letter { to: owner as i32, tag: Tag::Ask, bytes });
        }
        if !self.letters.borrow().is_empty() {
            idle = false;
            self.send();
        }
        self.rest(idle);
    }

    /// Sleeps if there was nothing to do, until there is something to be sent, or for a while.
    fn rest(&self, idle: bool) {
        if idle {
            self.desk.nap(self.nap.get());
            self.nap.set(LONGEST_NAP.min(2 * self.nap.get()));
        } else {
            self.nap.set(NAP);
        }
    }

    /// Says that this rank is there, and ends the job if another was silent for too long: rank 0
    /// hears from all, the others from it. Whether it was time to do so.
    fn look_around(&self) -> bool {
        let (watch, now, own) = (&mut *self.watch.borrow_mut(), Instant::now(), self.rank() as usize);
        if now - watch.told < EVERY {
            return false;
        }
        // Who was stopped for a while himself hasn't listened.
        if now - watch.looked > WARNING / 2 {
            watch.heard.iter_mut().for_each(|(_, last, _)| *last = now);
        }
        (watch.told, watch.looked, watch.heard[own]) = (now, now, (watch.done, now, false));
        let others = if own == 0 { 1..watch.heard.len() } else { 0..1 };
        for rank in others {
            let to = self.world.process_at_rank(rank as i32);
            to.buffered_send_with_tag(&watch.done.to_le_bytes()[..], Tag::Alive as i32);
            let (_, last, said) = &mut watch.heard[rank];
            let silent = now - *last;
            let (seconds, host) = (silent.as_secs(), self.hosts.get(rank).map_or("", String::as_str));
            let what = format_args!("nothing was heard of rank {rank} on {host} for {seconds} s");
            if silent > SILENCE + if own > 1 { OTHERS } else { Duration::ZERO } {
                self.fail(format_args!("{what}; run the same command again to go on"), 4);
            }
            if silent > WARNING && own == 0 && !*said {
                *said = true;
                self.say("warning", what);
            }
        }
        true
    }

    /// Takes what has come; whether something has.
    fn receive(&self) -> bool {
        let mut some = false;
        while let Some((message, status)) = self.world.any_process().immediate_matched_probe() {
            some = true;
            let mut bytes = vec![0; status.count(u8::equivalent_datatype()) as usize];
            // The beginning has come; if it is long, the rest is on its way.
            mpi::request::scope(|scope| {
                let mut request = message.immediate_matched_receive_into(scope, &mut bytes[..]);
                while let Err(left) = request.test() {
                    request = left;
                    self.look_around();
                }
            });
            let from = status.source_rank();
            let known = [Tag::Alive, Tag::Ask, Tag::Answer];
            match known.into_iter().find(|&tag| tag as i32 == status.tag()) {
                Some(Tag::Alive) => {
                    let done = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
                    self.watch.borrow_mut().heard[from as usize].0 = done;
                }
                Some(Tag::Ask) => match self.desk.answer(&bytes) {
                    Ok(bytes) => {
                        let answer = Letter { to: from, tag: Tag::Answer, bytes };
                        self.letters.borrow_mut().push_back(answer);
                    }
                    Err(error) => self.fail(error, 4),
                },
                Some(Tag::Answer) => self.desk.deliver(&bytes),
                None => {}
            }
            let heard = &mut self.watch.borrow_mut().heard[from as usize];
            (heard.1, heard.2) = (Instant::now(), false);
        }
        some
    }

    /// Sends letters, and receives until they have gone.
    fn send(&self) {
        let letters: Vec<Letter> = {
            let mut letters = self.letters.borrow_mut();
            let count = letters.len().min(BATCH);
            letters.drain(..count).collect()
        };
        mpi::request::scope(|scope| {
            let mut going = Vec::with_capacity(letters.len());
            for letter in &letters {
                let to = self.world.process_at_rank(letter.to);
                going.push(to.immediate_send_with_tag(scope, &letter.bytes[..], letter.tag as i32));
            }
            while !going.is_empty() {
                going = going.into_iter().filter_map(|request| request.test().err()).collect();
                // What is going needs to be looked after: nobody may sleep for long.
                if !going.is_empty() && !self.receive() {
                    self.desk.nap(NAP);
                    self.look_around();
                }
            }
        });
    }
}
