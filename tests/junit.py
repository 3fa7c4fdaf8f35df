"""Holds JUnit reports against the schema of the Jenkins plugin that reads them.

    python3 junit.py SCHEMA WORK REPORT...

The packages go into a virtual environment in WORK. Exit: 0, all reports are valid; 1, one is not; 77, nothing could be judged,
with the reason on standard output.
"""

import sys
from pathlib import Path

from agreement import enter_environment

PACKAGES = ["xmlschema==4.3.2", "elementpath==5.1.4"]


def main():
    schema, work, *reports = map(Path, sys.argv[1:])
    enter_environment(work, "junit", PACKAGES)
    import xmlschema

    schema = xmlschema.XMLSchema(str(schema))
    wrong = [f"{report}: {error}" for report in reports for error in schema.iter_errors(str(report))]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
