//! Lines of JSON -> calls of the recorder, and their results -> lines of JSON.
//!
//! This is what `runvet record` speaks over standard input and output, so that a program in any
//! language can record a run. A [`Session`] has no input or output of its own: it turns one line
//! into one [`Answer`], whatever the lines come through.
//!
//! ```
//! use runvet::recorder::{Recorder, Task, protocol::Session};
//!
//! # let dir = std::env::temp_dir().join(format!("runvet-protocol-{}", std::process::id()));
//! let run = Recorder::new(&dir).begin(Task::new("Summarize the open tickets"))?;
//! let mut session = Session::new(run);
//! for line in [
//!     r#"{"plan": ["Collect the tickets"]}"#,
//!     r#"{"open": "step-1"}"#,
//!     r#"{"act": {"tool": "tickets", "result_status": "ok"}}"#,
//!     r#"{"close": "step-1"}"#,
//!     r#"{"finish": "ok"}"#,
//! ] {
//!     assert!(session.answer(line.as_bytes()).is_ok());
//! }
//! assert!(session.is_over());
//! # std::fs::remove_dir_all(&dir).unwrap();
//! # Ok::<(), runvet::recorder::Error>(())
//! ```

mod answer;
mod command;
mod session;

pub use answer::Recovery;
pub use answer::{Answer, Done, Failed, Failure, Judgement};
pub(crate) use command::Command;
pub use session::{LINE_LIMIT, Session};
