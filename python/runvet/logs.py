"""Log records -> notes of the run whose step is open."""

from __future__ import annotations

import logging

from ._encode import described
from ._run import current_step


class Handler(logging.Handler):
    """Notes each log record, of the phase `observe`, in the run of `runvet.current_step()`.

    Outside of a step it does nothing: `logging.getLogger().addHandler(runvet.logs.Handler())`.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Notes the level, the logger, the message and the step."""
        step = current_step()
        if step is None:
            return
        try:
            message = described(record, logging.LogRecord.getMessage)
            told = {"level": record.levelname, "logger": record.name, "message": message}
            step._of_run.note("observe", told, source="logging", step_id=step.id)
        except Exception:
            self.handleError(record)
