How authors look at their rules: what one does in a run, and the first schema of one.

# A trace shows what an order matches and compares, why nothing is found, and the values of an expression.
  $ repository team/refunds/runs; cat > runvet.toml <<.
  > [params]
  > most = 500
  > [selector]
  > refunds = { tool = "refund" }
  > [[order]]
  > id = "acme/asked"
  > each = "refunds"
  > needs-earlier = { tool = "aks" }
  > same = "/payload/input/order_id"
  > message = "nobody was asked"
  > [[order]]
  > id = "acme/slip"
  > each = { phase = "act", tool = "refunds" }
  > never = true
  > message = "m"
  > [[rule]]
  > id = "acme/limit"
  > each = "refunds"
  > when = "has(event.payload.input)"
  > check = "earlier('refunds').size() == 0 && event.payload.input.order_id.size() <= params.most"
  > message = "m"
  > [[rule]]
  > id = "acme/counts"
  > each = "refunds"
  > check = "counts['act'] >= 1"
  > message = "m"
  > [[rule]]
  > id = "acme/run"
  > check = "summary.metrics.act_count > 1000"
  > message = "m"
  > level = "warning"
  > [[rule]]
  > id = "acme/off"
  > check = "false"
  > message = "m"
  > level = "off"
  > [[schema]]
  > id = "acme/input"
  > where = "refunds"
  > at = "/payload/input"
  > schema = { required = ["order_id"] }
  > .
  $ traced() { runvet rules --trace runs/episodes/ep_answer --rule acme/$1; }
  $ traced asked
  acme/asked in runs/episodes/ep_answer (terminal)
  `each` matches 1 of 14 events, at line 9
      /payload/tool: other values are no value (9), "adapter:core.minimal" (2), "lookup" (1), "refnd" (1)
      passed over, as `/payload/tool` leads nowhere: line 1, 2, 3, 4, 7, 11, 12, 13, 14
  `other` matches 0 of 14 events
      /payload/tool: other values are no value (9), "adapter:core.minimal" (2), "lookup" (1), "refnd" (1), "refund" (1)
      passed over, as `/payload/tool` leads nowhere: line 1, 2, 3, 4, 7, 11, 12, 13, 14
  line 9: `each`
      /payload/input/order_id = "o-17"
      with these values before it: 0 events of `each`; the latest of `other`: none
  runs/episodes/ep_answer/events.jsonl:9:1: error[acme/asked]: nobody was asked
  $ traced slip
  acme/slip in runs/episodes/ep_answer (terminal)
  `each` matches 0 of 14 events
      /phase: other values are "observe" (3), "direction" (1), "learn" (1), "plan" (1), "reflect" (1), "runtime" (1), "start" (1), "terminate" (1)
      /payload/tool: other values are no value (9), "adapter:core.minimal" (2), "lookup" (1), "refnd" (1), "refund" (1)
      passed over, as `/payload/tool` leads nowhere: line 7
  no finding: all that was compared is as it should be
  $ traced input
  acme/input in runs/episodes/ep_answer (terminal)
  `where` matches 1 of 14 events, at line 9
      /payload/tool: other values are no value (9), "adapter:core.minimal" (2), "lookup" (1), "refnd" (1)
      passed over, as `/payload/tool` leads nowhere: line 1, 2, 3, 4, 7, 11, 12, 13, 14
  no finding: all that was compared is as it should be
  $ traced limit
  acme/limit in runs/episodes/ep_answer (terminal)
  `each` matches 1 of 14 events, at line 9
      /payload/tool: other values are no value (9), "adapter:core.minimal" (2), "lookup" (1), "refnd" (1)
      passed over, as `/payload/tool` leads nowhere: line 1, 2, 3, 4, 7, 11, 12, 13, 14
  `earlier` matches 1 of 14 events, at line 9
      /payload/tool: other values are no value (9), "adapter:core.minimal" (2), "lookup" (1), "refnd" (1)
      passed over, as `/payload/tool` leads nowhere: line 1, 2, 3, 4, 7, 11, 12, 13, 14
  line 9: `when` = true
      has(event.payload.input) = true
      `check` = true
      earlier("refunds") … .size() = 0
      event.payload.input.order_id = "o-17"
      params.most = 500
  no finding: all that was compared is as it should be
  $ traced counts
  acme/counts in runs/episodes/ep_answer (terminal)
  `each` matches 1 of 14 events, at line 9
      /payload/tool: other values are no value (9), "adapter:core.minimal" (2), "lookup" (1), "refnd" (1)
      passed over, as `/payload/tool` leads nowhere: line 1, 2, 3, 4, 7, 11, 12, 13, 14
  line 9: `check` = true
      counts['act'] = 4
  no finding: all that was compared is as it should be
  $ traced run
  acme/run in runs/episodes/ep_answer (terminal)
  the run: `check` = false
      summary.metrics.act_count = 2
  runs/episodes/ep_answer/events.jsonl: warning[acme/run]: m

It is of a rule of the team, and one that is off is judged where it is asked for.
  $ traced off
  acme/off in runs/episodes/ep_answer (terminal)
  the run: `check` = false
  runs/episodes/ep_answer/events.jsonl: warning[acme/off]: m
  $ traced askd
  error: there is no rule called `acme/askd`; did you mean `acme/asked`?
  [2]
  $ runvet rules --trace runs/episodes/ep_answer --rule plan/projection
  error: plan/projection is built in; --trace shows rules that the configuration declares
  [2]

# A trace shows what a condition compares.
  $ repository team/refunds/runs; cat > runvet.toml <<.
  > [params]
  > most = 500
  > [[order]]
  > id = "acme/asked"
  > each = { tool = "refund", if = "event.payload.input.order_id == params.most || event.payload.amount > 1" }
  > needs-earlier = { tool = "ask" }
  > message = "nobody was asked"
  > .
  $ runvet rules --trace runs/episodes/ep_answer --rule acme/asked
  acme/asked in runs/episodes/ep_answer (terminal)
  `each` matches 0 of 14 events
      /payload/tool: other values are no value (9), "adapter:core.minimal" (2), "lookup" (1), "refnd" (1)
      passed over, as `/payload/tool` leads nowhere: line 1, 2, 3, 4, 7, 11, 12, 13, 14
      line 9: `if` has no value: there is no `amount` in `event.payload`; event.payload.input.order_id = "o-17"; params.most = 500; event.payload.amount has no value: there is no `amount` in `event.payload`
  `other` matches 0 of 14 events
      /payload/tool: other values are no value (9), "adapter:core.minimal" (2), "lookup" (1), "refnd" (1), "refund" (1)
      passed over, as `/payload/tool` leads nowhere: line 1, 2, 3, 4, 7, 11, 12, 13, 14
  line 9: `each`
      before it: 0 events of `each`; the latest of `other`: none
  runs/episodes/ep_answer/events.jsonl:9:1: error[acme/asked]: `if` can't be evaluated: there is no `amount` in `event.payload`, at `event.payload.amount`

# A trace shows how rows end, and the times that are compared.
  $ printf '[[order]]\nid = "a/row"\neach = { tool = "*" }\nat-most = 2\nin-a-row = true\nsame = "/payload/tool"\nmessage = "m"\n' > runvet.toml
  $ printf '[[order]]\nid = "a/later"\neach = { tool = "a" }\nneeds-later = { tool = "b" }\nwithin = "1s"\nmessage = "m"\n' >> runvet.toml
  $ events ended '{"tool":"a"}' '{"tool":"a"}' '{}' '{"tool":"a"}' '{"tool":"b"}'
  $ runvet rules --trace ep_1 --rule a/row
  a/row in runs/episodes/ep_1 (terminal)
  `each` matches 4 of 5 events, at line 1, 2, 4, 5
      /payload/tool: other values are no value (1)
      passed over, as `/payload/tool` leads nowhere: line 3
  line 1: `each`
      /payload/tool = "a"
      with these values in the row before it: 0 events of `each`
  line 2: `each`
      /payload/tool = "a"
      with these values in the row before it: 1 event of `each`
  line 3: another act, which ends the row
      /payload/tool = no value
  line 4: `each`
      /payload/tool = "a"
      with these values in the row before it: 0 events of `each`
  line 5: `each`
      /payload/tool = "b"
      with these values in the row before it: 0 events of `each`
  no finding: all that was compared is as it should be
  $ runvet rules --trace ep_1 --rule a/later
  a/later in runs/episodes/ep_1 (terminal)
  `each` matches 3 of 5 events, at line 1, 2, 4
      /payload/tool: other values are "b" (1), no value (1)
      passed over, as `/payload/tool` leads nowhere: line 3
  `other` matches 1 of 5 events, at line 5
      /payload/tool: other values are "a" (3), no value (1)
      passed over, as `/payload/tool` leads nowhere: line 3
  line 1: `each`
      /timestamp = "2026-03-01T12:00:00Z"
      before it: 0 events of `each`; the latest of `other`: none
  line 2: `each`
      /timestamp = "2026-03-01T12:00:01Z"
      before it: 1 event of `each`; the latest of `other`: none
  line 4: `each`
      /timestamp = "2026-03-01T12:00:03Z"
      before it: 2 events of `each`; the latest of `other`: none
  line 5: `other`
      /timestamp = "2026-03-01T12:00:04Z"
      before it: 3 events of `each`; the latest of `other`: none
  runs/episodes/ep_1/events.jsonl:1:1: error[a/later]: m
  runs/episodes/ep_1/events.jsonl:2:1: error[a/later]: m
  $ runvet rules --trace ep_1 --rule 'a/*'
  error: there is no rule called `a/*`
  [2]

What a trace leaves out it says.
  $ printf '[[order]]\nid = "a/many"\neach = { tool = "a", if = "event.payload.n > 20" }\nat-most = 900\nmessage = "m"\n' > runvet.toml
  $ seq 300 | sed 's/.*/{"phase":"act","payload":{"tool":"a","n":&}}/' > runs/episodes/ep_1/events.jsonl; runvet rules --trace ep_1 --rule a/many > told; sed -n '2,3p; 13,17p' told; tail -3 told
  `each` matches 280 of 300 events, at line 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, …
      /payload/tool: no other values
      line 10: `if` = false; event.payload.n = 10
      …
  line 21: `each`
      before it: 0 events of `each`
  line 22: `each`
      before it: 249 events of `each`
  … and 60 more lines like these
  no finding: all that was compared is as it should be

# A schema of a part is inferred from runs, and the runs satisfy what is inferred from them.
  $ here=$PWD; cd "$CORPUS"; infer() { runvet schema infer team/refunds/runs "$@"; }
  $ infer --where 'tool=re*' --at /payload/input
  {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "properties": {
      "amount": {
        "type": "integer"
      },
      "order_id": {
        "type": "string"
      },
      "reason": {
        "type": "string"
      }
    },
    "required": [
      "order_id"
    ],
    "type": "object"
  }
  $ infer --record action --where 'tool=adapter:*' --at /kind | json . type
  string
  $ infer --where /payload/seed=7.0 --at /payload/seed | json . type
  integer
  $ infer > "$here/event.json"; printf "[[schema]]\nid = 'a/b'\nfile = 'event.json'\n" > "$here/runvet.toml"; runvet validate --config "$here/runvet.toml" --select a/b team/refunds/runs
  1 episode: valid

Nothing to infer from, and mistakes, are said.
  $ infer --where tool=nobody
  error: the runs have no value that `--where` and `--at` select, so runvet can't propose a schema
  [3]
  $ infer --at payload 2>&1 | head -1
  error: --at payload: a JSON Pointer starts with `/`
  $ infer --where tool 2>&1 | head -1
  error: --where tool: expected KEY=VALUE, such as tool=refund
  $ infer --where toll=x 2>&1 | head -1
  error: --where toll=x: a key is phase, event_type, agent_id, tool, kind, or a JSON Pointer
  $ runvet schema infer team/nowhere
  error: team/nowhere: no such file or directory
  error: the runs have no value that `--where` and `--at` select, so runvet can't propose a schema
  [2]

# A selector that names no event of any run is said; a strict one fails, unless the rule wants no such event.
  $ order() { printf "[[order]]\nid = 'a/$1'\nmessage = 'm'\n$2\n"; }
  $ { order slip "each = { tool = 'refnd' }\nat-most = 1"; order right "each = { tool = 'refund' }\nneeds-earlier = { tool = 'ask' }"; order ban "each = { tool = 'delete' }\nnever = true"
  >   printf "[[rule]]\nid = 'a/rule'\nmessage = 'm'\neach = { tool = 'pay' }\ncheck = 'true'\n[[schema]]\nid = 'a/schema'\nwhere = { tool = 'refnd' }\nschema = {}\n"; } > runvet.toml
  $ events ended '{"tool":"refund"}' '{"tool":"ask"}' '{"tool":"refund"}'
  $ runvet validate runs 2>&1 > out; runvet validate --strict-config runs 2>&1 > out
  note: a/schema: `where` matches no event of any run
  note: a/slip: `each` matches no event of any run
  note: a/ban: `each` matches no event of any run
  note: a/rule: `each` matches no event of any run
  error: a/schema: `where` matches no event of any run
  error: a/slip: `each` matches no event of any run
  note: a/ban: `each` matches no event of any run
  error: a/rule: `each` matches no event of any run
  [2]

Nobody can tell if a rule wants the earlier events that it asks for.
  $ printf "[[rule]]\nid = 'a/sum'\nmessage = 'm'\neach = { tool = 'refund' }\ncheck = \"earlier('asked').size() == 0 || earlier('asked').size() < 3\"\n[selector]\nasked = { tool = 'aks' }\n" > runvet.toml
  $ runvet validate --select a/sum --strict-config runs
  1 episode: valid
  note: a/sum: `earlier` matches no event of any run
  $ runvet rules --trace ep_1 --rule a/sum | head -5
  a/sum in runs/episodes/ep_1 (terminal)
  `each` matches 2 of 3 events, at line 1, 3
      /payload/tool: other values are "ask" (1)
  `earlier` matches 0 of 3 events
      /payload/tool: other values are "refund" (2), "ask" (1)

A row has no other selector.
  $ order row "each = { phase = 'observe' }\nat-most = 1\nin-a-row = true" > runvet.toml; events ended; echo '{"phase":"observe"}' > runs/episodes/ep_1/events.jsonl
  $ runvet validate --select a/row --strict-config runs
  1 episode: valid
  $ { order slip "each = { tool = 'refnd' }\nat-most = 1"; order right "each = { tool = 'refund' }\nneeds-earlier = { tool = 'ask' }"; } > runvet.toml; events ended '{"tool":"refund"}' '{"tool":"ask"}'

A part of the run data says nothing of the rest.
  $ runvet validate --quiet runs 2>&1 | grep 'matches no event'; runvet validate runs/episodes/ep_1 2>&1 | grep 'matches no event'
  [1]
  $ { order ban "each = { tool = 'delete' }\nnever = true"; printf "[rules]\n'*' = 'off'\n'a/*' = 'error'\n"; } > runvet.toml; runvet validate --strict-config runs
  1 episode: valid
  note: a/ban: `each` matches no event of any run
