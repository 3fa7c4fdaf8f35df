//! A run and its files -> whether it may be written on.

use super::super::error::Error;
use super::super::timeline::{TimelineFile, WriteFailed};
use super::Run;

impl Run {
    /// Refuses to call a run recorded whose files are no longer where its readers look for them.
    pub(super) fn must_be_in_place(&self) -> Result<(), Error> {
        let lost = [&self.events, &self.learn]
            .into_iter()
            .find(|it| !it.is_in_place())
            .map(TimelineFile::path);

        (!self.dir.is_in_place())
            .then(|| self.path().to_owned())
            .or(lost)
            .map_or(Ok(()), |path| Err(Error::Lost { path }))
    }

    /// Refuses to leave or end a run whose timelines do not hold what was written.
    pub(super) fn must_be_as_written(&self) -> Result<(), Error> {
        self.must_be_in_place()?;
        self.events.must_be_as_written()?;
        self.learn.must_be_as_written()?;
        self.attachments_must_be_there()
    }

    /// After a failed write it may be unknown what the disk holds.
    pub(super) fn unless_unknown(&mut self, written: Result<(), WriteFailed>) -> Result<(), Error> {
        written.map_err(|failed| {
            self.is_poisoned |= !failed.is_as_before;
            failed.error
        })
    }

    /// After a failed sync it is unknown what the disk holds: a second one would tell nothing.
    pub(super) fn poison_unless(&mut self, done: Result<(), Error>) -> Result<(), Error> {
        self.is_poisoned |= done.is_err();
        done
    }

    pub(super) fn must_be_sound(&self) -> Result<(), Error> {
        if let Some(owner) = self.events.forked_from() {
            return Err(Error::Forked { owner });
        }

        if self.is_poisoned {
            return Err(Error::Poisoned {
                id: self.id().into(),
            });
        }

        Ok(())
    }

    /// Refuses to add to a run that has ended.
    pub(super) fn must_not_have_ended(&self) -> Result<(), Error> {
        self.must_be_sound()?;
        match self.fold.terminated {
            None => Ok(()),
            Some(_) => Err(self.ended()),
        }
    }

    /// Returns the error of those who would add to this run, which has ended.
    pub(super) fn ended(&self) -> Error {
        Error::Ended {
            id: self.id().into(),
            status: self
                .fold
                .state
                .outcomes
                .status
                .to_string(),
        }
    }

    /// Refuses to go on with a run that has ended, or that a policy stopped.
    pub(super) fn must_go_on(&self) -> Result<(), Error> {
        self.must_not_have_ended()?;
        match &self.fold.stopped {
            None => Ok(()),
            Some(reason) => Err(Error::refused(
                "going on",
                format!("a policy stopped the run: {reason}"),
            )),
        }
    }
}
