//! `manifest/digest`: a file is not as the manifest says.

use crate::draft::Draft;
use crate::finding::Level;
use crate::load::{FileTrouble, Trouble};
use crate::printable::{brief, quote};
use crate::rule::{BuiltIn, Check, Need, Record, Rule};
use crate::rules::examined;
use crate::source::{Artifact, Place, Pointer, Target};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "manifest/digest",
    level: Level::Off,
    title: "a file is not as the manifest says",
    hint: "Write the manifest last, from the files as they are then, and change none of them afterwards.",
    page: include_str!("digest.md"),
    check: Check::Loading(word, examined::named_files),
})
.reads(&[Record::NamedFiles])
.needs(&[Need::Lifecycle]);

fn word(trouble: &Trouble) -> Option<Draft> {
    match trouble {
        Trouble::NotAManifest { span, why, content } => {
            let place = Place {
                artifact: Artifact::Manifest,
                line: None,
                target: Target::Bytes(span.clone()),
                elsewhere: None,
            };
            Some(Draft::new(place, format!("manifest.json {why}")).besides(content))
        }
        Trouble::NamedFile { index, name, why } => Some(named(*index, &quote(name), why)),
        _ => None,
    }
}

/// A file that is not as its entry says.
fn named(index: usize, name: &str, why: &FileTrouble) -> Draft {
    let entry = Pointer::new("/files").item(index);
    // What was found is a part of the fingerprint: who accepts a file as it is does not accept it
    // as it will be.
    let (field, found, message) = match why {
        FileTrouble::Leaves => (
            "name",
            "outside".to_owned(),
            format!("{name} leads out of the episode's directory, so it was not opened"),
        ),
        FileTrouble::Absent => (
            "name",
            "absent".to_owned(),
            format!("there is no file {name}"),
        ),
        FileTrouble::Link => (
            "name",
            "link".to_owned(),
            format!("{name} is a symbolic link, or lies behind one, so it was not opened"),
        ),
        FileTrouble::Directory => (
            "name",
            "directory".to_owned(),
            format!("{name} is a directory"),
        ),
        FileTrouble::Special => (
            "name",
            "special".to_owned(),
            format!("{name} is a FIFO, a socket or a device, so it was not opened"),
        ),
        FileTrouble::Denied => (
            "name",
            "denied".to_owned(),
            format!("{name} can't be read: reading it is not permitted"),
        ),
        FileTrouble::Size {
            listed,
            actual,
            digest,
        } => (
            "size_bytes",
            digest.map_or_else(|| actual.to_string(), |digest| format!("{actual} {digest}")),
            format!(
                "{name} has {actual} bytes, but `size_bytes` is {}",
                brief(listed)
            ),
        ),
        FileTrouble::Digest { listed, actual } => (
            "sha256",
            actual.to_string(),
            format!("{name} has the SHA-256 {actual}, but `sha256` is {listed}"),
        ),
    };
    Draft::new(
        Place::value(Artifact::Manifest, entry.field(field)),
        message,
    )
    .besides(&found)
}
