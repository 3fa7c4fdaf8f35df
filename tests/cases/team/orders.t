Orders that a team declares are judged over the events of a run, line by line.

# An order points at the event and at the other one.
  $ refund='{"tool":"refund","order":1}' other='{"tool":"refund","order":2}' escalate='{"tool":"escalate","order":1.0}'
  $ order 'never = true'; events ended "$refund" "$escalate" "$refund"; judged | found
  1 m 1 nothing
  3 m 2 nothing
  $ order 'at-most = 1'; events ended "$refund" "$refund" "$refund"; judged | found
  2 m 2 nothing
  $ order "at-most = 1\nsame = '/payload/order'"; events ended "$refund" "$other" "$refund"; judged | found
  3 m 2 1
  $ order 'at-least = 2'; events ended "$refund"; judged | found
  - m 1 nothing
  $ order 'at-least = 1'; events ended "$escalate"; judged | found
  - m 0 nothing
  $ order "at-least = 2\nsame = '/payload/order'"; events ended "$refund" "$refund" "$other"; judged | found
  - m 1 2
  $ order "needs-earlier = { tool = 'escalate' }"; events ended "$refund" "$escalate" "$refund"; judged | found
  1 m 1 nothing
  $ order "needs-earlier = { tool = 'escalate' }\nsame = '/payload/order'"; events ended "$escalate" "$refund" "$other"; judged | found
  3 m 1 2
  $ order "needs-earlier = { tool = 'escalate' }\nwithin = '1s'"; events ended "$escalate" "$refund" "$refund"; judged | found
  3 m 2 nothing <- 1
  $ order "needs-later = { tool = 'escalate' }"; events ended "$refund" "$escalate" "$refund"; judged | found
  3 m 2 nothing
  $ order "needs-later = { tool = 'escalate' }\nwithin = '1.5s'"; events ended "$refund" "$refund" "$escalate"; judged | found
  1 m 2 nothing <- 3
  $ order "none-earlier = { tool = 'escalate' }"; events ended "$refund" "$escalate" "$refund"; judged | found
  3 m 2 nothing <- 2
  $ order "none-later = { tool = 'escalate' }"; events ended "$refund" "$escalate" "$refund"; judged | found
  1 m 1 nothing <- 2

The nearest event is that of the nearest line, whatever the clock said.
  $ at() { printf '{"phase":"act","timestamp":"2026-03-01T%s","payload":{"tool":"escalate"}}' $1; }
  $ order "none-earlier = { tool = 'escalate' }\nwithin = '1m'"; events ended "$(at 12:00:09Z)" "$(at 12:00:01Z)" "$refund"; judged | found
  3 m 1 nothing <- 2

No event stands in for itself.
  $ order "needs-earlier = { tool = ['escalate', 'refund'] }"; events ended "$refund" "$refund"; judged | found
  1 m 1 nothing
  $ order "needs-earlier = { tool = 'escalate' }\nsame = '/payload/order'"; events ended '{"tool":"refund"}'; judged | found
  1 the event has no value at `/payload/order`, by which the order groups events

# What a run may still do is judged at its end.
  $ refund='{"tool":"refund"}'
  $ order "needs-later = { tool = 'escalate' }"; events paused "$refund"; judged | found
  $ order 'at-least = 2'; events paused "$refund"; judged | found
  $ order 'at-most = 1'; events paused "$refund" "$refund"; judged | found
  2 m 2 nothing

# A line that is no event proves nothing that is missing.
  $ refund='{"tool":"refund"}'; events ended "$refund" '{broken' "$refund"
  $ order "needs-earlier = { tool = 'escalate' }"; judged | found
  1 m 1 nothing
  skipped: line 2 of events.jsonl is not an event, and could be the one that matters
  $ order "needs-later = { tool = 'escalate' }"; judged | found
  skipped: line 2 of events.jsonl is not an event, and could be the one that matters
  $ order 'at-least = 5'; judged | found
  skipped: line 2 of events.jsonl is not an event, and could be the one that matters
  $ order 'at-most = 1'; judged | found
  3 m 2 nothing
  $ order "none-later = { tool = 'refund' }"; judged | found
  1 m 1 nothing <- 3

What comes before it is judged: nothing after an event is what that needed, or ended its row.
  $ events ended "$refund" "$refund" '{broken' "$refund"; order "needs-earlier = { tool = 'escalate' }"; judged | found
  1 m 1 nothing
  2 m 2 nothing
  skipped: line 3 of events.jsonl is not an event, and could be the one that matters
  $ order 'at-most = 1\nin-a-row = true'; judged | found
  2 m 2 nothing
  skipped: line 3 of events.jsonl is not an event, and could be the one that matters

# An event without an instant is found where time counts.
  $ order "needs-earlier = { tool = 'escalate' }\nwithin = '5s'"; events ended '{"tool":"escalate"}' '{"phase":"act","timestamp":"soon","payload":{"tool":"refund"}}'
  $ judged | found
  2 the event has no instant, so no other event is within the time of the order

# Orders take parameters, and packs give way.
  $ refund='{"tool":"refund"}'; events ended "$refund" "$refund" "$refund"; echo "packs = ['p.toml']" > runvet.toml
  $ printf "[params]\nmost = 1\nwho = 'ops'\n[[order]]\nid = 'a/calls'\neach = {}\nat-most = 'params.most'\nmessage = 'more than {limit} for {params.who}'\n" > p.toml
  $ judged | found
  2 more than 1 for ops
  $ printf '[params]\nmost = 2\n' >> runvet.toml; judged | found
  3 more than 2 for ops
  $ runvet explain a/calls | sed -n '/```json/,/```/p'
  ```json
  {
    "at-most": 2,
    "each": {}
  }
  ```

# An order is explained by what it says.
  $ order "needs-later = 'ends'\nwithin = '1.5m'\nsame = '/payload/order'\n[selector]\nends = { tool = 'end' }"; mkdir .git
  $ runvet explain a/b | sed -n '/```json/,/```/p'
  ```json
  {
    "each": {
      "tool": "refund"
    },
    "needs-later": {
      "tool": "end"
    },
    "same": "/payload/order",
    "within": "1.5m"
  }
  ```

# More groups than are kept are a fault.
  $ order "at-most = 1\nsame = '/payload/order'"; events ended
  $ seq 0 100000 | sed 's/.*/{"phase":"act","timestamp":"2026-03-01T12:00:00Z","payload":{"tool":"refund","order":&}}/' > runs/episodes/ep_1/events.jsonl
  $ runvet validate --select a/b --rule a/b=error runs 2>&1 > out
  error: runs/episodes/ep_1: a/b could not be judged: it has more than 100000 groups, or waiting events; later events are not judged by it
  [2]
  $ runvet validate --select a/b --rule a/b=warning runs 2>&1 > out
  error: runs/episodes/ep_1: a/b could not be judged: it has more than 100000 groups, or waiting events; later events are not judged by it
  [2]

# The examples of orders are judged.
  $ example() { order "needs-later = { tool = 'escalate' }\n[[order.example]]\nevents = ['{\"payload\":{\"tool\":\"refund\"}}', '{\"payload\":{\"tool\":\"escalate\"}}', '{\"payload\":{\"tool\":\"refund\"}}']\n$1"; runvet rules --test; }
  $ mkdir .git; example 'fires = [3]'
  a/b: 1 example, all with the declared result
  a/b: note: `each` names `tool` and no `phase`: a note of any phase that names the tool counts, too; add `phase = "act"`
  a/b: note: `other` names `tool` and no `phase`: a note of any phase that names the tool counts, too; add `phase = "act"`
  $ example 'fires = [1, 3]'
  a/b: runvet.toml:7: expected a finding at line 1 ({"payload":{"tool":"refund"}}); there was none
  a/b: note: `each` names `tool` and no `phase`: a note of any phase that names the tool counts, too; add `phase = "act"`
  a/b: note: `other` names `tool` and no `phase`: a note of any phase that names the tool counts, too; add `phase = "act"`
  [1]
  $ example 'fires = []\nended = false'
  a/b: the rule has no example in which it finds something
  a/b: note: `each` names `tool` and no `phase`: a note of any phase that names the tool counts, too; add `phase = "act"`
  a/b: note: `other` names `tool` and no `phase`: a note of any phase that names the tool counts, too; add `phase = "act"`
  [1]

# What an order asks of earlier acts in a row is ended by any other act.
  $ a='{"tool":"a"}' b='{"tool":"b"}' seen='{"phase":"observe","timestamp":"2026-03-01T12:00:00Z","payload":{"tool":"b"}}'
  $ row() { printf "[[order]]\nid = 'a/b'\nmessage = 'm'\n$1\nat-most = 2\nin-a-row = true\n" > runvet.toml; }
  $ row "each = { tool = 'a' }"; events ended "$a" "$a" "$b" "$a" "$a"; judged | found
  $ events ended "$a" "$a" "$a" "$a" "$b" "$a" "$a" "$a"; judged | found
  3 m
  8 m
  $ events ended "$a" "$a" "$seen" "$a"; judged | found
  4 m
  $ row "each = { tool = '*' }\nsame = '/payload/tool'"; events ended "$a" "$b" "$a" "$b" "$a" "$b"; judged | found
  $ events ended "$a" "$a" "$b" "$b" "$b" "$a"; judged | found
  5 m
  $ events ended "$a" "$a" "$seen" "$a"; judged | found
  4 m

# Of more findings than are listed, the same ones are listed each time.
  $ order "at-least = 2\nsame = '/payload/order'"; events ended $(seq -f '{"tool":"refund","order":%g}' 10002); judged | grep -o '"fingerprint"' | wc -l
  10001
