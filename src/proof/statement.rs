//! A seal as JSON: an in-toto Statement with a test result. The source of
//! `schemas/seal.schema.json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ground::digest::FileDigest;
use crate::ground::finding::{
    Level, Lifecycle, NotJudged, ReportedFault, SealedFile, Uncovered, Verdict,
};
use crate::ground::words::words;

/// The type of each in-toto Statement.
pub(super) const STATEMENT: &str = "https://in-toto.io/Statement/v1";

/// The type of what a seal says about its files.
pub(super) const TEST_RESULT: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// The version of the part of a seal that is runvet's own.
pub(super) const SEAL_VERSION: &str = "1.0.0";

/// An in-toto Statement: the bytes of runs, and the result of their check. The keys of all objects
/// are sorted.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(
    title = "runvet seal",
    extend("$id" = crate::ground::record::schema_id("seal"))
)]
pub(crate) struct Statement {
    /// Always `https://in-toto.io/Statement/v1`.
    #[serde(rename = "_type")]
    #[schemars(extend("const" = STATEMENT))]
    pub(super) type_of: String,
    /// The result of the check.
    pub(super) predicate: TestResult,
    /// Always `https://in-toto.io/attestation/test-result/v0.1`.
    #[serde(rename = "predicateType")]
    #[schemars(extend("const" = TEST_RESULT))]
    pub(super) predicate_type: String,
    /// The regular files of the runs that have ended, in the order of the runs.
    #[schemars(length(min = 1))]
    pub(super) subject: Vec<Resource>,
}

/// A file and its digest.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Resource {
    /// The digest of its bytes.
    pub(super) digest: Digests,
    /// The path of a file of a run from the run-data directory on; of a file of the configuration
    /// from the directory of that.
    #[schemars(extend("examples" = ["episodes/ep_1/state.json"]))]
    pub(super) name: String,
}

impl From<SealedFile> for Resource {
    fn from(file: SealedFile) -> Self {
        Self {
            digest: Digests {
                sha256: file.digest,
            },
            name: file.name,
        }
    }
}

/// The digests of a file.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Digests {
    /// The SHA-256, as 64 hexadecimal digits.
    pub(super) sha256: FileDigest,
}

/// The result of a check, in the form of in-toto's test result.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct TestResult {
    /// The files that decide which findings count: the configuration, its packs and schema files,
    /// and the baseline, sorted by name.
    pub(super) configuration: Vec<Resource>,
    /// The result by the exit code of the check.
    pub(super) result: TestOutcome,
    /// What runvet says besides.
    pub(super) runvet: Particulars,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(inline, transform = crate::ground::record::describe_values)]
pub(super) enum TestOutcome {
    /// The check passed, without warnings.
    Passed,
    /// The check passed, with warnings.
    Warned,
    /// The check failed.
    Failed,
}

words!(TestOutcome {
    Passed = "PASSED",
    Warned = "WARNED",
    Failed = "FAILED",
});

/// What runvet says of a check.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Particulars {
    /// What decides besides the rules.
    pub(super) decided_by: Decisive,
    /// The runs, sorted by their paths.
    pub(super) episodes: Vec<SealedRun>,
    /// What could not be looked at: nothing, because there is no seal of an incomplete check.
    pub(super) faults: Vec<ReportedFault>,
    /// What was not judged.
    pub(super) not_judged: NotJudged,
    /// The rules that are on in some directory, by their ids.
    pub(super) rules: BTreeMap<String, RuleInForce>,
    /// The semantic version of this part. Minor versions add fields; readers must ignore unknown
    /// fields.
    #[schemars(extend("examples" = [SEAL_VERSION]))]
    pub(super) schema_version: String,
    /// The version of runvet.
    #[schemars(extend("examples" = ["0.3.0"]))]
    pub(super) version: String,
}

/// What decides the result of a check, and what it looks at, besides the rules.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Decisive {
    /// `true` if rules that could not be judged fail the check.
    pub(super) deny_unjudged: bool,
    /// `true` if warnings fail the check.
    pub(super) deny_warnings: bool,
    /// The globs of directories that were not looked at.
    pub(super) exclude: Vec<String>,
    /// `true` if runs were left out on purpose: single runs or files were given, a period, or a
    /// revision, or directories were excluded.
    pub(super) part: bool,
    /// The rules and groups that were selected, if not all.
    pub(super) select: Vec<String>,
    /// The instant from which on runs started, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<String>,
    /// The instant before which runs started, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<String>,
}

/// A rule that is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct RuleInForce {
    /// The level, where no override holds.
    pub(super) level: Level,
    /// The SHA-256 of what a team declares of its rule; absent for a built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sha256: Option<FileDigest>,
}

/// A run that was judged.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct SealedRun {
    /// The files that the check read, sorted.
    #[schemars(extend("examples" = [["events.jsonl", "state.json", "summary.json"]]))]
    pub(super) judged: Vec<String>,
    /// Whether the run had ended; only then its files are subjects.
    pub(super) lifecycle: Lifecycle,
    /// The path of its directory from the run-data directory on; `.` for a run that was given
    /// itself, and is not below a directory called `episodes`.
    #[schemars(extend("examples" = ["episodes/ep_1"]))]
    pub(super) name: String,
    /// The entries of its directory, and of those below, that are no subjects.
    pub(super) uncovered: Vec<Uncovered>,
    /// The verdict.
    pub(super) verdict: Verdict,
}
