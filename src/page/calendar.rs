//! Seconds since 1970 -> days of the calendar, in UTC.

/// The seconds of a day.
const DAY: i64 = 86_400;

/// The day of an instant, counted from 1970-01-01.
pub(super) fn day_of(seconds: i64) -> i64 {
    seconds.div_euclid(DAY)
}

/// A day as a date: `2026-03-01`.
pub(super) fn date(day: i64) -> String {
    let (year, month, day) = civil(day);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of the month. The year starts in March here, so that a leap day ends it.
fn civil(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timestamp::Timestamp;

    #[test]
    fn date_is_the_one_that_a_timestamp_was_read_from() {
        for date_text in [
            "0001-01-01",
            "1899-12-31",
            "1969-12-31",
            "1970-01-01",
            "2000-02-29",
            "2024-12-31",
            "2026-03-01",
            "9999-12-31",
        ] {
            let at = Timestamp::parse(&format!("{date_text}T23:59:59Z")).unwrap();
            assert_eq!(date(day_of(at.unix_seconds())), date_text);
        }
    }
}
