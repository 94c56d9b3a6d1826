//! What the memory of a build is for.

use crate::solve::RowPlan;

/// Bytes for blocks that wait to be written, and for the codecs and rows of a thread; of little memory
/// an eighth each.
pub(super) const WAITING: u64 = 256 << 20;
const REST: u64 = 128 << 20;

/// Memory for decoded entries of the next slice: for what the rows of one section read, and for blocks
/// that later sections need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub bytes: u64,
    /// Each has a row in work.
    pub threads: usize,
}

impl Memory {
    /// Of a build that has so many bytes.
    pub fn of(memory: u64, threads: usize) -> Memory {
        let rest = (REST * threads as u64).min(memory / 8);
        Memory { bytes: memory - WAITING.min(memory / 8) - rest, threads }
    }

    /// The most bytes that the rows of one section take, with encoded blocks that wait.
    pub fn for_pieces(self) -> u64 {
        self.bytes / 16 * 15
    }

    /// Bytes for blocks that later sections need, while a section is computed.
    pub fn for_blocks(self, plan: &RowPlan) -> u64 {
        self.bytes.saturating_sub(plan.bytes() as u64)
    }
}

#[cfg(test)]
mod tests {
    use crate::Kernel;
    use crate::codec::Codec;
    use crate::control::Control;
    use crate::pipeline::shares::Stretches;
    use crate::pipeline::{GameBuild, Resources};
    use crate::rules::Rules;
    use std::num::NonZeroUsize;
    use std::path::Path;
    use std::{fs, thread};

    fn resources(threads: usize, memory: u64) -> Resources {
        Resources {
            kernel: Kernel::best(),
            threads: NonZeroUsize::new(threads).expect("some"),
            memory,
            scratch: "scratch".into(),
            scratch_limit: u64::MAX,
        }
    }

    /// The table of a section is the same where rows are computed in tiles, and where such a build is
    /// stopped and begun again.
    #[test]
    fn tables_are_the_same_in_tiles() {
        let section = "26,26,62,72".parse().expect("a section");
        let build = GameBuild::of_section(Rules::default(), section)
            .expect("a section of the game")
            .codec(Codec::PASSED)
            .keep_slices(0..=36);
        let table = |out: &Path| fs::read(build.path(out, 33)).expect("there is a table");
        let (ample, little) = (resources(1, 1 << 32), resources(2, 44 << 20));
        let folder = tempfile::tempdir().expect("a folder");
        build.run(folder.path(), &ample, &Control::new()).expect("built");
        let expected = table(folder.path());

        let (sections, _) = build.sections(33);
        let rooms = build.rooms(&Stretches::new(build.target().sections(), &sections), &.., &little);
        assert!(rooms.waiting > 0, "there are tiles");
        let mut stopped = 0;
        for part in [0, 1, 4, 8] {
            let folder = tempfile::tempdir().expect("a folder");
            let out = folder.path();
            let (control, all) = (Control::new(), build.solver(&ample).grid(sections[0]).entries());
            let finished = thread::scope(|scope| {
                let built = scope.spawn(|| build.run(out, &little, &control));
                while part > 0 && !built.is_finished() {
                    // The section is what comes last.
                    let left = all / 10 * (10 - part);
                    if control.stage().is_some_and(|(_, stage)| stage.done > stage.total() - left) {
                        control.cancel();
                    }
                    thread::yield_now();
                }
                built.join().expect("no panic").is_ok()
            });
            if !finished {
                stopped += 1;
                assert!(!build.path(out, 33).is_file());
                build.run(out, &little, &Control::new()).expect("built");
            }
            assert!(table(out) == expected, "part {part}");
        }
        assert!(stopped > 0);
    }
}
