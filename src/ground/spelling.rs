//! Two words -> whether one is probably a misspelling of the other.

/// A name and the set of its letters. Two sets show at once that most pairs of names are not near.
#[derive(Clone, Copy)]
pub(crate) struct Word<'w> {
    pub(crate) name: &'w str,
    /// A bit for each letter, in whatever case.
    letters: u32,
}

impl<'w> Word<'w> {
    pub(crate) const fn new(name: &'w str) -> Self {
        let (mut letters, mut bytes) = (0, name.as_bytes());
        while let [byte, rest @ ..] = bytes {
            if byte.is_ascii_alphabetic() {
                letters |= 1 << (*byte & 31);
            }
            bytes = rest;
        }

        Self { name, letters }
    }

    /// Returns `true` if two names differ by one edit (a character inserted, deleted, replaced, or
    /// swapped with its neighbour), or only by case, `-` and `_`.
    #[inline]
    pub(crate) fn is_near(self, known: Word<'_>) -> bool {
        // An edit takes one letter away and adds one, at most. Most machines that this is compiled
        // for have no instruction that counts bits.
        let apart = self.letters ^ known.letters;
        let but_one = apart & apart.wrapping_sub(1);
        but_one & but_one.wrapping_sub(1) == 0
            && (is_one_edit(self.name, known.name) || differs_in_style(self.name, known.name))
    }
}

/// Returns `true` if two names are near each other, see [`Word::is_near`].
pub(crate) fn is_near(name: &str, known: &str) -> bool {
    Word::new(name).is_near(Word::new(known))
}

/// Returns `true` if two names differ, and only by case, `-` and `_`.
pub(crate) fn differs_in_style(name: &str, known: &str) -> bool {
    letters(name).eq(letters(known)) && name != known
}

/// Returns the letters and digits of a name in lower case, without the separators of naming styles.
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

/// The length of the longest word that others are compared with, in bytes.
const MAX_COMPARED: usize = 128;

/// The number of edits between similar words, at most.
const MAX_EDITS: usize = 3;

/// Returns the known word that is most similar to another, if any is similar.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if word.len() > MAX_COMPARED {
        return None;
    }

    let distance = |it: &str| {
        if differs_in_style(word, it) {
            return Some(0);
        }
        may_be_similar(word, it).then(|| strsim::osa_distance(word, it))
    };

    let known = known.into_iter();
    let (distance, nearest) = known
        .filter_map(|it| Some((distance(it)?, it)))
        .min()?;
    // Words of a few letters are soon others altogether.
    let longer = word.len().max(nearest.len());
    let is_similar = distance <= MAX_EDITS && distance < nearest.len() && 2 * distance <= longer;

    is_similar.then_some(nearest)
}

/// Returns the question whether the known word that is most similar to another was meant.
pub(crate) fn did_you_mean<'k>(
    word: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<String> {
    nearest(word, known).map(|meant| format!("did you mean `{meant}`?"))
}

/// Returns `true` if few edits may lie between two words: one adds a character at most, and makes
/// two sets of letters differ by two at most. To compute their number takes the product of their
/// lengths.
fn may_be_similar(word: &str, known: &str) -> bool {
    let apart = Word::new(word).letters ^ Word::new(known).letters;
    let longer = word
        .chars()
        .count()
        .abs_diff(known.chars().count());

    longer <= MAX_EDITS && apart.count_ones() as usize <= 2 * MAX_EDITS
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 4] = ["status", "plan", "step_id", "links"];

    /// Returns the texts that one edit, or another style, makes of a word.
    fn typos(word: &str) -> Vec<String> {
        let chars: Vec<char> = word.chars().collect();
        let mut typos = vec![
            word.to_uppercase(),
            word.replace('_', "-"),
            word.split('_').collect(),
            chars
                .iter()
                .flat_map(|c| [*c, '_'])
                .collect(),
            format!("__{word}--"),
        ];
        for at in 0..=chars.len() {
            for c in ['x', 'é', '_', 'S', '\u{212A}'] {
                let mut longer = chars.clone();
                longer.insert(at, c);
                typos.push(longer.iter().collect());
                if at < chars.len() {
                    let mut other = chars.clone();
                    other[at] = c;
                    typos.push(other.iter().collect());
                }
            }
            if at < chars.len() {
                let mut shorter = chars.clone();
                shorter.remove(at);
                typos.push(shorter.iter().collect());
            }
            if at + 1 < chars.len() {
                let mut swapped = chars.clone();
                swapped.swap(at, at + 1);
                typos.push(swapped.iter().collect());
            }
        }
        typos.retain(|typo| typo != word);
        typos
    }

    #[test]
    fn typo_is_near_its_word() {
        for word in WORDS {
            for typo in typos(word) {
                assert!(is_near(&typo, word), "{typo}");
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
            .flat_map(|word| typos(word))
            .flat_map(|typo| {
                typos(&typo)
                    .into_iter()
                    .step_by(7)
                    .chain([typo])
            })
            .collect();
        for name in &names {
            for word in WORDS {
                let expected = strsim::osa_distance(name, word) == 1;
                assert_eq!(is_one_edit(name, word), expected, "{name}, {word}");
                let is_near_as_defined = expected || differs_in_style(name, word);
                assert_eq!(is_near(name, word), is_near_as_defined, "{name}, {word}");
            }
        }
    }

    #[test]
    fn word_in_another_style_is_the_nearest() {
        let words = ["refunds", "re_fund", "refund-all"];
        assert_eq!(nearest("REFUND_ALL", words), Some("refund-all"));
        assert_eq!(nearest("Refund", words), Some("re_fund"));
        assert_eq!(nearest("PAYMENT", words), None);
    }

    #[test]
    fn distances_are_computed_only_of_words_that_may_be_similar() {
        let long = "abcdefgh".repeat(16);
        for (word, known) in [
            (&*long, "abcdefghabcdefghabcdefgh"),
            ("abcd", "abcdefgh"),
            ("ééé", "ééééééé"),
            ("abcdefgh", "mnopqrst"),
        ] {
            assert!(!may_be_similar(word, known), "{word}");
        }
        // Words that up to three typos make.
        let names: Vec<String> = WORDS
            .iter()
            .flat_map(|word| typos(word))
            .flat_map(|typo| typos(&typo).into_iter().step_by(5))
            .flat_map(|typo| {
                typos(&typo)
                    .into_iter()
                    .step_by(11)
                    .chain([typo])
            })
            .collect();
        for (name, word) in names
            .iter()
            .flat_map(|name| WORDS.map(|word| (name, word)))
        {
            let is_similar = strsim::osa_distance(name, word) <= MAX_EDITS;
            assert!(!is_similar || may_be_similar(name, word), "{name}, {word}");
        }
    }
}
