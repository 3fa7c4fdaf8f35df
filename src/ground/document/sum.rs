//! Numbers, each times a factor -> whether their sum is above or below 0, exactly.

use std::cmp::{Ordering, Reverse};

use super::number::Number;

/// Returns `true` if the sum of some numbers, each times a factor, is positive.
pub(crate) fn is_sum_positive<const N: usize>(terms: [(i64, Number<'_>); N]) -> bool {
    terms
        .iter()
        .try_fold(0_i128, |sum, (factor, number)| {
            sum.checked_add(billionths(*number)?.checked_mul(i128::from(*factor))?)
        })
        .map_or_else(|| sign(&mut terms.map(Digits::of)).is_gt(), |sum| sum > 0)
}

/// Returns a number in billionths if it is written as most are: with at most nine digits in front
/// of the decimal point, as many behind it, and no exponent.
fn billionths(number: Number<'_>) -> Option<i128> {
    let unsigned = number.text().strip_prefix('-');
    let digits = unsigned.unwrap_or(number.text());
    let (whole, fraction) = digits
        .split_once('.')
        .unwrap_or((digits, ""));
    if whole.len() > 9 || fraction.len() > 9 {
        return None;
    }

    let digits = whole.bytes().chain(fraction.bytes());
    let zeros = std::iter::repeat_n(b'0', 9 - fraction.len());
    let size = digits
        .chain(zeros)
        .try_fold(0_i64, |value, digit| {
            digit
                .is_ascii_digit()
                .then(|| value * 10 + i64::from(digit - b'0'))
        })?;

    Some(if unsigned.is_some() { -size } else { size }.into())
}

/// Returns whether the sum of some numbers, each times a factor, is below or above 0.
pub(crate) fn compare_sum<'a>(terms: impl Iterator<Item = (i64, Number<'a>)>) -> Ordering {
    sign(
        &mut terms
            .map(Digits::of)
            .collect::<Vec<_>>(),
    )
}

/// Returns whether the sum of some terms is below or above 0.
///
/// The sum is made digit by digit, from the highest place down, until the digits below can't change
/// the answer. So nothing is rounded, and no number is written out in full: one with few digits may
/// have a huge exponent. A number whose exponent has more than 38 digits counts as 0.
fn sign(terms: &mut [Digits<'_>]) -> Ordering {
    // All that follows a place is worth less than this number of its units.
    let most: i64 = terms
        .iter()
        .map(|digits| digits.factor.abs())
        .sum();
    terms.sort_unstable_by_key(|digits| Reverse(digits.place));

    // The first terms have a digit at the next place, and others have all theirs below it. Those
    // between them have none left.
    let (mut current, mut below) = (0, 0);
    let (mut sum, mut place) = (0_i64, i128::MAX);
    while sum.saturating_abs() < most {
        let next = match terms.get(below) {
            _ if current > 0 => place - 1,
            Some(digits) => digits.place,
            None => break,
        };

        let between = u32::try_from(place.saturating_sub(next)).unwrap_or(u32::MAX);
        sum = sum.saturating_mul(10_i64.saturating_pow(between));
        while terms
            .get(below)
            .is_some_and(|it| it.place == next)
        {
            terms.swap(current, below);
            (current, below) = (current + 1, below + 1);
        }

        for index in (0..current).rev() {
            let Some(digits) = terms.get_mut(index) else {
                continue;
            };
            sum = sum.saturating_add(digits.next());
            if digits.rest.is_empty() {
                current -= 1;
                terms.swap(index, current);
            }
        }

        place = next;
    }

    sum.cmp(&0)
}

/// The digits of a term that are left, from the highest place down.
struct Digits<'a> {
    /// With the sign of the number.
    factor: i64,
    /// The power of ten at the place of the next digit.
    place: i128,
    /// The digits, perhaps with a decimal point among them.
    rest: &'a [u8],
}

impl<'a> Digits<'a> {
    fn of((factor, number): (i64, Number<'a>)) -> Self {
        let Some(decimal) = number.decimal() else {
            return Self {
                factor,
                place: 0,
                rest: &[],
            };
        };

        let rest = decimal.mantissa.as_bytes();
        let points = usize::from(rest.contains(&b'.'));
        let behind = i128::try_from(rest.len().saturating_sub(points + 1)).unwrap_or_default();

        Self {
            factor: if decimal.negative { -factor } else { factor },
            place: decimal.exponent.saturating_add(behind),
            rest,
        }
    }

    /// Returns the next digit times the factor; 0 where none is left.
    fn next(&mut self) -> i64 {
        let [digit, rest @ ..] = self.rest else {
            return 0;
        };
        self.rest = rest.strip_prefix(b".").unwrap_or(rest);
        self.place -= 1;

        self.factor * i64::from(digit - b'0')
    }
}

impl Number<'_> {
    /// Returns `true` if the number is larger than another one.
    pub(crate) fn exceeds(self, other: Number<'_>) -> bool {
        is_sum_positive([(1, self), (-1, other)])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Number, is_sum_positive};

    #[test]
    fn sums_are_exact_even_where_a_double_rounds() {
        let long = ["0.", &"9".repeat(100_000)].concat();
        let longer = [&long, "1"].concat();
        for (factor, number, other) in [
            (1, "9007199254740993", "9007199254740992"),
            (1, "1e400", "9e399"),
            (1, "1e-400", "0e7"),
            (1, "0.10000000000000000001", "0.1"),
            (1, "1e9999999999999999999999", "1e9999999999999999999998"),
            (1, "1", "1e-9999999999999999999999"),
            (1, "1", "-2"),
            (1, "1e-99999999", "-1e99999999"),
            (1, &longer, &long),
            (2, "0.15000000000000000001", "0.3"),
            (2000, "2.0460000000000000001", "4092"),
        ] {
            let (number, other) = (Number::of(number), Number::of(other));
            assert!(is_sum_positive([(factor, number), (-1, other)]));
            assert!(!is_sum_positive([(-factor, number), (1, other)]));
        }
        for (factor, number, other) in [
            (1, "1.0", "10e-1"),
            (1, "-0", "0.0e3"),
            (1, &long, &long),
            (2000, "2.046", "4092"),
            (2, "1e99999999", "2e99999999"),
        ] {
            let (number, other) = (Number::of(number), Number::of(other));
            assert!(!is_sum_positive([(factor, number), (-1, other)]));
            assert!(!is_sum_positive([(-factor, number), (1, other)]));
        }
    }

    /// Returns the ways to write a number of millionths.
    fn written(millionths: i128) -> [String; 3] {
        let (sign, size) = (if millionths < 0 { "-" } else { "" }, millionths.abs());
        let (whole, fraction) = (size / 1_000_000, size % 1_000_000);
        [
            format!("{sign}{whole}.{fraction:06}"),
            format!("{sign}{size}000e-9"),
            format!("{sign}0.000{size:030}E+27"),
        ]
    }

    proptest! {
        #[test]
        fn sums_have_the_sign_of_whole_numbers(
            terms in prop::array::uniform3((-3_000_i64..3_000, -3_000_000_000_i64..3_000_000_000)),
            near in -2_i128..=2,
            ways in prop::array::uniform4(0_usize..3),
        ) {
            let sum: i128 = terms.map(|(factor, number)| i128::from(factor) * i128::from(number)).iter().sum();
            // Another number takes the sum near 0.
            let [a, b, c] = terms.map(|(_, number)| written(number.into()));
            let d = written(near - sum);
            let texts = [&a[ways[0]], &b[ways[1]], &c[ways[2]], &d[ways[3]]];
            let [a, b, c, d] = texts.map(|text| Number::of(text));
            let [a, b, c] = [(terms[0].0, a), (terms[1].0, b), (terms[2].0, c)];
            prop_assert_eq!(is_sum_positive([a, b, c]), sum > 0, "{:?} {:?}", terms, texts);
            prop_assert_eq!(is_sum_positive([a, b, c, (1, d)]), near > 0, "{:?} {:?}", terms, texts);
        }
    }
}
