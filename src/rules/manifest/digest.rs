//! `manifest/digest`: a file is not as the manifest says.

use crate::load::{FileTrouble, Trouble};
use crate::printable::{brief, quote};
use crate::rule::{
    Artifact, BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Pointer, Rule,
};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "manifest/digest",
    level: Level::Off,
    title: "a file is not as the manifest says",
    hint: "Write the manifest last, from the files as they are then, and change none of them afterwards.",
    page: include_str!("digest.md"),
    check,
})
.reads(&[OnDemand::NamedFiles]);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let loaded = ctx.loaded();
    ctx.usable(&loaded.manifest.files);
    ctx.has_ended()?;
    ctx.troubles(word);
    Compared::when(loaded.manifest.is_examined)
}

fn word(trouble: &Trouble) -> Option<Draft> {
    match trouble {
        Trouble::NotAManifest { span, why, content } => {
            let place = Place::bytes(Artifact::Manifest, span.clone());
            Some(Draft::new(place, format!("manifest.json {why}")).besides(content))
        }
        Trouble::NamedFile { index, name, why } => Some(named(*index, &quote(name), why)),
        _ => None,
    }
}

/// Words that a file is not as its entry says.
fn named(index: usize, name: &str, why: &FileTrouble) -> Draft {
    let of_name =
        |found: &str, clause: &str| ("name", found.to_owned(), format!("{name} {clause}"));
    // What was found is a part of the fingerprint: who accepts a file as it is does not accept it
    // as it will be.
    let (field, found, message) = match why {
        FileTrouble::Leaves => {
            let clause = "leads out of the episode's directory, so it was not opened";
            of_name("outside", clause)
        }
        FileTrouble::Absent => {
            let message = format!("there is no file {name}");
            ("name", "absent".to_owned(), message)
        }
        FileTrouble::Link => {
            let clause = "is a symbolic link, or lies behind one, so it was not opened";
            of_name("link", clause)
        }
        FileTrouble::Directory => of_name("directory", "is a directory"),
        FileTrouble::Special => {
            let clause = "is a FIFO, a socket or a device, so it was not opened";
            of_name("special", clause)
        }
        FileTrouble::Denied => of_name("denied", "can't be read: reading it is not permitted"),
        FileTrouble::Size {
            listed,
            actual,
            digest,
        } => {
            let listed = brief(listed);
            let message = format!("{name} has {actual} bytes, but `size_bytes` is {listed}");
            let of_bytes = |digest| format!("{actual} {digest}");
            let found = digest.map_or_else(|| actual.to_string(), of_bytes);
            ("size_bytes", found, message)
        }
        FileTrouble::Digest { listed, actual } => {
            let message = format!("{name} has the SHA-256 {actual}, but `sha256` is {listed}");
            ("sha256", actual.to_string(), message)
        }
    };
    let pointer = Pointer::new("/files").item(index).field(field);
    Draft::new(Place::value(Artifact::Manifest, pointer), message).besides(&found)
}
