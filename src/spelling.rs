//! Two words -> whether one is probably a slip of the other.

/// Whether two names differ by one edit (a character inserted, deleted, replaced, or swapped with
/// its neighbour), or only by case, `-` and `_`.
pub(crate) fn is_near(name: &str, known: &str) -> bool {
    is_one_edit(name, known) || differs_in_style(name, known)
}

/// Whether two names differ, and only by case, `-` and `_`.
pub(crate) fn differs_in_style(name: &str, known: &str) -> bool {
    let is_same = if name.is_ascii() && known.is_ascii() {
        ascii_letters(name).eq(ascii_letters(known))
    } else {
        letters(name).eq(letters(known))
    };
    is_same && name != known
}

/// The same as [`letters`], for most names.
fn ascii_letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes()
        .filter(|byte| !is_separator(*byte))
        .map(|byte| byte.to_ascii_lowercase())
}

/// The letters and digits of a name in lower case, without the separators of naming styles.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .flat_map(char::to_lowercase)
}

fn is_one_edit(name: &str, known: &str) -> bool {
    let (mut name, mut known) = (name.chars(), known.chars());
    loop {
        let (rest, known_rest) = (name.as_str(), known.as_str());
        match (name.next(), known.next()) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => {
                let (after, known_after) = (name.as_str(), known.as_str());
                let is_swap = name.next() == Some(b)
                    && known.next() == Some(a)
                    && name.as_str() == known.as_str();
                return is_swap
                    || after == known_after
                    || after == known_rest
                    || rest == known_after;
            }
            (Some(_), None) => return name.as_str().is_empty(),
            (None, Some(_)) => return known.as_str().is_empty(),
            (None, None) => return false,
        }
    }
}

/// Words of which slips are looked for. The ends of most other words differ from those of all of
/// these.
pub(crate) struct Lexicon<const N: usize> {
    pub(crate) words: [&'static str; N],
    /// A bit for each beginning of a word, and for each end: two letters.
    heads: u64,
    tails: u64,
    /// The length in bytes up to which any word may be near one of these: a swap in the middle of
    /// four letters changes both ends.
    short: usize,
}

impl<const N: usize> Lexicon<N> {
    pub(crate) const fn new(words: [&'static str; N]) -> Self {
        let (mut heads, mut tails, mut short) = (0, 0, 0);
        let mut left = words.as_slice();
        while let [word, others @ ..] = left {
            if let Some((head, tail)) = ends(word.as_bytes()) {
                heads |= bit(head);
                tails |= bit(tail);
            }
            if word.len() <= 4 {
                short = 5;
            }
            left = others;
        }
        Self {
            words,
            heads,
            tails,
            short,
        }
    }

    /// Whether a word may be near one of these: one edit leaves one end as it is, and another style
    /// changes no end but by case and separators.
    #[inline]
    pub(crate) const fn may_hold_near(&self, word: &[u8]) -> bool {
        let Some((head, tail)) = ends(word) else {
            return true;
        };
        word.len() <= self.short
            || self.heads & bit(head) != 0
            || self.tails & bit(tail) != 0
            || is_separator(head.0)
            || is_separator(head.1)
            || is_separator(tail.0)
            || is_separator(tail.1)
    }
}

type Pair = (u8, u8);

/// The first two bytes and the last two; `None` where there are fewer.
const fn ends(word: &[u8]) -> Option<(Pair, Pair)> {
    match word {
        [first, second, .., third, fourth] => Some(((*first, *second), (*third, *fourth))),
        _ => None,
    }
}

/// One of 64 bits for two letters, in either case.
const fn bit((first, second): Pair) -> u64 {
    1 << (((first | 0x20) as u64 * 5 + (second | 0x20) as u64) & 63)
}

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 4] = ["status", "plan", "step_id", "links"];

    /// Texts that one edit makes of a word, or another style.
    fn slips(word: &str) -> Vec<String> {
        let chars: Vec<char> = word.chars().collect();
        let mut slips = vec![
            word.to_uppercase(),
            word.replace('_', "-"),
            word.split('_').collect(),
            chars.iter().flat_map(|c| [*c, '_']).collect(),
            format!("__{word}--"),
        ];
        for at in 0..=chars.len() {
            for c in ['x', 'é', '_', 'S'] {
                let mut longer = chars.clone();
                longer.insert(at, c);
                slips.push(longer.iter().collect());
                if at < chars.len() {
                    let mut other = chars.clone();
                    other[at] = c;
                    slips.push(other.iter().collect());
                }
            }
            if at < chars.len() {
                let mut shorter = chars.clone();
                shorter.remove(at);
                slips.push(shorter.iter().collect());
            }
            if at + 1 < chars.len() {
                let mut swapped = chars.clone();
                swapped.swap(at, at + 1);
                slips.push(swapped.iter().collect());
            }
        }
        slips.retain(|slip| slip != word);
        slips
    }

    #[test]
    fn slip_is_near_its_word() {
        for word in WORDS {
            let lexicon = Lexicon::new([word]);
            for slip in slips(word) {
                assert!(is_near(&slip, word), "{slip}");
                assert!(lexicon.may_hold_near(slip.as_bytes()), "{slip}");
            }
            assert!(!is_near(word, word));
        }
        assert!(is_near("startedAt", "started_at"));
        assert!(differs_in_style("Act", "act") && !differs_in_style("acts", "act"));
    }

    #[test]
    fn nearness_agrees_with_the_edit_distance() {
        let names: Vec<String> = WORDS
            .iter()
            .flat_map(|word| slips(word))
            .flat_map(|slip| slips(&slip).into_iter().step_by(7).chain([slip]))
            .collect();
        for name in &names {
            for word in WORDS {
                let expected = strsim::osa_distance(name, word) == 1;
                assert_eq!(is_one_edit(name, word), expected, "{name}, {word}");
            }
        }
    }

    #[test]
    fn most_words_are_told_from_a_lexicon_by_their_ends() {
        let lexicon = Lexicon::new(WORDS);
        let words = "latency_ms temperature trace_id request parent attempt message category \
                     duration confidence proposals template severity hypothesis";
        let words: Vec<&str> = words.split_whitespace().collect();
        let may_be = |word: &&&str| lexicon.may_hold_near(word.as_bytes());
        assert!(words.iter().filter(may_be).count() <= words.len() / 4);
    }
}
