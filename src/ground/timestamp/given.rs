//! A time or a length of time as a person writes it -> an instant, or seconds.

use super::Timestamp;

const DAY: i64 = 86_400;

/// The longest length of time: a hundred years.
const LONGEST: i64 = 36_525 * DAY;

impl Timestamp {
    /// The forms that [`Timestamp::given`] reads, for messages.
    pub(crate) const FORMS: &str = "a date such as 2026-03-01, an RFC 3339 date-time, `today`, \
                             `yesterday`, or a length of time before now, such as 90s, 15m, 1h or 7d";

    /// Returns the time that a text names, in the forms that `RunFilter::time` lists.
    pub(crate) fn given(text: &str, now: &Self) -> Option<Self> {
        let today = now.seconds.div_euclid(DAY) * DAY;
        match text {
            "today" => return Some(Self::from_unix_seconds(today)),
            "yesterday" => return Some(Self::from_unix_seconds(today - DAY)),
            _ => {}
        }

        if let Some(seconds) = length(text.strip_prefix('-').unwrap_or(text)) {
            return Some(Self::from_unix_seconds(now.seconds - seconds));
        }

        Self::parse(text)
            .or_else(|| Self::parse(&format!("{text}Z")))
            .or_else(|| Self::parse(&format!("{text}T00:00:00Z")))
    }

    /// Returns the instant in UTC, with all digits of its fraction.
    pub(crate) fn utc(&self) -> String {
        let second = jiff::Timestamp::from_second(self.seconds).map_or_else(
            |_| format!("{} s after 1970", self.seconds),
            |at| at.to_string(),
        );
        let second = if self.leap_second {
            second.replace(":59Z", ":60Z")
        } else {
            second
        };

        let digits = format!(".{:018}{}", self.attoseconds, self.rest);
        match digits.trim_end_matches('0') {
            "." => second,
            fraction => second.replace('Z', &format!("{fraction}Z")),
        }
    }
}

/// Returns the mistake that keeps a text from being an RFC 3339 date-time, where it is a frequent
/// one.
pub(crate) fn mistake(text: &str) -> Option<&'static str> {
    let bracket = text.find('[').unwrap_or(text.len());
    let mut with_colon = text.to_owned();
    if let Some(at) = text
        .len()
        .checked_sub(2)
        .filter(|at| text.is_char_boundary(*at))
    {
        with_colon.insert(at, ':');
    }

    let repaired = [
        (with_colon, "its offset lacks the colon"),
        (
            text.replacen(' ', "T", 1),
            "it lacks `T` between date and time",
        ),
        (
            text.replacen(',', ".", 1),
            "a fraction of a second comes after `.`",
        ),
        (
            text.get(..bracket)?.to_owned(),
            "nothing comes after the offset",
        ),
        (format!("{text}Z"), "it lacks an offset"),
    ];

    repaired
        .into_iter()
        .find(|(text, _)| Timestamp::parse(text).is_some())
        .map(|(_, what)| what)
}

/// Returns the seconds of a length such as `90s`, `15m`, `1h` or `7d`.
pub(crate) fn length(text: &str) -> Option<i64> {
    let unit = match text.as_bytes().last()? {
        b's' => 1,
        b'm' => 60,
        b'h' => 3_600,
        b'd' => DAY,
        _ => return None,
    };

    let number = text.get(..text.len() - 1)?;
    if !number
        .bytes()
        .all(|byte| byte.is_ascii_digit())
    {
        return None;
    }

    let seconds = number
        .parse::<i64>()
        .ok()?
        .checked_mul(unit)?;

    (seconds <= LONGEST).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_time_is_in_utc_or_before_now() {
        let now = Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
        for (text, expected) in [
            ("today", "2026-03-02T00:00:00Z"),
            ("yesterday", "2026-03-01T00:00:00Z"),
            ("2026-03-01", "2026-03-01T00:00:00Z"),
            ("2026-03-01T10:00:00", "2026-03-01T10:00:00Z"),
            ("2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00Z"),
            ("90s", "2026-03-02T11:58:30Z"),
            ("-15m", "2026-03-02T11:45:00Z"),
            ("0h", "2026-03-02T12:00:00Z"),
            ("7d", "2026-02-23T12:00:00Z"),
        ] {
            let given = Timestamp::given(text, &now);
            assert_eq!(given, Timestamp::parse(expected), "{text}");
        }
        for text in [
            "",
            "-",
            "d",
            "+1d",
            "--1d",
            "1.5h",
            "1w",
            "1 d",
            "d1",
            "-today",
            "Today",
            "36526d",
            "9999999999999999999d",
            "2026-03",
            "2026-02-30",
            "１d",
            "10:00",
        ] {
            assert_eq!(Timestamp::given(text, &now), None, "{text}");
        }
    }

    #[test]
    fn instant_is_shown_in_utc_with_all_digits() {
        for (text, shown) in [
            ("2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00Z"),
            ("2026-03-01T10:00:00.50Z", "2026-03-01T10:00:00.5Z"),
            ("2016-12-31T23:59:60.5Z", "2016-12-31T23:59:60.5Z"),
        ] {
            assert_eq!(Timestamp::parse(text).unwrap().utc(), shown);
        }
    }
}
