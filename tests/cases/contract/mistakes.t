What people write by mistake gets a sentence, its place, and help that fits.

# A timestamp that is nearly right says what is wrong.
  $ fresh; edit '2s/12:00:00.010000+00:00/12:00:00.010000/' $events; told events/schema | json /episodes/*/findings/* line column message help
  2 140 `timestamp` is "2026-03-01T12:00:00.010000", not an RFC 3339 date-time with an offset: it lacks an offset Write it with an offset, such as 2026-03-01T12:00:00Z or 2026-03-01T13:00:00.5+01:00. `timestamp`: The time of the event.
  [1]
  $ for wrong in 2026-03-01T12:00:00.010000+0000 '2026-03-01 12:00:00.010000+00:00' 2026-03-01T12:00:00,010000+00:00 '2026-03-01T12:00:00Z[UTC]'; do
  >   fresh; edit "2s/2026-03-01T12:00:00.010000+00:00/$wrong/" $events; runvet validate --select events/schema --format concise 2>&1 | grep -o 'with an offset: .*'
  > done
  with an offset: its offset lacks the colon
  with an offset: it lacks `T` between date and time
  with an offset: a fraction of a second comes after `.`
  with an offset: nothing comes after the offset

# What a program prints instead of JSON gets its own help.
  $ helps() { fresh; edit "$1" $state; runvet validate --format json; }
  $ helps s/0.75/NaN/ | json /episodes/*/findings/* message length help
  state.json is not JSON: NaN and Infinity are not JSON 1 Write `null` or a finite number. Python's `json.dumps` writes NaN unless it gets `allow_nan=False`.
  [1]
  $ helps s/0.75/-Infinity/ | json /episodes/*/findings/* message
  state.json is not JSON: NaN and Infinity are not JSON
  [1]
  $ for text in "'step-1'" None True; do fresh; edit "s/\"step-1\"/$text/" $events; runvet validate --select events/syntax | grep -c json.dumps; helps "s/\"step-1\"/$text/" | grep -c json.dumps; done | uniq -c
        6 1
  $ fresh; echo "{'version': '1.0'}" > $state; told record/json-syntax | json /episodes/*/findings/* line column message help
  1 2 state.json is not JSON: JSON strings need double quotes This looks like Python's `repr()` or `str()`: write the value with `json.dumps()`.
  [1]
  $ fresh; printf '\357\273\277' | cat - "$CORPUS/good/terminal/$state" > $state; told record/json-syntax | json /episodes/*/findings/* line column message help
  1 1 state.json is not JSON: the text starts with a byte order mark Write UTF-8 without a byte order mark: in Python, `encoding="utf-8"` instead of `"utf-8-sig"`.
  [1]
  $ fresh; tr -d '\n' < "$CORPUS/good/terminal/$state" | sed 's/[^\x00]/&\x00/g' > $state; told record/json-syntax | json /episodes/*/findings/* line column message help
  1 1 state.json is not JSON: it is UTF-16, not UTF-8 Write the text as UTF-8: PowerShell's `>` and `Out-File` write UTF-16 without `-Encoding utf8`.
  [1]
  $ for text in '{} // the state' '{"version": "1.0",}' '{"a": "\ud83d"}' ''; do printf '%s' "$text" > $state; runvet validate --select record/json-syntax | grep help:; done
  help: Remove the comment, or make it a field.
  help: Remove the comma before the bracket, or write the value that is missing.
  help: Write the whole character. Half of one is left where a text was cut between two UTF-16 units, or decoded with `surrogateescape`.
  help: Nothing was written. Replace the file in one step, so that readers find all of it or none: write a temporary file, then rename it.
  $ printf '\0\0\0\0' > $state; told record/json-syntax | json /episodes/*/findings/* message help
  state.json is not JSON: the text has NUL bytes File systems leave NUL bytes where power failed before the text was on the disk. Restore the file, and write it in one step: write a temporary file, flush it to the disk with `fsync`, then rename it.
  [1]
  $ printf '{}\0\0\0\n\0' > $state; told record/json-syntax | json /episodes/*/findings/* message
  state.json is not JSON: the text has NUL bytes
  [1]

# A word outside of a vocabulary is told with the one that is meant, and a violation with the description of its field.
  $ for word in completed success failed OK; do fresh; edit "s/\"status\":\"ok\"/\"status\":\"$word\"/" $state; runvet validate --select state/schema | grep -e ^error -e help:; done
  error[state/schema]: `outcomes.status` is "completed", not one of "ok", "error", "vetoed", "aborted", "partial", "pending"
  help: Did you mean "ok"? The run completed successfully.
  error[state/schema]: `outcomes.status` is "success", not one of "ok", "error", "vetoed", "aborted", "partial", "pending"
  help: Did you mean "ok"? The run completed successfully.
  error[state/schema]: `outcomes.status` is "failed", not one of "ok", "error", "vetoed", "aborted", "partial", "pending"
  help: Did you mean "error"? The run failed.
  error[state/schema]: `outcomes.status` is "OK", not one of "ok", "error", "vetoed", "aborted", "partial", "pending"
  help: Did you mean "ok"? The run completed successfully.
  $ fresh; edit 's/"task":"/"task":7,"was":"/' $state; runvet validate --select state/schema | grep help: | cut -c1-20
  help: `task`: The or

# Absent fields of one object are one finding.
  $ fresh; echo '{"phase":"learn"}' >> $events; told '*' | json /episodes/*/findings/* rule line column message help
  events/schema 12 1 the event lacks the required fields `payload` and `timestamp` Add the fields `payload` and `timestamp`. `payload`: The details of the event. `timestamp`: The time of the event.
  [1]
  $ fresh; echo '{"version":"1.0"}' > $state; runvet validate --format concise 2>&1 | grep -c state/schema
  1

# What is missing is told with what to write.
  $ fresh; edit 1d $events; told started-at/start-event | json /episodes/*/findings/* line message help
  - events.jsonl has no `start` event Emit a `start` event first, before any other, with the time of `episode.started_at` as its timestamp.
  [1]
  $ fresh; rm episodes/ep_answer/manifest.json; told lifecycle/artifacts | json /episodes/*/findings/* message help
  the run has ended with the status "ok", but there is no manifest.json Write manifest.json when the run ends.
  [1]
  $ fresh; edit 's/"links":{/"x-links":{/' $events; told projection/links | json /episodes/*/findings/0/related/* file pointer
  episodes/ep_answer/state.json /links
  [1]
  $ fresh; edit 's/"outcomes":{/"x-outcomes":{/' $events; told projection/outcomes | json /episodes/*/findings/0/related/* file pointer
  episodes/ep_answer/state.json /outcomes
  [1]

# An array of events is told as one, on one line or on several.
  $ good=$CORPUS/good/terminal/episodes/ep_answer/events.jsonl; array() { { printf "$1"; sed "\$!s/\$/$2/" "$good" | { [ "$4" ] && tr -d '\n' || cat; }; printf "$3"; } > $events; }
  $ fresh; array '[' , ']\n' one; told events/syntax | json /episodes/*/findings/* line column message help
  1 1 line 1 is an array, not an object Write each item of the array as a line of its own, without the brackets and commas.
  [1]
  $ fresh; array '[\n' , ']\n'; told events/syntax > out; grep -o '"message":"[^"]*"' out | head -1; grep -o 'are one array' out | wc -l
  "message":"lines 1–13 are one JSON array, not an event on each line"
  12
  $ fresh; array '[' , ']\n'; told events/syntax > out; grep -o 'are one array' out | wc -l
  11
  $ fresh; { echo '['; sed 's/^{/  {\n/; s/}$/\n  },/' "$good" | sed '$s/,$//'; echo ']'; } > $events; told events/syntax > out; grep -o '"message":"[^"]*"' out | head -1; grep -o 'are one array' out | wc -l
  "message":"lines 1–35 are one JSON array, not an event on each line"
  32
  $ fresh; array '[\n' , ']'; runvet validate --select events/torn-tail | grep -o 'are one array'
  are one array
  $ fresh; array '[\n' '' ']\n'; told events/syntax | grep -c 'one array'
  0
  [1]
  $ fresh; array '[\n' , '}\n'; told events/syntax | grep -c 'one array'
  0
  [1]

# Events that are printed over several lines are one finding; lines that are no object together are told one by one.
  $ good=$CORPUS/good/terminal/episodes/ep_answer/events.jsonl; pretty() { sed 's/^{/{\n/; s/}$/\n}/' "$good"; }
  $ fresh; pretty > $events; told events/syntax | json /episodes/*/findings/* line column message help
  1 1 lines 1–3 are one object: write it on one line; the same holds for 10 more objects Write each event without line breaks, and a newline after it: `json.dumps(event)` in Python, without `indent`.
  [1]
  $ fresh; pretty | head -c -1 > $events; told events/syntax | json /episodes/*/findings/* line column
  1 1
  [1]
  $ more() { { cat "$good"; printf "$1"; } > $events; runvet validate --select events/syntax --format concise 2> /dev/null | grep -c events/syntax; }

An event alone or a line too much is between, or the second attempt is the right one.
  $ fresh; more '{\n{}\n}\n'; more '{\n\n{}\n}\n'; more '{\n"a":1\n}}\n'; more '"a": {\n}\n'; more '{"a":\n{\n"b":1\n}\n'
  2
  2
  3
  2
  4
  $ more '{\n"a":[\n{\n}\n]\nx\n{\n}\n'; more '{"a"\n{\n"b":1\n}\n'
  7
  2
  $ between() { more "{\"a\":[0\n$(for at in $(seq $2); do printf "$1"; done)]}\n"; }
  $ between ',1\\n' 998; between ',1\\n' 999; between '\\n\\t\\r\\n' 499; between '\\n\\t\\r\\n' 500
  1
  1001
  1
  2

# A slip of a phase or a key is told before what follows from it.
  $ fresh; edit '5s/"phase":"act"/"phase":"Act"/' $events; told events/misspelled | json /episodes/*/findings/* line column message help
  5 281 line 5 has the phase "Act"; did you mean `act`? Write the phase as `act`, if you mean that phase: under another name, runvet does not count it as `act`.
  $ runvet validate --select plan/projection --select actions/mirror | grep 'may follow'
  note: this may follow from the phase "Act" on line 5, if `act` is meant
  note: this may follow from the phase "Act" on line 5, if `act` is meant
  $ fresh; edit '5s/"step_id":"step-1"/"stepId":"step-1"/' $events; told events/misspelled | json /episodes/*/findings/* line column message help
  5 188 line 5 has `stepId` in the payload of its `act` event, but no `step_id` Rename the key to `step_id`, if that is what it means.
  $ runvet validate --select plan/projection | grep -o '.stepId. on line 5'
  `stepId` on line 5
  $ fresh; edit '1s/"phase":"start"/"Phase":"start"/' $events; told '*' | json /episodes/*/findings/* rule
  started-at/start-event
  events/schema
  events/misspelled
  [1]
  $ fresh; edit '1s/^/oops\n/; s/"phase":"learn"/"phase":"Reflect"/' $events; told events/misspelled | json /episodes/*/findings/* message
  line 10 has the phase "Reflect"; did you mean `reflect`?
  $ fresh; edit '1s/"timestamp":"/"timestmp":"/' $events; told events/misspelled | json /episodes/*/findings/* message
  the event on line 1 has `timestmp`, but no `timestamp`
  $ told events/schema | json /episodes/*/findings/* message help related/0/message
  the event lacks the required field `timestamp` Rename `timestmp` to `timestamp`, if that is what it means. `timestamp`: The time of the event. `timestamp` is absent, but the object has `timestmp`
  [1]
  $ fresh; edit 's/"started_at"/"startedAt"/' $state; told state/schema | json /episodes/*/findings/* message help related/0/message
  `episode` lacks the required field `started_at` Rename `startedAt` to `started_at`, if that is what it means. `started_at`: The time at which the run started: the timestamp of its `start` event. It does not change when the run is continued. `started_at` is absent, but the object has `startedAt`
  [1]

A status without its prefix is named beside the plan, one of another kind is not.
  $ fresh; edit 's/"step_status"/"status"/' $events; runvet validate --select plan/projection | grep -m 1 'no `step_status`'; runvet validate --select events/misspelled
  note: the `act` event on line 5 has `status`, but no `step_status`
  1 episode: valid
  $ fresh; edit 's/"step_status":"/"status":"x/' $events; runvet validate | grep -c 'has `status`'
  0
  [1]

# A phase of its own is asked about where an event is missed, and an event type that is nearly that of a projection.
  $ asked() { fresh; edit "s/\"phase\":\"$1\"/\"phase\":\"$2\"/" $events; told $3; }
  $ asked plan planing plan/no-event | json /episodes/*/findings/* help related/0/message related/0/line
  Line 3 has the phase "planing": did you mean `plan`? Emit a `plan` event with all steps each time the plan is created or changed. the steps in the state 1
  $ asked plan Plan plan/no-event | json /episodes/*/findings/* help
  Line 3 has the phase "Plan": did you mean `plan`? Emit a `plan` event with all steps each time the plan is created or changed.
  $ asked start started started-at/start-event | json /episodes/*/findings/* help
  Line 1 has the phase "started": did you mean `start`? Emit a `start` event first, before any other, with the time of `episode.started_at` as its timestamp.
  [1]
  $ asked runtime run.state_projection projection/missing | json /episodes/*/findings/* help
  Line 10 has the phase "run.state_projection": did you mean `runtime`? Emit an event with `phase` "runtime" and `event_type` "run.state_projection" each time a state record is persisted.
  [1]
  $ for type in run.state_projecton run.stateProjection state_projection run.projected; do fresh; edit "s/run.state_projection/$type/" $events; runvet validate --select projection/missing | grep help:; done
  help: Line 10 has the event type "run.state_projecton": did you mean `run.state_projection`? Emit an event with `phase` "runtime" and `event_type` "run.state_projection" each time a state record is persisted.
  help: Line 10 has the event type "run.stateProjection": did you mean `run.state_projection`? Emit an event with `phase` "runtime" and `event_type` "run.state_projection" each time a state record is persisted.
  help: Line 10 has the event type "state_projection": did you mean `run.state_projection`? Emit an event with `phase` "runtime" and `event_type` "run.state_projection" each time a state record is persisted.
  help: Emit an event with `phase` "runtime" and `event_type` "run.state_projection" each time a state record is persisted.

# A record of another version is told where it differs, and a version as a number with its text.
  $ fresh; edit 's/"schema_version":"1.3.0"/"schema_version":"1.2.0"/' $summary; runvet validate --select summary/version | grep help:
  help: Only the version differs from 1.3.0, as far as the schema shows. Convert the record before you change its version, or give runvet the schema of its version with `[[version]]` in `runvet.toml`.
  $ edit 's/"outcome":/"result":/; s/"plan_count":1/"plan_count":-1/' $summary; runvet validate --select summary/version | grep help:
  help: The record differs from version 1.3.0 in `outcome`, `metrics.plan_count`. Convert the record before you change its version, or give runvet the schema of its version with `[[version]]` in `runvet.toml`.
  $ fresh; edit 's/"version":"1.0"/"version":1.0/' $state; told state/schema | json /episodes/*/findings/* message help
  `version` is a number (1.0), not a string Write the text "1.0", with its quotes. `version`: The identifier of the record format. It changes only when older readers can no longer read the record.
  [1]
  $ fresh; edit 's/"version":"1.0"/"version":1/' $state; told state/schema | json /episodes/*/findings/* message help
  `version` is a number (1), not a string Write the text "1.0", with its quotes. `version`: The identifier of the record format. It changes only when older readers can no longer read the record.
  [1]
  $ fresh; edit 's/"state_schema_version":"1.0.0"/"state_schema_version":1.0/' $state; told state/schema | json /episodes/*/findings/* message help
  `state_schema_version` is a number (1.0), not a string Write the text "1.0.0", with its quotes. `state_schema_version`: The semantic version of the schema that the record follows.
  [1]

# A file that is something else says what it is, once.
  $ is() { fresh; cat > $events; cp $events $state; told events/syntax; }; of() { grep -o '"message":"[^"]*","help":"[^"]*"'; }
  $ printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n' | is | of
  "message":"events.jsonl is not JSON: it is a Git LFS pointer, not the file itself","help":"Fetch the file with `git lfs pull`; in CI, check out with `lfs: true`."
  $ told record/json-syntax | of
  "message":"state.json is not JSON: it is a Git LFS pointer, not the file itself","help":"Fetch the file with `git lfs pull`; in CI, check out with `lfs: true`."
  $ printf '\037\213\010\0\n\n\0\n' | is | of
  "message":"events.jsonl is not JSON: it is compressed","help":"Unpack the file: records are read as they were written, under their own names."
  $ printf '<html>\n<body>\n' | is | of
  "message":"events.jsonl is not JSON: it is an HTML page, such as one of a login or of an error","help":"Fetch the file again, with a program that fails where a server does: `curl --fail`."
  $ printf '../../store/ab/x.json' | is | of
  "message":"events.jsonl is not JSON: it is the path of a symbolic link, written as a file","help":"Put the file itself in place. Git for Windows writes such paths where `core.symlinks` is false: turn that on and check out again."
  $ sed 's/^/12:00:00 agent[7]: /' "$CORPUS/good/terminal/episodes/ep_answer/events.jsonl" | is | of
  "message":"line 1 is not JSON: something stands before it, as a log writes it; the same holds for 10 more lines","help":"Write the text alone: `docker logs` and `kubectl logs` without `--timestamps` and `--prefix`, `journalctl` with `-o cat`, and no format in a logger."
  $ sed "s/.*/$(printf '\033')[32m&$(printf '\033')[0m/" "$CORPUS/good/terminal/episodes/ep_answer/events.jsonl" | is | of
  "message":"line 1 is not JSON: it has escape sequences for the colours of a terminal; the same holds for 10 more lines","help":"Write the text without colours: `NO_COLOR=1` turns them off in many programs."
  $ fresh; edit '5s/$/\n<<<<<<< ours\n=======\n>>>>>>> theirs/' $events; told events/syntax | of
  "message":"line 6 is not JSON: it has conflict markers of git; the same holds for 2 more lines","help":"Take one side as a whole: `git checkout --ours` or `--theirs` with the path. Lines of records can't be merged: `*.json -merge` and `*.jsonl -merge` in .gitattributes keep git from it."

# Two writers in one line are told with what fits the file.
  $ fresh; sed -n 6p $events > other; edit "5s/,/,$(sed 's/[&/\]/\\&/g' other)\n/" $events; told events/syntax | json /episodes/*/findings/* line message help
  5 line 5 is not JSON: another object begins inside of one, as where two processes write one file, or a write was cut; the same holds for 1 more line Let one process write the file, or have each open it for appending (O_APPEND) and write each event with its newline in one write, under a lock (`flock`).
  [1]
  $ fresh; edit 's/,/,{"a": 1}/' $state; told record/json-syntax | json /episodes/*/findings/* message help
  state.json is not JSON: another object begins inside of one, as where two processes write one file, or a write was cut Let one process write the file, and replace it in one step: write a temporary file of its own, then rename it.
  [1]

# A digest that fits but for its line ends says how to keep them.
  $ ends() { rm -rf episodes; mkdir episodes; cp -r "$CORPUS/good/$1"/episodes/* episodes; edit "$4" episodes/*/state.json; runvet validate $3 --select $2 | grep -o -e 'only the line ends differ' -e '`\*.json -text`'; }
  $ ends sealed projection/digest --quiet 's/$/\r/'; ends sealed projection/digest --quiet 's/$/\n /'
  only the line ends differ
  `*.json -text`
  [1]
  $ ends strict-near-misses manifest/digest --verify-manifest 's/$/\r/'; ends strict-near-misses manifest/digest --verify-manifest 's/$/\n /'
  only the line ends differ
  `*.json -text`
  [1]
