//! `manifest/digest`: a file is not as the manifest says.

use crate::finding::{Level, RuleInfo};
use crate::load::{FileTrouble, Trouble};
use crate::printable::{brief, quote};
use crate::rule::{Check, Draft, Need, Record, Rule};
use crate::source::{Artifact, Place, Pointer, Target};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "manifest/digest",
        level: Level::Off,
        title: "a file is not as the manifest says",
        hint: "Write the manifest last, from the files as they are then, and change none of them afterwards.",
        page: include_str!("digest.md"),
    },
    check: Check::Loading(word),
    reads: &[Record::NamedFiles],
    needs: &[Need::Lifecycle],
};

fn word(trouble: &Trouble) -> Option<Draft> {
    match trouble {
        Trouble::NotAManifest { span, why } => {
            let place = Place {
                artifact: Artifact::Manifest,
                line: None,
                target: Target::Bytes(span.clone()),
            };
            Some(Draft::new(place, format!("manifest.json {why}")))
        }
        Trouble::NamedFile { index, name, why } => Some(named(*index, &quote(name), why)),
        _ => None,
    }
}

/// A file that is not as its entry says.
fn named(index: usize, name: &str, why: &FileTrouble) -> Draft {
    let entry = Pointer::new("/files").item(index);
    let (field, message) = match why {
        FileTrouble::Leaves => (
            "name",
            format!("{name} leads out of the episode's directory, so it was not opened"),
        ),
        FileTrouble::Absent => ("name", format!("there is no file {name}")),
        FileTrouble::Link => (
            "name",
            format!("{name} is a symbolic link, or lies behind one, so it was not opened"),
        ),
        FileTrouble::Directory => ("name", format!("{name} is a directory")),
        FileTrouble::Special => (
            "name",
            format!("{name} is a FIFO, a socket or a device, so it was not opened"),
        ),
        FileTrouble::Size { listed, actual } => (
            "size_bytes",
            format!(
                "{name} has {actual} bytes, but `size_bytes` is {}",
                brief(listed)
            ),
        ),
        FileTrouble::Digest { listed, actual } => (
            "sha256",
            format!("{name} has the SHA-256 {actual}, but `sha256` is {listed}"),
        ),
    };
    // Who accepts a file as it is does not accept it as it will be.
    let found = match why {
        FileTrouble::Size { actual, .. } => actual.to_string(),
        FileTrouble::Digest { actual, .. } => actual.to_string(),
        _ => field.to_owned(),
    };
    Draft::new(
        Place::value(Artifact::Manifest, entry.field(field)),
        message,
    )
    .besides(&found)
}
