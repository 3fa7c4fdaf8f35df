//! Runs that were judged -> a seal of their bytes; a seal -> what became of them.
//!
//! In come reports of runs, with the digests of the files as they were read, or a seal and run
//! data. Out come an in-toto Statement, or what differs from it. `statement` has the types, from
//! which the schema is derived, `seal` writes, `opened` reads a seal that anybody may have written,
//! `verify` compares, and `text` puts the result into words.
//!
//! ```
//! use runvet::gate::Gate;
//! use runvet::proof::{Seal, seal};
//!
//! let dir = tempfile::tempdir()?;
//! let (to, runs) = (dir.path().join("seal.json"), ["corpus/good/terminal".into()]);
//! let gate = Gate::default();
//! seal(&gate, gate.deny(), &runs, &to, None)?;
//! let verified = Seal::read(&to)?.verify(&runs, &gate, false)?;
//! assert_eq!((verified.runs, verified.unchanged, verified.changed), (1, 1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod opened;
mod seal;
mod statement;
mod text;
mod verify;

use std::fmt::Display;

pub use opened::Seal;
pub use seal::seal;
pub(crate) use seal::{SealTerms, SealWriter, has_single_runs, inside_of_run};
#[cfg(test)]
pub(crate) use statement::Statement;
pub use verify::{Change, ChangeKind, Verification};

/// The reason why runs can't be sealed, or compared with a seal.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SealError(String);

impl SealError {
    fn of(error: impl Display) -> Self {
        Self(error.to_string())
    }
}
