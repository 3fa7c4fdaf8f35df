//! Seconds since 1970 -> an RFC 3339 date-time in UTC.

use std::time::SystemTime;

/// The current time, to the second.
pub(super) fn now_in_utc() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    in_utc(since.map_or(0, |since| since.as_secs()))
}

fn in_utc(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Years that start in March end with the leap day. 719,468 days lie between the first of March
    // of the year 0 and 1970; the calendar repeats after 146,097 days, which are 400 years.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = era * 400 + year + next_year;
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::in_utc;
    use crate::timestamp::Timestamp;

    #[test]
    fn every_day_of_400_years_is_written_as_it_is_read() {
        for day in 0..146_097 {
            let seconds = day * 86_400 + day % 86_400;
            let written = in_utc(seconds);
            let read = Timestamp::parse(&written);
            let expected = Timestamp::from_unix_seconds(i64::try_from(seconds).unwrap());
            assert_eq!(read, Some(expected), "{written}");
        }
    }
}
