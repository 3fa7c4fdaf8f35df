//! A literal of Python, as `str(dict)` writes one -> its JSON value.

use serde_json::{Map, Value};

/// The containers in each other that are followed.
const MAX_DEPTH: usize = 64;

/// Returns the value of a literal; `None` if the text is none.
pub(super) fn read(text: &str) -> Option<Value> {
    let mut rest = text.trim();
    let value = value(&mut rest, 0)?;
    rest.trim().is_empty().then_some(value)
}

fn value(rest: &mut &str, depth: usize) -> Option<Value> {
    *rest = rest.trim_start();
    if depth > MAX_DEPTH {
        return None;
    }

    for (word, value) in [
        ("True", Value::Bool(true)),
        ("False", Value::Bool(false)),
        ("None", Value::Null),
    ] {
        if take(rest, word) {
            return Some(value);
        }
    }

    match rest.chars().next()? {
        '\'' | '"' => string(rest).map(Value::String),
        '{' => object(rest, depth),
        '[' => list(rest, '[', ']', depth),
        '(' => list(rest, '(', ')', depth),
        _ => number(rest),
    }
}

fn take(rest: &mut &str, mark: &str) -> bool {
    let after = rest.trim_start().strip_prefix(mark);
    *rest = after.unwrap_or(rest);
    after.is_some()
}

fn object(rest: &mut &str, depth: usize) -> Option<Value> {
    let mut members = Map::new();
    take(rest, "{");
    while !take(rest, "}") {
        *rest = rest.trim_start();
        let name = string(rest)?;
        if !take(rest, ":") {
            return None;
        }

        members.insert(name, value(rest, depth + 1)?);
        if !take(rest, ",") && !rest.trim_start().starts_with('}') {
            return None;
        }
    }

    Some(Value::Object(members))
}

fn list(rest: &mut &str, start: char, end: char, depth: usize) -> Option<Value> {
    let mut items = Vec::new();
    take(rest, start.encode_utf8(&mut [0; 4]));
    let end = end.to_string();
    while !take(rest, &end) {
        items.push(value(rest, depth + 1)?);
        if !take(rest, ",") && !rest.trim_start().starts_with(&end) {
            return None;
        }
    }

    Some(Value::Array(items))
}

fn number(rest: &mut &str) -> Option<Value> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let end = rest
        .find(|c| !is_part(c))
        .unwrap_or(rest.len());
    let (word, after) = rest.split_at_checked(end)?;
    *rest = after;

    serde_json::from_str(word).ok()
}

fn string(rest: &mut &str) -> Option<String> {
    let mut chars = rest.char_indices();
    let (_, quote) = chars
        .next()
        .filter(|(_, c)| *c == '\'' || *c == '"')?;
    let mut text = String::new();

    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                let (_, escaped) = chars.next()?;
                match escaped {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'x' | 'u' | 'U' => {
                        let digits = match escaped {
                            'x' => 2,
                            'u' => 4,
                            _ => 8,
                        };

                        let code: Option<String> = (0..digits)
                            .map(|_| chars.next().map(|(_, digit)| digit))
                            .collect();
                        let code = u32::from_str_radix(&code?, 16).ok()?;
                        text.push(char::from_u32(code)?);
                    }
                    other => text.push(other),
                }
            }
            c if c == quote => {
                *rest = rest.get(at + 1..)?;
                return Some(text);
            }
            c => text.push(c),
        }
    }

    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn dictionaries_of_python_are_read() {
        for (text, wanted) in [
            (
                "{'deep': True, 'limit': None}",
                Some(json!({"deep": true, "limit": null})),
            ),
            (
                r#"{'a': "it's", 'b': [1, -2.5, ('x',)]}"#,
                Some(json!({"a": "it's", "b": [1, -2.5, ["x"]]})),
            ),
            (r"{'a': '\'\n\xe9'}", Some(json!({"a": "'\n\u{e9}"}))),
            ("{'a': x}", None),
            ("{'a': 1", None),
            ("plain text", None),
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
    }
}
