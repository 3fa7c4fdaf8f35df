//! The versions of the records: what writers write, what schemas ask for, what readers can judge.

/// `version` of a state record, an identifier that readers compare as it is.
pub const STATE_VERSION: &str = "1.0";

/// `state_schema_version` of a state record, a semantic version.
pub const STATE_SCHEMA_VERSION: &str = "1.0.0";

/// `schema_version` of a summary record, a semantic version.
pub const SUMMARY_SCHEMA_VERSION: &str = "1.3.0";
