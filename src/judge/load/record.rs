//! The bytes of `state.json` or `summary.json` -> its document, the values that its schema refuses,
//! and the troubles on the way.

use std::collections::BTreeMap;
use std::iter;

use semver::Version;

use super::cause::NotJson;
use super::trouble::{Trouble, Troubles, VersionField, mistake};
use crate::ground::digest::Digest;
use crate::ground::document::{Document, Key, Layout, Node, ReadText, Refused, Row};
use crate::ground::finding::{SkipKind, SkipReason};
use crate::ground::parallel::Alone;
use crate::ground::printable::{brief, quote};
use crate::ground::record::format;
use crate::ground::source::{Artifact, Pointer};
use crate::policy::team::Team;
use crate::reading::facts::{self, JsonText, Usable};
use crate::reading::schema::{self, CompiledSchema, SlotReader, Violation};
use crate::store::{Artifacts, Unreadable};

/// One of the two records.
pub(super) struct RecordKind {
    artifact: Artifact,
    schema: &'static CompiledSchema,
    layout: &'static Layout,
    /// The semantic version, and the current one.
    version: FixedField,
    identifier: Option<FixedField>,
}

/// A field that must equal a text.
struct FixedField {
    name: &'static str,
    expected: &'static str,
}

pub(super) static STATE: RecordKind = RecordKind {
    artifact: Artifact::State,
    schema: &schema::STATE,
    layout: &facts::STATE,
    version: FixedField {
        name: format::STATE_SCHEMA_VERSION_FIELD,
        expected: format::STATE_SCHEMA_VERSION,
    },
    identifier: Some(FixedField {
        name: format::STATE_VERSION_FIELD,
        expected: format::STATE_VERSION,
    }),
};

pub(super) static SUMMARY: RecordKind = RecordKind {
    artifact: Artifact::Summary,
    schema: &schema::SUMMARY,
    layout: &facts::SUMMARY,
    version: FixedField {
        name: format::SUMMARY_SCHEMA_VERSION_FIELD,
        expected: format::SUMMARY_SCHEMA_VERSION,
    },
    identifier: None,
};

/// The buffers that are reused for the same record of the next episode.
#[derive(Default)]
pub(super) struct RecordBuffers {
    bytes: Vec<u8>,
    /// Made for the first record.
    reader: Option<SlotReader>,
    read: ReadText,
}

impl RecordBuffers {
    /// Returns the memory that a large record needed.
    pub(super) fn release(&mut self) {
        if self.bytes.capacity() > super::KEPT_BYTES {
            self.bytes = Vec::new();
        }
        self.read.release();
    }
}

/// A record as it was loaded.
pub(crate) struct LoadedRecord<'b> {
    pub(crate) bytes: &'b [u8],
    /// The record as it is written, whether or not it has facts.
    pub(crate) text: Result<&'b str, NoText>,
    /// [`Usable::Read`] if it has facts.
    usable: Usable<()>,
    read: &'b ReadText,
    /// The offsets of the values that the schema refuses, ascending: no facts.
    refused: Vec<u32>,
    /// [`Usable::Read`] if the record was validated against its schema.
    pub(in crate::judge) shape: Usable<()>,
    /// Of a version that a team declares: the tokens of the values that the schema of the reference
    /// does not allow at their places, ascending: no facts to the team's rules.
    pub(super) strange: Vec<u32>,
}

/// The reason why there is no document.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum NoText {
    #[error("{}", super::NOT_THERE)]
    Missing,
    #[error("{0}")]
    Unreadable(Unreadable),
    #[error("{0}")]
    Refused(Refused),
}

impl<'b> LoadedRecord<'b> {
    fn new(
        bytes: &'b [u8],
        text: Result<&'b str, NoText>,
        read: &'b ReadText,
        usable: Usable<()>,
    ) -> Self {
        Self {
            bytes,
            text,
            shape: usable.clone(),
            usable,
            read,
            refused: Vec::new(),
            strange: Vec::new(),
        }
    }

    /// Returns `true` if the record has a value in a slot, fact or not.
    pub(in crate::judge) fn has(&self, slot: impl facts::Slot) -> bool {
        // What a reader found before it gave up means nothing.
        self.is_read()
            && self
                .read
                .slots
                .get(Row::ROOT, slot.number())
                .is_present()
    }

    /// Returns `true` if there is a document, whether or not it has facts.
    pub(in crate::judge) fn is_read(&self) -> bool {
        self.text.is_ok()
    }

    /// Returns the document, whether or not it has facts; its tape is made when it is first asked
    /// for.
    pub(crate) fn document(&self) -> Result<Document<'b>, NoText> {
        self.read
            .document(self.text.clone()?)
            .map_err(NoText::Refused)
    }

    /// Returns the record as it is written, whether or not it has facts.
    pub(crate) fn written(&self) -> Option<Node<'b>> {
        self.document().ok().map(Document::root)
    }

    /// Marks the record as not needed yet.
    pub(super) fn is_not_due(&mut self) {
        self.usable = Usable::NotDue;
        self.shape = Usable::NotDue;
    }

    /// Returns the record, if it has facts.
    pub(super) fn facts(&self) -> Usable<JsonText<'_>> {
        self.usable.clone().map(|()| JsonText {
            text: self
                .text
                .as_ref()
                .map_or("", |text| text),
            read: self.read,
            refused: &self.refused,
        })
    }
}

/// The support for the version of a record.
enum Support {
    Current,
    Newer,
    /// A team gives the schema of this version.
    Declared,
    /// As messages show it.
    Unsupported(String),
}

impl RecordKind {
    /// Reads the record, and validates it against its schema.
    pub(super) fn load<'b>(
        &self,
        files: &dyn Artifacts,
        buffers: &'b mut RecordBuffers,
        alone: &Alone,
        team: &Team,
        troubles: &mut Troubles,
    ) -> LoadedRecord<'b> {
        let artifact = self.artifact;
        let RecordBuffers {
            bytes,
            reader,
            read,
        } = buffers;

        if !files.entries().has(artifact) {
            bytes.clear();
            return self.unjudged(bytes, read, NoText::Missing);
        }

        let opened = files.open(artifact);
        if let Err(why) = opened.and_then(|opened| opened.read_record_with(bytes, || alone.enter()))
        {
            bytes.clear();
            let no_text = NoText::Unreadable(why.clone());
            troubles.add(Trouble::Unreadable { artifact, why });
            return self.unjudged(bytes, read, no_text);
        }

        let bytes = &*bytes;
        let reader = reader.get_or_insert_with(|| self.schema.slot_reader(self.layout));
        if let Some(text) = reader.read(bytes, read.renew()) {
            return LoadedRecord::new(bytes, Ok(text), read, Usable::Read(()));
        }

        let refused = match read.parse(bytes, self.layout) {
            Ok(text) => return self.judge(text, read, team, troubles),
            Err(refused) => refused,
        };

        troubles.add(match mistake(refused) {
            Err(why) => Trouble::Unreadable { artifact, why },
            Ok(error) => Trouble::NotJson {
                artifact,
                why: NotJson::new(error, bytes),
                span: error.span(bytes),
                content: Digest::of([bytes.as_slice()]),
            },
        });

        self.unjudged(bytes, read, NoText::Refused(refused))
    }

    /// Returns the record of which there is no document.
    fn unjudged<'b>(&self, bytes: &'b [u8], read: &'b ReadText, why: NoText) -> LoadedRecord<'b> {
        let reason = match why {
            NoText::Missing => {
                let text = format!("there is no {}", self.artifact);
                SkipReason::worded(SkipKind::Missing, text)
            }
            NoText::Refused(Refused::Syntax(_)) => self.unusable(),
            _ => {
                let text = format!("{} can't be read", self.artifact);
                SkipReason::worded(SkipKind::Unreadable, text)
            }
        };

        LoadedRecord::new(bytes, Err(why), read, Usable::Unjudged(reason))
    }

    fn unusable(&self) -> SkipReason {
        SkipReason::worded(
            SkipKind::Syntax,
            format!("{} can't be judged", self.artifact),
        )
    }

    /// Judges a record by its document; collects repeated keys, misspelled keys and versions.
    fn judge<'b>(
        &self,
        text: &'b str,
        read: &'b ReadText,
        team: &Team,
        troubles: &mut Troubles,
    ) -> LoadedRecord<'b> {
        let bytes = text.as_bytes();
        let document = match read.document(text) {
            Ok(document) => document,
            Err(why) => return self.unjudged(bytes, read, NoText::Refused(why)),
        };

        self.repeated_keys(document, troubles);
        let violations = self.schema.violations(document);
        let support = self.version(document, violations.as_deref().ok(), team, troubles);
        let (is_usable, violations) = (violations.is_ok(), violations.unwrap_or_default());
        let usable = if is_usable {
            Usable::Read(())
        } else {
            Usable::Unjudged(self.unusable())
        };

        let mut loaded = LoadedRecord::new(bytes, Ok(text), read, usable);
        // A value that violates the schema is not a fact, whether it is reported or not.
        loaded.refused = schema::offsets(document, &violations);
        match support {
            Support::Unsupported(version) => {
                let artifact = self.artifact;
                let why = format!("{artifact} is of version {version}, which is not supported");
                loaded.shape = Usable::Unjudged(SkipReason::worded(SkipKind::Version, why));
            }
            Support::Declared => {
                loaded.strange = violations
                    .iter()
                    .filter_map(Violation::refused_value)
                    .collect();
                self.of_declared_version(document, team, troubles);
            }
            Support::Current | Support::Newer if is_usable => {
                self.violations(document, violations, &support, troubles);
            }
            Support::Current | Support::Newer => {
                troubles.add(Trouble::TooManyViolations(self.artifact));
            }
        }

        loaded
    }

    /// Reports the keys that an object of the record has more than once.
    fn repeated_keys(&self, document: Document<'_>, troubles: &mut Troubles) {
        if !document.repeats_keys() {
            return;
        }

        document.for_each_repeated_key(|repeated| {
            troubles.add(Trouble::RepeatedKey {
                artifact: self.artifact,
                name: brief(&repeated.key.name()),
                pointer: repeated.pointer(),
                key: repeated.key.index(),
                earlier: repeated.earlier.index(),
            });
        });
    }

    /// Judges a record by the schema that a team gives for its version.
    fn of_declared_version(&self, document: Document<'_>, team: &Team, troubles: &mut Troubles) {
        let artifact = self.artifact;
        let Some(schema) = document
            .root()
            .get(self.version.name)
            .and_then(Node::text)
            .and_then(|version| team.version(artifact, &version))
        else {
            return;
        };

        match schema.violations(document.root(), &Pointer::default()) {
            Err(_) => troubles.add(Trouble::TooManyViolations(artifact)),
            Ok(violations) => {
                for violation in violations {
                    troubles.add(Trouble::of(artifact, None, violation));
                }
            }
        }
    }

    /// Reports the violations of the schema, and the misspelled keys that may be behind them.
    fn violations(
        &self,
        document: Document<'_>,
        violations: Vec<Violation>,
        support: &Support,
        troubles: &mut Troubles,
    ) {
        let misspellings = self
            .schema
            .misspellings(document.root());
        let typos: BTreeMap<(Pointer, &str), Key<'_>> = misspellings
            .iter()
            .filter(|_| !violations.is_empty())
            .map(|typo| ((typo.pointer.parent(), typo.known), typo.key))
            .collect();

        for mut violation in violations {
            let object = violation.pointer.clone();
            violation.explain_absence(|field| {
                let typo = typos.get(&(object.clone(), field))?;
                Some(typo.name().into_owned())
            });

            let is_version = violation
                .pointer
                .as_str()
                .strip_prefix('/')
                == Some(self.version.name);
            if !(is_version && matches!(support, Support::Newer)) {
                troubles.add(Trouble::of(self.artifact, None, violation));
            }
        }

        for misspelling in misspellings {
            troubles.add(Trouble::Misspelled {
                artifact: self.artifact,
                key: misspelling.key.name().into_owned(),
                pointer: misspelling.pointer,
                known: misspelling.known,
            });
        }
    }

    /// Returns the fields that violations are about, but for those of the version.
    fn differing(&self, violations: &[Violation]) -> Vec<String> {
        let is_version = |field: &str| {
            iter::once(&self.version)
                .chain(&self.identifier)
                .any(|fixed| fixed.name == field)
        };
        violations
            .iter()
            .flat_map(Violation::fields)
            .filter(|field| !is_version(field))
            .collect()
    }

    fn version(
        &self,
        document: Document<'_>,
        violations: Option<&[Violation]>,
        team: &Team,
        troubles: &mut Troubles,
    ) -> Support {
        let declared = |field: &FixedField| {
            document
                .root()
                .get(field.name)
                .and_then(Node::text)
                .filter(|found| found != field.expected)
        };

        let trouble = |field: &FixedField, found: &str| VersionField {
            artifact: self.artifact,
            field: field.name,
            found: quote(found),
            supported: field.expected,
            differs: violations.map(|violations| self.differing(violations)),
        };

        let mut support = Support::Current;
        let current = self.version.expected;
        if let Some(version) = declared(&self.version) {
            let trouble = trouble(&self.version, &version);
            if is_newer(&version, current) {
                support = Support::Newer;
                troubles.add(Trouble::NewerVersion(trouble));
            } else if team
                .version(self.artifact, &version)
                .is_some()
            {
                support = Support::Declared;
            } else {
                support = Support::Unsupported(quote(&version));
                troubles.add(Trouble::UnsupportedVersion(trouble));
            }
        }

        if let Some(field) = &self.identifier
            && let Some(identifier) = declared(field)
        {
            troubles.add(Trouble::UnsupportedVersion(trouble(field, &identifier)));
            support = Support::Unsupported(quote(&identifier));
        }

        support
    }
}

/// Returns `true` if a version is newer than the current one and has the same major number.
fn is_newer(version: &str, current: &str) -> bool {
    match (Version::parse(version), Version::parse(current)) {
        (Ok(version), Ok(current)) => {
            version.major == current.major && version.cmp_precedence(&current).is_gt()
        }
        _ => false,
    }
}
