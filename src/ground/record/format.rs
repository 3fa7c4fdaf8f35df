//! The versions of the records: what writers write, what schemas ask for, what readers can judge.

/// The fields in which records declare their versions.
pub(crate) const VERSION_FIELDS: [&str; 3] = [
    STATE_VERSION_FIELD,
    STATE_SCHEMA_VERSION_FIELD,
    SUMMARY_SCHEMA_VERSION_FIELD,
];

/// The field that holds [`STATE_VERSION`].
pub(crate) const STATE_VERSION_FIELD: &str = "version";

/// The field that holds [`STATE_SCHEMA_VERSION`].
pub(crate) const STATE_SCHEMA_VERSION_FIELD: &str = "state_schema_version";

/// The field that holds [`SUMMARY_SCHEMA_VERSION`].
pub(crate) const SUMMARY_SCHEMA_VERSION_FIELD: &str = "schema_version";

/// `version` of a state record, an identifier that readers compare as it is.
pub(crate) const STATE_VERSION: &str = "1.0";

/// `state_schema_version` of a state record, a semantic version.
pub(crate) const STATE_SCHEMA_VERSION: &str = "1.0.0";

/// `schema_version` of a summary record, a semantic version.
pub(crate) const SUMMARY_SCHEMA_VERSION: &str = "1.3.0";
