//! The words of enums: `Display`, `FromStr` and JSON agree.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use runvet::finding::{Lifecycle, Severity, Suppression};
use runvet::record::{
    AdapterResult, IntuitionMode, RunStatus, RuntimeMode, StepKind, StepStatus, SummaryOutcome,
};
use serde::Serialize;

fn agree<T>(all: &[T])
where
    T: Serialize + Display + FromStr<Err: Debug> + PartialEq + Debug,
{
    for value in all {
        let word = value.to_string();
        assert_eq!(serde_json::to_value(value).unwrap(), word);
        assert_eq!(&word.parse::<T>().unwrap(), value);
    }
}

#[test]
fn words_of_enums_are_their_json() {
    agree(Severity::ALL);
    agree(Lifecycle::ALL);
    agree(Suppression::ALL);
    agree(RunStatus::ALL);
    agree(StepKind::ALL);
    agree(StepStatus::ALL);
    agree(IntuitionMode::ALL);
    agree(SummaryOutcome::ALL);
    agree(AdapterResult::ALL);
    agree(RuntimeMode::ALL);
}
