//! Enums -> the word of each variant, and words -> the variant.

use crate::ground::printable::quote;

/// A word that is not one of the known words.
///
/// ```
/// let error = "fatal".parse::<runvet::finding::Level>().unwrap_err();
/// assert_eq!(error.to_string(), "\"fatal\" is not one of error, ask, warning, off");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{} is not one of {}", quote(.word), .known.join(", "))]
#[non_exhaustive]
pub struct UnknownWord {
    /// The word.
    pub word: String,
    /// The known words.
    pub known: &'static [&'static str],
}

/// An enum whose variants have words.
pub(crate) trait Words: Copy + 'static {
    /// All values, in the order in which they are declared.
    const ALL: &[Self];

    /// Returns the word for it.
    fn word(self) -> &'static str;

    /// Returns the value with this word.
    fn of_word(word: &str) -> Option<Self>;
}

/// Gives an enum its words: `Display` and `Words`; with `pub`, other crates have the list of its
/// values and can parse a word.
macro_rules! words {
    (pub $type:ident { $($(#[$feature:meta])? $variant:ident = $word:literal),+ $(,)? }) => {
        $crate::ground::words::words!($type { $($(#[$feature])? $variant = $word),+ });

        impl $type {
            /// All values, in the order in which they are declared.
            pub const ALL: &[Self] = <Self as $crate::ground::words::Words>::ALL;
        }

        impl std::str::FromStr for $type {
            type Err = $crate::ground::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                $crate::ground::words::Words::of_word(word).ok_or_else(|| $crate::ground::words::UnknownWord {
                    word: word.to_owned(),
                    known: &[$($(#[$feature])? $word),+],
                })
            }
        }
    };
    ($type:ident { $($(#[$feature:meta])? $variant:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// Returns the word for it.
            pub(crate) const fn word(self) -> &'static str {
                match self {
                    $($(#[$feature])? Self::$variant => $word),+
                }
            }
        }

        impl $crate::ground::words::Words for $type {
            const ALL: &[Self] = &[$($(#[$feature])? Self::$variant),+];

            fn word(self) -> &'static str {
                Self::word(self)
            }

            fn of_word(word: &str) -> Option<Self> {
                match word {
                    $($(#[$feature])? $word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::Serialize;

    use super::Words;
    use crate::ground::finding::{Level, Lifecycle, Severity, SkipKind, Suppression};
    use crate::ground::record::{
        AdapterResult, IntuitionMode, RunStatus, RuntimeMode, StepKind, StepStatus, SummaryOutcome,
    };

    fn agree<T: Words + Serialize + PartialEq + Debug>() {
        for value in T::ALL {
            let word = value.word();
            assert_eq!(serde_json::to_value(value).unwrap(), word);
            assert_eq!(T::of_word(word), Some(*value));
        }
    }

    #[test]
    fn words_of_enums_are_their_json() {
        agree::<Level>();
        agree::<Severity>();
        agree::<Lifecycle>();
        agree::<Suppression>();
        agree::<SkipKind>();
        agree::<RunStatus>();
        agree::<StepKind>();
        agree::<StepStatus>();
        agree::<IntuitionMode>();
        agree::<SummaryOutcome>();
        agree::<AdapterResult>();
        agree::<RuntimeMode>();
    }
}
