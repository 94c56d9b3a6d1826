//! The ranks of a job, and what they say to each other: everything that goes through MPI.
//!
//! All calls are made by the thread that has started MPI, while others compute. Nothing blocks:
//! what is sent is waited for while whatever comes is received, so that no two ranks can wait for
//! each other. A rank of which nothing was heard for [`SILENCE`] ends the job.

use crate::remote::{Ask, Desk};
use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use std::collections::VecDeque;
use std::fmt;
use std::io::Write;
use std::time::{Duration, Instant};

/// So often each rank tells rank 0 how far it is, and rank 0 all that it is there.
const EVERY: Duration = Duration::from_secs(1);
/// So long nothing may be heard of a rank.
const SILENCE: Duration = Duration::from_secs(40);
/// How long the thread sleeps where nothing has come.
const NAP: Duration = Duration::from_micros(200);
/// Messages that are sent at a time.
const BATCH: usize = 64;

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

/// What a rank knows while work is done.
struct Round<'a> {
    desk: &'a Desk,
    letters: VecDeque<Letter>,
    /// By rank: how far it is, and when it was heard of.
    heard: Vec<(u64, Instant)>,
    told: Instant,
    /// When this rank looked around last.
    looked: Instant,
}

impl Team {
    /// Starts MPI.
    ///
    /// # Errors
    /// If MPI can't be used beside other threads.
    pub fn start() -> anyhow::Result<Team> {
        let started = mpi::initialize_with_threading(Threading::Funneled);
        let Some((universe, _)) = started.filter(|(_, level)| *level >= Threading::Funneled) else {
            anyhow::bail!("this MPI can't be used by a program with threads");
        };
        Ok(Team { world: universe.world(), _universe: universe })
    }

    /// The number of this rank.
    pub fn rank(&self) -> u32 {
        self.world.rank() as u32
    }

    /// How many ranks there are.
    pub fn size(&self) -> u32 {
        self.world.size() as u32
    }

    /// How many of them share this machine.
    pub fn on_this_machine(&self) -> u32 {
        self.world.split_shared(self.world.rank()).size() as u32
    }

    /// Says what went wrong here, and ends the job on all machines.
    pub fn fail(&self, error: impl fmt::Display, status: u8) -> ! {
        let host = mpi::environment::processor_name().unwrap_or_default();
        let (rank, size) = (self.rank(), self.size());
        // Written at once: the messages of two ranks must not be mixed.
        let line = format!("error: rank {rank} of {size} on {host}: {error}\n");
        let _ = std::io::stderr().write_all(line.as_bytes());
        self.world.abort(status.into())
    }

    /// The numbers of each rank, as many of each.
    pub fn gather(&self, own: &[u64]) -> Vec<Vec<u64>> {
        let mut all = vec![0; own.len() * self.size() as usize];
        self.world.all_gather_into(own, &mut all[..]);
        all.chunks(own.len()).map(<[u64]>::to_vec).collect()
    }

    /// Bytes of each rank, however many.
    pub fn gather_bytes(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let longest = self.gather(&[own.len() as u64]).into_iter().flatten().collect::<Vec<u64>>();
        let most = longest.iter().copied().max().unwrap_or(0) as usize;
        let mut padded = own.to_vec();
        padded.resize(most, 0);
        let mut all = vec![0; most * self.size() as usize];
        self.world.all_gather_into(&padded[..], &mut all[..]);
        let of = |(rank, len): (usize, u64)| all[rank * most..][..len as usize].to_vec();
        longest.into_iter().enumerate().map(of).collect()
    }

    /// The sums of the numbers of all ranks, as many of each.
    pub fn sum(&self, own: &[u64]) -> Vec<u64> {
        let mut all = vec![0; own.len()];
        self.world.all_reduce_into(own, &mut all[..], SystemOperation::sum());
        all
    }

    /// Does this rank's part of a piece of work in another thread, serves other ranks meanwhile,
    /// and waits until all have done theirs. `done` says how far this rank is; `see` is told at
    /// rank 0, now and then, how far all are together. The first error of any rank ends the job.
    pub fn during<T: Send>(
        &self,
        desk: &Desk,
        done: impl Fn() -> u64,
        mut see: impl FnMut(u64),
        work: impl FnOnce() -> anyhow::Result<T> + Send,
    ) -> anyhow::Result<(T, Spent)> {
        let began = Instant::now();
        let mut round = Round {
            desk,
            letters: VecDeque::new(),
            heard: vec![(0, began); self.size() as usize],
            told: began,
            looked: began,
        };
        let mut spent = Spent::default();
        let result = std::thread::scope(|scope| {
            let worker = scope.spawn(work);
            while !worker.is_finished() {
                self.turn(&mut round, done(), &mut see);
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        spent.busy = began.elapsed();
        let mut barrier = self.world.immediate_barrier();
        while let Err(left) = barrier.test() {
            barrier = left;
            self.turn(&mut round, done(), &mut see);
        }
        spent.waiting = began.elapsed() - spent.busy;
        Ok((result, spent))
    }

    /// Receives what has come, sends what is to be sent, and says that this rank is there.
    fn turn(&self, round: &mut Round, done: u64, see: &mut impl FnMut(u64)) {
        let mut idle = !self.receive(round);
        if round.told.elapsed() >= EVERY {
            round.told = Instant::now();
            round.heard[self.rank() as usize] = (done, round.told);
            let others = 1..if self.rank() == 0 { self.world.size() } else { 1 };
            let to = if self.rank() == 0 { others } else { 0..1 };
            let alive = |to| Letter { to, tag: Tag::Alive, bytes: done.to_le_bytes().to_vec() };
            round.letters.extend(to.map(alive));
            self.miss_nobody(round);
            if self.rank() == 0 {
                see(round.heard.iter().map(|(done, _)| done).sum());
            }
        }
        while let Some(Ask { owner, bytes }) = round.desk.next_ask() {
            round.letters.push_back(Letter { to: owner as i32, tag: Tag::Ask, bytes });
        }
        if !round.letters.is_empty() {
            idle = false;
            self.send(round);
        }
        if idle {
            round.desk.nap(NAP);
        }
    }

    /// Ends the job if a rank was silent for too long: rank 0 hears from all, the others from it.
    fn miss_nobody(&self, round: &mut Round) {
        let (now, before) = (Instant::now(), round.looked);
        round.looked = now;
        // Who was stopped for a while himself hasn't listened.
        if now - before > SILENCE / 4 {
            round.heard.iter_mut().for_each(|(_, last)| *last = now);
        }
        let from = if self.rank() == 0 { 1..round.heard.len() } else { 0..1 };
        for rank in from {
            let silent = round.heard[rank].1.elapsed();
            if silent > SILENCE {
                let seconds = silent.as_secs();
                self.fail(
                    format_args!(
                        "nothing was heard of rank {rank} for {seconds} s; run the same command again to go on"
                    ),
                    4,
                );
            }
        }
    }

    /// Takes what has come; whether something has.
    fn receive(&self, round: &mut Round) -> bool {
        let mut some = false;
        while let Some(message) = self.world.any_process().immediate_matched_probe() {
            some = true;
            let (bytes, status) = message.matched_receive_vec::<u8>();
            let from = status.source_rank();
            let known = [Tag::Alive, Tag::Ask, Tag::Answer];
            match known.into_iter().find(|&tag| tag as i32 == status.tag()) {
                Some(Tag::Alive) => {
                    let done = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
                    round.heard[from as usize].0 = done;
                }
                Some(Tag::Ask) => match round.desk.answer(&bytes) {
                    Ok(bytes) => round.letters.push_back(Letter { to: from, tag: Tag::Answer, bytes }),
                    Err(error) => self.fail(error, 4),
                },
                Some(Tag::Answer) => round.desk.deliver(&bytes),
                None => {}
            }
            round.heard[from as usize].1 = Instant::now();
        }
        some
    }

    /// Sends letters, and receives until they have gone.
    fn send(&self, round: &mut Round) {
        let count = round.letters.len().min(BATCH);
        let letters: Vec<Letter> = round.letters.drain(..count).collect();
        mpi::request::scope(|scope| {
            let mut going = Vec::with_capacity(count);
            for letter in &letters {
                let to = self.world.process_at_rank(letter.to);
                going.push(to.immediate_send_with_tag(scope, &letter.bytes[..], letter.tag as i32));
            }
            while !going.is_empty() {
                going = going.into_iter().filter_map(|request| request.test().err()).collect();
                if !going.is_empty() && !self.receive(round) {
                    round.desk.nap(NAP);
                    self.miss_nobody(round);
                }
            }
        });
    }
}
