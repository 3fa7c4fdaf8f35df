//! The message of a team's rule, and the values that it names -> the sentence of a finding.

use serde_json::Value;
use toml::Spanned;

use super::reader::FileReader;
use crate::ground::printable::{brief, quote};
use crate::ground::spelling::nearest;
use crate::ground::words::{Words as _, words};

/// A message with places for values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::policy) struct MessageTemplate(Vec<MessagePart>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum MessagePart {
    Text(String),
    Value(MessageWord),
}

/// A word that a message can name besides parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy) enum MessageWord {
    /// The value at the place of the finding.
    Value,
    /// The value by which events are grouped.
    Same,
    /// The number of events.
    Count,
    /// The number that is allowed or demanded.
    Limit,
}

words!(MessageWord {
    Value = "value",
    Same = "same",
    Count = "count",
    Limit = "limit",
});

impl MessageTemplate {
    /// Reads a text in which `{name}` stands for a value: one of the words, or what `param` gives
    /// for a name such as `params.limit`.
    ///
    /// # Errors
    ///
    /// The name that is neither.
    pub(in crate::policy) fn parse(
        text: &str,
        param: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, &str> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                break;
            };
            parts.push(MessagePart::Text(before.to_owned()));

            let value = || param(name.strip_prefix("params.")?);
            parts.push(match MessageWord::of_word(name) {
                Some(word) => MessagePart::Value(word),
                None => MessagePart::Text(value().ok_or(name)?),
            });
            rest = after;
        }

        parts.push(MessagePart::Text(rest.to_owned()));
        Ok(Self(parts))
    }

    /// Returns `true` if it names a value.
    pub(in crate::policy) fn names(&self, word: MessageWord) -> bool {
        self.0
            .contains(&MessagePart::Value(word))
    }

    /// Returns the sentence, with what stands for each word.
    pub(in crate::policy) fn with(&self, value: impl Fn(MessageWord) -> Option<String>) -> String {
        self.0
            .iter()
            .map(|part| match part {
                MessagePart::Text(text) => text.clone(),
                MessagePart::Value(word) => value(*word).unwrap_or_else(|| "nothing".to_owned()),
            })
            .collect()
    }
}

impl FileReader<'_> {
    /// Returns what a message says of any finding: with the values of parameters, and names such as
    /// VALUE where that of a finding stands.
    pub(super) fn without_values(&self, text: &str) -> String {
        MessageTemplate::parse(text, |name| self.param(name)).map_or_else(
            |_| text.to_owned(),
            |message| message.with(|word| Some(word.word().to_uppercase())),
        )
    }

    /// Returns the value of a parameter, as messages show it.
    pub(super) fn param(&self, name: &str) -> Option<String> {
        self.params
            .get(name)
            .map(|value| match value {
                Value::String(text) => brief(text),
                other => brief(&other.to_string()),
            })
    }

    /// Returns the message of a rule.
    pub(super) fn message(
        &mut self,
        text: &Spanned<String>,
        words: &[MessageWord],
    ) -> Option<MessageTemplate> {
        match MessageTemplate::parse(text.get_ref(), |name| self.param(name)) {
            Ok(message) => {
                let mut all = MessageWord::ALL.iter();
                if let Some(word) = all.find(|word| message.names(**word) && !words.contains(word))
                {
                    let message = format!("`{{{word}}}` is not available in this message");
                    self.mistake(text.span(), message, None);
                }
                Some(message)
            }
            Err(name) => {
                let message = format!("the message has the unknown placeholder {}", quote(name));
                let names: Vec<String> = words
                    .iter()
                    .map(|word| format!("`{{{word}}}`"))
                    .collect();
                let known: Vec<String> = self
                    .params
                    .keys()
                    .map(|name| format!("params.{name}"))
                    .chain(words.iter().map(ToString::to_string))
                    .collect();
                let help = match nearest(name, known.iter().map(String::as_str)) {
                    Some(meant) => format!("did you mean `{{{meant}}}`?"),
                    None => format!("It can name {} and `{{params.NAME}}`.", names.join(", ")),
                };

                self.mistake(text.span(), message, Some(help));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_parameters_are_filled_in() {
        let param = |name: &str| (name == "most").then(|| "20".to_owned());
        let message = MessageTemplate::parse("{count} of {params.most}: {same} {", param).unwrap();
        let value = |word| (word == MessageWord::Count).then(|| "21".to_owned());
        assert_eq!(message.with(value), "21 of 20: nothing {");
        assert!(message.names(MessageWord::Same) && !message.names(MessageWord::Value));
        assert_eq!(MessageTemplate::parse("{params.x}", param), Err("params.x"));
    }
}
