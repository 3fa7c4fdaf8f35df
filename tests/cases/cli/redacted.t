A run that is redacted while it is recorded.

# No text reaches the disk, and the run is the one that it would be without redaction.
  $ commands | runvet record --run-data runs --task 'Refund Ada' --id s --tag 'customer=Ada L.' --redact --key key --max-output 60 | grep -o '"ok":[a-z]*' | sort | uniq -c
       15 "ok":true
  $ grep -rE 'Ada|letter|QWRh|away' runs; ls runs/episodes/s; ls runs/episodes/s/attachments | sed 's/^[0-9a-f]*\././' | sort
  attachments
  events.jsonl
  learn.jsonl
  manifest.json
  state.json
  summary.json
  .json
  .png
  $ commands | runvet record --run-data plain --task 'Refund Ada' --id s --tag 'customer=Ada L.' --max-output 60 > out; places plain > 1; places runs > 2; diff 1 2 && cat 1; runvet validate runs --rule 'strict/*=warning' --verify-manifest
  1 episode: valid
  $ runvet redact runs --to again --key key > out; for file in state.json summary.json learn.jsonl; do cmp runs/episodes/s/$file again/episodes/s/$file && echo same; done
  same
  same
  same

# Rules and `would` see the texts, from the first event to the last; what they find names no text on the disk.
  $ cat > runvet.toml <<'END'
  > [[order]]
  > id = "acme/pushed"
  > each = { kind = "execute", if = "event.payload['x-command'].startsWith('git push')" }
  > needs-earlier = { kind = "execute", if = "event.payload['x-command'] == 'pytest'" }
  > message = "a push without a test"
  > [[order]]
  > id = "acme/paid"
  > each = { tool = "pay" }
  > needs-later = { tool = "tell" }
  > same = "/payload/input/to"
  > message = "nobody told {same}"
  > [[rule]]
  > id = "acme/task"
  > each = { tool = "pay" }
  > check = "state.goal.task == 'Pay Bob' && size(event.payload.input.note) < 10"
  > message = "not the task"
  > END
  $ steps() { cat <<'END'
  > {"would":{"phase":"act","payload":{"tool":"Bash","input":{"command":"git push"}}}}
  > {"act":{"tool":"Bash","input":{"command":"pytest"},"output":"passed"}}
  > {"act":{"tool":"Bash","input":{"command":"git push"},"output":"pushed"}}
  > {"act":{"tool":"pay","input":{"to":"Ada","note":"a note that is longer than that"},"output":"paid"}}
  > {"finish":"ok"}
  > END
  > }
  $ found() { grep -o '"rule":"[^"]*"\|"message":"[^"]*"'; echo; }
  $ for redact in '' '--redact --key key'; do rm -rf runs; steps | runvet record --run-data runs --task 'Pay Ada' --config runvet.toml $redact | found > found.$(echo $redact | wc -w); done; diff found.0 found.3 && cat found.0; grep -rE 'Ada|pytest|git' runs
  "rule":"acme/pushed"
  "message":"a push without a test"
  "rule":"acme/task"
  "message":"not the task"
  "rule":"acme/paid"
  "message":"nobody told \"
  "rule":"acme/task"
  "message":"not the task"
  [1]

# A secret in an id goes too, and its commands go on naming it.
  $ printf '%s\n' '{"plan":[{"id":"ghp_1","description":"x"}]}' '{"open":"ghp_1"}' '{"act":{"tool":"t","step_id":"ghp_1","output":1}}' '{"close":{"step_id":"ghp_1","status":"done"}}' '{"finish":"ok"}' | runvet record --run-data runs --task t --id ghp_2 --redact --key key | grep -oE '"(message|id)":"[^"]*"|"ok":[a-z]*' | sed 's/redacted-[0-9a-f]*/redacted-.../'
  "ok":true
  "id":"redacted-..."
  "ok":true
  "ok":true
  "ok":true
  "id":"act-1"
  "ok":true
  "ok":true
  "id":"redacted-..."
  $ grep -r ghp_ runs; find runs | grep ghp_; runvet validate runs --rule '*=warning' --rule 'summary/*=off'
  1 episode: valid

# A run goes on under its key; steps that are planned again are the same.
  $ commands | head -n 4 | runvet record --run-data runs --id s --task 'Refund Ada' --redact --key key > out; printf '%s\n' '{"plan":["Look up Ada"]}' '{"open":"step-1"}' '{"close":"step-1"}' '{"pause":"Ada"}' | runvet record --run-data runs --id p --task t --redact --key key > out
  note: the input ended before the run: s stays pending, and --resume s goes on with it
  $ printf '%s\n' '{"plan":["Look up Ada"]}' '{"plan":["Look up Bob"]}' '{"act":{"tool":"t","output":"Ada"}}' '{"finish":"ok"}' | runvet record --run-data runs --resume p --redact --key key --keep-going | grep -oE '"(message|id)":"[^"]*"|"ok":[a-z]*'
  note: 1 command refused; the first, on line 2: the plan is refused: step 1 has no id, and the one that is called step-1 so far is done and another step: give each step an id
  "ok":true
  "id":"p"
  "ok":true
  "ok":false
  "message":"the plan is refused: step 1 has no id, and the one that is called step-1 so far is done and another step: give each step an id"
  "ok":true
  "id":"act-1"
  "ok":true
  "id":"p"
  $ printf '%s\n' '{"open":"look"}' '{"close":"look"}' '{"finish":{"status":"partial","reason":"Ada"}}' | runvet record --run-data runs --resume s --redact --key key | grep -oE '"(message|id)":"[^"]*"|"ok":[a-z]*'
  "ok":true
  "id":"s"
  "ok":true
  "ok":true
  "ok":true
  "id":"s"
  $ grep -rl Ada runs; runvet validate runs --verify-manifest --deny-warnings
  2 episodes: all valid

# A command that is executed is recorded without what it prints.
  $ runvet record --run-data runs --exec --redact --key key -- sh -c 'echo printed secret; exit 3'
  printed secret
  [3]
  $ grep -rE 'printed|secret|exit 3' runs; runvet validate runs
  1 episode: valid

# A team's marks and its closed sets hold.
  $ cat > runvet.toml <<'END'
  > [vocabulary]
  > "/payload/input/mood" = ["calm"]
  > [[schema]]
  > id = "acme/acts"
  > where = { phase = "act" }
  > at = "/payload"
  > schema.properties.tool = { x-runvet = "sensitive" }
  > END
  $ printf '%s\n' '{"act":{"tool":"secret","input":{"mood":"calm","to":"Ada"},"output":1}}' '{"finish":"ok"}' | runvet record --run-data runs --id s --task t --config runvet.toml --redact --key key > out; grep -rE 'secret|Ada' runs; grep -o '"mood":"[^"]*"' runs/episodes/s/state.json
  "mood":"calm"

# It needs a key, and has no workspace, whose files would be named.
  $ runvet record --run-data runs --task t --redact < /dev/null 2>&1 | head -2; runvet record --run-data runs --task t --key key < /dev/null 2>&1 | head -2; runvet record --run-data runs --task t --redact --key key --workspace . < /dev/null 2>&1 | head -1
  error: the following required arguments were not provided:
    --key <FILE>
  error: the following required arguments were not provided:
    --redact
  error: the argument '--redact' cannot be used with '--workspace <DIR>'
  $ (umask 077; echo short > key); runvet record --run-data runs --task t --redact --key key < /dev/null; ls runs
  error: the key key: it has 6 bytes; a key is 32 bytes or 64 hexadecimal digits
  ls: cannot access 'runs': No such file or directory
  [2]
