//! Supers: the half supers of both parities, and the action of the group of 2,048 on them.
//!
//! A super f belongs to a board b. The value f(r) is the truth value of b after its quadrants are
//! turned by r. Let h = (l, g) be an element of the group: first the symmetry g acts on the board,
//! then the quadrants turn by l. The board h b, turned by r, is the image under g of the board b
//! turned by `g^-1 (r + l)`. So for a property that g preserves, the super of h b is h f:
//!
//! ```text
//! (h f)(r) = f(g^-1 (r + l)),      (g^-1 r)_q = +-r_(g q), minus if g is a reflection
//! ```

use super::Half;
use super::half::{half_index, half_rotation};
use crate::symmetry::{Element, Rotation, parity};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// One truth value for each of the 256 rotations. Element 0 is the half super of the even
/// rotations, element 1 the half super of the odd rotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Super(pub [Half; 2]);

impl Super {
    /// Returns the truth value at rotation `r`.
    #[inline]
    pub fn get(self, r: Rotation) -> bool {
        self.0[usize::from(parity(r))].get(half_index(r))
    }

    /// Returns the super whose truth value at each rotation r is `value(r)`.
    pub fn from_fn(mut value: impl FnMut(Rotation) -> bool) -> Super {
        let half = |p: u8, value: &mut dyn FnMut(Rotation) -> bool| {
            (0..128).fold(Half::NONE, |half, i| half.with(i, value(half_rotation(p, i))))
        };
        Super([half(0, &mut value), half(1, &mut value)])
    }

    /// Returns the super of the image of a board under the element `by`. `self` is the super of the
    /// board itself.
    #[must_use]
    pub fn image(self, by: Element) -> Super {
        Super::from_fn(|r| {
            let turned: Rotation = std::array::from_fn(|q| {
                let to = usize::from(by.quadrant(q as u8));
                let quarters = (r[to] + by.local()[to]) % 4;
                if by.is_mirror() { (4 - quarters) % 4 } else { quarters }
            });
            self.get(turned)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, Pack, Passes, Turns};
    use crate::rules::Shape;
    use crate::supers::WinMasks;

    fn words(count: usize, mut seed: u64) -> Vec<u64> {
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed ^ seed >> 29
        };
        (0..count).map(|_| next()).collect()
    }

    fn elements() -> impl Iterator<Item = Element> {
        (0..8)
            .flat_map(|g| (0..=255u8).map(move |l| Element::new(g, [l & 3, l >> 2 & 3, l >> 4 & 3, l >> 6])))
    }

    /// For all 2,048 elements of the group, the mask of five in a row of a board's image is the
    /// image of the board's mask.
    #[test]
    fn fives_of_images_are_images_of_fives() {
        for shape in [Shape::Pentago, Shape::Mini3] {
            let fives = WinMasks::get(shape);
            for set in words(4, 5) {
                let set = set & shape.board_mask();
                let of_set = Super(Passes::of(Kernel::best()).fives(&fives.lines(set)));
                for h in elements() {
                    let of_image =
                        Super(Passes::of(Kernel::best()).fives(&fives.lines(h.apply_set(shape, set))));
                    assert_eq!(of_set.image(h), of_image, "{h:?}");
                }
            }
        }
    }

    #[test]
    fn the_group_acts() {
        let w = words(4, 9);
        let f = Super([Half([w[0], w[1]]), Half([w[2], w[3]])]);
        assert_eq!(f.image(Element::IDENTITY), f);
        let all: Vec<Element> = elements().collect();
        for i in 0..400 {
            let (a, b) = (all[i * 389 % 2048], all[i * 1021 % 2048]);
            assert_eq!(f.image(b).image(a), f.image(a.after(b)));
            assert_eq!(f.image(a).image(a.inverse()), f);
        }
    }

    /// The rotation max commutes with all elements of the group.
    #[test]
    fn rotation_max_commutes_with_the_group() {
        let w = words(4, 3)
            .into_iter()
            .zip(words(4, 4))
            .map(|(a, b)| a & b & b.rotate_left(7))
            .collect::<Vec<_>>();
        let f = Super([Half([w[0], w[1]]), Half([w[2], w[3]])]);
        for kernel in Kernel::available() {
            let max = |f: Super| {
                let [even, odd] = f.0;
                let out = Passes::of(kernel)
                    .rotation_max(&Pack([even, odd, Half::NONE, Half::NONE]), Turns::Both)
                    .0;
                assert_eq!(out[..2], [even.rotation_max(), odd.rotation_max()]);
                // A turn changes the parity, so the two halves are exchanged.
                Super([out[1], out[0]])
            };
            for h in elements().step_by(7) {
                assert_eq!(max(f.image(h)), max(f).image(h));
            }
        }
    }
}
