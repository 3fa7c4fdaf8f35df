What is held back, said and asked: words of `explain`, `holds` of examples, calls of the protocol, people.

  $ mkdir .git; cat > runvet.toml <<'.'
  > [[order]]
  > id = "a/rm"
  > each = { phase = "act", tool = "bash", "/payload/input/**" = "*rm -rf*" }
  > never = true
  > message = "nothing is removed"
  > [[order.example]]
  > events = ['{"payload": {"tool": "bash", "input": {"x": ["rm -rf /"]}}}', '{"payload": {"tool": "bash", "input": "ls"}}']
  > fires = [1]
  > holds = [1]
  > [[order]]
  > id = "a/pay"
  > level = "ask"
  > each = { phase = "act", tool = "pay" }
  > never = true
  > message = "a payment"
  > [[order.example]]
  > events = [
  >   '{"phase": "direction", "event_type": "direction.ask", "payload": {"rule": "a/pay", "act": {"tool": "pay", "input": {"n": 1}}, "answer": "yes", "by": "kim"}}',
  >   '{"payload": {"tool": "pay", "input": {"n": 1.0}}}',
  >   '{"payload": {"tool": "pay", "input": {"n": 1}}}',
  > ]
  > fires = [3]
  > [[rule]]
  > id = "a/ok"
  > each = { tool = "pay", "/agent_id" = { not = "kim" } }
  > check = "event.payload.result_status == 'ok'"
  > message = "it failed"
  > [[rule.example]]
  > events = ['{"payload": {"tool": "pay", "result_status": "error"}}']
  > fires = []
  > .
  $ runvet rules | grep ^a/
  a/rm                         error, holds back                             nothing is removed
  a/pay                        ask, holds back                               a payment
  a/ok                         error, found afterwards: it needs the result  it failed
  $ runvet explain a/pay | head -n 1
  # a/pay (ask, holds back)
  $ runvet rules --format json | grep -o '"id":"a/[a-z]*"[^}]*"holds":"[a-z]*"' | sed 's/,.*,/ /'
  "id":"a/rm" "holds":"before"
  "id":"a/pay" "holds":"before"
  "id":"a/ok" "holds":"after"
  $ runvet rules --test
  a/rm: 1 example, all with the declared result
  a/pay: 1 example, all with the declared result
  a/ok: the rule has no example in which it finds something
  a/ok: note: `each` names `tool` and no `phase`: a note of any phase that names the tool counts, too; add `phase = "act"`
  a/ok: note: it goes by `agent_id`, which is one name for all acts unless the program that records names the agent of each
  a/ok: note: runvet.toml:29: `each` passes over line 1, as `/agent_id` leads nowhere
  [1]

A call of the protocol is asked about, with the answer of a person.
  $ printf '%s\n' '{"act":{"tool":"bash","input":{"c":"rm -rf /"},"hold":true}}' '{"act":{"tool":"pay","input":{"n":1},"hold":true}}' '{"answer":{"call":"call-000003","answer":"no","by":"kim"}}' '{"act":{"tool":"pay","input":{"n":1},"hold":true,"x-call-id":"c1"}}' '{"answer":{"call":"c1","answer":"yes","by":"kim"}}' '{"act":{"tool":"pay","input":{"n":1},"output":"paid","x-call-id":"c1"}}' '{"answer":{"call":"c1","answer":"yes","by":"kim"}}' '{"finish":"ok"}' | runvet record --run-data runs --task t --id r1 | grep -o '"kind":"[a-z]*"\|"call":"[^"]*"\|"message":"[^"]*"'
  note: 1 command refused; the first, on line 7: no call "c1" waits for an answer
  "call":"call-000002"
  "kind":"veto"
  "message":"nothing is removed"
  "call":"call-000003"
  "kind":"ask"
  "message":"a payment, and nobody was asked"
  "call":"call-000003"
  "kind":"veto"
  "message":"a payment, and the answer was no"
  "call":"c1"
  "kind":"ask"
  "message":"a payment, and the answer was no"
  "call":"c1"
  "kind":"go"
  "message":"`check` can't be evaluated: there is no `result_status` in `event.payload`, at `event.payload.result_status`"
  "kind":"argument"
  "message":"no call \"
  "message":"`check` can't be evaluated: there is no `result_status` in `event.payload`, at `event.payload.result_status`"
  $ grep -o '"phase":"[a-z]*"\|"event_type":"direction[^"]*"' runs/episodes/r1/events.jsonl | uniq -c | sed 's/^ *//'
  1 "phase":"start"
  1 "event_type":"direction.veto"
  1 "phase":"direction"
  1 "event_type":"direction.ask"
  1 "phase":"direction"
  1 "event_type":"direction.veto"
  1 "phase":"direction"
  1 "event_type":"direction.ask"
  1 "phase":"direction"
  1 "phase":"observe"
  1 "phase":"act"
  1 "phase":"runtime"
  1 "phase":"terminate"
  1 "phase":"runtime"
  $ runvet validate runs --format concise
  runs/episodes/r1/events.jsonl:7:1: error a/ok: `check` can't be evaluated: there is no `result_status` in `event.payload`, at `event.payload.result_status`
  1 episode: breaks a rule of the team (1 error)
  note: a/rm: `each` matches no event of any run
  [1]

A command that is forbidden is not started.
  $ cat > exec.toml <<'.'
  > [[order]]
  > id = "a/touch"
  > each = { phase = "act", tool = "touch" }
  > never = true
  > message = "nothing is touched"
  > .
  $ runvet record --config exec.toml --run-data exec --id r2 --exec -- touch made
  error: the action is refused: nothing is touched (a/touch)
  [2]
  $ test -e made
  [1]
  $ grep -o '"event_type":"direction[^"]*"' exec/episodes/r2/events.jsonl
  "event_type":"direction.veto"

A large value is attached, and judged as a whole.
  $ long=$(printf '%070000d' 0)
  $ printf '%s\n' '{"act":{"tool":"bash","input":{"c":"'$long' rm -rf /"},"output":"x"}}' '{"finish":"ok"}' | runvet record --run-data large --task t --id r3 | grep -o '"rule":"[^"]*"'
  "rule":"a/rm"
  "rule":"a/rm"
  $ runvet validate large --format concise
  large/episodes/r3/events.jsonl:3:1: error a/rm: nothing is removed
  1 episode: breaks a rule of the team (1 error)
  note: a/pay: `each` matches no event of any run
  note: a/ok: `each` matches no event of any run
  [1]
  $ rm large/episodes/r3/attachments/*; runvet validate large --format concise
  large/episodes/r3/events.jsonl:3:95: error a/rm: the value at `/payload/input/c` was shortened, and the run has no file with all of it
  1 episode: breaks a rule of the team (1 error)
  note: a/pay: `each` matches no event of any run
  note: a/ok: `each` matches no event of any run
  [1]

Over all runs: in the order of time, in the run of the event that is one too many.
  $ cat > day.toml <<'.'
  > [[order]]
  > id = "a/day"
  > each = { phase = "act", tool = "pay" }
  > at-most = 1
  > within = "1h"
  > over = "runs"
  > message = "{count} payments within an hour"
  > .
  $ for run in b a; do printf '%s\n' '{"act":{"tool":"pay","output":"x"}}' '{"finish":"ok"}' | runvet record --run-data day --task t --id $run >/dev/null; done
  $ runvet validate --config day.toml day --format concise
  day/episodes/a/events.jsonl:2:1: error a/day: 2 payments within an hour
  2 episodes: 1 valid, 1 breaks a rule of the team (1 error)
  [1]
  $ runvet validate --config day.toml day/episodes/a --format concise --verbose
  day/episodes/a: note: not judged: 1 rule, it judges all runs together, and this check does not look at whole run-data directories: a/day
  1 episode: 1 valid, 1 not fully judged

What rules would have cost on runs that are there.
  $ runvet rules --replay runs large day
  a/rm: 1 held back, 0 asked about, 1 found
      1 × "bash" {"c":{"attachment":"attachments/a8eda7237a80680c6fc4dd57adc731c1ebf6ce3bb66d9152…
  a/pay: 0 held back, 3 asked about, 2 found
      2 × "pay"
      1 × "pay" {"n":1}
  a/ok: 0 held back, 0 asked about, 3 found

# Who acts can be said of a call that is only asked about.
  $ cat > runvet.toml <<'.'
  > [[order]]
  > id = "a/not-kim"
  > each = { phase = "act", tool = "merge", agent_id = "kim" }
  > never = true
  > message = "kim does not merge"
  > .
  $ printf '%s\n' '{"would":{"phase":"act","payload":{"tool":"merge"}}}' '{"would":{"phase":"act","payload":{"tool":"merge"},"agent":"kim"}}' '{"finish":"ok"}' | runvet record --run-data runs --task t --id by-kim | grep -o '"message":"[^"]*"\|"findings":\[\]'
  "findings":[]
  "findings":[]
  "message":"kim does not merge"
  "findings":[]
