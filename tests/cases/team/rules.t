Rules that a team writes as expressions are judged over the events and the records of a run.

# A rule is judged for each event.
  $ small='{"tool":"refund","input":{"amount":5e2}}' large='{"tool":"refund","input":{"amount":500.01}}' none='{"tool":"refund","input":{}}'
  $ events ended '{"tool":"look","input":{"amount":900}}' "$small" "$large" "$none"; each="each = { tool = 'refund' }"
  $ rule "$each\ncheck = 'event.payload.input.amount <= 500'\nat = '/payload/input/amount'"; judged | found
  3 wrong: 500.01
  4 `check` can't be evaluated: there is no `amount` in `event.payload.input`, at `event.payload.input.amount`
  $ rule "$each\ncheck = 'event.payload.input.amount <= 500'\nwhen = 'has(event.payload.input.amount)'"; judged | found
  3 wrong: {"phase":"act","timestamp":"2026-03-01T12:00:02Z","payload":{"tool":"refund","in…
  $ rule "$each\ncheck = 'size(event.payload.input) > 0 ? \"\" : \"empty \" + event.payload.tool'"; judged | found
  4 empty refund
  $ rule "$each\ncheck = 'event.payload.input.amount'\nwhen = 'has(event.payload.input.amount)'"; judged | found
  2 `check` can't be evaluated: its value is an int, not a bool or a string
  3 `check` can't be evaluated: its value is a double, not a bool or a string
  $ rule "$each\ncheck = 'true'\nwhen = 'event.payload.when'"; judged | found
  2 `when` can't be evaluated: there is no `when` in `event.payload`, at `event.payload.when`
  3 `when` can't be evaluated: there is no `when` in `event.payload`, at `event.payload.when`
  4 `when` can't be evaluated: there is no `when` in `event.payload`, at `event.payload.when`
  $ rule "$each\ncheck = \"tools['refund'] == 3 && counts['act'] == 4\""; judged | found
  $ rule "$each\ncheck = \"tools['look'] > 1\"\nat = '/payload/tool'"; judged | found
  2 wrong: "refund"
  3 wrong: "refund"
  4 wrong: "refund"
  $ rule "$each\ncheck = 'event.payload.tool != params.tool'\nat = '/payload/tool'"; judged | found
  2 wrong: "refund"
  3 wrong: "refund"
  4 wrong: "refund"
  $ rule "$each\ncheck = \"state.outcomes.status == 'ok' && summary.outcome == 'success'\""; judged | found
  $ rule "$each\ncheck = \"run.lifecycle == 'terminal' && run.dir == 'ep_1' && run.status == 'ok'\""; judged | found

# A finding points at the value, or at the nearest one around it.
  $ rule "each = { tool = 'refund' }\ncheck = 'false'\nat = '/payload/input/amount'"
  $ events ended '{"tool":"refund","input":{"amount":5}}' '{"tool":"refund","input":{}}' '{"tool":"refund"}'; judged | json /episodes/*/findings/* pointer
  /payload/input/amount
  /payload/input
  /payload

# A rule without events is judged once for a run.
  $ act='{"tool":"refund"}'; events ended "$act" "$act"
  $ rule "check = \"counts == {'act': 2.0} && tools == {'refund': 2}\""; judged | found
  $ rule "check = 'has(counts.plan)'"; judged | found
  - wrong: nothing
  $ rule "check = 'size(state.goal.task) > 99'\nin = 'state'\nat = '/goal/task'"; judged | found
  1 wrong: "Summarize the open tickets"
  $ rule "check = 'state.outcomes.absent'\nin = 'state'\nat = '/outcomes/absent/x'"; judged | found
  1 `check` can't be evaluated: there is no `absent` in `state.outcomes`, at `state.outcomes.absent`
  $ rule "check = 'summary != null'\nneeds = 'ended'"; judged | found
  $ events paused "$act" "$act"; judged | found
  $ rule "check = 'summary != null'"; judged | found
  - wrong: nothing

# A record that can't be judged is skipped, and an absent one is null.
  $ rule "check = \"summary.outcome == 'success'\""; events ended '{"tool":"refund"}'; summary=runs/episodes/ep_1/summary.json
  $ echo '{' > $summary; judged | found
  skipped: summary.json can't be judged
  $ echo '{"schema_version":"0.9.0","outcome":"success"}' > $summary; judged | found
  skipped: summary.json is of version "0.9.0", which is not supported
  $ rm $summary; judged | found
  - `check` can't be evaluated: `summary` is null, not a map, at `summary.outcome`

# Of an older version, the facts are there.
  $ rule "check = \"!has(summary.duration_sec) && summary.metrics == {'success': 1} && summary.task == 'x' && size(summary.tags) == 1\"\n[[version]]\nrecord = 'summary'\nis = '1.2.*'\nschema = {}"
  $ events ended '{"tool":"refund"}'
  $ echo '{"schema_version":"1.2.0","task":"x","duration_sec":"long","metrics":{"success":1,"act_count":-1},"tags":{"a":"b"}}' > runs/episodes/ep_1/summary.json
  $ judged | found

# A line that is no event proves nothing that is counted.
  $ events ended '{"tool":"refund","input":{"amount":5}}' torn '{"tool":"refund","input":{"amount":6}}'
  $ rule "check = 'has(tools.refund)'"; judged | found
  skipped: line 2 of events.jsonl is not an event, and could be the one that matters
  $ rule "each = { tool = 'refund' }\ncheck = 'event.payload.input.amount < 501'"; judged | found

# An expression that runs away is a fault at any level, and what was found before stands.
  $ rule "each = { tool = 'refund' }\ncheck = 'event.payload.items.all(a, event.payload.items.all(b, a == b))'"
  $ events ended '{"tool":"refund"}' "{\"tool\":\"refund\",\"items\":[1$(printf ',1%.0s' $(seq 19999))]}"
  $ runvet validate --select a/b --rule a/b=error runs 2>&1 | grep -e error: -e undecided
  error: runs/episodes/ep_1: a/b could not be judged: its evaluation takes more steps or memory than its limit; make its expressions simpler, or its selectors narrower
  1 episode: 0 valid, 0 invalid, 1 undecided, 1 not fully judged (1 error)
  $ runvet validate --select a/b --rule a/b=warning runs > out 2>&1; echo $?; grep -e error: -e ' valid' out
  2
  error: runs/episodes/ep_1: a/b could not be judged: its evaluation takes more steps or memory than its limit; make its expressions simpler, or its selectors narrower
  1 episode: 1 valid, 1 not fully judged (1 warning)
  $ judged | json /episodes/*/findings/* line
  1
  $ printf "[[order]]\nid = 'a/b'\neach = { if = 'event.payload.items.all(a, event.payload.items.all(b, a == b))' }\nnever = true\nmessage = 'm'\n" > runvet.toml; runvet validate --select a/b --quiet runs 2>&1 | grep error:
  error: runs/episodes/ep_1: a/b could not be judged: its evaluation takes more steps or memory than its limit; make its expressions simpler, or its selectors narrower
  $ printf "[[schema]]\nid = 'a/b'\nwhere = { if = 'event.payload.items.all(a, event.payload.items.all(b, a == b))' }\nschema = {}\n" > runvet.toml; runvet validate --select a/b --quiet runs 2>&1 | grep error:
  error: runs/episodes/ep_1: a/b could not be judged: its evaluation takes more steps or memory than its limit; make its expressions simpler, or its selectors narrower

# The examples of rules are judged, and take records from their events.
  $ mkdir .git; example() { rule "check = 'tools.refund < 1'\n[[rule.example]]\nevents = ['{\"payload\":{\"tool\":\"refund\"}}', '{}']\n$1"; runvet rules --test; }
  $ example 'fires = [0]'
  a/b: 1 example, all with the declared result
  $ example 'fires = [1]'
  a/b: runvet.toml:8: expected no finding without a line; there was one: wrong: nothing
  a/b: runvet.toml:8: expected a finding at line 1 ({"payload":{"tool":"refund"}}); there was none
  [1]
  $ rule "each = { tool = 'refund' }\ncheck = 'event.payload.amuont < 1'\n[[rule.example]]\nevents = ['{\"payload\":{\"tool\":\"refund\",\"amount\":2}}']\nfires = [1]"; runvet rules --test
  a/b: runvet.toml:9: expected a finding at line 1 ({"payload":{"tool":"refund","amount":2}}); it can't be judged: `check` can't be evaluated: there is no `amuont` in `event.payload`, at `event.payload.amuont`
  a/b: note: `each` names `tool` and no `phase`: a note of any phase that names the tool counts, too; add `phase = "act"`
  [1]
  $ order "never = true\neach = { if = 'event.payload.amuont > 1' }\n[[order.example]]\nevents = ['{\"payload\":{\"amount\":2}}']\nfires = [1]"; sed -i "/tool = 'refund' }/d" runvet.toml; runvet rules --test
  a/b: runvet.toml:7: expected a finding at line 1 ({"payload":{"amount":2}}); it can't be judged: `if` can't be evaluated: there is no `amuont` in `event.payload`, at `event.payload.amuont`
  [1]
  $ records() {
  >   rule "in = 'summary'\ncheck = \"$1\""; cat >> runvet.toml <<.
  > [[rule.example]]
  > events = [
  >   '{"phase":"plan","payload":{"step_records":[{"id":"s","kind":"act","description":"d","status":"pending"}]}}',
  >   '{"payload":{"tool":"pay","kind":"x","step_id":"s","step_status":"done","action_id":"a","amount":9}}',
  >   '{"payload":{"tool":"look"}}']
  > fires = []
  > .
  >   runvet rules --test
  > }

What fails is only that no example fires.
  $ records "state.outcomes.actions.map(a, a.tool) == ['pay', 'look']"
  a/b: the rule has no example in which it finds something
  [1]
  $ records "state.outcomes.actions[0].id == 'a' && state.outcomes.actions[0].amount == 9"
  a/b: the rule has no example in which it finds something
  [1]
  $ records "state.plan.steps[0].status == 'done' && state.episode.started_at.endsWith('00:00:01Z')"
  a/b: the rule has no example in which it finds something
  [1]
  $ records 'summary.duration_sec == 2 && summary.metrics.act_count == 2'
  a/b: the rule has no example in which it finds something
  [1]
  $ records 'size(state.outcomes.actions) == 3'
  a/b: runvet.toml:10: expected no finding without a line; there was one: wrong: {"adapter_result":"success","duration_sec":2.0,"episode_id":"ep_1","flags":{"int…
  a/b: the rule has no example in which it finds something
  [1]

# The packs of the documentation are right, and find what a run shows.
  $ runvet rules --test --config "$CORPUS/team/conduct/runvet.toml" > out; runvet rules --test --config "$CORPUS/team/policies/runvet.toml" > out
  $ runvet validate --config "$CORPUS/team/conduct/runvet.toml" --format concise "$CORPUS/team/refunds/runs" 2>&1 | grep -o 'error acme/refund-limit.*'
  error acme/refund-limit: `check` can't be evaluated: there is no `amount` in `event.payload.input`, at `event.payload.input.amount`

# A finding that is one because an expression can't be evaluated can be expected, beside one that is judged; what holds under `not` and `**` is said.
  $ cat > runvet.toml <<'.'
  > [[rule]]
  > id = "a/limit"
  > each = { phase = "act", tool = "pay" }
  > check = "event.payload.input.amount <= 5"
  > message = "too much"
  > [[rule.example]]
  > events = ['{"payload": {"tool": "pay", "input": {"amount": 6}}}', '{"payload": {"tool": "pay", "input": {}}}']
  > fires = [1, 2]
  > [[order]]
  > id = "a/known"
  > each = { phase = "act", tool = "mail", "/payload/input/to/**" = { not = "*@a" } }
  > never = true
  > message = "mail to strangers"
  > [[order.example]]
  > events = ['{"payload": {"tool": "mail", "input": {"to": ["x@b"]}}}', '{"payload": {"tool": "mail", "input": {"to": ["x@a", "x@b"]}}}']
  > fires = [1]
  > [[order]]
  > id = "a/once"
  > each = { phase = "act", tool = "pay", "/payload/result_status" = { not = "error", absent = true } }
  > at-most = 1
  > message = "paid twice"
  > [[order.example]]
  > events = ['{"payload": {"tool": "pay", "result_status": "error"}}', '{"payload": {"tool": "pay", "result_status": "ok"}}', '{"payload": {"tool": "pay", "result_status": "ok"}}']
  > fires = [3]
  > holds = [3]
  > .
  $ runvet rules --test
  a/known: 1 example, all with the declared result
  a/known: note: `each` names an event only if no value below `/payload/input/to/**` is one of those after `not`: one that is lets all the others pass
  a/known: note: `each` passes over events without `/payload/input/to/**`, so these are not banned; `{ not = …, absent = true }` names them, too
  a/once: 1 example, all with the declared result
  a/limit: 1 example, all with the declared result
  a/limit: note: runvet.toml:7: the finding at line 2 ({"payload": {"tool": "pay", "input": {}}}) is that it can't be judged: `check` can't be evaluated: there is no `amount` in `event.payload.input`, at `event.payload.input.amount`
  $ sed -i "s/^check = .*/check = \"event.payload.tool.matches(r'\\\\bpay')\"/" runvet.toml; grep ^check runvet.toml; runvet rules --test
  check = "event.payload.tool.matches(r'\bpay')"
  error: the pattern has a control character, as TOML makes of a backslash between double quotes
     ╭─[runvet.toml:4:9]
   4 │ check = "event.payload.tool.matches(r'\bpay')"
     ·         ──────────────────────────────────────
     ╰────
  help: Write the expression between three single quotes, and the pattern as `r'\b'`.
  [2]
