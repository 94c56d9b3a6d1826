//! Helpers of the fuzz targets: rule sets, checks of parse errors, and corrected checksums.

use pentago::rules::{MAX_TEXT, ParseError, Rules};
use twox_hash::{XxHash3_64, XxHash3_128};

/// Returns the rule sets that the fuzz targets try: all presets, and three more sets. Together, the
/// sets cover every value of every option.
#[must_use]
pub fn rule_sets() -> Vec<Rules> {
    let others = [
        "pentago:both=mover,skip=neutral,last=stop",
        "mini:k=3,reply=place",
        "mini:dir=cw,skip=empty,place=turn",
    ];
    let presets = Rules::presets().iter().map(|(_, rules)| *rules);
    presets.chain(others.map(|text| text.parse().expect("these are rules"))).collect()
}

/// Checks the error from parsing `text`. The span of the error must lie within the string. The
/// display must consist of three short lines without control characters, or of one line if the
/// string is blank.
pub fn check_error(error: &ParseError, text: &str) {
    if text.len() <= MAX_TEXT {
        assert_eq!(error.text(), text);
    } else {
        assert!(text.starts_with(error.text()));
        assert!(error.text().len() <= MAX_TEXT);
    }
    let span = error.span();
    assert!(span.start <= span.end && span.end <= error.text().len(), "{span:?}");
    assert!(error.text().get(span.clone()).is_some(), "{span:?} cuts a character");

    let (message, excerpt) = (error.message(), error.excerpt());
    assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
    let lines: Vec<&str> = excerpt.split('\n').collect();
    let [line, carets] = lines[..] else { panic!("{excerpt:?} has not two lines") };
    assert!(!line.contains(char::is_control), "{line:?}");
    assert!(line.chars().count() <= 124, "{line:?} is too long");
    let before = carets.trim_start_matches(' ');
    assert!(!before.is_empty() && before.chars().all(|c| c == '^'), "{carets:?}");
    // An empty span may lie just after the end of the line.
    assert!(carets.chars().count() <= line.chars().count() + 1, "{excerpt:?}");
    // If the string is blank, there is no line to quote, so the display is only the message.
    let is_blank = error.text().trim().is_empty();
    let shown = if is_blank { message.to_owned() } else { format!("{message}\n{excerpt}") };
    assert_eq!(error.to_string(), shown);
    assert!(!format!("{error:?}").is_empty());
}

/// Corrects the file length, the checksums and the hash in a table, as far as the parts of the file
/// can be located. Without these corrections, hardly any fuzz input would pass the checks when the
/// table is opened.
pub fn reseal(file: &mut [u8]) {
    let len = file.len();
    if len < 512 {
        return;
    }
    file[128..136].copy_from_slice(&(len as u64).to_le_bytes());
    let number = |file: &[u8], at: usize| {
        u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes")) as usize
    };
    let sum = |file: &mut [u8], at: usize, of: std::ops::Range<usize>| {
        if let Some(bytes) = file.get(of) {
            let sum = XxHash3_64::oneshot(bytes);
            file[at..at + 8].copy_from_slice(&sum.to_le_bytes());
        }
    };
    let target = usize::from(u16::from_le_bytes([file[18], file[19]]));
    sum(file, 48, 512..512 + target);
    let [directory, index, pages] = [56, 80, 104].map(|at| number(file, at));
    if 512 <= directory && directory <= index && index <= pages && pages <= len {
        for record in (index..pages.saturating_sub(15)).step_by(16) {
            let last = record + 32 > pages;
            let next = if last { directory } else { number(file, record + 16) };
            let from = number(file, record);
            if next <= index {
                sum(file, record + 8, from..next);
            }
        }
        for (page, record) in (pages..len.saturating_sub(15)).step_by(16).enumerate() {
            let from = index + page * 16 * 1024;
            sum(file, record + 8, from..pages.min(from + 16 * 1024));
        }
        sum(file, 72, directory..index);
        sum(file, 120, pages..len);
    }
    let hash = XxHash3_128::oneshot(&file[512..]);
    file[136..152].copy_from_slice(&hash.to_le_bytes());
    sum(file, 504, 0..504);
}

/// Returns a file of the published solution with one section of two marbles and nine entries. The
/// only block is `data` without its first byte, repeated, in an uncompressed zlib stream. The first
/// byte of `data` selects the filter.
#[must_use]
pub fn published(data: &[u8]) -> Vec<u8> {
    let (filter, content) = data.split_first().map_or((1, &[0][..]), |(first, rest)| (first % 2, rest));
    let block: Vec<u8> = content.iter().chain([&0]).copied().cycle().take(9 * 64).collect();
    let mut file = b"pentago supertensor\n\x03\0\0\0\x01\x02\0\0\0".to_vec();
    file.extend([0, 1, 1, 0, 0, 0, 0, 0]);
    file.extend([3, 0, 3, 0, 1, 0, 1, 0, 8, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, filter, 0, 0, 0]);
    let blob = stored(&block);
    let numbers = |numbers: [usize; 3]| numbers.map(|n| (n as u64).to_le_bytes()).concat();
    let index = stored(&numbers([block.len(), blob.len(), 85]));
    file.extend(numbers([24, index.len(), 85 + blob.len()]));
    [file, blob, index].concat()
}

/// Returns an uncompressed zlib stream that contains `bytes`, at most 65,535 of them.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let len = bytes.len() as u16;
    let [mut a, mut b] = [1u32, 0];
    for &byte in bytes {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let head = [&[0x78, 1, 1][..], &len.to_le_bytes(), &(!len).to_le_bytes()].concat();
    [&head[..], bytes, &(b << 16 | a).to_be_bytes()].concat()
}
