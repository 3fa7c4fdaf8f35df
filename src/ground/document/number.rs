//! The text of a JSON number -> its exact value, for comparisons that never round.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::ground::digest::Digest;

/// A JSON number, kept as it was written.
///
/// Comparisons are by value (`1` equals `1.0` and `10e-1`) and exact: numbers that a double would
/// round to the same value stay different.
#[derive(Clone, Copy, Debug)]
pub struct Number<'a>(pub(super) &'a str);

/// sign × mantissa × 10^exponent; the mantissa starts and ends with a digit that is not zero. Zero
/// has no mantissa.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal<'a> {
    pub(super) negative: bool,
    /// Digits, and perhaps a decimal point, which `exponent` accounts for.
    pub(super) mantissa: &'a str,
    pub(super) exponent: i128,
}

impl<'a> Number<'a> {
    /// Returns the number with this text, which must be a JSON number.
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text)
    }

    /// Returns the number as it was written.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.0
    }

    /// Returns the number for people: as it was written, unless it has more digits than people
    /// read. Then it is rounded to four decimals, one near 0 to four digits.
    pub(crate) fn rounded(self) -> Cow<'a, str> {
        const READ: usize = 8;
        let value = self.as_f64();
        let size = value.abs();
        if self.0.len() <= READ || self.is_integer() || size >= 1e15 {
            return Cow::Borrowed(self.0);
        }

        let decimals = match size {
            0.1.. => 4,
            0.01.. => 5,
            0.001.. => 6,
            _ => return Cow::Owned(format!("{value:.3e}")),
        };

        let rounded = format!("{value:.decimals$}");
        let trimmed = rounded
            .trim_end_matches('0')
            .trim_end_matches('.');

        Cow::Owned(trimmed.to_owned())
    }

    /// Returns `true` if two numbers have the same value.
    pub(crate) fn equals(self, other: Number<'_>) -> bool {
        if self.0 == other.0 {
            return true;
        }

        match (self.decimal(), other.decimal()) {
            (Some(a), Some(b)) => {
                a.negative == b.negative && a.exponent == b.exponent && a.digits().eq(b.digits())
            }
            _ => false,
        }
    }

    /// Returns the order of two numbers by their exact values.
    pub(crate) fn order(self, other: Number<'_>) -> Ordering {
        let (Some(a), Some(b)) = (self.decimal(), other.decimal()) else {
            return self.as_f64().total_cmp(&other.as_f64());
        };
        if a.sign() != b.sign() || a.sign() == 0 {
            return a.sign().cmp(&b.sign());
        }

        // Digits that start with one that is not zero are compared as texts are.
        let order = a
            .size()
            .cmp(&b.size())
            .then_with(|| a.digits().cmp(b.digits()));

        if a.negative { order.reverse() } else { order }
    }

    /// Returns `true` if the value is an integer times another one; `None` where that has too many
    /// digits to tell, or is 0.
    pub(crate) fn is_multiple_of(self, other: Number<'_>) -> Option<bool> {
        const MAX_DIGITS: usize = 18;
        let divisor = other.decimal()?;
        if divisor.sign() == 0
            || divisor
                .digits()
                .nth(MAX_DIGITS)
                .is_some()
        {
            return None;
        }

        let with = |value: u128, digit: u8| 10 * value + u128::from(digit - b'0');
        let by = divisor.digits().fold(0, with);
        let Some(value) = self.decimal() else {
            return Some(false);
        };
        // The last digit of neither is zero, so no power of ten makes up for places that are left.
        let Ok(mut zeros) = u128::try_from(
            value
                .exponent
                .saturating_sub(divisor.exponent),
        ) else {
            return Some(value.sign() == 0);
        };

        let mut rest = value
            .digits()
            .fold(0, |rest, digit| with(rest, digit) % by);
        let mut power = 10 % by;

        while zeros > 0 {
            if zeros % 2 == 1 {
                rest = rest * power % by;
            }
            power = power * power % by;
            zeros /= 2;
        }

        Some(rest == 0)
    }

    /// Returns the digest of the value: two numbers have the same one if they are equal, and only
    /// then.
    pub(super) fn meaning(self) -> Digest {
        match self.decimal() {
            Some(decimal) => {
                let digits: Vec<u8> = decimal.digits().collect();
                let sign = u8::from(decimal.negative);
                let exponent = match i64::try_from(decimal.exponent) {
                    Ok(exponent) => exponent.to_le_bytes().to_vec(),
                    Err(_) => decimal
                        .exponent
                        .to_string()
                        .into_bytes(),
                };

                let parts: [&[u8]; 4] = [b"number", &[sign], &exponent, &digits];
                Digest::of(parts)
            }
            None => Digest::of([&b"number"[..], self.0.as_bytes()]),
        }
    }

    /// Adds a text that two numbers share if they are equal, and only then.
    pub(super) fn push_canonical(self, to: &mut Vec<u8>) {
        let Some(decimal) = self.decimal() else {
            return to.extend_from_slice(self.0.as_bytes());
        };
        to.extend(decimal.negative.then_some(b'-'));
        to.extend(decimal.digits());
        if decimal.exponent == 0 {
            return to.push(b'e');
        }

        to.push(b'E');
        to.extend_from_slice(&decimal.exponent.to_le_bytes());
    }

    /// Returns `true` if the value is an integer.
    pub(crate) fn is_integer(self) -> bool {
        self.small().is_some()
            || self
                .decimal()
                .is_some_and(|decimal| decimal.exponent >= 0)
    }

    /// Returns the number of digits after the decimal point that the value needs.
    pub(crate) fn decimals(self) -> u128 {
        self.decimal()
            .map_or(0, |decimal| decimal.exponent.min(0).unsigned_abs())
    }

    /// Returns the nearest double, except that rounding never yields an integer that the number is
    /// not: `0.9999999999999999999` stays below 1 and `1e-400` above 0, so that a comparison with
    /// an integer bound is exact.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        if let Some(small) = self.small() {
            return small.into();
        }

        let nearest = self
            .0
            .parse::<f64>()
            .unwrap_or(f64::NAN)
            .clamp(f64::MIN, f64::MAX);
        if nearest.fract() != 0.0 || nearest.abs() >= 9_007_199_254_740_992.0 || self.is_integer() {
            return nearest;
        }

        let Some(decimal) = self.decimal() else {
            return nearest;
        };
        let away_from_zero = self.shifted(0) == nearest.to_string().parse().ok();
        let below = decimal.negative == away_from_zero;

        match nearest {
            // A value that underflows has lost its sign.
            0.0 if decimal.negative => (-0.0_f64).next_down(),
            nearest if below => nearest.next_down(),
            nearest => nearest.next_up(),
        }
    }

    /// Returns the value, if it is a whole number from 0 to 2^64 - 1.
    pub(crate) fn whole(self) -> Option<u64> {
        if let Some(small) = self.small() {
            return Some(small.into());
        }

        let integer = self
            .is_integer()
            .then(|| self.shifted(0))
            .flatten();

        u64::try_from(integer?).ok()
    }

    /// Returns the value times a power of ten, without the digits behind the decimal point; `None`
    /// where that has more than 36 digits.
    pub(crate) fn shifted(self, places: u8) -> Option<i128> {
        let decimal = self.decimal()?;
        let exponent = decimal
            .exponent
            .saturating_add(places.into());
        let whole_digits = i128::try_from(decimal.digits().count())
            .ok()?
            .saturating_add(exponent);
        if whole_digits > 36 {
            return None;
        }

        let whole_digits = usize::try_from(whole_digits).unwrap_or_default();
        let whole = decimal
            .digits()
            .chain(std::iter::repeat(b'0'))
            .take(whole_digits)
            .fold(0, |value, digit| value * 10 + i128::from(digit - b'0'));

        Some(if decimal.negative { -whole } else { whole })
    }

    /// Returns the value, if the number is written with at most nine digits and nothing else, as
    /// most are.
    fn small(self) -> Option<u32> {
        let digits = self.0.as_bytes();
        (digits.len() <= 9 && digits.iter().all(u8::is_ascii_digit)).then(|| {
            digits
                .iter()
                .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'))
        })
    }

    pub(super) fn decimal(self) -> Option<Decimal<'a>> {
        #[cfg(test)]
        super::work::add(self.0.len());
        let (negative, unsigned) = self
            .0
            .strip_prefix('-')
            .map_or((false, self.0), |rest| (true, rest));
        let is_e = |byte| matches!(byte, b'e' | b'E');
        let (mantissa, exponent) = match unsigned.bytes().position(is_e) {
            Some(e) => (unsigned.get(..e)?, unsigned.get(e + 1..)?),
            None => (unsigned, "0"),
        };

        let is_significant = |byte| matches!(byte, b'1'..=b'9');
        let Some(first) = mantissa
            .bytes()
            .position(is_significant)
        else {
            return Some(Decimal {
                negative: false,
                mantissa: "",
                exponent: 0,
            });
        };

        let last = mantissa
            .bytes()
            .rposition(is_significant)?;
        let point = mantissa
            .bytes()
            .position(|byte| byte == b'.')
            .unwrap_or(mantissa.len());
        let exponent: i128 = exponent.parse().ok()?;
        // The power of ten of the last significant digit.
        let place = if last < point {
            i128::try_from(point - last - 1).ok()?
        } else {
            -i128::try_from(last - point).ok()?
        };

        Some(Decimal {
            negative,
            mantissa: mantissa.get(first..=last)?,
            exponent: exponent.checked_add(place)?,
        })
    }
}

impl<'a> Decimal<'a> {
    fn sign(self) -> i8 {
        match (self.mantissa, self.negative) {
            ("", _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    /// Returns the number of digits before the decimal point, negative where zeros follow it.
    fn size(self) -> i128 {
        let digits = i128::try_from(self.digits().count()).unwrap_or(i128::MAX);
        self.exponent.saturating_add(digits)
    }

    pub(super) fn digits(self) -> impl Iterator<Item = u8> + use<'a> {
        self.mantissa
            .bytes()
            .filter(u8::is_ascii_digit)
    }
}

#[cfg(test)]
mod tests {
    use super::Number;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_equal_however_written() {
        for (a, b) in [
            ("1", "1.0"),
            ("10e-1", "1"),
            ("0", "-0.0"),
            ("0e5", "0"),
            ("100", "1e2"),
            ("1.50", "15E-1"),
            ("1e+02", "100"),
            ("1e99999999999999999999", "10e99999999999999999998"),
            ("1e10000000000000000000", "1000e9999999999999999997"),
            ("1e1000000000000000000", "0.10e1000000000000000001"),
            ("1e1000000000000000000", "10e999999999999999999"),
            ("-0.01e-99999999999999999998", "-1e-0100000000000000000000"),
        ] {
            assert!(Number(a).equals(Number(b)), "{a} = {b}");
            assert_eq!(Number(a).meaning(), Number(b).meaning(), "{a} = {b}");
        }
    }

    #[test]
    fn numbers_are_ordered_by_their_exact_values() {
        let ascending = [
            "-1e400",
            "-12.5",
            "-12",
            "-1e-400",
            "0",
            "1e-400",
            "0.1",
            "0.10000000000000000001",
            "9",
            "10.0",
            "9007199254740992",
            "9007199254740993.0",
            "123456789012345678901234567890",
            "123456789012345678901234567891",
            "1e400",
        ];
        for (at, a) in ascending.iter().enumerate() {
            for (other, b) in ascending.iter().enumerate() {
                assert_eq!(
                    Number::of(a).order(Number::of(b)),
                    at.cmp(&other),
                    "{a} {b}"
                );
            }
        }
        assert!(
            Number::of("1e2")
                .order(Number::of("100.0"))
                .is_eq()
        );
    }

    #[test]
    fn multiples_are_exact() {
        for (number, of, expected) in [
            ("3e50", "3", Some(true)),
            ("1e23", "500", Some(true)),
            ("1e999999999999", "7", Some(false)),
            ("0.3", "0.1", Some(true)),
            ("0.10000000000000000000000001", "0.1", Some(false)),
            ("-7.5", "2.5", Some(true)),
            ("5", "2", Some(false)),
            ("0", "0.3", Some(true)),
            ("1", "0", None),
            ("1", "1234567890123456789", None),
        ] {
            let is_multiple = Number::of(number).is_multiple_of(Number::of(of));
            assert_eq!(is_multiple, expected, "{number} {of}");
        }
    }

    #[test]
    fn number_is_shifted_and_cut() {
        for (text, places, expected) in [
            ("0.15", 18, Some(150_000_000_000_000_000)),
            ("-1.2345", 3, Some(-1234)),
            ("15e-3", 2, Some(1)),
            ("0", 18, Some(0)),
            ("1e-400", 18, Some(0)),
            ("1e-1000000000000000000000", 18, Some(0)),
            ("1e17", 18, Some(10_i128.pow(35))),
            ("1e18", 18, None),
            ("1e1000000000000000000000", 0, None),
        ] {
            assert_eq!(Number(text).shifted(places), expected, "{text}");
        }
    }

    #[test]
    fn numbers_differ_even_where_a_double_rounds() {
        for (a, b) in [
            ("9007199254740993", "9007199254740992"),
            ("0.1", "0.10000000000000000001"),
            ("1e400", "2e400"),
            ("1e-400", "0"),
            ("1", "-1"),
            ("1e1000000000000000000000", "1e1000000000000000000001"),
            ("1e1000000000000000000000", "1e-1000000000000000000000"),
            ("12", "1.2"),
        ] {
            assert!(!Number(a).equals(Number(b)), "{a} != {b}");
        }
    }

    #[test]
    fn whole_numbers_are_recognised() {
        for whole in [
            "2",
            "2.0",
            "2e0",
            "1e400",
            "1.5e1",
            "-0",
            "0.000",
            "1e1000000000000000000000",
        ] {
            assert!(Number(whole).is_integer(), "{whole}");
        }
        for fraction in [
            "2.5",
            "1e-1",
            "1.55e1",
            "1e-400",
            "1.0000000000000000000000001",
            "1e-1000000000000000000000",
        ] {
            assert!(!Number(fraction).is_integer(), "{fraction}");
        }
    }

    #[test]
    fn double_never_crosses_a_whole_bound() {
        assert!(Number("1.00000000000000000000001").as_f64() > 1.0);
        assert!(Number("0.99999999999999999999999").as_f64() < 1.0);
        assert!(Number("1e-400").as_f64() > 0.0);
        assert!(Number("-1e-400").as_f64() < 0.0);
        assert!(Number("-1e-9999999999999999999").as_f64() < 0.0);
        assert!(Number("-0.99999999999999999999999").as_f64() > -1.0);
        for (text, double) in [
            ("1e400", f64::MAX),
            ("0.5", 0.5),
            ("-0.5", -0.5),
            ("-3.0", -3.0),
        ] {
            assert_eq!(Number(text).as_f64().to_bits(), double.to_bits(), "{text}");
        }
    }

    #[test]
    fn number_is_rounded_to_what_people_read() {
        for (text, shown) in [
            ("0.6157979413062568", "0.6158"),
            ("-12.345678901", "-12.3457"),
            ("50.5", "50.5"),
            ("0.0123456789", "0.01235"),
            ("0.00001234567", "1.235e-5"),
            ("1.99999999999", "2"),
            ("123456789012345678901", "123456789012345678901"),
            ("1e400", "1e400"),
            ("0.75000000000000000", "0.75"),
            ("0.00000000000000000", "0.00000000000000000"),
        ] {
            assert_eq!(Number(text).rounded(), shown);
        }
    }

    #[test]
    fn decimals_count_significant_digits() {
        for (text, decimals) in [
            ("0.1234", 4),
            ("0.12345", 5),
            ("0.12340", 4),
            ("1234e-4", 4),
            ("1", 0),
            ("1e3", 0),
            ("0.0", 0),
        ] {
            assert_eq!(Number(text).decimals(), decimals, "{text}");
        }
        assert!(Number("1e-9999999999999999999").decimals() > 4);
    }

    proptest! {
        #[test]
        fn number_is_unchanged_when_point_and_exponent_move(digits in "[1-9][0-9]{0,30}", point in 0usize..31, zeros in 0usize..5) {
            let point = point.min(digits.len() - 1) + 1;
            let shifted = format!("{}.{}{}e{}", &digits[..point], &digits[point..], "0".repeat(zeros + 1), digits.len() - point);
            prop_assert!(Number(&digits).equals(Number(&shifted)), "{} = {}", digits, shifted);
            prop_assert!(Number(&shifted).is_integer());
        }
    }
}
