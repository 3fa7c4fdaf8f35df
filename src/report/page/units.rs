//! Numbers -> short texts for a page.

use crate::ground::printable::rounded;

/// Returns a number of things with separators: `12,345`.
pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }

    text
}

/// Returns a number of a record as numbers are written here: a whole one with separators.
pub(super) fn grouped(value: &str) -> String {
    value
        .parse::<u64>()
        .map_or_else(|_| value.to_owned(), thousands)
}

/// Returns a duration: `15 ms`, `1.25 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
pub(super) fn duration(seconds: f64) -> String {
    let size = seconds.abs();
    let sign = if seconds < 0.0 { "−" } else { "" };
    let pair = |unit: f64, name: &str, part: f64, part_name: &str| {
        let (whole, rest) = ((size / unit).floor(), (size % unit / part).floor());
        format!("{sign}{whole} {name} {rest} {part_name}")
    };

    match size {
        0.0 => "0 s".into(),
        s if s < 1.0 => format!("{sign}{} ms", significant(s * 1e3)),
        s if s < 120.0 => format!("{sign}{} s", significant(s)),
        s if s < 7_200.0 => pair(60.0, "min", 1.0, "s"),
        s if s < 172_800.0 => pair(3_600.0, "h", 60.0, "min"),
        s if s < 3.15e9 => pair(86_400.0, "d", 3_600.0, "h"),
        _ => format!("{sign}>100 y"),
    }
}

/// Returns the time of an event since the first one.
pub(super) fn offset(seconds: f64) -> String {
    let plus = if seconds < 0.0 { "" } else { "+" };
    format!("{plus}{}", duration(seconds))
}

/// Returns a number with at most three significant digits.
pub(super) fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.0995 => 2,
        _ => 3,
    };

    rounded(value, decimals)
}

/// Returns a share in per cent: `0 %` stands only for none, and `100 %` only for all.
pub(super) fn share(part: u64, of: u64) -> String {
    if of == 0 {
        return "–".into();
    }

    let per_cent = precise(part) / precise(of) * 100.0;
    match (part, part == of) {
        (0, _) => "0 %".into(),
        (_, true) => "100 %".into(),
        _ if per_cent < 0.1 => "<0.1 %".into(),
        _ if per_cent > 99.9 => ">99.9 %".into(),
        _ => format!("{per_cent:.1} %"),
    }
}

/// Returns a count as a number to draw with.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(super) fn precise(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(999), "999");
        let texts = [0.0, 0.0155, 1.0, 1.25, 61.04, 125.0, 7_260.0, 200_000.0].map(duration);
        let expected = [
            "0 s",
            "15.5 ms",
            "1 s",
            "1.25 s",
            "61 s",
            "2 min 5 s",
            "2 h 1 min",
            "2 d 7 h",
        ];
        assert_eq!(texts, expected);
        assert_eq!(offset(-0.5), "−500 ms");
        assert_eq!(
            [share(0, 5), share(5, 5), share(1, 3)],
            ["0 %", "100 %", "33.3 %"]
        );
        assert_eq!(share(99_999, 100_000), ">99.9 %");
    }
}
