//! runvet
pub mod check;
#[doc(hidden)]
pub mod cli;
pub mod document;
mod facts;
pub mod finding;
mod instant;
mod load;
pub mod plan;
pub mod policy;
pub mod printable;
pub mod read;
pub mod record;
pub mod report;
mod rule;
mod rules;
mod schema;
pub mod source;
mod store;
pub mod view;
pub use instant::Instant;
pub use rule::Meta;
pub use schema::Schema;
pub use store::EpisodeDir;
