//! Holds connections to a server open for a while, each sending a byte of its headers every second
//! and connecting again when it is cut off: what the others notice of that is to be measured.
//!
//! ```sh
//! cargo run -p pentago-explorer --example slow_clients -- 127.0.0.1:8036 CONNECTIONS SECONDS
//! ```
#![forbid(unsafe_code)]

use std::io::Write;
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, count, seconds] = &arguments[..] else {
        eprintln!("usage: slow_clients ADDRESS CONNECTIONS SECONDS");
        return ExitCode::from(2);
    };
    let (Ok(count), Ok(seconds)) = (count.parse::<usize>(), seconds.parse::<u64>()) else {
        eprintln!("expected two numbers");
        return ExitCode::from(2);
    };
    let request =
        b"GET /api/v1/position?p=6/6/6/6/6/6 HTTP/1.1\r\nhost: localhost\r\nuser-agent: a very slow client\r\n";
    let connect = || TcpStream::connect(address).ok();
    let mut clients: Vec<(Option<TcpStream>, usize)> = (0..count).map(|_| (connect(), 0)).collect();
    let began = Instant::now();
    let mut cut_off = 0;
    while began.elapsed().as_secs() < seconds {
        for (stream, sent) in &mut clients {
            let byte = &request[*sent % request.len()..][..1];
            let taken = stream.as_mut().is_some_and(|stream| stream.write_all(byte).is_ok());
            if taken {
                *sent += 1;
            } else {
                cut_off += 1;
                (*stream, *sent) = (connect(), 0);
            }
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    println!("{count} connections, cut off {cut_off} times in {seconds} s");
    ExitCode::SUCCESS
}
