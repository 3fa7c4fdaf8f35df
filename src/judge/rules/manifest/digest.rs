//! `manifest/digest`: a file is not as the manifest says.

use crate::ground::digest::{KEEP_LINE_ENDS, ONLY_LINE_ENDS};
use crate::ground::printable::{brief, quote};
use crate::judge::load::{FileTrouble, Trouble};
use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Pointer, Rule, Subject,
};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "manifest/digest",
    level: Level::Off,
    title: "a file is not as the manifest says",
    hint: "Write the manifest last, from the files as they are then, and change none of them afterwards.",
    page: include_str!("digest.md"),
    check,
})
.reads(&[OnDemand::NamedFiles])
.applies_to(Subject::EndedRuns);

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
        Trouble::NamedFile {
            index,
            name,
            why,
            by_line_ends,
        } => {
            let mut draft = named(*index, &quote(name), why);
            if *by_line_ends {
                draft.message += ONLY_LINE_ENDS;
                draft = draft.help(Some(KEEP_LINE_ENDS.into()));
            }

            if name.contains('\\') && matches!(why, FileTrouble::Absent | FileTrouble::Leaves) {
                let help = "Names are written with `/`, on every system: `\\` is a part \
                            of a name.";
                draft = draft.help(Some(help.into()));
            }

            Some(draft)
        }
        _ => None,
    }
}

/// Returns a finding for a file that is not as its entry says.
fn named(index: usize, name: &str, why: &FileTrouble) -> Draft {
    let of_name = |found: &str, message: String| ("name", found.to_owned(), message);
    let unopened = |found, what| of_name(found, format!("{name} {what}, so it was not opened"));
    // What was found is a part of the fingerprint: who accepts a file as it is does not accept it
    // as it will be.
    let (field, found, message) = match why {
        FileTrouble::Leaves => unopened("outside", "leads out of the episode's directory"),
        FileTrouble::Link => unopened("link", "is a symbolic link, or lies behind one"),
        FileTrouble::Special => unopened("special", "is a FIFO, a socket or a device"),
        FileTrouble::Absent => of_name("absent", format!("there is no file {name}")),
        FileTrouble::Directory => of_name("directory", format!("{name} is a directory")),
        FileTrouble::Denied => {
            let message = format!("{name} can't be read: reading it is not permitted");
            of_name("denied", message)
        }
        FileTrouble::Size {
            listed,
            actual,
            digest,
        } => {
            let listed = brief(listed);
            let message = format!("{name} has {actual} bytes, but `size_bytes` is {listed}");
            let digest = digest.map_or(String::new(), |digest| format!(" {digest}"));
            ("size_bytes", format!("{actual}{digest}"), message)
        }
        FileTrouble::Digest { listed, actual } => {
            let message = format!("{name} has the SHA-256 {actual}, but `sha256` is {listed}");
            ("sha256", actual.to_string(), message)
        }
    };

    let pointer = Pointer::new("/files")
        .item(index)
        .field(field);

    Draft::new(Place::value(Artifact::Manifest, pointer), message).besides(&found)
}
