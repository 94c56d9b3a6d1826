//! The published results of Pentago: how many boards each player wins.

use super::Results;
use pentago_core::rules::Rules;

/// The numbers of boards that X wins, that are drawn, and that O wins. The index is the number of
/// marbles, 0 to 35. Source: G. Irving, "Pentago is a first player win" (2014), arXiv:1404.0743,
/// from the files `counts-N.npy` of its data set (github.com/girving/pentago, public domain). Each
/// section is counted as often as it has symmetric images.
#[rustfmt::skip]
const PENTAGO: [[u64; 3]; 36] = [
    [1, 0, 0],
    [24, 12, 0],
    [1_240, 20, 0],
    [8_016, 13_404, 0],
    [331_920, 21_510, 0],
    [1_092_212, 2_398_828, 278_880],
    [35_512_224, 3_383_692, 59_924],
    [73_038_716, 142_207_836, 76_922_248],
    [1_896_621_345, 199_957_331, 21_645_124],
    [2_801_553_500, 4_084_525_764, 4_975_974_016],
    [56_405_488_356, 5_960_687_992, 1_688_911_364],
    [63_439_457_620, 67_993_097_676, 146_139_491_456],
    [1_009_016_089_386, 97_126_392_660, 50_407_712_754],
    [856_023_301_124, 696_589_642_716, 2_412_702_009_760],
    [11_323_306_328_584, 925_736_397_688, 779_849_264_128],
    [7_398_985_892_180, 4_581_840_751_144, 23_848_626_330_276],
    [81_333_673_812_561, 5_553_191_401_450, 7_165_448_841_689],
    [42_360_364_951_404, 20_074_917_358_352, 146_569_860_036_244],
    [379_997_578_789_016, 21_925_238_812_128, 39_310_260_684_856],
    [155_462_093_831_616, 59_404_771_863_892, 579_352_675_219_292],
    [1_164_673_276_509_042, 57_457_497_141_040, 128_042_445_905_078],
    [355_926_888_251_984, 117_945_654_912_756, 1_490_015_776_188_220],
    [2_322_103_723_226_176, 99_058_524_022_120, 256_867_279_142_104],
    [518_521_076_957_880, 155_756_233_676_416, 2_450_090_470_154_504],
    [2_932_956_383_984_672, 113_045_071_996_395, 338_730_306_540_133],
    [504_746_778_671_120, 138_478_578_925_932, 2_481_142_423_191_748],
    [2_252_561_042_748_760, 89_120_766_030_460, 302_014_005_734_380],
    [330_470_840_652_752, 86_026_422_824_368, 1_471_856_889_746_880],
    [993_203_341_833_646, 50_309_824_637_670, 170_428_789_172_684],
    [132_965_095_168_428, 37_248_394_413_900, 477_222_220_094_472],
    [230_453_241_678_412, 18_678_965_440_684, 53_004_457_396_744],
    [27_840_878_475_360, 9_773_870_923_604, 75_686_499_794_476],
    [24_263_109_334_532, 3_613_048_128_439, 7_530_482_909_979],
    [2_382_815_553_840, 1_166_656_711_520, 4_781_501_940_040],
    [859_583_154_792, 252_293_351_740, 358_295_412_068],
    [49_242_115_024, 39_890_164_880, 74_220_155_496],
];

/// The number of slices whose results are known: the slices with 0 to `SLICES - 1` marbles.
pub const SLICES: u8 = PENTAGO.len() as u8;

/// Returns the known results of a complete slice. Returns `None` if the results are not known, or
/// if the rules are not the default rules.
pub fn slice(rules: &Rules, marbles: u8) -> Option<Results> {
    let known = PENTAGO.get(usize::from(marbles)).filter(|_| *rules == Rules::default());
    known.map(|&[x_wins, draws, o_wins]| Results { x_wins, draws, o_wins })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_base::binomial;
    use pentago_core::index::Sections;
    use pentago_core::rules::{Dir, Shape};

    /// For each slice, the total equals the number of ways to place the marbles, and the sum of the
    /// boards in all sections.
    #[test]
    fn every_board_is_counted() {
        let sections = Sections::new(Shape::Pentago, Dir::Both);
        for marbles in 0..SLICES {
            let total = slice(&Rules::default(), marbles).and_then(Results::total).expect("it is known");
            let n = usize::from(marbles);
            assert_eq!(u128::from(total), binomial(36, n) * binomial(n, n / 2), "{marbles}");
            let boards = |s: &_| sections.boards(*s) * sections.multiplicity(*s);
            assert_eq!(total, sections.standard(marbles.into()).iter().map(boards).sum::<u64>());
        }
        assert_eq!(slice(&Rules::default(), SLICES), None);
        assert_eq!(slice(&Rules::mini(), 0), None);
    }
}
