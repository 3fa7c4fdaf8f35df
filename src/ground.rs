//! What everything stands on: texts, times and digests -> JSON texts with places, records and
//! findings as plain data.
//!
//! In come bytes and words; out come values that know where they were written. [`document`] parses
//! a text once and keeps the place of each value, [`record`] has the records as Rust types, from
//! which the schemas are derived, [`source`] names places in artifacts, [`draft`] is a finding
//! whose place is not yet a line, and [`finding`] is the report as data. [`select`] decides which
//! records a selector names, and [`shortened`] tells values of which a record has a part.
//! [`printable`], [`words`], [`spelling`], [`timestamp`] and [`digest`]
//! make texts safe, known and comparable; [`own`] looks up an index that we gave out, and
//! [`parallel`] keeps the order of what threads do.
//!
//! Nothing here knows a file system, a schema or a rule.

pub(crate) mod digest;
pub mod document;
pub(crate) mod draft;
pub mod finding;
mod own;
pub(crate) mod parallel;
pub mod printable;
pub(crate) mod random;
pub mod record;
pub(crate) mod select;
pub(crate) mod shortened;
pub mod source;
pub(crate) mod spelling;
pub(crate) mod timestamp;
pub(crate) mod words;

pub(crate) use own::Own;
