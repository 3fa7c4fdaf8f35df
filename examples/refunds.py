"""An agent whose forbidden acts are held back by the pack that gates its runs.

Usage: python3 refunds.py RUN_DATA
"""
import sys
from pathlib import Path

import runvet

CONFIG = Path(__file__).parents[1] / "corpus" / "team" / "escalations" / "runvet.toml"


def refund(step, order_id):
    """Pays an order back, unless that would break a rule."""
    act = {"tool": "refund", "input": {"order_id": order_id}}
    broken = [finding for finding in step.would(act) if finding.severity == "error"]
    if broken:
        return f"not paid: {broken[0].message}"
    # Here the money would go. What has happened is recorded, whatever a rule says of it.
    step.act(act, output={"paid": True})
    return "paid"


def main(run_data):
    recorder = runvet.Recorder(run_data, config=CONFIG)
    with recorder.begin("Pay two orders back") as run:
        with run.step("refunds", kind="act", description="Pay two orders back") as step:
            step.act(tool="escalate", input={"order_id": "o-17"}, output="approved")
            for order_id in ["o-17", "o-18"]:
                print(f"{order_id}: {refund(step, order_id)}")
            step.act(tool="settle", output="booked")
    print(runvet.validate(run_data, config=CONFIG).render(), end="")


if __name__ == "__main__":
    main(sys.argv[1])
