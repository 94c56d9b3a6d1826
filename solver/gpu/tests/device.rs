//! Tests of a device with a small shader. If the machine has neither a GPU nor an emulator (Mesa's
//! lavapipe), the tests report that they were skipped.

use pentago_gpu::{
    Batch, Device, GpuError, LINE_BYTES, OTHER_BINDINGS, PARAMETERS, Pieces, Room, Session, Step, adapters,
};

/// A shader in which each invocation adds a sum to one vector of a line. The sum consists of a
/// constant word, a word of the batch, the index of the line, and the first vector of the fives.
const SHADER: &str = "
struct Pass { at: u32, lines: u32, words: array<vec4<u32>, 3> }
@group(0) @binding(0) var<uniform> pass_of: Pass;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read> fives: array<vec4<u32>>;
@compute @workgroup_size(64)
fn compute(@builtin(global_invocation_id) at: vec3<u32>) {
    let line = at.x / 4u;
    if line < pass_of.lines {
        store(line, at.x % 4u, load(line, at.x % 4u) + vec4(words[0] + words[pass_of.at] + line) + fives[0]);
    }
}
";

#[test]
fn a_device_computes_lines_in_pieces_and_tells_its_loss() {
    let device = match Device::shared() {
        Ok(device) => device,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    let adapter = &device.adapter;
    assert_eq!(adapters().first().map(|first| first.limits), Some(adapter.limits));
    assert!(adapter.limits.binding >= 1 << 27 && adapter.limits.bindings >= 8, "{adapter:?}");

    let room = |pieces, tables| Room { pieces, tables, words: 4, passes: 4, reads: 8, fives: 16 };
    // The first case has four full pieces and one shorter piece. The second case has a single
    // piece.
    for piece in [128 * LINE_BYTES, u64::MAX] {
        let lines = 600;
        let pieces = Pieces::new(lines, piece);
        let mut session = Session::new(&device, SHADER, room(pieces, 1), &[1000]).unwrap();
        assert!(session.serves(room(pieces, 1)) && !session.serves(room(pieces, 2)));
        session.write_fives([&[1; 16][..]]);
        let mut parameters = [0; PARAMETERS];
        let mut sum = 0;
        for number in [5, 70] {
            (parameters[0], parameters[1]) = (2, lines as u32);
            let pass = Step::Pass { parameters, groups: [lines.div_ceil(16) as u32, 1] };
            let reads = [0, 127, 128, 599].map(|line| Step::Read { line });
            let batch = Batch { words: vec![0, number], steps: [&[pass][..], &reads].concat() };
            session.submit(&batch).unwrap();
            sum += 1000 + number + 0x0101_0101;
            if number == 70 {
                let read = session.read().unwrap();
                assert_eq!(read.len(), 8);
                // The first four reads return the values after the first pass, because they run
                // before the second pass.
                for (i, (line, times, sum)) in [0, 127, 128, 599]
                    .map(|line| (line, 1, 1005 + 0x0101_0101))
                    .into_iter()
                    .chain([0, 127, 128, 599].map(|line| (line, 2, sum)))
                    .enumerate()
                {
                    let expected = (sum + times * line).to_le_bytes().repeat(16);
                    assert_eq!(read[i][..], expected, "line {line} of {pieces:?}");
                }
            }
        }
    }

    let too_many = Pieces::new(u64::from(adapter.limits.bindings - OTHER_BINDINGS) + 1, LINE_BYTES);
    let error = Session::new(&device, SHADER, room(too_many, 0), &[]).err().expect("a shader binds fewer");
    assert!(matches!(error, GpuError::TooLarge { .. }), "{error}");

    let small = room(Pieces::new(1, 64), 1);
    let mut session = Session::new(&device, SHADER, small, &[0]).unwrap();
    device.destroy();
    let pass = Step::Pass { parameters: [0; PARAMETERS], groups: [1, 1] };
    let error = session.submit(&Batch { words: vec![0, 0], steps: vec![pass] }).unwrap_err();
    assert!(matches!(error, GpuError::Lost { .. }), "{error}");
    let again = Device::shared().unwrap();
    Session::new(&again, SHADER, small, &[0]).unwrap();
}

/// The test limits the memory of a child process, because a GPU emulator allocates the memory of
/// the process that uses it.
#[cfg(unix)]
#[test]
fn a_device_refuses_an_allocation() {
    const BOUNDED: &str = "PENTAGO_TEST_BOUNDED";
    const NAME: &str = "a_device_refuses_an_allocation";
    const KILOBYTES: u64 = 3_000_000;
    let lines = match adapters().first() {
        Some(adapter) if adapter.hardware => return eprintln!("passed over: {} has memory", adapter.name),
        Some(adapter) => adapter.limits.lines().min(1 << 28),
        None => return eprintln!("skipped: there is no device"),
    };
    if lines * LINE_BYTES < KILOBYTES << 10 {
        return eprintln!("passed over: a shader reaches less than the bound");
    }
    if std::env::var_os(BOUNDED).is_none() {
        let program = std::env::current_exe().unwrap();
        let script = format!("ulimit -v {KILOBYTES} && exec \"$0\" --exact {NAME} --nocapture");
        let mut bounded = std::process::Command::new("sh");
        bounded.args(["-c", &script]).arg(program).env(BOUNDED, "1");
        assert!(bounded.status().unwrap().success());
        return;
    }
    let device = Device::shared().unwrap();
    let pieces = Pieces::new(lines, device.adapter.limits.binding);
    let room = Room { pieces, tables: 1, words: 4, passes: 4, reads: 8, fives: 16 };
    let error = Session::new(&device, SHADER, room, &[0]).err().expect("there isn't as much memory");
    assert!(matches!(error, GpuError::Memory { bytes, .. } if bytes > lines * LINE_BYTES), "{error}");
    // After the refused allocation, the device remains usable.
    let room = Room { pieces: Pieces::new(1, 64), ..room };
    Session::new(&device, SHADER, room, &[0]).unwrap();
}
