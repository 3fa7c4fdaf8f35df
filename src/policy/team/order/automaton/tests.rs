//! Orders over all short sequences of events, beside a search of all pairs.

use std::sync::LazyLock;

use super::*;

const PATTERNS: [OrderPattern; 8] = [
    OrderPattern::Never,
    OrderPattern::AtMost(2),
    OrderPattern::AtMostInARow(2),
    OrderPattern::AtLeast(2),
    OrderPattern::NeedsEarlier,
    OrderPattern::NeedsLater,
    OrderPattern::NoneEarlier,
    OrderPattern::NoneLater,
];

/// Returns the lines that break an order, found by looking at all pairs of events.
#[expect(clippy::too_many_lines, reason = "an arm for each pattern")]
fn expected(
    pattern: OrderPattern,
    grouped: bool,
    within: Option<i128>,
    word: &[OrderEvent],
    ended: bool,
) -> Vec<Option<Line>> {
    let judged_at_end = matches!(pattern, OrderPattern::AtLeast(_) | OrderPattern::NeedsLater);
    let mut lines = Vec::new();
    if judged_at_end && !ended {
        return lines;
    }
    let is_lacking = |event: &OrderEvent| {
        grouped && event.same.is_none() || within.is_some() && event.time.is_none()
    };
    let is_judged = |it: &OrderEvent| it.is_each && it.unknown.is_none() && !is_lacking(it);
    let of_group =
        |a: &OrderEvent, b: &OrderEvent| !grouped || a.same.is_some() && a.same == b.same;
    let is_near = |earlier: &OrderEvent, later: &OrderEvent, is_ban: bool| match (
        within,
        &earlier.time,
        &later.time,
    ) {
        (None, ..) => true,
        (Some(within), Some(a), Some(b)) => b.attoseconds - a.attoseconds <= within,
        _ => is_ban,
    };
    for (at, each) in word
        .iter()
        .enumerate()
        .filter(|(_, event)| event.is_each)
    {
        if is_lacking(each)
            && !(matches!(pattern, OrderPattern::Never) && !grouped && within.is_none())
        {
            lines.push(Some(each.line));
            continue;
        }
        if each.unknown.is_some() {
            lines.push(Some(each.line));
            continue;
        }
        let (before, after) = (&word[..at], &word[at + 1..]);
        let others = |part: &[OrderEvent], is_it: &dyn Fn(&OrderEvent) -> bool| {
            part.iter()
                .any(|it| it.is_other && of_group(each, it) && is_it(it))
        };
        let same_before = before
            .iter()
            .filter(|it| is_judged(it) && of_group(each, it))
            .count() as u64;
        let ends = |it: &&OrderEvent| {
            it.is_other && !(it.is_each && (it.unknown.is_some() || of_group(each, it)))
        };
        let row = before
            .iter()
            .rev()
            .take_while(|it| !ends(it))
            .filter(|it| is_judged(it) && of_group(each, it))
            .count() as u64;
        let is_broken = match pattern {
            OrderPattern::Never => true,
            OrderPattern::AtMost(most) if within.is_none() => same_before == most,
            // A search of whole runs does that.
            OrderPattern::AtMost(_) => continue,
            OrderPattern::AtMostInARow(most) => row == most,
            OrderPattern::AtLeast(_) => false,
            OrderPattern::NeedsEarlier => !others(before, &|it| is_near(it, each, false)),
            OrderPattern::NoneEarlier => others(before, &|it| is_near(it, each, true)),
            OrderPattern::NeedsLater => !others(after, &|it| is_near(each, it, false)),
            OrderPattern::NoneLater => others(after, &|it| is_near(each, it, true)),
        };
        if is_broken {
            lines.push(Some(each.line));
        }
    }
    if let OrderPattern::AtLeast(least) = pattern {
        lines.extend(groups_of_few(least, grouped, word));
    }
    lines.sort();
    lines
}

/// Returns `None` once for each group that has too few events.
fn groups_of_few(least: u64, grouped: bool, word: &[OrderEvent]) -> Vec<Option<Line>> {
    let each = || {
        word.iter()
            .filter(|event| event.is_each && event.unknown.is_none())
    };
    let number = |is_it: &dyn Fn(&OrderEvent) -> bool| {
        each()
            .filter(|event| is_it(event))
            .count() as u64
    };
    if !grouped {
        return vec![None; usize::from(number(&|_| true) < least)];
    }
    let groups: std::collections::BTreeSet<Digest> = each()
        .filter_map(|it| it.same)
        .collect();
    let few = groups
        .iter()
        .filter(|group| number(&|it| it.same == Some(**group)) < least);
    few.map(|_| None).collect()
}

fn demand(pattern: OrderPattern, is_grouped: bool, within: Option<i128>) -> Demand {
    Demand {
        pattern,
        is_grouped,
        within,
        has_since: false,
        has_until: false,
        is_paired: false,
    }
}

fn found(
    pattern: OrderPattern,
    grouped: bool,
    within: Option<i128>,
    word: &[OrderEvent],
    ended: bool,
) -> Vec<Option<Line>> {
    let mut automaton = Automaton::new(demand(pattern, grouped, within));
    let mut offences = Vec::new();
    for event in word {
        offences.extend(automaton.offences(event));
        automaton.note(event).unwrap();
    }
    if !ended && matches!(pattern, OrderPattern::AtLeast(_) | OrderPattern::NeedsLater) {
        offences.clear();
    }
    if ended {
        offences.extend(automaton.end());
    }
    let mut lines: Vec<_> = offences
        .iter()
        .map(|offence| offence.line)
        .collect();
    lines.sort();
    lines
}

/// Returns all words of some length over some symbols.
fn words(symbols: usize, length: u32) -> impl Iterator<Item = Vec<usize>> {
    (0..symbols.pow(length)).map(move |mut number| {
        (0..length)
            .map(|_| {
                let symbol = number % symbols;
                number /= symbols;
                symbol
            })
            .collect()
    })
}

static INSTANTS: LazyLock<[Instant; 2]> =
    LazyLock::new(|| [0, 5].map(|attoseconds| instant(attoseconds, "")));

fn instant(attoseconds: i128, rest: &str) -> Instant {
    Instant {
        attoseconds,
        rest: rest.into(),
    }
}

fn event(
    line: usize,
    symbol: usize,
    same: Option<u8>,
    time: Option<&'static Instant>,
) -> OrderEvent {
    OrderEvent {
        line: Line {
            number: line as u64 + 1,
            ..Line::BEFORE_ALL
        },
        is_each: symbol != 1,
        is_other: symbol != 0,
        is_since: false,
        is_until: false,
        same: same.map(|value| Digest::of([&[value][..]])),
        same_of_others: same.map(|value| Digest::of([&[value][..]])),
        pair: None,
        pair_of_others: None,
        time: time.cloned(),
        unknown: None,
        finds_each: false,
    }
}

/// Compares what is found with what all pairs show, in a run that has ended and in one that
/// has not.
fn compare(pattern: OrderPattern, grouped: bool, within: Option<i128>, word: &[OrderEvent]) {
    for ended in [true, false] {
        assert_eq!(
            found(pattern, grouped, within, word, ended),
            expected(pattern, grouped, within, word, ended),
            "{pattern:?} {within:?} {word:?}"
        );
    }
}

/// Returns all events of all words up to a length; what a symbol stands for is its remainder by 3,
/// and what `at` makes of the rest.
fn timelines(
    symbols: usize,
    longest: u32,
    at: impl Fn(usize) -> (Option<u8>, Option<&'static Instant>),
) -> impl Iterator<Item = Vec<OrderEvent>> {
    let words = (0..=longest).flat_map(move |length| words(symbols, length));
    words.map(move |word| {
        let events = word
            .iter()
            .enumerate()
            .map(|(line, symbol)| {
                let (same, time) = at(symbol / 3);
                event(line, symbol % 3, same, time)
            });
        events.collect()
    })
}

#[test]
fn orders_are_those_of_all_pairs() {
    for word in timelines(3, 8, |_| (None, None)) {
        for pattern in PATTERNS {
            compare(pattern, false, None, &word);
        }
    }
}

#[test]
fn grouped_orders_are_those_of_all_pairs() {
    for word in timelines(9, 4, |rest| ([None, Some(1), Some(2)][rest], None)) {
        for pattern in &PATTERNS[1..] {
            compare(*pattern, true, None, &word);
        }
    }
}

#[test]
fn orders_within_a_time_are_those_of_all_pairs() {
    let time = |rest: usize| Some(&INSTANTS[rest.checked_sub(1)?]);
    for word in timelines(9, 4, |rest| (None, time(rest))) {
        for pattern in &PATTERNS[4..] {
            for within in [1, 5] {
                compare(*pattern, false, Some(within), &word);
            }
        }
    }
}

#[test]
fn events_that_may_be_meant_are_offences_and_do_not_count() {
    for mut word in timelines(12, 4, |rest| {
        ([None, Some(1), Some(2), Some(1)][rest], None)
    }) {
        let odd = word
            .iter_mut()
            .filter(|it| it.is_each && it.line.number % 2 == 0);
        odd.for_each(|it| {
            let (at, why) = (None, "why".to_owned());
            it.unknown = Some(Box::new(Unjudged { at, why }));
        });
        for (pattern, grouped) in PATTERNS
            .iter()
            .flat_map(|it| [(it, true), (it, false)])
        {
            compare(*pattern, grouped, None, &word);
        }
    }
}

#[test]
fn events_with_long_instants_take_the_room_of_many() {
    static LONG: LazyLock<Instant> =
        LazyLock::new(|| instant(0, &"1".repeat(1_000 * DIGITS_OF_AN_ENTRY)));
    let mut automaton = Automaton::new(demand(OrderPattern::NeedsLater, false, Some(1)));
    let mut waits = |line, kind| {
        let seen = event(line, kind, None, Some(&LONG));
        automaton.note(&seen).is_ok()
    };
    let most = MAX_ENTRIES / 1_001;
    assert!((0..most).all(|line| waits(line, 0)) && !waits(most, 0));
    // What they waited for gives back their room, but for that of itself and of the newest.
    assert!(waits(most, 1));
    assert!((most + 1..2 * most - 2).all(|line| waits(line, 0)));
}
