What a check looks at, and what it must have looked at.

# What was not looked at comes first.
  $ cd "$CORPUS"
  $ runvet coverage demo | grep -e ' runs: ' -e ^Rules -e team/vocabulary -e actions/ids
  5 runs: [..] rules compared something, [..] compared nothing
  Rules that compared nothing    found   sound nothing skipped
  team/vocabulary                    0       0       5       0
  Rules                          found   sound nothing skipped
  actions/ids                        0       5       0       0
  $ runvet coverage demo --format markdown | grep actions/ids
  | actions/ids | 0 | 5 | 0 | 0 |

# Fields, words and selectors are counted.
  $ project <<.
  > [[order]]
  > id = 'a/b'
  > each = { phase = 'act' }
  > needs-earlier = { phase = 'plan' }
  > message = 'm'
  > [[schema]]
  > id = 'a/c'
  > where = { tool = 'nobody' }
  > schema = {}
  > [[rule]]
  > id = 'a/d'
  > each = { phase = 'start' }
  > check = 'true'
  > message = 'm'
  > .
  $ covered() { runvet coverage runs --format json; }
  $ covered | json /selectors/* rule selector events
  a/c where 0
  a/b each 13
  a/b other 5
  a/d each 5
  $ covered | json /fields/event/~1phase seen
  49
  $ covered | json /fields/event/ seen
  49
  $ covered | json /fields/state/ seen
  5
  $ covered | json /fields/state/~1episode~1id seen
  5
  $ covered | json /fields/state/~1outcomes~1status words/ok words/vetoed
  4 0
  $ covered | json /fields/state/~1plan~1steps~1*~1kind seen
  15

# What can't be looked at is said.
  $ mkdir empty; runvet coverage empty 2>&1 | grep -o 'no episode found'
  no episode found
  $ runvet coverage "$CORPUS/demo" nowhere 2>&1 > /dev/null
  error: nowhere: no such file or directory
  [2]

# A required rule that judges nothing is a finding.
  $ here=$PWD; cd "$CORPUS"
  $ required() { runvet validate --no-config --format concise "$@" 2> /dev/null | sed -n 's/.*\/\(.*json[l]*\).* error coverage.required: /\1: /p'; }
  $ required good/terminal --verify-manifest --require manifest/digest
  state.json: `manifest/digest` is required, but has nothing to compare in this run
  $ required good/strict-near-misses --verify-manifest --require manifest/digest
  $ required good/terminal --require manifest/digest
  state.json: `manifest/digest` is required, but is off

It holds whatever is selected, for each rule of a group, and only for runs that have ended.
  $ required good/terminal --select manifest/digest --require manifest/digest
  state.json: `manifest/digest` is required, but has nothing to compare in this run
  $ required good/terminal --require 'strict/*' | wc -l > "$here/n"; runvet rules | grep -c ^strict/ | cmp - "$here/n"
  $ required good/paused --require manifest/digest
  $ required good/terminal --require lifecycle/links
  $ required bad/events/syntax/an-array --require plan/projection
  state.json: `plan/projection` is required, but could not be checked: line 4 of events.jsonl is not an event, and could be the one that matters

A level that is set counts.
  $ required good/terminal --require manifest/digest --rule coverage/required=off
  $ runvet validate demo --require manifest/digst 2>&1 | head -1
  error: invalid value 'manifest/digst' for '--require <RULE>': there is no rule called `manifest/digst`; did you mean `manifest/digest`?

# The configuration and flags require rules.
  $ project; echo "require = ['manifest/digest']" > runvet.toml

Four of the five runs have ended.
  $ levels --require strict/learn | grep -c coverage/required
  8
  $ runvet config --require strict/learn | grep require
  require-ended    false            default
  require          strict/learn     --require
  require          manifest/digest  runvet.toml:1
  $ echo "require = ['manifest/digst']" > runvet.toml; runvet validate runs 2>&1 | grep mean
  help: did you mean `manifest/digest`?

# A required rule that is off in a directory says nothing there, but that it is off.
  $ off() { printf "require = ['$1']\n[[override]]\npaths = ['ep_03_edited']\nrules = { '$2' = 'off' }\n" > runvet.toml; report --coverage; }
  $ project; off projection/outcomes projection/outcomes | json /episodes/*/findings/* rule message
  coverage/required `projection/outcomes` is required, but is off
  plan/projection `plan.steps[1].status` is "pending", but the act event on line 6 set it to "done"
  events/torn-tail the last line ends without a newline and is not JSON: the text ends inside a string
  lifecycle/artifacts the run has ended with the status "ok", but there is no manifest.json
  coverage/required `projection/outcomes` is required, but could not be checked: line 11 of events.jsonl is not an event, and could be the one that matters
  lifecycle/artifacts the run has ended with the status "ok", but there is no summary.json
  state/schema `beliefs[0].confidence` is 90, above the maximum of 1
  record/misspelled-field `intuitionMode` is not a known field, and `intuition_mode` is absent
  [1]
  $ off projection/outcomes projection/outcomes | json /episodes/*/coverage projection~1outcomes coverage~1required
  sound sound
  nothing nothing
  - found
  skipped found
  sound sound
  [1]
  $ off summary/mode 'summary/*' | json /episodes/2/findings/* message
  `outcomes.metrics.task_score` is 0.75 in the projection event on line 10, but 0.95 in the state
  `summary/mode` is required, but is off
  `plan.steps[1].status` is "pending", but the act event on line 6 set it to "done"
  [1]
  $ off projection/outcomes 'coverage/*' | json /episodes/2/coverage projection~1outcomes coverage~1required
  found -
  [1]

# The page lists the rules that compared nothing.
  $ cd "$CORPUS"
  $ runvet validate demo --format html --coverage | tr '\n' ' ' | grep -o 'Rules that compared nothing.*' | sed 's#</ul>.*##' | grep -o -e team/vocabulary -e plan/projection
  team/vocabulary
  $ runvet validate demo --format html | grep -c 'Rules that compared nothing'
  0
  [1]
