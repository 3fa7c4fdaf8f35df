What a recorder refuses, and the words for it.

# A line that is no command says what one is.
  $ refused 'x' '[1]' '{}' '{"open":"a","close":"b"}' '{"oepn":"a"}' '{"sing":1}' '{"open":"a","open":"b"}'
  {"ok":false,"error":{"kind":"syntax","message":"the line is not JSON: expected a value (byte 1)"}}
  {"ok":false,"error":{"kind":"command","message":"a command is an object such as {\"open\":\"step-1\"}, not an array"}}
  {"ok":false,"error":{"kind":"command","message":"a line has exactly one command"}}
  {"ok":false,"error":{"kind":"command","message":"a line has exactly one command"}}
  {"ok":false,"error":{"kind":"command","message":"there is no command \"oepn\": did you mean `open`?"}}
  {"ok":false,"error":{"kind":"command","message":"there is no command \"sing\": the commands are plan, open, act, answer, close, attach, note, would, believe, remember, jot, reflect, propose, at, persist, pause, finish"}}
  {"ok":false,"error":{"kind":"argument","message":"an object has the same key twice"}}

# An argument that is not as it should be says which and why.
  $ refused '{"open":1}' '{"act":{"tool":"a","stpe":1}}' '{"note":{}}' '{"note":{"phase":"act"}}' '{"note":{"phase":"Act"}}' '{"note":{"phase":""}}'
  {"ok":false,"error":{"kind":"argument","message":"`open` is a number (1), not a string"}}
  {"ok":false,"error":{"kind":"argument","message":"`act` must not have the field `stpe`"}}
  {"ok":false,"error":{"kind":"argument","message":"`note` lacks the required field `phase`"}}
  {"ok":false,"error":{"kind":"refused","message":"the phase is refused: the recorder itself writes `act` events"}}
  {"ok":false,"error":{"kind":"refused","message":"the phase is refused: \"Act\" is easily mistaken for `act`"}}
  {"ok":false,"error":{"kind":"argument","message":"`note.phase` is empty"}}
  $ refused '{"attach":{}}' '{"attach":{"base64":"?","extension":"txt"}}' '{"attach":{"base64":"YQ==","extension":"a/b"}}' '{"attach":{"base64":"YQ==","extension":"a-very-long-extension-of-a-file"}}' '{"attach":"gone"}'
  {"ok":false,"error":{"kind":"argument","message":"`attach` takes a `path`, or `base64` and `extension`"}}
  {"ok":false,"error":{"kind":"argument","message":"`base64` is not base64 with its padding: invalid length at 0"}}
  {"ok":false,"error":{"kind":"refused","message":"the attachment is refused: its extension is \"a/b\", and has to be at most 16 letters and digits"}}
  {"ok":false,"error":{"kind":"argument","message":"`attach.extension` is \"a-very-long-extension-of-a-file\", which `maxLength: 16` in its schema does not allow"}}
  {"ok":false,"error":{"kind":"refused","message":"the attachment is refused: gone can't be read: No such file or directory (os error 2)"}}
  $ refused '{"believe":{"statement":"s","confidence":2,"provenance":"p"}}' '{"remember":{"key":"k","value":0.12345678901234567890123}}' '{"remember":{"key":"k","value":1e999}}'
  {"ok":false,"error":{"kind":"argument","message":"`believe.confidence` is 2, above the maximum of 1"}}
  {"ok":false,"error":{"kind":"refused","message":"the line is refused: the number 0.12345678901234567890123 would be rounded: record it as a string"}}
  {"ok":false,"error":{"kind":"refused","message":"the line is refused: the number 1e999 is too large"}}
  $ refused '{"at":"noon"}' '{"at":"2026-03-01T12:00:00Z"}' '{"act":{"tool":"a","id":"x"}}' '{"act":{"tool":"a","result_status":"fine"}}'
  {"ok":false,"error":{"kind":"argument","message":"`at` is \"noon\", not an RFC 3339 date-time"}}
  {"ok":false,"error":{"kind":"refused","message":"the time is refused: the recorder's clock sets the times of this run: the caller can set them only in a run that began with a time of the caller, `started_at`"}}
  {"ok":false,"error":{"kind":"argument","message":"`act` must not have the field `id`"}}
  $ refused '{"close":{"status":"done"}}' '{"act":{"tool":"t","result_status":"ok"}}'
  {"ok":false,"error":{"kind":"refused","message":"a command that names no step is refused: none is open"}}
  $ printf '{"note":{"phase":"observe","payload":{"text":"%*s"},"x":1}}' 70000 a > long; refused "$(cat long)"
  {"ok":false,"error":{"kind":"argument","message":"`note` does not have the form that `runvet schema record-command` prints"}}
  $ { printf '{"jot":"'; head -c 67108865 /dev/zero | tr '\0' a; echo '"}'; } > large; runvet record --run-data runs --id ep_1 --task t --keep-going < large 2> notes | grep '"ok":false'
  {"ok":false,"error":{"kind":"too_large","message":"the line is larger than the limit: 64 MiB"}}

# A plan says which of its steps can't be.
  $ refused '{"plan":[{"id":"","description":"a"}]}' '{"plan":[{"id":"a","description":"a"},{"id":"a","description":"b"}]}' '{"plan":{"steps":["a"],"source":""}}'
  {"ok":false,"error":{"kind":"argument","message":"`plan[0].id` is empty"}}
  {"ok":false,"error":{"kind":"refused","message":"the plan is refused: two steps have the id \"a\""}}
  {"ok":false,"error":{"kind":"refused","message":"the plan is refused: its source has no name"}}
  $ refused '{"plan":["a","b"]}' '{"open":"step-1"}' '{"plan":[{"id":"other","description":"o"}]}' '{"act":{"tool":"t","result_status":"ok"}}' '{"close":"step-1"}' '{"plan":[{"id":"other","description":"o"}]}'
  {"ok":false,"error":{"kind":"refused","message":"the plan is refused: it lacks the step \"step-1\", which is open"}}
  {"ok":false,"error":{"kind":"refused","message":"the plan is refused: it lacks the step \"step-1\", which has an action"}}
  $ refused '{"open":"step-9"}' '{"plan":["a","b"]}' '{"close":"step-1"}' '{"close":{"done":{}}}' '{"open":"step-1"}' '{"open":"step-2"}' '{"close":{"done":{}}}' '{"act":{"tool":"t","result_status":"ok"}}'
  {"ok":false,"error":{"kind":"refused","message":"opening a step is refused: the plan has no step \"step-9\""}}
  {"ok":false,"error":{"kind":"refused","message":"closing a step is refused: the step \"step-1\" is pending, not running"}}
  {"ok":false,"error":{"kind":"argument","message":"`close` lacks the required field `status`"}}
  {"ok":false,"error":{"kind":"argument","message":"`close` lacks the required field `status`"}}
  {"ok":false,"error":{"kind":"refused","message":"a command that names no step is refused: several are open, so name one as `step_id`, such as \"step-1\""}}

# An end says what contradicts it.
  $ refused '{"finish":{"status":"ok","reason":"r"}}' '{"finish":{"status":"aborted","error":"e"}}' '{"finish":{"status":"ok","metrics":{"score":1},"score":1}}' '{"finish":{"status":"ok","metrics":{"success":1}}}'
  {"ok":false,"error":{"kind":"argument","message":"`reason` has no meaning for a run that ends with this status"}}
  {"ok":false,"error":{"kind":"argument","message":"`error` has no meaning for a run that ends with this status"}}
  {"ok":false,"error":{"kind":"refused","message":"the score is refused: the metrics already contain a `score`"}}
  $ refused '{"plan":["a"]}' '{"finish":"ok"}' '{"open":"step-1"}' '{"pause":"w"}' '{"finish":"ok"}'
  {"ok":false,"error":{"kind":"refused","message":"ending the run as ok is refused: the step \"step-1\" is pending"}}
  {"ok":false,"error":{"kind":"refused","message":"pausing is refused: the step \"step-1\" is open"}}
  {"ok":false,"error":{"kind":"refused","message":"ending the run as ok is refused: the step \"step-1\" is running"}}

# A run that can't begin says why.
  $ begin() { runvet record --run-data runs --task t "$@" < /dev/null 2>&1 > answer | grep -e ^error -e ^note; }
  $ begin --id 'a b'; begin --id state.json; begin --id episodes; begin --workspace gone
  error: the id is refused: it is "a b", and has to be at most 128 letters, digits, `.`, `_`, `-` and `:`, the first a letter, a digit or `_`
  error: the id is refused: the name `state.json` means something else in run data
  error: the id is refused: the name `episodes` means something else in run data
  error: opening the workspace gone failed: No such file or directory (os error 2)
  $ begin --tag a; begin --seed x; begin --seed 1e400; begin --seed 0.12345678901234567890123
  error: invalid value 'a' for '--tag <NAME=VALUE>': a tag has the form NAME=VALUE
  error: invalid value 'x' for '--seed <NUMBER>': it is not a number
  error: invalid value '1e400' for '--seed <NUMBER>': it would be recorded as another number
  error: invalid value '0.12345678901234567890123' for '--seed <NUMBER>': it would be recorded as another number
  $ begin --id ep:1; begin --id ep_1; begin --id ep_1
  note: on Windows and exFAT, no directory can be called ep:1
  note: the input ended before the run: ep:1 stays pending, and --resume ep:1 goes on with it
  note: the input ended before the run: ep_1 stays pending, and --resume ep_1 goes on with it
  error: a run with the id ep_1 already exists
  $ runvet record --run-data runs/episodes/ep_1 --task t < /dev/null
  {"ok":false,"error":{"kind":"refused","message":"the run-data directory is refused: it is in the run [DIR]/runs/episodes/ep_1, where no run is found"}}
  error: the run-data directory is refused: it is in the run [DIR]/runs/episodes/ep_1, where no run is found
  [2]
  $ runvet record --id ep_4 --task t < /dev/null
  {"ok":true,"id":"ep_4","path":"runs/episodes/ep_4","pending":[]}
  note: the input ended before the run: ep_4 stays pending, and --resume ep_4 goes on with it
  $ mkdir elsewhere; cd elsewhere; runvet record --task t < /dev/null; runvet list
  error: there is no run data here: no directory called `episodes` is in the working directory, above it or a few levels below it; name its parent with --run-data; a new run can also go into a new directory, which --run-data names
  error: there is no run data here: no directory called `episodes` is in the working directory, above it or a few levels below it; name its parent with --run-data
  [2]
  $ cd ..; runvet record --resume ep_9 --run-data runs < /dev/null
  {"ok":false,"error":{"kind":"absent","message":"there is no run \"ep_9\"; did you mean ep_1 or ep_4?"}}
  error: there is no run "ep_9"; did you mean ep_1 or ep_4?
  [2]
  $ runvet record --on-eof aborted --run-data runs --id ep_5 --task t < . > answer
  note: the input or the output failed: ep_5 has ended as aborted
  error: can't read standard input: Is a directory (os error 21)
  [2]

# A run goes on where it began, and one process records it.
  $ mkdir work; echo '{"pause":"wait"}' | runvet record --run-data runs --id ep_1 --task t --workspace work > answer; runvet record --resume ep_1 --run-data runs < /dev/null 2>&1 | tail -1
  error: resuming is refused: the run works in [DIR]/work, but only its records name that directory: pass it as the workspace
  $ mkdir other; runvet record --resume ep_1 --run-data runs --workspace other < /dev/null 2>&1 | tail -1
  error: the workspace is refused: the run works in [DIR]/work
  $ echo '{"pause":"wait"}' | runvet record --run-data runs --id ep_2 --task t > answer; runvet record --resume ep_2 --run-data runs --workspace other < /dev/null 2>&1 | tail -1
  error: the workspace is refused: the run began without one
  $ mkfifo lines; runvet record --run-data runs --id ep_3 --task t < lines > answer 2> notes &
  > exec 3> lines; until grep -qs ep_3 answer; do sleep 0.1; done; runvet record --resume ep_3 --run-data runs < /dev/null; runvet recover ep_3 --run-data runs; exec 3>&-; wait
  {"ok":false,"error":{"kind":"busy","message":"another process is recording the run ep_3"}}
  error: another process is recording the run ep_3
  error: another process is recording the run ep_3

# What is verified at the end says what is missing.
  $ mkdir work; echo text > work/there; for file in there gone ../out; do
  >   echo '{"finish":"ok"}' | runvet record --run-data runs --task t --workspace work --verify $file > answer
  > done; cat runs/episodes/*/summary.json | grep -o '"reason":"[^"]*"'
  "reason":"the file does not exist"
  "reason":"the path leaves the workspace"

# A timeline that the recorder did not write is left alone, with the reason.
  $ record() { rm -rf runs; printf '%s\n' '{"jot":"a"}' '{"jot":"b"}' '{"persist":{}}' | runvet record --run-data runs --id ep_1 --task t > answer 2> notes; }
  $ events=runs/episodes/ep_1/events.jsonl
  $ damaged() { record; sed -i "$1" $events; runvet recover ep_1 --run-data runs; }
  $ damaged '2s/"phase":"memory"/"phase":"memroy"/'
  error: the recorder can't go on with the run ep_1: line 6 of events.jsonl has a digest that differs from that of the state computed from the events; only its own writer can repair or end it
  [2]
  $ damaged '2s/evt-000002/evt-7/'
  error: the recorder can't go on with the run ep_1: line 2 of events.jsonl has the id "evt-7", but the recorder writes evt-000002 on that line; only its own writer can repair or end it
  [2]
  $ damaged '2s/"episode_id":"ep_1"/"episode_id":"ep_7"/'
  error: the recorder can't go on with the run ep_1: line 2 of events.jsonl is an event of another run, "ep_7"; only its own writer can repair or end it
  [2]
  $ damaged '2s/"timestamp":"[^"]*"/"timestamp":"2026-03-01T12:00:00Z"/'
  error: the recorder can't go on with the run ep_1: line 2 of events.jsonl has the time "2026-03-01T12:00:00Z", but the recorder writes times in the form 2026-03-01T12:00:00.000000+00:00; only its own writer can repair or end it
  [2]
  $ damaged '2s/"timestamp":"[^"]*"/"timestamp":"2020-03-01T12:00:00.000000+00:00"/'
  error: the recorder can't go on with the run ep_1: line 2 of events.jsonl is earlier than the event before it; only its own writer can repair or end it
  [2]
  $ damaged '2s/"timestamp"/"timestmap"/'
  error: the recorder can't go on with the run ep_1: line 2 of events.jsonl has no `timestamp`, which the recorder writes in every event; only its own writer can repair or end it
  [2]
  $ damaged '2s/"payload":{/"payload":{"kind":7,/'
  runs/episodes/ep_1: nothing had to be repaired; the run has not ended, and `recover` does not end it: `runvet record --resume ep_1` goes on with it, `runvet abandon ep_1` ends it
  $ damaged '2s/"agent_id":"[^"]*"/"agent_id":7/'
  error: the recorder can't go on with the run ep_1: line 2 of events.jsonl is not an event that the recorder writes: invalid type: integer `7`, expected a string; only its own writer can repair or end it
  [2]
  $ damaged '2s/"a"/"z"/'
  error: the recorder can't go on with the run ep_1: line 6 of events.jsonl has a digest that differs from that of the state computed from the events; only its own writer can repair or end it
  [2]
  $ damaged '2s/.*//'
  error: the recorder can't go on with the run ep_1: line 2 of events.jsonl is blank, which the recorder never writes; only its own writer can repair or end it
  [2]
  $ damaged '2s/{/{,/'
  error: the recorder can't go on with the run ep_1: line 2 of events.jsonl is not JSON: expected a key in double quotes; only its own writer can repair or end it
  [2]
  $ damaged '1s/"phase":"start"/"phase":"note"/'
  error: the recorder can't go on with the run ep_1: line 1 of events.jsonl is not a `start` event; only its own writer can repair or end it
  [2]
  $ damaged '1s/{/{,/'
  error: the recorder can't go on with the run ep_1: line 1 of events.jsonl is not JSON: expected a key in double quotes; only its own writer can repair or end it
  [2]
  $ damaged '1d'
  error: the recorder can't go on with the run ep_1: line 1 of events.jsonl has the id "evt-000002", but the recorder writes evt-000001 on that line; only its own writer can repair or end it
  [2]
  $ damaged '2s/"payload":{[^}]*}/"payload":{}/'
  error: the recorder can't go on with the run ep_1: line 6 of events.jsonl has a digest that differs from that of the state computed from the events; only its own writer can repair or end it
  [2]
  $ record; rm runs/episodes/ep_1/state.json; sed -i '1s/.*/\x00\x00/' $events; runvet recover ep_1 --run-data runs
  error: the recorder can't go on with the run ep_1: line 1 of events.jsonl, the `start` event, is damaged, and nothing else says what it said: keep the files of the run, and put that line back from a copy
  [2]
  $ echo '{"plan":["a"]}' | runvet record --run-data runs --id ep_7 --task t > answer 2> notes; sed -i 's/"step_records":\[{/"step_records":[7,{/' runs/episodes/ep_7/events.jsonl; runvet recover ep_7 --run-data runs
  error: the recorder can't go on with the run ep_7: line 2 of events.jsonl is a `plan` event with a payload that the recorder does not write; only its own writer can repair or end it
  [2]
  $ record; : > $events; rm runs/episodes/ep_1/state.json; runvet recover ep_1 --run-data runs
  error: the recorder can't go on with the run ep_1: events.jsonl has no `start` event: the run never began, and its directory can be deleted
  [2]
  $ record; head -c 100 $events > cut; mv cut $events; rm runs/episodes/ep_1/state.json; runvet recover ep_1 --run-data runs
  error: the recorder can't go on with the run ep_1: events.jsonl has no `start` event: the run never began, and its directory can be deleted
  [2]
  $ record; echo '{}' > runs/episodes/ep_1/state.json; runvet recover ep_1 --run-data runs
  error: the recorder can't go on with the run ep_1: no projection event has the digest of state.json as `state_sha256`; only its own writer can repair or end it
  [2]

# A recovery says what it cut off or completed, and a name that is not the whole id is not taken.
  $ echo '{"jot":"a"}' | runvet record --run-data runs --id ep_1 --task t > answer 2> notes; printf '{"agent' >> runs/episodes/ep_1/events.jsonl; runvet recover ep_1 --run-data runs
  runs/episodes/ep_1: removed the last 7 bytes of the timeline, an event that was not written whole; the run has not ended, and `recover` does not end it: `runvet record --resume ep_1` goes on with it, `runvet abandon ep_1` ends it
  $ echo '{"finish":"ok"}' | runvet record --run-data runs --id ep_22 --task t > answer; rm runs/episodes/ep_22/summary.json runs/episodes/ep_22/manifest.json; runvet recover ep_22 --run-data runs
  error: the recorder can't go on with the run ep_22: the run has ended with the status "ok", but there is no manifest.json
  [2]
  $ runvet recover ep_2 --run-data runs; runvet recover ep_9 --run-data runs
  error: no run has the id "ep_2": did you mean ep_22? What writes to a run takes its whole id
  error: there is no run "ep_9"; did you mean ep_1?
  [2]
  $ echo '{"finish":"ok"}' | runvet record --run-data runs --id ep_3 --task t > answer; rm runs/episodes/ep_3/manifest.json; sed -i '$d' runs/episodes/ep_3/learn.jsonl; runvet recover ep_3 --run-data runs
  error: the recorder can't go on with the run ep_3: the run has ended with the status "ok", but there is no manifest.json
  [2]
  $ { echo '{"persist":{}}'; until [ -e kept ]; do sleep 0.1; done; echo '{"finish":"ok"}'; } | runvet record --run-data runs --id ep_5 --task t > answers 2> notes &
  > until [ "$(grep -c true answers)" = 2 ]; do sleep 0.1; done; cp runs/episodes/ep_5/state.json old; touch kept; wait; rm runs/episodes/ep_5/summary.json runs/episodes/ep_5/manifest.json; cp old runs/episodes/ep_5/state.json; runvet recover ep_5 --run-data runs
  runs/episodes/ep_5: wrote the missing records of a run that had ended as ok
  $ mkdir other; cp -r runs/episodes/ep_1 other/ep_1; runvet recover other/ep_1
  error: other/ep_1 is not directly in a directory called `episodes`, where the recorder writes runs: move it there first
  [2]
  $ mkdir else; cp -r runs else/runs; runvet recover else/runs/episodes/ep_1 --run-data runs
  error: else/runs/episodes/ep_1 is not in the run data that --run-data or RUNVET_RUN_DATA names
  [2]

# A file that another name leads to, or that is gone, is not written.
  $ echo '{"jot":"a"}' | runvet record --run-data runs --id ep_1 --task t > answer 2> notes; ln runs/episodes/ep_1/events.jsonl linked; runvet recover ep_1 --run-data runs
  error: opening runs/episodes/ep_1/events.jsonl failed: it has another name too, by a hard link
  [2]
  $ { echo '{"jot":"a"}'; until [ -e gone ]; do sleep 0.1; done; echo '{"persist":{}}'; echo '{"jot":"b"}'; } | runvet record --run-data runs --id ep_2 --task t > answers 2> notes &
  > until grep -qs evt-000002 answers; do sleep 0.1; done; rm -r runs/episodes/ep_2; touch gone; wait; grep false answers
  {"ok":false,"error":{"kind":"lost","message":"runs/episodes/ep_2 was removed, replaced or changed by another process: the run is not recorded"}}
