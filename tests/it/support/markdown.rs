//! The documents of the repository and their fenced blocks.

use std::fs;
use std::ops::Range;
use std::path::Path;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

pub(crate) struct Block<'d> {
    pub(crate) info: &'d str,
    pub(crate) body: Range<usize>,
}

impl Block<'_> {
    pub(crate) fn setting(&self, name: &str) -> Option<&str> {
        self.info
            .split_whitespace()
            .find_map(|word| {
                word.strip_prefix(name)?
                    .strip_prefix('=')
            })
    }
}

/// The fenced blocks of a document.
pub(crate) fn blocks(document: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut open: Option<(&str, &str, usize)> = None;
    let mut offset = 0;
    for line in document.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let ticks = line.len() - line.trim_start_matches('`').len();
        match open {
            None if ticks >= 3 => open = Some((&line[..ticks], line[ticks..].trim(), offset)),
            None => assert!(
                !line.trim_start().starts_with("```"),
                "fences are not indented: {line}"
            ),
            Some((fence, info, body))
                if line.starts_with(fence)
                    && line
                        .trim_matches(['`', '\n'])
                        .is_empty() =>
            {
                blocks.push(Block {
                    info,
                    body: body..start,
                });
                open = None;
            }
            Some(_) => {}
        }
    }
    assert!(open.is_none(), "the last fence is not closed");
    blocks
}

/// The block of a document that has a language and a line, for tests that execute it.
pub(crate) fn shown(document: &str, language: &str, line: &str) -> String {
    let text = read(document);
    let blocks = blocks(&text)
        .into_iter()
        .filter(|block| block.info.split(' ').next() == Some(language));
    let mut with_line = blocks
        .map(|block| &text[block.body])
        .filter(|body| body.lines().any(|l| l.trim() == line));
    let found = with_line
        .next()
        .unwrap_or_else(|| panic!("{document} shows no {line:?}"));
    assert!(
        with_line.next().is_none(),
        "{document} shows {line:?} twice"
    );
    found.to_owned()
}

/// The document without fenced blocks.
pub(crate) fn prose(document: &str) -> String {
    let mut prose = document.to_owned();
    for block in blocks(document).iter().rev() {
        prose.replace_range(block.body.clone(), "");
    }
    prose
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("```"))
        .collect()
}
