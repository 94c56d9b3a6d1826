//! The published values of the first plies, as tables that are part of the program. The folder
//! `data/openings` has their origin and the command that makes them.

use super::tables::TableSet;
use crate::answer::Origin;
use crate::tables::{Cache, Listed, Table, TableError};
use std::path::Path;

/// The most marbles of a position among the openings.
pub const OPENING_MARBLES: u32 = 6;

/// Names for errors, and the tables of 0 to 6 marbles.
static FILES: [(&str, &[u8]); OPENING_MARBLES as usize + 1] = [
    ("openings/slice-00.pentago", include_bytes!("../../data/openings/pentago/slice-00.pentago")),
    ("openings/slice-01.pentago", include_bytes!("../../data/openings/pentago/slice-01.pentago")),
    ("openings/slice-02.pentago", include_bytes!("../../data/openings/pentago/slice-02.pentago")),
    ("openings/slice-03.pentago", include_bytes!("../../data/openings/pentago/slice-03.pentago")),
    ("openings/slice-04.pentago", include_bytes!("../../data/openings/pentago/slice-04.pentago")),
    ("openings/slice-05.pentago", include_bytes!("../../data/openings/pentago/slice-05.pentago")),
    ("openings/slice-06.pentago", include_bytes!("../../data/openings/pentago/slice-06.pentago")),
];

/// Bytes of decoded blocks: all of them together have 4 MB.
const CACHE_BYTES: usize = 4 << 20;

/// Opens them.
pub(super) fn open() -> Result<TableSet, TableError> {
    let cache = Cache::new(CACHE_BYTES);
    let open = |&(name, bytes): &(&str, &'static [u8])| {
        let path = Path::new(name);
        let table = Table::new(path, Box::new(bytes), cache.clone())?;
        let listed = Listed { path: path.to_owned(), header: table.header().clone(), shards: Vec::new() };
        Ok((listed, table))
    };
    let tables: Vec<(Listed, Table)> = FILES.iter().map(open).collect::<Result<_, TableError>>()?;
    let target = tables[0].0.header.target;
    Ok(TableSet::of_open(target, tables, cache, Origin::Published))
}

#[cfg(test)]
mod tests {
    use super::OPENING_MARBLES;
    use crate::answer::{MoveEval, Origin, Value};
    use crate::probe::{Ask, Tables};
    use crate::rules::{Rules, random};

    #[test]
    fn each_first_move_is_known() {
        let tables = Tables::none().with_openings().expect("sound");
        let rules = Rules::default();
        let nothing = || Err::<_, String>("nothing is to be solved".into());
        let answer = tables.answer(&rules, &rules.start(), Ask::default(), nothing).expect("known");
        assert_eq!((answer.value, &answer.origin), (Value::Win, &Origin::Published));
        assert!(answer.complete && answer.moves.len() == 36 * 8);
        assert!(answer.moves.iter().all(|m| m.origin == Origin::Published));
        // A placement wins with some turn unless it is in a corner, where every turn draws.
        for quadrant in 0..4 {
            for cell in 0..9 {
                let placed =
                    |m: &&MoveEval| m.mv.place.is_some_and(|s| (s.quadrant(), s.cell()) == (quadrant, cell));
                let best = answer.moves.iter().filter(placed).map(|m| m.value).min_by_key(|v| v.rank());
                let corner = cell == [0, 2, 6, 8][quadrant];
                assert_eq!(best, Some(if corner { Value::Draw } else { Value::Win }), "{quadrant} {cell}");
            }
        }
    }

    /// A lost position's moves all lose, even where no table holds the positions after them.
    #[test]
    fn moves_of_lost_positions_lose() {
        let tables = Tables::none().with_openings().expect("sound");
        let rules = Rules::default();
        let positions = random::positions(&rules, OPENING_MARBLES, 200, 5, true).expect("there are some");
        let (mut lost, mut others) = (0, 0);
        for position in positions {
            let nothing = || Err::<_, String>("nothing is to be solved".into());
            let answer = tables.answer(&rules, &position, Ask::default(), nothing).expect("known");
            assert_eq!(answer.origin, Origin::Published);
            if answer.value == Value::Loss {
                assert!(answer.complete && answer.best == answer.moves.len());
                lost += 1;
            } else {
                assert!(!answer.complete && answer.best == 0);
                others += 1;
            }
        }
        assert!(lost > 0 && others > 0, "{lost} {others}");
    }
}
