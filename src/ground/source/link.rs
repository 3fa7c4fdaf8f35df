//! The text of a link -> the path inside the episode's directory that it leads to.

/// Returns the path of a link, with `.` and `..` resolved as text; `None` where the link is empty,
/// absolute, a drive or a URL, or leaves the episode's directory.
pub(crate) fn resolve(link: &str) -> Option<String> {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };

    if link.is_empty()
        || link.starts_with(['/', '\\'])
        || link
            .split_once(':')
            .is_some_and(|(scheme, _)| is_scheme(scheme))
    {
        return None;
    }

    // A backslash is a separator on some systems, and the link must stay inside on those too.
    Some(inside(link.split(['/', '\\']))?.join("/"))
}

/// Returns the segments of a path with `.`, `..` and empty ones resolved; `None` where the path
/// leaves its directory.
fn inside<'l>(segments: impl Iterator<Item = &'l str>) -> Option<Vec<&'l str>> {
    let mut parts = Vec::new();
    for part in segments {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }

    Some(parts)
}

/// Returns `true` if a link is the path of a file of the episode.
pub(crate) fn leads_to(link: &str, file_name: &str) -> bool {
    if link == file_name {
        return true;
    }

    // A path that ends in a separator names a directory, and a backslash is not a separator on
    // every system.
    let names_a_file = !link.ends_with('/') && !link.ends_with("/.");
    names_a_file
        && resolve(link).is_some()
        && inside(link.split('/')).is_some_and(|path| path == [file_name])
}

#[cfg(test)]
mod tests {
    use super::{leads_to, resolve};

    #[test]
    fn link_matches_only_the_path_of_the_file() {
        for link in [
            "a/.././events.jsonl",
            "events.jsonl/a/..",
            "a\\b/../events.jsonl",
        ] {
            assert!(leads_to(link, "events.jsonl"), "{link}");
        }
        for link in [
            "events.jsonl/",
            "events.jsonl/.",
            "x\\..\\events.jsonl",
            ".\\events.jsonl",
            "/events.jsonl",
            "events",
        ] {
            assert!(!leads_to(link, "events.jsonl"), "{link}");
        }
    }

    #[test]
    fn link_resolves_dots_as_text() {
        for link in [
            "events.jsonl",
            "./events.jsonl",
            "a/../events.jsonl",
            ".//events.jsonl",
        ] {
            assert_eq!(resolve(link).as_deref(), Some("events.jsonl"), "{link}");
        }
        assert_eq!(resolve("a/..").as_deref(), Some(""));
        assert_eq!(resolve("notes/a:b.md").as_deref(), Some("notes/a:b.md"));
    }

    #[test]
    fn link_is_refused_when_it_leaves_the_directory() {
        for link in [
            "",
            "/etc/passwd",
            "../x",
            "a/../../x",
            "C:\\x",
            "C:x",
            "https://host/x",
            "file:x",
            "\\\\host\\x",
            "..\\x",
        ] {
            assert_eq!(resolve(link), None, "{link}");
        }
    }
}
