"""Judges records by the schemas with Python's `jsonschema`, and compares its verdicts with runvet's.

    python3 agreement.py ROOT MUTANTS

ROOT is the project; MUTANTS has a JSON object on each line: a record's `text`, the name of its `schema`, a `name` for
messages, what was `put` into a good record to make it, and whether runvet finds it `valid`.

Numbers are read as decimals: among doubles `-1e-400` is 0 and `1e400` infinite. Where the two differ,
`agreement-exceptions.json` must say why, by what was put into the record; and every line of it must be called for.
Exit: 0, they agree; 1, they don't.
"""

import json
import sys
from decimal import Decimal
from pathlib import Path


def is_whole(_, value):
    if isinstance(value, Decimal):
        return value == value.to_integral_value()
    return isinstance(value, int) and not isinstance(value, bool)


def validators(root):
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    exact = extend(Draft202012Validator, type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", is_whole))
    formats = Draft202012Validator.FORMAT_CHECKER
    assert "date-time" in formats.checkers
    found = {}
    for file in sorted(root.glob("schemas/*.schema.json")):
        schema = json.loads(file.read_text())
        Draft202012Validator.check_schema(schema)
        found[file.name.removesuffix(".schema.json")] = exact(schema, format_checker=formats)
    return found


def main(root, mutants):
    judges = validators(root)
    exceptions = json.loads((root / "tests" / "agreement-exceptions.json").read_text())
    reasons = {(exception["put"], exception["runvet_accepts"]): exception["reason"] for exception in exceptions}
    called_for, wrong, count = set(), [], 0
    for line in mutants.open():
        mutant = json.loads(line)
        count += 1
        record = json.loads(mutant["text"], parse_float=Decimal)
        if judges[mutant["schema"]].is_valid(record) != mutant["valid"]:
            difference = (mutant["put"], mutant["valid"])
            called_for.add(difference)
            if difference not in reasons:
                wrong.append(f"{mutant['name']}: runvet {'accepts' if mutant['valid'] else 'refuses'} it, alone")
    wrong += [f"no mutant calls for the exception {difference}" for difference in reasons.keys() - called_for]
    print(f"{count} records, {len(called_for)} exceptions", *wrong, sep="\n")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
