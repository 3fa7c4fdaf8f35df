What rules say of events that they can't judge, and what `rules --test` and `--replay` say of rules.

An event that pairs need has no value, and one that can't be compared has another type.
  $ cat > .config <<'.'
  > [[order]]
  > id = "a/open"
  > each = { tool = "spawn" }
  > at-most = 1
  > until = { tool = "join" }
  > pair = "/payload/input/id"
  > message = "{count} at the same time"
  > [[order]]
  > id = "a/large"
  > each = { tool = "pay", "/payload/input/amount" = 5 }
  > never = true
  > message = "five is too much"
  > [[order]]
  > id = "a/approved"
  > each = { tool = "refund" }
  > needs-earlier = { tool = "approve" }
  > since = { tool = "refund" }
  > message = "each refund needs an approval of its own"
  > .
  $ events ended '{"tool":"spawn","input":{}}' '{"tool":"pay","input":{"amount":"5"}}' '{"tool":"approve"}' '{"tool":"refund"}' '{"tool":"refund"}'
  $ runvet validate --config .config --select 'a/*' --format human runs 2>&1 | grep -v '^ *·\|^ *│\|╰\|^$'
  runs/episodes/ep_1 (ended): 3 errors
  error[a/open]: the event has no value at `/payload/input/id`, by which another one closes it
     ╭─[runs/episodes/ep_1/events.jsonl:1:1]
   1 │ {"phase":"act","timestamp":"2026-03-01T1…
  help: Keep the order; `runvet explain a/open` shows the order.
  error[a/large]: the value at `/payload/input/amount` is a string, and is compared with a number
     ╭─[runs/episodes/ep_1/events.jsonl:2:93]
   2 │ …-03-01T12:00:01Z","payload":{"tool":"pay","input":{"amount":"5"}}}
  help: Keep the order; `runvet explain a/large` shows the order.
  error[a/approved]: each refund needs an approval of its own
     ╭─[runs/episodes/ep_1/events.jsonl:5:1]
   5 │ {"phase":"act","timestamp":"2026-03-01T1…
  note: the event since which no other one counts
     ╭─[runs/episodes/ep_1/events.jsonl:4:1]
   4 │ {"phase":"act","timestamp":"2026-03-01T1…
  help: Keep the order; `runvet explain a/approved` shows the order.
  1 episode: breaks a rule of the team (3 errors)
  To learn more about a rule: runvet explain a/open
  note: a/open: `until` matches no event of any run

The time of an event, and a value that was shortened, are not there.
  $ cat > .config <<'.'
  > [selector]
  > pays = { tool = "pay" }
  > [[rule]]
  > id = "a/hour"
  > each = { tool = "pay" }
  > check = 'earlier("pays").size() < 1'
  > within = "1h"
  > message = "one within an hour"
  > [[rule]]
  > id = "a/short"
  > each = { tool = "write" }
  > check = 'event.payload.input.text.contains("x")'
  > message = "no x"
  > [[order]]
  > id = "a/all"
  > each = { tool = "pay" }
  > at-most = 1
  > within = "1h"
  > over = "runs"
  > message = "{count} within an hour"
  > [[schema]]
  > id = "a/text"
  > where = { tool = "write" }
  > at = "/payload/input"
  > schema = { properties = { text = { maxLength = 5 } } }
  > .
  $ events ended '{"phase":"act","payload":{"tool":"pay"}}' '{"tool":"write","input":{"text":{"attachment":"attachments/0000000000000000000000000000000000000000000000000000000000000000.txt","bytes":70000,"sha256":"0000000000000000000000000000000000000000000000000000000000000000","excerpt":"aaaa…"}}}'
  $ runvet validate --config .config --select 'a/*' --format concise runs
  runs/episodes/ep_1/events.jsonl:1:1: error a/all: the event has no instant, so it has no place among those of all runs
  runs/episodes/ep_1/events.jsonl:1:1: error a/hour: the event has no instant, so nobody can tell which earlier events are within the time of the rule
  runs/episodes/ep_1/events.jsonl:2:1: error a/short: `check` can't be evaluated: the value was shortened, and the run has no file with all of it, at `event.payload.input.text`
  runs/episodes/ep_1/events.jsonl:2:85: error a/text: the value at `/payload/input` is shortened, or holds one that is, and the run has no file with all of it: its schema can't judge it
  1 episode: breaks a rule of the team (4 errors)
  [1]
  $ runvet validate --config .config --select 'a/*' --deny-unjudged --format concise runs/episodes/ep_1 2>&1 | tail -n 3
  runs/episodes/ep_1/events.jsonl:2:85: error a/text: the value at `/payload/input` is shortened, or holds one that is, and the run has no file with all of it: its schema can't judge it
  runs/episodes/ep_1: note: not judged: 1 rule, it judges all runs together, and this check does not look at whole run-data directories: a/all
  1 episode: 0 valid, 1 breaks a rule of the team, 1 not fully judged (3 errors)

Examples of what is held back fail in both directions, and notes name what a `never` passes over.
  $ cat > .config <<'.'
  > [[order]]
  > id = "a/kim"
  > each = { phase = "act", tool = "pay", "/payload/input/by" = { not = "kim" } }
  > never = true
  > message = "only kim pays"
  > [[order.example]]
  > events = ['{"payload": {"tool": "pay", "input": {"by": "lee"}}}', '{"payload": {"tool": "pay", "input": {"by": "kim"}}}']
  > fires = [1]
  > holds = [2]
  > [[order.example]]
  > events = ['{"payload": {"tool": "pay", "input": {"by": "kim"}}}']
  > fires = []
  > holds = []
  > .
  $ runvet rules --config .config --test
  a/kim: .config:7: expected the act to be made at line 1 ({"payload": {"tool": "pay", "input": {"by": "lee"}}}); it is held back: only kim pays
  a/kim: .config:7: expected the act to be held back at line 2 ({"payload": {"tool": "pay", "input": {"by": "kim"}}}); it is not
  a/kim: note: `each` passes over events without `/payload/input/by`, so these are not banned; `{ not = …, absent = true }` names them, too
  [1]
  $ runvet explain --config .config a/kim | grep 'held back'
  Findings: line 1; held back: line 2:
  No finding; nothing is held back:
  $ mkdir -p none/episodes; runvet rules --config .config --replay none
  note: there are no runs to replay
  a/kim: 0 held back, 0 asked about, 0 found
  $ cat > .config <<'.'
  > [[order]]
  > id = "a/quiet"
  > each = { phase = "act" }
  > never = true
  > message = "nothing is done"
  > .
  $ events ended '{"input":{"n":1}}'
  $ runvet rules --config .config --replay runs
  a/quiet: 1 held back, 0 asked about, 1 found
      1 × an act without a tool {"n":1}

More different values than are counted.
  $ cat > .config <<'.'
  > [selector]
  > writes = { tool = "write" }
  > [[rule]]
  > id = "a/many"
  > each = { tool = "end" }
  > check = 'earlier("writes").map(e, e.payload.input).distinct().size() < 9999'
  > message = "{value} files"
  > .
  $ events ended '{"tool":"end"}'; { for file in $(seq 1001); do printf '{"phase":"act","timestamp":"2026-03-01T12:00:00Z","payload":{"tool":"write","input":"%s"}}\n' $file; done; cat runs/episodes/ep_1/events.jsonl; } > events && mv events runs/episodes/ep_1/events.jsonl
  $ runvet validate --config .config --select 'a/*' --format concise runs
  runs/episodes/ep_1/events.jsonl:1002:1: error a/many: `check` can't be evaluated: there are more than 1000 different values, at `size()`
  1 episode: breaks a rule of the team (1 error)
  [1]

A gate that wants all rules judged, and a rule that judges all runs together.
  $ printf '[[order]]\nid = "a/all"\neach = { tool = "pay" }\nat-most = 1\nwithin = "1h"\nover = "runs"\nmessage = "{count} within an hour"\n' > .config
  $ events ended '{"tool":"pay"}'; runvet validate --config .config --select 'a/*' --deny-unjudged --format concise runs/episodes/ep_1
  runs/episodes/ep_1: note: not judged: 1 rule, it judges all runs together, and this check does not look at whole run-data directories: a/all
  1 episode: 1 valid, 1 not fully judged
  note: the check fails because of 1 rule that could not be judged (--deny-unjudged)
  [1]

A key that repeats: readers differ on which value counts, so that what a rule reads can't be judged.
  $ cat > .config <<'.'
  > [[order]]
  > id = "a/rm"
  > each = { phase = "act", tool = "bash", "/payload/input/c" = "*rm*" }
  > never = true
  > message = "nothing is removed"
  > [[order]]
  > id = "a/pay"
  > each = { phase = "act", tool = "pay" }
  > at-most = 1
  > message = "{count} payments"
  > [[rule]]
  > id = "a/text"
  > each = { phase = "act", tool = "write" }
  > check = 'event.payload.input.text == "x"'
  > message = "x is written"
  > .
  $ events ended '{"tool":"bash","tool":"ls","input":{"c":"rm -rf /"}}' '{"tool":"bash","input":{"c":"rm","c":"ls"}}' '{"tool":"ls","input":{"c":"rm","c":"ls"}}' '{"tool":"write","input":{"text":"y","text":"x"}}' '{"phase":"act","phase":"observe","timestamp":"2026-03-01T12:00:04Z","payload":{"tool":"pay"}}'
  $ runvet validate --config .config --select 'a/*' --format concise runs
  runs/episodes/ep_1/events.jsonl:1:83: error a/pay: the event has the key at `/payload/tool` twice, and readers differ on which one counts
  runs/episodes/ep_1/events.jsonl:1:83: error a/rm: the event has the key at `/payload/tool` twice, and readers differ on which one counts
  runs/episodes/ep_1/events.jsonl:1:83: error a/text: the event has the key at `/payload/tool` twice, and readers differ on which one counts
  runs/episodes/ep_1/events.jsonl:2:98: error a/rm: the event has the key at `/payload/input/c` twice, and readers differ on which one counts
  runs/episodes/ep_1/events.jsonl:4:104: error a/text: the event has the key at `/payload/input/text` twice, and readers differ on which one counts
  runs/episodes/ep_1/events.jsonl:5:24: error a/pay: the event has the key at `/phase` twice, and readers differ on which one counts
  1 episode: breaks a rule of the team (6 errors)
  [1]

A rule over all runs finds what is in each of them, however much there is in others.
  $ printf '[[order]]\nid = "a/all"\neach = { tool = "pay" }\nat-most = 1\nwithin = "1h"\nover = "runs"\nmessage = "{count} within an hour"\n' > .config
  $ mkdir -p many/episodes/r1 many/episodes/r2; awk 'BEGIN { for (i = 0; i < 10100; i++) print "{\"phase\":\"act\",\"timestamp\":\"2026-03-01T12:00:00Z\",\"payload\":{\"tool\":\"pay\"}}" }' > many/episodes/r1/events.jsonl; head -n 1 many/episodes/r1/events.jsonl > many/episodes/r2/events.jsonl
  $ runvet validate --config .config --select 'a/*' --format concise many | sed -n '1p; /more finding/p; /r2/p'
  2 episodes: 0 valid, 2 break a rule of the team, 2 not ended (10002 errors)
  many/episodes/r1/events.jsonl: error a/all: events.jsonl: 99 more findings of this rule not listed
  many/episodes/r1/events.jsonl: error a/all: events.jsonl: 99 more findings of this rule not listed
  many/episodes/r2/events.jsonl:1:1: error a/all: 10101 within an hour
