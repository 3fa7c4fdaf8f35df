//! A number that is not negative -> whether it is larger than another, twice another or one more
//! than another, exactly.

use std::iter;

use super::number::{Decimal, Number};

/// A number that is not negative.
///
/// It is compared digit by digit, so nothing is rounded, and no number is written out in full: one
/// with few digits may have a huge exponent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity<'a> {
    number: Number<'a>,
    /// The power of ten that the number is multiplied with.
    power: i64,
    /// The value in units of 10^-16, if it is written shortly.
    short: Option<u128>,
}

/// The number of units in 1.
const ONE: u128 = 10_u128.pow(UNIT_PLACES);
const UNIT_PLACES: u32 = 16;

/// The length of a number that is written shortly, at most: a thousand times such a number, and
/// twice of that, has room in its type.
const SHORT_LENGTH: usize = 19;

impl<'a> Quantity<'a> {
    /// The number as a quantity; `None` where it is negative.
    pub(crate) fn of(number: Number<'a>) -> Option<Self> {
        let short = short(number.text());
        (short.is_some() || !number.decimal()?.negative).then_some(Self {
            number,
            power: 0,
            short,
        })
    }

    /// A thousand times the quantity.
    pub(crate) fn thousandfold(self) -> Self {
        Self {
            power: self.power + 3,
            short: self.short.map(|units| units * 1000),
            ..self
        }
    }

    pub(crate) fn is_more_than(self, other: Self) -> bool {
        match (self.short, other.short) {
            (Some(of_self), Some(of_other)) => of_self > of_other,
            _ => self.compare(other, |a, b| a.down().gt(b.down())),
        }
    }

    pub(crate) fn is_more_than_twice(self, other: Self) -> bool {
        match (self.short, other.short) {
            (Some(of_self), Some(of_other)) => of_self > 2 * of_other,
            _ => self.compare(other, |a, b| a.down().gt(b.doubled())),
        }
    }

    pub(crate) fn is_more_than_one_above(self, other: Self) -> bool {
        match (self.short, other.short) {
            (Some(of_self), Some(of_other)) => of_self > of_other + ONE,
            _ => self.compare(other, |a, b| a.down().gt(b.plus_one())),
        }
    }

    /// Compares all digits. Where both exponents have more digits than are kept, a number is said
    /// not to be more than the other one.
    #[cold]
    fn compare(self, other: Self, is_more: fn(Digits<'a>, Digits<'a>) -> bool) -> bool {
        match (self.digits(), other.digits()) {
            (Some(a), Some(b)) => !(a.0.cut && b.0.cut) && is_more(a, b),
            _ => false,
        }
    }

    fn digits(self) -> Option<Digits<'a>> {
        let decimal = self.number.decimal()?;
        let exponent = decimal.exponent + self.power;
        Some(Digits(Decimal {
            exponent,
            ..decimal
        }))
    }
}

/// The value of a number in units, if it is written shortly and without a sign or an exponent.
fn short(text: &str) -> Option<u128> {
    let mut digits = 0_u64;
    let mut places = None;
    if text.len() > SHORT_LENGTH {
        return None;
    }
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                places = places.map(|places| places + 1);
            }
            b'.' => places = Some(0),
            _ => return None,
        }
    }
    let places = UNIT_PLACES.checked_sub(places.unwrap_or(0))?;
    Some(u128::from(digits) * u128::from(10_u64.pow(places)))
}

/// The digits of a quantity.
#[derive(Clone, Copy)]
struct Digits<'a>(Decimal<'a>);

impl Digits<'_> {
    /// The digits that are not 0, from the first to the last, each after the power of ten at its
    /// place: of two numbers, the sequence of the larger one is the larger one.
    fn down(self) -> impl Iterator<Item = (i64, u8)> {
        let count = self.0.digits().fold(0, |count, _| count + 1);
        let places = (self.0.exponent..self.0.exponent + count).rev();
        let digits = places.zip(self.0.digits().map(|digit| digit - b'0'));
        digits.filter(|(_, digit)| *digit != 0)
    }

    /// All digits, from the last to the first.
    fn up(self) -> impl Iterator<Item = (i64, u8)> {
        let digits = self.0.mantissa.bytes().rev().filter(u8::is_ascii_digit);
        (self.0.exponent..).zip(digits.map(|digit| digit - b'0'))
    }

    /// The digits of twice the quantity, as [`Digits::down`] gives them.
    fn doubled(self) -> impl Iterator<Item = (i64, u8)> {
        let parts = |(place, digit)| [(place + 1, u8::from(digit >= 5)), (place, digit * 2 % 10)];
        let parts = self.down().flat_map(parts);
        let mut parts = parts.filter(|(_, part)| *part != 0).peekable();
        iter::from_fn(move || {
            let (place, part) = parts.next()?;
            let carried = parts.next_if(|(next, _)| *next == place);
            Some((place, part + carried.map_or(0, |(_, carried)| carried)))
        })
    }

    /// The digits of one more than the quantity, as [`Digits::down`] gives them.
    fn plus_one(self) -> impl Iterator<Item = (i64, u8)> {
        let mut place = 0;
        let mut grown = 1;
        // The nines at the end of the whole part become zeros.
        for (next, digit) in self.up().skip_while(|(place, _)| *place < 0) {
            if next == place {
                grown = digit + 1;
            }
            if next != place || digit != 9 {
                break;
            }
            (place, grown) = (place + 1, 1);
        }
        let above = self.down().take_while(move |(next, _)| *next > place);
        let fraction = self.down().skip_while(|(place, _)| *place >= 0);
        above.chain(iter::once((place, grown))).chain(fraction)
    }
}

impl Number<'_> {
    /// Whether the number is larger than another one; neither is negative.
    pub(crate) fn exceeds(self, other: Number<'_>) -> bool {
        let quantities = || Quantity::of(self).zip(Quantity::of(other));
        self.text() != other.text()
            && quantities().is_some_and(|(of_self, of_other)| of_self.is_more_than(of_other))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Number, Quantity};

    fn quantity(text: &str) -> Quantity<'_> {
        Quantity::of(Number::of(text)).expect("not negative")
    }

    #[test]
    fn quantities_compare_even_where_a_double_rounds() {
        for (more, less) in [
            ("9007199254740993", "9007199254740992"),
            ("1e400", "9e399"),
            ("1e-400", "0"),
            ("0.10000000000000000001", "0.1"),
            ("1e9999999999999999999999", "1e400"),
            ("1", "1e-9999999999999999999999"),
        ] {
            let (more, less) = (quantity(more), quantity(less));
            assert!(more.is_more_than(less) && !less.is_more_than(more));
            assert!(!more.is_more_than(more));
        }
        assert!(Quantity::of(Number::of("-1")).is_none());
        assert!(!quantity("1.0").is_more_than(quantity("10e-1")));
    }

    #[test]
    fn twice_and_one_more_are_exact_at_any_exponent() {
        assert!(quantity("0.30000000000000001").is_more_than_twice(quantity("0.15")));
        assert!(!quantity("0.3").is_more_than_twice(quantity("0.15")));
        assert!(!quantity("2e99999999").is_more_than_twice(quantity("1e99999999")));
        assert!(quantity("1e-400").is_more_than_twice(quantity("0e7")));
        assert!(!quantity("1e99999999").is_more_than_one_above(quantity("1e99999999")));
        assert!(quantity("1.1e99999999").is_more_than_one_above(quantity("1e99999999")));
        assert!(!quantity("1").is_more_than_one_above(quantity("1e-99999999")));
        assert!(quantity("100.00000000000000000001").is_more_than_one_above(quantity("99")));
        assert!(
            quantity("1.5")
                .thousandfold()
                .is_more_than(quantity("1499"))
        );
    }

    proptest! {
        #[test]
        fn quantities_compare_like_whole_numbers(a in 0_u64..5_000_000, b in 0_u64..5_000_000, near in 0_u64..3, point in 0_usize..9) {
            // Both are thousandths, and one is often near twice the other, or near one more.
            // Long ones take the other way.
            for (a, b) in [(a, b), (2 * b + near, b + 1), (b + 999 + near, b), (b + near, b + 1)] {
                let text = |n: u64| format!("{n}{}e{}", "0".repeat(point), -3 - i64::try_from(point).unwrap_or(0));
                let written = |n: u64| format!("{}.{:03}", n / 1000, n % 1000);
                for (a_text, b_text) in [(text(a), written(b)), (written(a), text(b)), (written(a), written(b))] {
                    let (of_a, of_b) = (quantity(&a_text), quantity(&b_text));
                    prop_assert_eq!(of_a.is_more_than(of_b), a > b, "{} {}", a_text, b_text);
                    prop_assert_eq!(of_a.is_more_than_twice(of_b), a > 2 * b, "{} {}", a_text, b_text);
                    prop_assert_eq!(of_a.is_more_than_one_above(of_b), a > b + 1000, "{} {}", a_text, b_text);
                }
            }
        }
    }
}
