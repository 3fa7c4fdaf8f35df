//! An RFC 3339 text -> an instant that compares exactly.

mod given;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use wide::u8x16;

pub(crate) use given::{length, mistake};

/// An instant, read from an RFC 3339 date-time with an offset.
///
/// Two timestamps are equal when they are the same instant, whatever their offsets and their number
/// of fraction digits. Nothing is rounded, so timestamps that differ in the thirtieth digit differ.
///
/// ```
/// use runvet::Timestamp;
/// let zulu = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
/// let cet = Timestamp::parse("2026-03-01T13:00:00.000+01:00").unwrap();
/// assert_eq!(zulu, cet);
/// assert!(Timestamp::parse("2026-03-01T12:00:00").is_none(), "no offset, no instant");
/// assert!(Timestamp::parse("2026-02-29T12:00:00Z").is_none(), "2026 is not a leap year");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z; a leap second counts as the second before it.
    seconds: i64,
    leap_second: bool,
    /// The first eighteen digits of the fraction, so attoseconds.
    attoseconds: u64,
    /// The digits that follow, without trailing zeros: they order as text does.
    rest: Box<str>,
}

/// An instant with all its digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant {
    /// The attoseconds since 1970.
    pub(crate) attoseconds: i128,
    /// The digits of the fraction beyond these.
    pub(crate) rest: Box<str>,
}

/// The number of digits of a fraction in attoseconds.
const ATTO_DIGITS: usize = 18;

/// A second in attoseconds.
const SECOND: u64 = 1_000_000_000_000_000_000;

const ATTOSECONDS: i128 = SECOND as i128;

impl Timestamp {
    /// Reads a date-time in the grammar of RFC 3339, section 5.6; `None` for any other text.
    ///
    /// A leap second (`:60`) is accepted where one can be: at 23:59:60 UTC.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (seconds, leap_second, fraction) = parts(text)?;
        let (first, rest) = fraction
            .split_at_checked(ATTO_DIGITS)
            .unwrap_or((fraction, b""));
        let digits = first
            .iter()
            .fold(0, |digits, digit| digits * 10 + u64::from(digit - b'0'));
        let missing = first.len()..ATTO_DIGITS;
        let rest = std::str::from_utf8(rest).unwrap_or_default();

        Some(Self {
            seconds,
            leap_second,
            attoseconds: missing.fold(digits, |attoseconds, _| attoseconds * 10),
            rest: rest.trim_end_matches('0').into(),
        })
    }

    /// Returns the instant a number of seconds after 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn from_unix_seconds(seconds: i64) -> Self {
        Self {
            seconds,
            leap_second: false,
            attoseconds: 0,
            rest: "".into(),
        }
    }

    /// Returns the whole seconds since 1970-01-01T00:00:00Z.
    pub(crate) fn unix_seconds(&self) -> i64 {
        self.seconds
    }

    /// Returns the instant that is later by a duration, to the attosecond.
    pub(crate) fn checked_add(&self, lasted: Duration) -> Option<Self> {
        let attoseconds = self.attoseconds + u64::from(lasted.subsec_nanos()) * 1_000_000_000;
        let (carry, attoseconds) = (attoseconds / SECOND, attoseconds % SECOND);
        let seconds = lasted.as_secs().checked_add(carry)?;
        Some(Self {
            seconds: self
                .seconds
                .checked_add_unsigned(seconds)?,
            attoseconds,
            ..self.clone()
        })
    }

    /// Returns the microseconds since 1970-01-01T00:00:00Z.
    pub(super) fn unix_micros(&self) -> i64 {
        let fraction = (self.attoseconds / 1_000_000_000_000).cast_signed();
        self.seconds * 1_000_000 + fraction
    }

    /// Returns `true` if a text is a valid date-time.
    pub(crate) fn is_valid(text: &str) -> bool {
        parts(text).is_some()
    }

    /// Returns the time since an earlier instant in seconds, rounded to nanoseconds; negative if
    /// `earlier` is later.
    pub(crate) fn seconds_since(&self, earlier: &Self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "for display; the difference of two dates is far below 2^53"
        )]
        let whole = (self.seconds - earlier.seconds) as f64;

        whole + self.subsecond() - earlier.subsecond()
    }

    /// Returns the instant as a time of the system; a leap second is the second after it, and parts
    /// of a nanosecond do not count. `None` where the system has no such time.
    #[must_use]
    pub fn system_time(&self) -> Option<SystemTime> {
        let seconds = self.seconds + i64::from(self.leap_second);
        let second = Duration::from_secs(seconds.unsigned_abs());
        let whole = if seconds < 0 {
            UNIX_EPOCH.checked_sub(second)
        } else {
            UNIX_EPOCH.checked_add(second)
        };

        whole?.checked_add(Duration::from_nanos(self.attoseconds / 1_000_000_000))
    }

    /// Returns the instant with all its digits.
    pub(crate) fn exact(self) -> Instant {
        Instant {
            attoseconds: self.attoseconds(),
            rest: self.rest,
        }
    }

    /// Returns the instant in attoseconds since 1970.
    pub(crate) fn attoseconds(&self) -> i128 {
        let seconds = i128::from(self.seconds) + i128::from(self.leap_second);
        seconds * ATTOSECONDS + i128::from(self.attoseconds)
    }

    fn subsecond(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a number of nine digits")]
        let fraction = (self.attoseconds / 1_000_000_000) as f64 / 1e9;
        if self.leap_second {
            1.0 + fraction
        } else {
            fraction
        }
    }
}

/// Returns the seconds since 1970, `true` if it is a leap second, and the fraction digits as
/// written.
#[expect(
    clippy::inline_always,
    reason = "measured: a validity check takes half the time when the days are not counted"
)]
#[inline(always)]
fn parts(text: &str) -> Option<(i64, bool, &[u8])> {
    let (head, rest) = text
        .as_bytes()
        .split_first_chunk::<19>()?;
    if !is_shaped(head) {
        return None;
    }

    // Only digits are left.
    let year = i64::from(pair(head[0], head[1])) * 100 + i64::from(pair(head[2], head[3]));
    let (month, day) = (pair(head[5], head[6]), pair(head[8], head[9]));
    let (hour, minute) = (pair(head[11], head[12]), pair(head[14], head[15]));
    let second = pair(head[17], head[18]);
    if day == 0 || day > days_in(month, year) || hour > 23 || second > 60 {
        return None;
    }

    let (fraction, offset) = match rest {
        [b'.', digits @ ..] => {
            let is_digit = |byte: &&u8| byte.is_ascii_digit();
            let count = digits
                .iter()
                .take_while(is_digit)
                .count();
            digits
                .split_at_checked(count)
                .filter(|(fraction, _)| !fraction.is_empty())?
        }
        offset => (&[][..], offset),
    };

    let leap_second = second == 60;
    let minutes = i64::from(hour) * 60 + i64::from(minute) - offset_minutes(offset)?;
    if leap_second && minutes.rem_euclid(1_440) != 1_439 {
        return None;
    }

    let days = days_since_1970(year, month.into(), day.into());
    let seconds = days * 86_400 + minutes * 60 + i64::from(second.min(59));
    Some((seconds, leap_second, fraction))
}

/// Returns the number that two digits are.
#[inline]
fn pair(tens: u8, ones: u8) -> u8 {
    (tens & 0xF) * 10 + (ones & 0xF)
}

/// Returns the number of days of a month; 0 where there is no such month.
#[inline]
fn days_in(month: u8, year: i64) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 0,
    }
}

/// Returns the minutes that a time is ahead of UTC.
#[inline]
fn offset_minutes(offset: &[u8]) -> Option<i64> {
    // Most are written so.
    if matches!(offset, b"Z" | b"+00:00") {
        return Some(0);
    }

    let [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] = *offset else {
        return matches!(offset, b"z").then_some(0);
    };

    if ![h1, h2, m1, m2]
        .iter()
        .all(u8::is_ascii_digit)
    {
        return None;
    }

    let (hours, minutes) = (pair(h1, h2), pair(m1, m2));
    if hours > 23 || minutes > 59 {
        return None;
    }

    let distance = i64::from(hours) * 60 + i64::from(minutes);
    Some(if sign == b'-' { -distance } else { distance })
}

/// Returns `true` if a text has the form `YYYY-MM-DDThh:mm:ss`, with minutes up to 59.
fn is_shaped(text: &[u8; 19]) -> bool {
    const LEAST: u8x16 = u8x16::new(*b"0000-00-00T00:00");
    const MOST: u8x16 = u8x16::new(*b"9999-19-39T29:59");

    let [minutes @ .., b':', tens, ones] = text else {
        return false;
    };
    let mut minutes = *minutes;
    // The `T` may be in lower case.
    minutes[10] &= !0x20;

    let minutes = u8x16::new(minutes);
    minutes
        .max(LEAST)
        .min(MOST)
        .simd_eq(minutes)
        .all()
        && tens.is_ascii_digit()
        && ones.is_ascii_digit()
}

/// Returns the days since 1970-01-01 in the proleptic Gregorian calendar. The year starts in March
/// here, so that a leap day is its last day.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month <= 2 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };

    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap_or_else(|| panic!("{text} is a date-time"))
    }

    #[test]
    fn timestamps_are_equal_however_written() {
        for other in [
            "2025-01-01T00:00:00.000+00:00",
            "2025-01-01t00:00:00z",
            "2024-12-31T18:30:00-05:30",
            "2025-01-01T00:00:00-00:00",
        ] {
            assert_eq!(instant("2025-01-01T00:00:00Z"), instant(other), "{other}");
        }
    }

    #[test]
    fn timestamp_counts_every_fraction_digit() {
        assert_ne!(
            instant("2025-01-01T00:00:00.0000000000000000000000000001Z"),
            instant("2025-01-01T00:00:00Z")
        );
        assert!(instant("2025-01-01T00:00:00.09Z") < instant("2025-01-01T00:00:00.1Z"));
    }

    #[test]
    fn timestamp_gives_seconds_since_the_epoch() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T23:59:59Z", 951_868_799),
            ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] {
            assert_eq!(instant(text).seconds, seconds, "{text}");
        }
    }

    #[test]
    fn leap_second_is_allowed_only_at_the_end_of_a_utc_day() {
        assert!(instant("2016-12-31T23:59:60Z") > instant("2016-12-31T23:59:59.999999Z"));
        assert!(instant("2017-01-01T00:59:60+01:00") < instant("2017-01-01T00:00:00Z"));
        assert_eq!(Timestamp::parse("2016-12-31T22:59:60Z"), None);
    }

    #[test]
    fn timestamp_is_refused_when_the_grammar_forbids_it() {
        for text in [
            "",
            "2025-01-01",
            "2025-01-01T00:00:00",
            "2025-01-01 00:00:00Z",
            "2025-01-01T00:00Z",
            "2025-01-01T24:00:00Z",
            "2025-01-01T00:60:00Z",
            "2025-01-01T00:00:61Z",
            "2025-13-01T00:00:00Z",
            "2025-04-31T00:00:00Z",
            "2025-01-00T00:00:00Z",
            "2025-01-01T00:00:00.Z",
            "2025-01-01T00:00:00,5Z",
            "2025-01-01T00:00:00+0100",
            "2025-01-01T00:00:00+24:00",
            "2025-01-01T00:00:00+01:60",
            "2025-01-01T00:00:00Z ",
            " 2025-01-01T00:00:00Z",
            "20250101T000000Z",
            "２025-01-01T00:00:00Z",
            "+025-01-01T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2025-01-01T00:00:00+1:000",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn timestamp_distances_are_in_seconds() {
        let distance =
            instant("2025-01-01T00:00:00.035Z").seconds_since(&instant("2025-01-01T00:00:00Z"));
        assert!((distance - 0.035).abs() < 1e-12, "{distance}");
    }
}
