//! Enums -> the word of each variant, and words -> the variant.

use crate::printable::quote;

/// A word that is not one of the known words.
///
/// ```
/// let error = "fatal".parse::<runvet::finding::Severity>().unwrap_err();
/// assert_eq!(error.to_string(), "\"fatal\" is not one of error, warning");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is not one of {}", quote(.word), .known.join(", "))]
#[non_exhaustive]
pub struct UnknownWord {
    /// The word.
    pub word: String,
    /// The known words.
    pub known: &'static [&'static str],
}

/// Gives an enum its words: `ALL`, `word`, `Display` and `FromStr`.
macro_rules! words {
    ($type:ident { $($(#[$feature:meta])? $variant:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// All values, in the order in which they are declared.
            pub const ALL: &[Self] = &[$($(#[$feature])? Self::$variant),+];

            /// The word for it.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $($(#[$feature])? Self::$variant => $word),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($(#[$feature])? $word => Ok(Self::$variant),)+
                    _ => Err($crate::words::UnknownWord {
                        word: word.to_owned(),
                        known: &[$($(#[$feature])? $word),+],
                    }),
                }
            }
        }
    };
}

pub(crate) use words;
