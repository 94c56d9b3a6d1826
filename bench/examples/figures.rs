//! Measures the engines of Pentago XL:
//! `cargo run --release --manifest-path bench/Cargo.toml --example figures -- WHAT...`. WHAT is
//! one of `lookahead`, `dense SEATS EMPTY`, `dense 2v2 EMPTY`, `within PLIES` or `exact EMPTY`.
//!
//! On Linux, also measures CPU time, because other load on the machine disturbs CPU time less than
//! wall time.

use std::hint::black_box;
use std::time::Instant;

use pentago_xl::{Control, Engine, Kernel, Limits, Request, Rules, Seat, Solver, Value};

/// Returns the CPU time of all threads of this process in seconds, or 0 if the system doesn't
/// report this time.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn lookahead() {
    for (text, marbles) in
        [("xl", &[20, 28, 40, 60][..]), ("xl:seats=4", &[40, 60]), ("xl:seats=4,mode=2v2", &[40])]
    {
        let rules: Rules = text.parse().expect("rules");
        for &marbles in marbles {
            let all = rules.random_positions(marbles, 1000, 1, false).expect("positions");
            for kernel in Kernel::available() {
                let wins = all.iter().filter(|p| rules.can_win_at_once(p, kernel)).count();
                let (start, cpu) = (Instant::now(), cpu_seconds());
                let rounds = 1000;
                for _ in 0..rounds {
                    for p in &all {
                        black_box(rules.can_win_at_once(black_box(p), kernel));
                    }
                }
                let calls = f64::from(rounds) * all.len() as f64;
                println!(
                    "look-ahead {text} {marbles} marbles, {kernel}: {:.0} ns of CPU time, {:.0} ns elapsed, \
                     wins {wins}/1000",
                    (cpu_seconds() - cpu) / calls * 1e9,
                    start.elapsed().as_secs_f64() / calls * 1e9,
                );
            }
        }
    }
}

fn dense(seats: &str, empty: usize) {
    let text = match seats {
        "2v2" => String::from("xl:seats=4,mode=2v2,supply=81"),
        _ => format!("xl:seats={seats},supply=81"),
    };
    let rules: Rules = text.parse().expect("rules");
    let p = rules.random_positions(81 - empty, 1, 1, true).expect("positions")[0];
    println!("{}", rules.format_position(&p));
    for kernel in Kernel::available() {
        let limits = Limits { engine: Some(Engine::Dense), memory: 24 << 30, ..Limits::default() };
        let mut solver = Solver::new(rules, limits, kernel).expect("a solver");
        let estimate = pentago_xl::dense_estimate(&rules, &p, None).expect("an estimate");
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let answer = solver.solve(&p, &Request::default(), &Control::new()).expect("possible");
        let cpu = cpu_seconds() - cpu;
        println!(
            "dense {seats} {empty} empty, {kernel}: {:.2} s elapsed, {cpu:.2} s of CPU time, {} boards, \
             {:.2} us per board and chain, chain {:.2} GiB; A {:?}",
            start.elapsed().as_secs_f64(),
            estimate.boards,
            cpu / estimate.work() as f64 * 1e6,
            estimate.chain_bytes as f64 / (1u64 << 30) as f64,
            answer.of(Seat::A).value().map(|value: Value| value.to_string()),
        );
        if empty > 13 {
            break;
        }
    }
}

fn forward(rules: &str, empty: usize, count: usize, plies: Option<u32>, nodes: u64) {
    let rules: Rules = rules.parse().expect("rules");
    let limits = Limits { engine: Some(Engine::Forward), nodes, ..Limits::default() };
    let mut times = Vec::new();
    let (mut known, mut nodes, mut wins) = (0, 0, 0);
    for p in rules.random_positions(81 - empty, count, 1, true).expect("positions") {
        let limits = if plies.is_some() { Limits { engine: Some(Engine::None), ..limits } } else { limits };
        let mut solver = Solver::new(rules, limits, Kernel::best()).expect("a solver");
        let start = cpu_seconds();
        let request = Request { win_within: plies, ..Request::default() };
        let answer = solver.solve(&p, &request, &Control::new()).expect("possible");
        times.push(cpu_seconds() - start);
        nodes += answer.nodes;
        let value = answer.of(p.to_move).value();
        known += usize::from(value.is_some() || answer.no_win_within == plies && plies.is_some());
        wins += usize::from(value == Some(Value::Win));
    }
    times.sort_by(f64::total_cmp);
    let sum: f64 = times.iter().sum();
    println!(
        "{rules} {empty} empty, {}: known {known}/{count}, wins {wins}; mean {:.3} s, median {:.3}, \
         90% {:.3}, worst {:.3} s; {:.0} nodes/s",
        plies.map_or(String::from("exact"), |plies| format!("within {plies} plies")),
        sum / count as f64,
        times[count / 2],
        times[count * 9 / 10],
        times[count - 1],
        nodes as f64 / sum,
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments.get(i).and_then(|n| n.parse::<usize>().ok());
    match arguments.first().map(String::as_str) {
        Some("lookahead") => lookahead(),
        Some("dense") => dense(&arguments[1], number(2).expect("a number of empty sockets")),
        Some("within") => {
            for empty in [49, 57, 65] {
                forward("xl", empty, 20, number(1).map(|n| n as u32), 100_000_000);
            }
        }
        Some("exact") => {
            let empty = number(2).expect("a number of empty sockets");
            let nodes = number(3).unwrap_or(2_000_000) as u64;
            forward(&arguments[1], empty, 30, None, nodes);
        }
        _ => eprintln!("lookahead | dense SEATS EMPTY | within PLIES | exact RULES EMPTY [NODES]"),
    }
}
