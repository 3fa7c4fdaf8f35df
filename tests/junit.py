"""Holds JUnit reports against the schema of the Jenkins plugin that reads them.

    python3 junit.py SCHEMA REPORT...

Exit: 0, all reports are valid; 1, one is not.
"""

import sys

import xmlschema


def main():
    schema, *reports = sys.argv[1:]
    schema = xmlschema.XMLSchema(schema)
    wrong = [f"{report}: {error}" for report in reports for error in schema.iter_errors(report)]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
