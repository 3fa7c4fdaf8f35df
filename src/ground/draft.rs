//! Places and messages -> the findings of one rule, before their places are looked up.

use crate::ground::digest::Digest;
use crate::ground::finding::{MAX_FINDINGS_PER_RULE, Severity, Skip, SkipReason};
use crate::ground::printable::count;
use crate::ground::source::{Artifact, Place, Target};

/// A rule's answer that it had something to compare, whether or not it found something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) struct Compared;

impl Compared {
    /// Returns the answer if there was anything to compare.
    pub(crate) fn when(any: bool) -> Option<Self> {
        any.then_some(Self)
    }
}

/// A finding as a rule makes it, before its place is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) place: Place,
    pub(crate) message: String,
    /// A replacement for the rule's hint.
    pub(crate) help: Option<String>,
    pub(crate) related: Vec<(Place, String)>,
    /// A text that identifies the finding in addition to those at its places, such as the number of
    /// lines that it stands for. It is a part of the fingerprint, so that who accepts a finding
    /// accepts no more than that.
    pub(crate) besides: String,
    /// A digest that tells it apart besides, which fingerprints of earlier baselines lack.
    pub(crate) further: Option<Digest>,
    /// Places that it may follow from, shown as related. They are not part of the fingerprint: a
    /// finding stays the same when its cause is found.
    pub(crate) causes: Vec<(Place, String)>,
    /// The artifacts that it rests on; `None` for all that belongs to the episode.
    pub(crate) rests_on: Option<&'static [Artifact]>,
    /// `true` if it says that what a team declares can't be judged.
    pub(crate) is_unjudged: bool,
}

impl Draft {
    pub(crate) fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
            help: None,
            related: Vec::new(),
            besides: String::new(),
            further: None,
            causes: Vec::new(),
            rests_on: None,
            is_unjudged: false,
        }
    }

    /// Marks it as one that says that what a team declares can't be judged.
    pub(crate) fn unjudged(self) -> Self {
        Self {
            is_unjudged: true,
            ..self
        }
    }

    pub(crate) fn besides(mut self, besides: &(impl ToString + ?Sized)) -> Self {
        self.besides = besides.to_string();
        self
    }

    /// Makes parts tell it apart that fingerprints of earlier baselines lack.
    pub(crate) fn further<'p>(mut self, parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        self.further = Some(Digest::of(parts));
        self
    }

    pub(crate) fn help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    pub(crate) fn causes(mut self, causes: Vec<(Place, String)>) -> Self {
        self.causes = causes;
        self
    }

    pub(crate) fn related_to<S: Into<String>>(
        self,
        places: impl IntoIterator<Item = (Place, S)>,
    ) -> Self {
        places
            .into_iter()
            .fold(self, |draft, (place, message)| {
                draft.related(place, message)
            })
    }

    pub(crate) fn related(mut self, place: Place, message: impl Into<String>) -> Self {
        self.related
            .push((place, message.into()));
        self
    }
}

/// A draft with its rule and severity.
pub(crate) struct Drafted {
    /// The place of the rule among those of the check.
    pub(crate) rule_index: usize,
    pub(crate) severity: Severity,
    pub(crate) draft: Draft,
}

/// A collector of the findings of one rule.
pub(crate) struct Findings<'f> {
    /// The id of the rule, and its place among those of the check.
    pub(crate) rule: &'f str,
    pub(crate) rule_index: usize,
    pub(crate) severity: Severity,
    /// The number of findings of this rule in this episode so far.
    pub(crate) count: usize,
    /// The number of them that are listed.
    pub(crate) listed: usize,
    /// The artifacts that the next finding rests on, see [`Draft::rests_on`].
    pub(crate) rests_on: Option<&'static [Artifact]>,
    pub(super) memory: &'f mut FindingMemory,
    pub(crate) drafts: &'f mut Vec<Drafted>,
    pub(super) skips: &'f mut Vec<Skip>,
}

impl<'f> Findings<'f> {
    /// Returns those of a rule that has found nothing in the episode yet.
    pub(crate) fn new(
        rule: &'f str,
        rule_index: usize,
        severity: Severity,
        memory: &'f mut FindingMemory,
        drafts: &'f mut Vec<Drafted>,
        skips: &'f mut Vec<Skip>,
    ) -> Self {
        Self {
            rule,
            rule_index,
            severity,
            count: 0,
            listed: 0,
            rests_on: None,
            memory,
            drafts,
            skips,
        }
    }

    /// Adds a finding at a place.
    pub(crate) fn at(&mut self, place: Place, message: impl Into<String>) {
        self.push(Draft::new(place, message));
    }

    /// Adds a finding with help or related places.
    pub(crate) fn push(&mut self, mut draft: Draft) {
        draft.rests_on = self.rests_on;
        self.count += 1;
        if self.memory.take(&draft, self.listed) {
            self.listed += 1;
            self.add(draft);
        }
    }

    fn add(&mut self, draft: Draft) {
        self.drafts.push(Drafted {
            rule_index: self.rule_index,
            severity: self.severity,
            draft,
        });
    }

    /// Adds that the rule could not be checked, or not in full.
    pub(crate) fn skip(&mut self, reason: &SkipReason) {
        self.skips
            .push(Skip::new(self.rule, reason));
    }

    /// Counts findings that are not listed.
    pub(crate) fn more(&mut self, count: usize) {
        self.count += count;
    }

    /// Adds how many findings are not listed, if there are any.
    #[inline]
    pub(crate) fn close(&mut self) {
        if self.count > self.listed {
            self.add_unlisted(self.count - self.listed);
        }
    }

    fn add_unlisted(&mut self, unlisted: usize) {
        let Some(last) = self.drafts.last() else {
            return;
        };

        let whole = Place {
            line: None,
            target: Target::Whole,
            ..last.draft.place.clone()
        };

        let file = whole.file_name();
        let more = count(unlisted as u64, "more finding");
        let message = format!("{file}: {more} of this rule not listed");
        let mut draft = Draft::new(whole, message).besides(&unlisted);
        draft.rests_on = last.draft.rests_on;
        self.add(draft);
    }
}

/// The bytes that the findings of one episode take, at most.
const MAX_FINDING_BYTES: usize = 24 << 20;

/// The number of findings that each rule lists in any case.
const MIN_LISTED: usize = 20;

/// The bytes that a finding, and each place of one, takes in addition to its texts.
const FINDING_BYTES: usize = 900;
const PLACE_BYTES: usize = 500;

/// The memory that is left for the findings of an episode.
///
/// Each takes its messages, its pointers and the path of its file, which the author of the records
/// can make as long as the system allows. The estimate is coarse and the same on every machine.
pub(crate) struct FindingMemory {
    left: usize,
    /// The length of the path of a file in the episode.
    path: usize,
}

impl FindingMemory {
    /// Returns the memory for an episode in a directory.
    pub(crate) fn new(dir: &str) -> Self {
        let longest_name = "summary.json".len();
        Self {
            left: MAX_FINDING_BYTES,
            path: dir.len() + 1 + longest_name,
        }
    }

    /// Takes memory for a finding of a rule that lists a number of findings already; returns
    /// whether there was some.
    fn take(&mut self, draft: &Draft, listed: usize) -> bool {
        if listed >= MAX_FINDINGS_PER_RULE {
            return false;
        }

        // Once there is no room for one, there is none for a shorter one: the first are listed.
        let left = self.left.checked_sub(self.bytes(draft));
        self.left = left.unwrap_or(0);
        left.is_some() || listed < MIN_LISTED
    }

    fn bytes(&self, draft: &Draft) -> usize {
        let place = |place: &Place| {
            let pointer = place
                .pointer()
                .map_or(0, |pointer| pointer.as_str().len());
            PLACE_BYTES + self.path + pointer
        };

        let related = draft
            .related
            .iter()
            .map(|(at, message)| place(at) + message.len());
        let help = draft
            .help
            .as_ref()
            .map_or(0, String::len);

        FINDING_BYTES
            + draft.message.len()
            + help
            + draft.besides.len()
            + place(&draft.place)
            + related.sum::<usize>()
    }
}
