Policies that people write: selectors that compare, groups of several values, and what is asked of earlier events.

# Selectors compare, and fail closed: what can't be evaluated is a finding, and does not count.
  $ small='{"tool":"refund","amount":500.0,"order":1}' large='{"tool":"refund","amount":501,"order":1}'
  $ none='{"tool":"refund","order":1}' approve='{"tool":"approve","amount":900,"order":1}'
  $ declare() { table=$1; shift; { printf '[params]\nlimit = 500\n'; echo "[[$table]]"; echo "id = 'a/b'"; test $table = schema || echo "message = 'm'"; printf "$1\n"; } > runvet.toml; }
  $ each="each = { tool = 'refund', if = 'event.payload.amount > params.limit' }"
  $ declare order "$each\nnever = true"; events ended "$small" "$large" "$none" "$approve"; judged | found
  2 m
  3 `if` can't be evaluated: there is no `amount` in `event.payload`, at `event.payload.amount`
  $ declare order "$each\nat-most = 1"; events ended "$small" "$large" "$none" "$large"; judged | found
  3 `if` can't be evaluated: there is no `amount` in `event.payload`, at `event.payload.amount`
  4 m
  $ declare order "$each\nat-least = 2"; events ended "$small" "$large" "$none" "$approve"; judged | found
  - m
  3 `if` can't be evaluated: there is no `amount` in `event.payload`, at `event.payload.amount`
  $ events ended "$small" "$large" "$none" "$approve" "$large"
  $ declare order "$each\nneeds-earlier = { tool = 'approve' }"; judged | found
  2 m
  3 `if` can't be evaluated: there is no `amount` in `event.payload`, at `event.payload.amount`
  $ declare order "$each\nnone-later = { tool = 'approve' }"; judged | found
  2 m <- 4
  3 `if` can't be evaluated: there is no `amount` in `event.payload`, at `event.payload.amount`

As the other event it fulfils no need, and breaks a ban.
  $ other() { declare order "each = { tool = 'refund' }\n$1 = { tool = 'approve', if = 'event.payload.$2 > 500' }\nsame = '/payload/order'"; }
  $ events ended "$approve" "$small"
  $ other needs-earlier amount; judged | found
  $ other needs-earlier x; judged | found
  2 m
  $ other none-earlier x; judged | found
  2 m <- 1
  $ events ended "$small" "$approve"
  $ other needs-later x; judged | found
  1 m
  $ other none-later x; judged | found
  1 m <- 2
  $ other none-later amount; judged | found
  1 m <- 2

Rules and schemas have selectors too, and a name stands for a whole selector; the condition is asked where the keys match.
  $ events ended "$small" "$large" "$none" "$approve"
  $ declare rule "$each\ncheck = 'false'"; judged | found
  2 m
  3 `if` can't be evaluated: there is no `amount` in `event.payload`, at `event.payload.amount`
  $ declare rule "$each\ncheck = 'tools.refund < 1'"; judged | found
  2 m
  3 `if` can't be evaluated: there is no `amount` in `event.payload`, at `event.payload.amount`
  $ declare schema "schema = { required = ['x'] }\nwhere = { tool = 'refund', if = 'event.payload.amount > 500' }"; judged | found
  2 the event lacks the required field `x`
  3 `if` can't be evaluated: there is no `amount` in `event.payload`, at `event.payload.amount`
  $ declare order "each = 'large'\nnever = true\n[selector]\nlarge = { if = 'event.payload.amount > params.limit', tool = 'refund' }"; judged | found
  2 m
  3 `if` can't be evaluated: there is no `amount` in `event.payload`, at `event.payload.amount`
  $ declare order "each = { tool = 'refund', if = 'event.payload.amount' }\nnever = true"; events ended "$large"; judged | found
  1 `if` can't be evaluated: its value is an int, not a bool

# Values are found as they are meant, however they are written: with escapes, blanks, more than once.
  $ cp -r "$CORPUS/good/terminal" runs; mkdir .git; mv runs/episodes/ep_answer runs/episodes/ep_1; n=0
  $ while read -r it; do printf '{"phase":"act","timestamp":"2026-03-01T12:00:0%sZ","payload":%s}\n' $n "$it"; n=$((n + 1)); done > runs/episodes/ep_1/events.jsonl <<'.'
  > {"tool":"refund","usage":{"tokens":7},"input":{"a":1,"b":[2]}}
  > {"tool":"refund","usage":{"tok\u0065ns":7.0},"input":{"b":[2.0],"a":10e-1}}
  > {"tool":"ref\u0075nd","usage" : { "tokens" : 7 } , "input" : { "\u0061" : 1 , "b" : [ 2 ] } }
  > {"tool":"refund","usage":{"tokens":1,"tokens":7},"input":{"a":0,"b":[2],"a":1}}
  > {"tool":"refund","usage":{"tokens":7},"usage":{},"input":{"a":1,"b":[2]}}
  > {"tool":"refund","usage":{"tokens":8},"input":{"a":1,"b":[2,2]}}
  > .
  $ declare() { printf "[[$1]]\nid = 'a/b'\nmessage = 'm'\n$2\n" > runvet.toml; }
  $ tokens="each = { '/payload/usage/tokens' = 7 }" each="each = { tool = 'refund' }" same="same = ['/payload/tool', '/payload/input']"
  $ declare order "$tokens\nnever = true"; judged | found
  1 m
  2 m
  3 m
  4 the event has the key at `/payload/usage/tokens` twice, and readers differ on which one counts
  5 the event has the key at `/payload/usage` twice, and readers differ on which one counts
  $ declare order "$tokens\n$same\nat-most = 3"; judged | found
  4 the event has the key at `/payload/usage/tokens` twice, and readers differ on which one counts
  5 the event has the key at `/payload/usage` twice, and readers differ on which one counts
  $ declare order "$each\n$same\nat-most = 4"; judged | found
  4 the event has the key at `/payload/usage/tokens` twice, and readers differ on which one counts
  5 the event has the key at `/payload/usage` twice, and readers differ on which one counts
  $ declare rule "$each\ncheck = 'event.payload.usage.tokens != 7'"; judged | found
  1 m
  2 m
  3 m
  4 the event has the key at `/payload/usage/tokens` twice, and readers differ on which one counts
  5 the event has the key at `/payload/usage` twice, and readers differ on which one counts
  $ declare rule "$each\n$same\ncheck = 'earlier(\"r\").map(e, e.payload.input.a).sum() < 4'\n[selector]\nr = { tool = 'refund' }"; judged | found
  4 the event has the key at `/payload/usage/tokens` twice, and readers differ on which one counts
  5 the event has the key at `/payload/usage` twice, and readers differ on which one counts

# Selectors of actions compare.
  $ cat > runvet.toml <<.
  > [[schema]]
  > id = 'a/b'
  > record = 'action'
  > where = { tool = 'refund', if = 'action.amount > 500' }
  > schema = { required = ['x'] }
  > .
  $ events ended; edit 's/"actions":\[/&{"kind":"k","tool":"refund","amount":500},{"kind":"k","tool":"refund","amount":501},{"kind":"k","tool":"refund","amount":"x"},/' runs/episodes/ep_1/state.json
  $ judged | json /episodes/*/findings/* pointer message
  /outcomes/actions/1 `outcomes.actions[1]` lacks the required field `x`
  /outcomes/actions/2 `if` can't be evaluated: `>` is not defined for a string and an int, at `action.amount > 500`

One that has a name is of events, of actions, or of both.
  $ edit "s/where = .*/where = 'big'/" runvet.toml; printf "[selector]\nbig = { tool = 'refund', if = 'action.amount > 500' }\n" >> runvet.toml
  $ judged | json /episodes/*/findings/* pointer
  /outcomes/actions/1
  /outcomes/actions/2
  $ printf "[[order]]\nid = 'a/c'\nmessage = 'm'\neach = 'big'\nnever = true\n[[order]]\nid = 'a/d'\nmessage = 'm'\neach = 'big'\nnever = true\n" >> runvet.toml; runvet validate runs
  error: unknown name `action`
     ╭─[runvet.toml:7:32]
   7 │ big = { tool = 'refund', if = 'action.amount > 500' }
     ·                                ──────
     ╰────
  help: It can name `params`, `event`.
  [2]

# Groups are of all values together.
  $ printf "[[order]]\nid = 'a/b'\nmessage = '{same}: {count}'\neach = {}\nat-most = 1\nsame = ['/payload/tool', '/payload/input']\n" > runvet.toml
  $ events ended '{"tool":"a","input":{"x":1,"y":[2]}}' '{"tool":"a","input":{"y":[2.0],"x":1e0}}' '{"tool":"a","input":{"x":1,"y":["2"]}}' \
  >   '{"tool":"b","input":{"x":1,"y":[2]}}' '{"tool":"a"}' '{"tool":"a","input":1}' '{"tool":1,"input":"a"}' '{"tool":"a","input":1.0}'
  $ judged | found
  2 "a", {"y":[2.0],"x":1e0}: 2
  5 the event has no value at `/payload/tool` or `/payload/input`, by which the order groups events
  8 "a", 1.0: 2
  $ events ended '{"tool":"a","input":1}' '{"tool":"b","input":1}' '{"tool":"a","input":2}' '{"tool":"b","input":2}' '{"tool":"a","input":2}'
  $ judged | found
  5 "a", 2: 2
  $ runvet explain a/b | grep -A 3 '"same"'
    "same": [
      "/payload/tool",
      "/payload/input"
    ]

# What is asked of earlier events fails closed, and says why.
  $ cat > runvet.toml <<.
  > [[rule]]
  > id = 'a/b'
  > message = 'm'
  > each = { tool = 'pay' }
  > same = '/payload/order'
  > check = "earlier('paid').map(e, e.payload.amount).sum() + event.payload.amount < 3"
  > [selector]
  > paid = { tool = 'pay' }
  > .
  $ events ended '{"tool":"pay","amount":1,"order":1}' '{"tool":"pay","amount":2.5,"order":1}' '{"tool":"pay","amount":"x","order":1}' '{"tool":"pay","amount":1}' '{"tool":"pay","amount":1,"order":1.0}'
  $ judged | found
  2 m
  3 `check` can't be evaluated: `+` is not defined for a double and a string, at `sum() + event.payload.amount`
  4 `check` can't be evaluated: the event has no value at `/payload/order`, by which the rule groups events, at `sum()`
  5 `check` can't be evaluated: of the event on line 3, a string can't be summed up, at `sum()`

# More groups of earlier events than are kept are a fault.
  $ asking() { printf "[selector]\nr = { tool = 'refund' }\n[[rule]]\nid = 'a/b'\nmessage = 'm'\neach = 'r'\nsame = '/payload/order'\ncheck = \"$1\"\n" > runvet.toml; }
  $ many() { { echo 0; seq 0 $1; } | sed 's/.*/{"phase":"act","timestamp":"2026-03-01T12:00:00Z","payload":{"tool":"refund","order":&}}/' > runs/episodes/ep_1/events.jsonl; }
  $ asking "earlier('r').size() == 0"; events ended; many 100000; runvet validate --select a/b --format concise runs
  error: runs/episodes/ep_1: a/b could not be judged: `same` makes more than 100000 groups of events; make `each` narrower
  runs/episodes/ep_1/events.jsonl:2:1: error a/b: m
  runs/episodes/ep_1: note: not judged: 1 rule, `same` makes more than 100000 groups of events; make `each` narrower: a/b
  runs/episodes/ep_1: fault: a/b could not be judged: `same` makes more than 100000 groups of events; make `each` narrower
  1 episode: 0 valid, 0 invalid, 1 undecided, 1 not fully judged (1 error)
  [2]
  $ for n in $(seq 40); do printf "earlier('r').size() < 9 && "; done > asked; asking "$(cat asked)true"; many 8000; runvet validate --select a/b runs 2>&1 > out
  error: runs/episodes/ep_1: a/b could not be judged: orders and rules together have more groups and waiting events than are kept; later events are not judged by it
  [2]
