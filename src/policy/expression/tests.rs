//! Expressions -> their values, or the reasons why they have none.

use super::{Budget, Expression, Stop, Value};
use crate::ground::document::{Tape, work};

const RECORD: &str = r#"{
    "payload": {"tool": "refund", "amount": 900, "half": 2.50, "whole": 5.0e2, "big": 18446744073709551615,
        "huge": 1e400, "none": null, "empty": "", "name": "Zo\u00eb", "is-odd": true,
        "items": [1, 2.0, 3], "mixed": [1, "a", 1e400], "turned": [1e400, "a", 1], "nested": {"a": [1, {"b": 2}]}},
    "timestamp": "2026-03-01T12:30:15.123456789Z"
}"#;

/// Returns the value of an expression in which `event` is the record, as a text; why there is none.
fn outcome(text: &str) -> Result<String, String> {
    outcome_within(text, 100_000)
}

fn outcome_within(text: &str, steps: u64) -> Result<String, String> {
    outcome_of(RECORD, text, steps)
}

fn outcome_of(record: &str, text: &str, steps: u64) -> Result<String, String> {
    let expression = Expression::parse(text, &["event", "state"]).map_err(|it| {
        let help = it
            .help
            .map(|help| format!(" ({help})"))
            .unwrap_or_default();
        format!("{}..{}: {}{help}", it.span.start, it.span.end, it.message)
    })?;
    let mut tape = Tape::default();
    let document = tape.read(record.as_bytes()).unwrap();
    let bound = [
        Value::of(document.root(), &mut Budget::new(0))
            .ok()
            .unwrap(),
        Value::Null,
    ];
    let value = expression.evaluate(&bound, &[], &mut Budget::new(steps));
    value
        .map(|value| shown(&value))
        .map_err(|stop| match stop {
            Stop::Failed(failure) => expression.describe(&failure),
            Stop::Spent => "spent".to_owned(),
        })
}

fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => format!("{value}u"),
        Value::Double(value) => format!("{value:?}"),
        Value::Text(text) => format!("{text:?}"),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Node(node) => node.raw().to_owned(),
        other => format!("{other:?}"),
    }
}

#[track_caller]
fn all_are(wanted: &str, expressions: &[&str]) {
    for text in expressions {
        assert_eq!(outcome(text).as_deref(), Ok(wanted), "{text}");
    }
}

#[track_caller]
fn fails(text: &str, why: &str) {
    let error = outcome(text).expect_err(text);
    assert_eq!(error, why, "{text}");
}

#[test]
fn numbers_compare_by_their_exact_values() {
    all_are(
        "true",
        &[
            "event.payload.amount == 900.0 && 900u == event.payload.amount",
            "event.payload.whole == 500 && 500 == event.payload.whole",
            "type(event.payload.whole) == int && type(event.payload.half) == double",
            "type(event.payload.big) == uint && event.payload.big > 9223372036854775807",
            "9007199254740993 != 9007199254740992.0 && 9007199254740993 > 9007199254740992.0",
            "event.payload.half == 2.5 && 2.5 > 2 && 2 < 2.5 && -2.5 < -2",
            "event.payload.items == [1.0, 2u, 3] && [1, 2, 3] == event.payload.items",
            "2 in event.payload.items && 2.0 in [1, 2] && !(4 in event.payload.items)",
            "{'a': [1, {'b': 2.0}]} == event.payload.nested",
            "event.payload.nested == {'a': [1, {'b': 2}]}",
            "{1: 'a'}[1u] == 'a' && {1: 'a'}[1.0] == 'a'",
            "18446744073709551615u == 18446744073709551615u && -1 < 0u",
            "0.0 / 0.0 != 0.0 / 0.0 && !(0.0 / 0.0 < 1.0)",
            "1e300 > 9223372036854775807 && -1e300 < 0u",
        ],
    );
    fails(
        "event.payload.huge > 1",
        "the number 1e400 does not fit in 64 bits, at `event.payload.huge`",
    );
    fails(
        "1 + 1.0",
        "`+` is not defined for an int and a double, at `1 + 1.0`",
    );
    fails(
        "9223372036854775807 + 1",
        "the result does not fit in its type, at `9223372036854775807 + 1`",
    );
    fails("1 / (2 - 2)", "the divisor is 0, at `1 / (2 - 2)`");
    fails(
        "1 < 'a'",
        "`<` is not defined for an int and a string, at `1 < 'a'`",
    );
}

#[test]
fn what_is_absent_is_an_error_where_it_is_read() {
    all_are(
        "true",
        &[
            "has(event.payload.none) && !has(event.payload.absent) && has(event.payload.huge)",
            "event.payload.none == null && null != 0",
            "event.payload['is-odd']",
            "'tool' in event.payload && !('absent' in event.payload)",
            "state == null",
            "event.payload.absent == 1 || true",
            "true || event.payload.absent == 1",
            "!(false && event.payload.absent)",
            "!(event.payload.absent && false)",
        ],
    );
    fails(
        "event.payload.absent > 1",
        "there is no `absent` in `event.payload`, at `event.payload.absent`",
    );
    fails(
        "has(event.payload.tool.length)",
        "`event.payload.tool` is a string, not a map, at `has(event.payload.tool.length)`",
    );
    fails(
        "state.goal == ''",
        "`state` is null, not a map, at `state.goal`",
    );
    fails(
        "false || event.payload.absent",
        "there is no `absent` in `event.payload`, at `event.payload.absent`",
    );
    fails(
        "event.payload.items[3]",
        "the list has no item 3, at `event.payload.items[3]`",
    );
    fails("1 ? 2 : 3", "the value is an int, not a bool, at `1`");
    fails(
        "event.payload && true",
        "the value is a map, not a bool, at `event.payload`",
    );
}

#[test]
fn macros_go_through_lists_and_keys() {
    all_are(
        "true",
        &[
            "event.payload.items.all(x, x > 0) && !event.payload.items.all(x, x > 1)",
            "event.payload.items.exists(x, x == 2) && event.payload.items.exists_one(x, x > 2)",
            "event.payload.items.map(x, x * 2.0 > 3.0 ? 'a' : 'b').size() == 3 || true",
            "event.payload.items.filter(x, x > 1) == [2, 3]",
            "event.payload.items.map(x, x > 1, string(x)) == ['2', '3']",
            "event.payload.all(key, key != 'absent') && event.exists(k, k == 'timestamp')",
            "[1, 2].all(x, [3, 4].all(y, y > x))",
            "[0, 1].exists(x, 1 / x == 1)",
            "event.payload.mixed.exists(x, x == 1) && !event.payload.mixed.all(x, x == 'a')",
            "event.payload.turned.exists(x, x == 1) && !event.payload.turned.all(x, x == 'a')",
            "![0, 1].all(x, 1 / x == 2)",
            "[].all(x, x) && ![].exists(x, x)",
            "[1, 2].map(event, event + 1) == [2, 3]",
        ],
    );
    fails("[0, 1].all(x, 1 / x == 1)", "the divisor is 0, at `1 / x`");
    fails("[1].map(x, x.y)", "`x` is an int, not a map, at `x.y`");
    fails(
        "1.all(x, x)",
        "`1` is an int, neither a list nor a map, at `1.all(x, x)`",
    );
    fails(
        "event.payload.mixed.exists(x, x == 2)",
        "the number 1e400 does not fit in 64 bits, at `event.payload.mixed`",
    );
}

#[test]
fn functions_are_those_of_the_standard_library() {
    all_are(
        "true",
        &[
            "size('Zoë') == 3 && event.payload.name.size() == 3 && size(event.payload.items) == 3",
            "size(event.payload.nested) == 1 && size(b'Zoë') == 4 && size({}) == 0",
            "'refund'.startsWith('re') && 'refund'.endsWith('nd') && 'refund'.contains('fun')",
            "'ep_12'.matches('^ep_[0-9]+$') && matches(event.payload.tool, 're.und')",
            "event.payload.tool.matches('r' + 'e')",
            // As in RE2, a character is any, and a class of characters is one of ASCII.
            r"'ë٣ \u00a0\v'.matches(r'^\W\D\s\S\S$') && 'a1_'.matches(r'^[\w-]+\b$')",
            r"!'aë'.matches(r'a\B') && 'ëa'.matches(r'\ba.?$') && 'ë'.matches(r'^\B.$')",
            r"'<a\\<>'.matches(r'^\<a\\<[\<-\>]$')",
            r"!'ë٣'.matches(r'[\w\d]' + '') && 'ë'.matches(r'^[^\w]$' + '')",
            "int('42') == 42 && int(4.9) == 4 && uint(4) == 4u && double(1) / 2.0 == 0.5",
            "string(4.5) == '4.5' && string(true) == 'true' && bool('false') == false",
            "bytes('a') == b'a' && string(b'a') == 'a' && 'a' + 'b' == 'ab' && [1] + [2] == [1, 2]",
            "timestamp(event.timestamp).getFullYear() == 2026",
            "timestamp(event.timestamp).getMonth() == 2 && timestamp(event.timestamp).getDate() == 1",
            "timestamp(event.timestamp).getDayOfWeek() == 0 && timestamp(event.timestamp).getDayOfYear() == 59",
            "timestamp(event.timestamp).getHours('+02:00') == 14 && timestamp(event.timestamp).getMilliseconds() == 123",
            "timestamp('2026-03-01T12:30:15.123456789999Z') == timestamp(event.timestamp)",
            "timestamp('2026-03-01T13:30:15.123456789+01:00') == timestamp(event.timestamp)",
            "timestamp(event.timestamp) + duration('1h') > timestamp(event.timestamp)",
            "timestamp(event.timestamp) - timestamp('2026-03-01T12:30:15Z') == duration('123456789ns')",
            "duration('1h30m').getMinutes() == 90 && duration('-1.5s') < duration('0')",
            "string(duration('1.5s')) == '1.5s' && string(timestamp(0)) == '1970-01-01T00:00:00Z'",
            "int(timestamp('1970-01-01T00:01:00Z')) == 60",
            "timestamp('2026-07-01T10:00:00Z').getHours('Europe/Berlin') == 12",
            "timestamp('2026-12-01T10:00:00Z').getHours('Europe/Berlin') == 11",
            "path('./a/../.github//x/') == '.github/x' && path('/../..') == '/' && path('a/..') == '.'",
            "path('../a/../../b') == '../../b' && path('') == '.' && path('/a/./b/') == '/a/b'",
            "host('HTTP://u:p@EXAMPLE.com.:80/x') == 'example.com' && host('https://127.1/') == '127.0.0.1'",
            "host('https://bücher.example') == 'xn--bcher-kva.example' && host('ws://[::1]:9/') == '::1'",
            "'ÄB'.lowerAscii() == 'Äb'",
            "type(timestamp(0)) == google.protobuf.Timestamp && type(null) == null_type",
            "type(type(1)) == type && dyn(1) == 1 && type(event.payload) == map",
        ],
    );
    fails("int('x')", "\"x\" is not an int, at `int('x')`");
    fails(
        "timestamp('today')",
        "\"today\" is not an instant in RFC 3339, at `timestamp('today')`",
    );
    fails(
        "timestamp(0).getHours('Europe/Pariss')",
        "there is no zone \"Europe/Pariss\": expected `UTC`, an offset such as `+02:00`, or a name \
         such as `Europe/Berlin`, at `timestamp(0).getHours('Europe/Pariss')`",
    );
    fails(
        "host('mailto:a@b.c')",
        "\"mailto:a@b.c\" is no address that has a host, at `host('mailto:a@b.c')`",
    );
    fails("size(1)", "`size` is not defined for an int, at `size(1)`");
    fails(
        "(event.payload.tool + 'x').size(1)",
        "27..31: `size` is not called like this (Call it as `size(x)` or `x.size()`.)",
    );
    fails(
        "event.payload.tool.matches('(' + event.payload.empty)",
        "the pattern \"(\" can't be used, at `event.payload.tool.matches('(' + event.payload.empty)`",
    );
}

#[test]
fn instants_are_those_of_the_years_1_to_9999() {
    all_are(
        "true",
        &[
            "timestamp('9999-12-31T23:59:59Z') > timestamp(event.timestamp)",
            "timestamp('9999-12-31T23:59:59.999999999Z').getFullYear() == 9999",
            "timestamp('9999-12-31T23:59:59.999999999Z').getMilliseconds() == 999",
            "timestamp('9999-12-31T23:59:59Z').getFullYear('+02:00') == 10000",
            "timestamp('9999-12-31T23:59:59Z').getDayOfWeek() == 5",
            "timestamp('9999-12-31T23:59:59Z').getDayOfYear('+02:00') == 0",
            "timestamp('0001-01-01T00:00:00Z').getFullYear() == 1",
            "timestamp('0001-01-01T00:00:00Z').getFullYear('-01:00') == 0",
            "timestamp('2024-02-29T12:00:00Z').getDate() == 29",
            "string(timestamp('9999-12-31T23:59:59.5Z')) == '9999-12-31T23:59:59.5Z'",
            "string(timestamp('0001-01-01T00:00:00Z')) == '0001-01-01T00:00:00Z'",
            "timestamp(253402300799) == timestamp('9999-12-31T23:59:59Z')",
        ],
    );
    fails(
        "timestamp('0000-12-31T23:59:59Z')",
        "\"0000-12-31T23:59:59Z\" is not an instant in RFC 3339, at \
         `timestamp('0000-12-31T23:59:59Z')`",
    );
    fails(
        "timestamp('9999-12-31T23:59:59Z') + duration('1s')",
        "the result does not fit in its type, at \
         `timestamp('9999-12-31T23:59:59Z') + duration('1s')`",
    );
}

/// An expression, and the place of its mistake with the message and the help.
const MISTAKES: &[(&str, &str)] = &[
    (
        "evnt.payload",
        "0..4: unknown name `evnt` (did you mean `event`?)",
    ),
    (
        "true || x > 1",
        "8..9: unknown name `x` (It can name `event`, `state`.)",
    ),
    (
        "[1].all(x, x > 1) && x",
        "21..22: unknown name `x` (It can name `event`, `state`.)",
    ),
    (
        "sise(event)",
        "0..4: unknown function `sise` (did you mean `size`?)",
    ),
    (
        "event.payload.strtsWith('a')",
        "14..23: unknown function `strtsWith` (did you mean `startsWith`?)",
    ),
    (
        "event +",
        "7..7: the expression ends where more is expected",
    ),
    ("event event", "6..11: unexpected `event`"),
    ("event.null", "6..10: unexpected `null`"),
    (
        "99999999999999999999",
        "0..20: `99999999999999999999` is out of range",
    ),
    (
        "has(event)",
        "4..9: `has` asks for a member: `has(event.payload)`",
    ),
    (
        "[1].all(x)",
        "4..7: `all` is not called like this (Call it as `LIST.all(ITEM, EXPRESSION)`.)",
    ),
    (
        "[1].map(1, 2)",
        "4..7: `map` is not called like this (Call it as `LIST.map(ITEM, [FILTER, ]EXPRESSION)`.)",
    ),
    (
        "event.?payload",
        "5..6: optional members and items are not supported",
    ),
    (
        "[1, ?event.n]",
        "10..11: optional members and items are not supported",
    ),
    (
        "{1: 2, ?3: 4}",
        "8..9: optional members and items are not supported",
    ),
    ("Event{a: 1}", "5..6: there is no message type `Event`"),
    (
        "'a'.matches(r'[+-\\d]')",
        "12..21: the pattern can't be used: invalid range boundary, must be a literal",
    ),
    (
        r"'a'.matches(r'[a&&b]')",
        "12..21: the pattern can't be used: write `&`, `-` or `~` once in brackets: two in a row are \
         not two characters",
    ),
    (
        r"'a'.matches(r'[[a]b]')",
        r"12..21: the pattern can't be used: write `\[` for `[` in brackets",
    ),
    (
        r"'a'.matches(r'\b{start}')",
        r"12..24: the pattern can't be used: write `\b\{` for `{` after `\b`",
    ),
    (
        "'a'.matches('(')",
        "12..15: the pattern can't be used: unclosed group",
    ),
    ("", "0..0: the expression ends where more is expected"),
];

#[test]
fn mistakes_are_found_when_it_is_read() {
    for (text, mistake) in MISTAKES {
        assert_eq!(outcome(text).expect_err(text), *mistake, "{text}");
    }
}

#[test]
fn what_is_too_large_is_refused_and_never_overflows_the_stack() {
    for (text, why) in [
        ("(".repeat(8_000), "nested too deeply"),
        ("[".repeat(300) + &"]".repeat(300), "levels"),
        ("1".to_owned() + &" + 1".repeat(4_000), "levels"),
        ("a?".repeat(8_000), ""),
        (".a".repeat(8_000), ""),
        ("x.all(x, ".repeat(1_500), ""),
        ("'".repeat(16_000), ""),
        ("é".repeat(8_000), ""),
        (" ".repeat(17_000), "longer than 16 KiB"),
    ] {
        let error = outcome(&text).expect_err("refused");
        assert!(error.contains(why), "{error}");
    }
    let chain = "true".to_owned() + &" && true".repeat(1_500);
    assert_eq!(outcome(&chain).as_deref(), Ok("true"));
}

#[test]
fn evaluation_ends_within_its_budget() {
    assert_eq!(outcome_within("1 + 1", 3).as_deref(), Ok("2"));
    assert_eq!(outcome_within("1 + 1", 2), Err("spent".to_owned()));
    // A failure that another part would excuse is none where the budget is spent.
    assert_eq!(
        outcome_within("1 / 0 == 1 || true", 3),
        Err("spent".to_owned())
    );
    for text in [
        "[1, 2, 3, 4, 5, 6, 7, 8].all(a, [1, 2, 3, 4, 5, 6, 7, 8].all(b, [1, 2, 3, 4, 5, 6, 7, 8].all(c, \
         [1, 2, 3, 4, 5, 6, 7, 8].all(d, [1, 2, 3, 4, 5, 6, 7, 8].all(e, a + b + c + d + e > 0)))))",
        "[1, 2, 3, 4, 5, 6, 7, 8].map(a, [1, 2, 3, 4, 5, 6, 7, 8].map(b, [1, 2, 3, 4, 5, 6, 7, 8].map(c, \
         [1, 2, 3, 4, 5, 6, 7, 8].map(d, [a, b, c, d])))) == []",
    ] {
        assert_eq!(outcome(text), Err("spent".to_owned()), "{text}");
    }
}

/// Returns a record with 200 items, and a member.
fn with_items(member: &str) -> String {
    let items = vec!["1"; 200].join(",");
    format!(r#"{{"items":[{items}],{member}}}"#)
}

#[test]
fn what_is_decoded_or_copied_is_spent() {
    let escaped = format!(r#""\u0061{}""#, "b".repeat(2_000));
    let number = "1".repeat(2_000);
    let name = format!(r#""name":{escaped}"#);
    for (member, text) in [
        (
            format!(r#""name":{number}"#),
            "event.items.all(i, i != event.name || true)",
        ),
        (
            format!(r#""name":1.{number}"#),
            "event.items.all(i, i <= event.name)",
        ),
        (name.clone(), "event.items.all(i, 'a' != event.name)"),
        (name.clone(), "size(event.items.map(i, event.name)) > 0"),
        (
            name.clone(),
            "size([event.name].map(n, event.items.map(i, n))) > 0",
        ),
        (
            name.clone(),
            "size([[event.name]].map(l, event.items.map(i, l[0]))) > 0",
        ),
        (
            name.clone(),
            "[{'a': event.name}].all(m, event.items.all(i, has(m.a)))",
        ),
        (
            name.clone(),
            "[[event.name]].all(l, event.items.all(i, l.all(t, true)))",
        ),
        (
            name,
            "event.items.filter(i, [event.name].filter(t, true) != []) != []",
        ),
        (
            format!(r#""map":{{{escaped}:1}}"#),
            "event.items.all(i, event.map.all(key, true))",
        ),
    ] {
        let outcome = outcome_of(&with_items(&member), text, 100_000);
        assert_eq!(outcome, Err("spent".to_owned()), "{text}");
    }
}

#[test]
fn what_stands_in_the_record_is_not_copied() {
    let escaped = format!(r#""\u0061{}""#, "b".repeat(2_000));
    let plain = "b".repeat(2_000);
    let number = 12_345_678_901_234_567_890_u64;
    // Other members are not decoded.
    for (member, text) in [
        (
            format!(r#""name":"{plain}""#),
            "size(event.items.map(i, event.name)) > 0",
        ),
        (
            format!(r#""other":{escaped},"name":{number}"#),
            "event.items.all(i, i < event.name)",
        ),
        (
            format!(r#"{escaped}:1,"name":2"#),
            "event.items.all(i, i < event.name)",
        ),
    ] {
        let (outcome, done) = work::of(|| outcome_of(&with_items(&member), text, 20_000));
        assert_eq!(outcome.as_deref(), Ok("true"), "{text}");
        assert!(done < 20_000, "{text}: {done}");
    }
}

#[test]
fn patterns_of_data_are_spent_by_what_they_take() {
    let patterns = |pattern: &str| {
        let patterns: Vec<String> = (0..50)
            .map(|at| format!(r#""{pattern}{at}""#))
            .collect();
        format!(r#""patterns":[{}],"name":"abc""#, patterns.join(","))
    };
    let check = "event.patterns.all(p, !event.name.matches(p))";
    let outcome = |pattern: &str, steps| outcome_of(&with_items(&patterns(pattern)), check, steps);
    assert_eq!(outcome("^ep_", 3_000_000).as_deref(), Ok("true"));
    assert_eq!(outcome("[\\\\pL]{5}", 3_000_000), Err("spent".to_owned()));
    let long = outcome(&"a".repeat(20_000), 3_000_000);
    assert!(long.is_err_and(|why| why.contains("can't be used")));
    // A text is held against each state of a pattern, at worst.
    let member = format!(
        r#""pattern":"(?:a?b?){{200}}c","name":"{}""#,
        "ab".repeat(50_000)
    );
    let of_text = outcome_of(
        &with_items(&member),
        "event.name.matches(event.pattern)",
        3_000_000,
    );
    assert_eq!(of_text, Err("spent".to_owned()));
    // One that stays the same is compiled once.
    let same = "event.items.all(i, 'abc'.matches(event.name))";
    let member = r#""name":"^[a-z]+$""#;
    assert_eq!(
        outcome_of(&with_items(member), same, 100_000).as_deref(),
        Ok("true")
    );
}

#[test]
fn values_that_are_made_take_bounded_memory() {
    let items = format!("{{\"l\": [{}0]}}", "0,".repeat(999));
    for (of_item, expected) in [("y", "ok"), ("{'a': y}", "spent"), ("[[[[y]]]]", "spent")] {
        let text = format!("event.l.map(x, event.l.map(y, {of_item})).size() == 1000");
        let outcome = outcome_of(&items, &text, u64::MAX);
        assert_eq!(
            outcome.map_or_else(|why| why, |_| "ok".into()),
            expected,
            "{of_item}"
        );
    }
}
