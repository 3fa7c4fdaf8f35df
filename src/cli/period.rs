//! The options `--since` and `--until` -> which runs are meant, by when they started.

use std::time::SystemTime;

use clap::Args;

use super::output::Output;
use super::settings::now;
use crate::ground::timestamp::Timestamp;

/// The period in which runs started.
#[derive(Args)]
pub(super) struct Period {
    /// Only runs that started at this time or later: an RFC 3339 date-time, a date, `today`,
    /// `yesterday`, or a length before now, such as 90s, 15m, 1h or 7d; in UTC without an offset
    #[arg(long, value_name = "TIME", value_parser = PeriodEnd::read, allow_hyphen_values = true)]
    since: Option<PeriodEnd>,

    /// Only runs that started before this time
    #[arg(long, value_name = "TIME", value_parser = PeriodEnd::read, allow_hyphen_values = true)]
    until: Option<PeriodEnd>,
}

/// A time as it was given, and the instant that it is.
#[derive(Clone, Debug)]
pub(super) struct PeriodEnd {
    text: String,
    at: Timestamp,
}

impl PeriodEnd {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let now = now().map_err(|_| "SOURCE_DATE_EPOCH is not a number of seconds since 1970")?;
        match Timestamp::given(text, &now) {
            Some(at) => Ok(Self {
                text: text.to_owned(),
                at,
            }),
            None => Err(format!("expected {}", Timestamp::FORMS)),
        }
    }

    /// Returns the time as it was given.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn at(&self) -> &Timestamp {
        &self.at
    }

    pub(super) fn system_time(&self) -> Option<SystemTime> {
        self.at.system_time()
    }

    /// Prints how a time without an instant was understood.
    pub(super) fn note(&self, option: &str, output: &Output) {
        let Self { text, at } = self;
        if Timestamp::parse(text).is_none() {
            output.note(&format!("{option} {text} is {}", at.utc()));
        }
    }
}

impl Period {
    /// Returns `true` if each run is meant.
    pub(super) fn is_all(&self) -> bool {
        self.since.is_none() && self.until.is_none()
    }

    pub(super) fn since(&self) -> Option<&Timestamp> {
        self.since
            .as_ref()
            .map(|since| &since.at)
    }

    pub(super) fn until(&self) -> Option<&Timestamp> {
        self.until
            .as_ref()
            .map(|until| &until.at)
    }

    /// Returns `true` if a run is meant that gives these starts: unless all are too early, or all
    /// too late. One whose start its records do not say may be.
    pub(super) fn may_have(&self, starts: &[Option<Timestamp>]) -> bool {
        let any = |is: &dyn Fn(&Timestamp) -> bool| {
            starts.is_empty()
                || starts
                    .iter()
                    .any(|it| it.as_ref().is_none_or(is))
        };

        self.since()
            .is_none_or(|since| any(&|at| at >= since))
            && self
                .until()
                .is_none_or(|until| any(&|at| at < until))
    }

    /// Prints how times without an instant were understood.
    pub(super) fn note(&self, output: &Output) {
        for (option, moment) in [("--since", &self.since), ("--until", &self.until)] {
            if let Some(moment) = moment {
                moment.note(option, output);
            }
        }
    }
}
