//! Seconds since 1970 -> days of the calendar, in UTC.

use jiff::SignedDuration;
use jiff::civil::DateTime;

fn instant(seconds: i64) -> DateTime {
    DateTime::constant(1970, 1, 1, 0, 0, 0, 0).saturating_add(SignedDuration::from_secs(seconds))
}

/// Returns the day of an instant, counted from 1970-01-01.
pub(super) fn day_of(seconds: i64) -> i64 {
    seconds.div_euclid(86_400)
}

/// Returns a day as a date: `2026-03-01`.
pub(super) fn date(day: i64) -> String {
    instant(day * 86_400).date().to_string()
}

/// Returns an instant, to the second: `2026-03-01 12:00:00 UTC`.
pub(super) fn time(seconds: i64) -> String {
    instant(seconds)
        .strftime("%F %T UTC")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::timestamp::Timestamp;

    #[test]
    fn date_is_the_one_that_a_timestamp_was_read_from() {
        for date_text in ["0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31"] {
            let at = Timestamp::parse(&format!("{date_text}T23:59:59Z")).unwrap();
            assert_eq!(date(day_of(at.unix_seconds())), date_text);
            assert_eq!(time(at.unix_seconds()), format!("{date_text} 23:59:59 UTC"));
        }
    }
}
