//! The time -> timestamps and ids.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::SignedDuration;
use jiff::civil::DateTime;

use super::error::Error;
use crate::ground::record;

/// A source of the time and of the random part of ids. With the same clock, the same calls write
/// the same bytes.
pub trait Clock: Send {
    /// Returns the present time.
    fn now(&mut self) -> SystemTime;

    /// Returns eighty random bits, for the id of a new episode.
    fn random(&mut self) -> [u8; 10];
}

/// The clock of the system.
#[derive(Clone, Copy)]
pub(super) struct SystemClock;

impl Clock for SystemClock {
    fn now(&mut self) -> SystemTime {
        SystemTime::now()
    }

    fn random(&mut self) -> [u8; 10] {
        let mut bytes = [0; 10];
        // Without random bits, the id is made of the time alone; a directory of its name is then
        // refused, as any that exists.
        let _ = getrandom::fill(&mut bytes);
        bytes
    }
}

/// A time in microseconds since 1970, UTC: what events are dated with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Micros(pub(super) i64);

impl Micros {
    pub(super) fn of(time: SystemTime) -> Self {
        let micros = since_epoch(time).unwrap_or_default();
        Self(micros.clamp(EARLIEST, LATEST))
    }

    /// Returns the time that a caller gives, which has to be one that a timestamp can have.
    pub(super) fn given(time: SystemTime) -> Result<Self, Error> {
        let micros = since_epoch(time).filter(|micros| (EARLIEST..=LATEST).contains(micros));
        let why = "in UTC, it is outside of the years 0 to 9999";
        micros
            .map(Self)
            .ok_or_else(|| Error::refused("the time", why))
    }

    /// Returns the RFC 3339 text, with six digits of a second: `2026-03-01T12:00:00.000000+00:00`.
    pub(super) fn text(self) -> String {
        let time = EPOCH.saturating_add(SignedDuration::from_micros(self.0));
        format!("{time:.6}+00:00")
    }

    /// Returns the date-time of a record.
    pub(super) fn date_time(self) -> record::DateTime {
        record::DateTime(self.text())
    }

    /// Returns the time of a text that [`Micros::text`] wrote, and of no other.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let time: DateTime = text
            .strip_suffix("+00:00")?
            .parse()
            .ok()?;
        let micros = time.duration_since(EPOCH).as_micros();
        let time = Self(i64::try_from(micros).ok()?);
        (time.text() == text).then_some(time)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the length of a run is far below 2^53"
    )]
    pub(super) fn micros_since(self, earlier: Self) -> f64 {
        self.since(earlier) as f64
    }

    pub(super) fn since(self, Self(earlier): Self) -> i64 {
        self.0 - earlier
    }
}

/// Returns the microseconds since 1970, as far as they can be counted.
fn since_epoch(time: SystemTime) -> Option<i64> {
    let since = |duration: Duration| i64::try_from(duration.as_micros()).ok();
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => since(after),
        Err(before) => since(before.duration()).map(|micros| -micros),
    }
}

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// The years that a timestamp can have: 0 to 9999.
const EARLIEST: i64 = -62_167_219_200_000_000;
const LATEST: i64 = 253_402_300_799_999_999;

/// Returns the id of a new episode: `ep_` and a ULID, 48 bits of time and 80 random ones, which
/// sorts by time.
pub(super) fn episode_id(now: Micros, random: [u8; 10]) -> String {
    const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let millis = u128::try_from(now.0.max(0) / 1_000).unwrap_or_default();
    let random = random
        .iter()
        .fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    let number = millis << 80 | random;
    let digit = |at: u32| {
        let digit = usize::try_from(number >> (5 * at) & 31).unwrap_or_default();
        DIGITS
            .get(digit)
            .map_or('0', |digit| char::from(*digit))
    };

    std::iter::once("ep_".to_owned())
        .chain(
            (0..26)
                .rev()
                .map(|at| digit(at).to_string()),
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_written_as_it_is_read() {
        for micros in [
            0,
            1,
            -1,
            951_868_799_999_999,
            1_772_366_400_040_000,
            EARLIEST,
            LATEST,
        ] {
            let text = Micros(micros).text();
            let read = crate::Timestamp::parse(&text).unwrap();
            let seconds = micros.div_euclid(1_000_000);
            assert!(
                read >= crate::Timestamp::from_unix_seconds(seconds),
                "{text}"
            );
            assert!(
                read < crate::Timestamp::from_unix_seconds(seconds + 1),
                "{text}"
            );
            assert!(
                text.contains(&format!(".{:06}+", micros.rem_euclid(1_000_000))),
                "{text}"
            );
            assert_eq!(Micros::parse(&text), Some(Micros(micros)), "{text}");
        }
        let parsed = Micros::parse("2026-03-01T12:00:00.040000+00:00");
        assert_eq!(parsed, Some(Micros(1_772_366_400_040_000)));
        for other in [
            "2026-02-30T12:00:00.000000+00:00",
            "2026-03-01T12:00:00.000000Z",
            "2026-03-01T12:00:60.000000+00:00",
            "",
        ] {
            assert_eq!(Micros::parse(other), None, "{other}");
        }
    }

    #[test]
    fn episode_ids_sort_by_time() {
        let first = episode_id(Micros(1_000_000), [255; 10]);
        let second = episode_id(Micros(2_000_000), [0; 10]);
        assert!(first < second, "{first} {second}");
        assert_eq!(second, "ep_00000001YG0000000000000000");
    }
}
