Dashboards and timelines of runs on the command line, as text and as JSON.

# A dashboard in JSON has null for what is missing.
  $ view() { runvet view "$@" --json; }
  $ (cd "$CORPUS/demo"; view ep_02) | json . summary artifacts/summary lifecycle valid findings
  null null non_terminal true []
  $ copy demo/episodes/ep_04_crashed; echo '{"goal":' > episodes/ep_04_crashed/state.json
  $ view ep | json . state artifacts/state events/total events/broken_lines
  null episodes/ep_04_crashed/state.json 10 1
  $ rm episodes/*/events.jsonl; view ep | json . events reason
  {"anchored_up_to":null,"broken_lines":0,"phases":{},"total":0} null

# A dashboard of a broken run says what is missing.
  $ copy good/terminal/episodes/ep_answer; printf '{"goal":' > episodes/ep_answer/state.json
  $ runvet view ep
  ep_answer
  Summarize the open tickets
  outcome success · started 2026-03-01 12:00:00Z · took 0.15s · mode meta
  episodes/ep_answer
  state.json can't be shown: not JSON: the text ends where a value is expected

  Verification: passed, 1 assertion
    passed report exists
    + report.md

  Metrics
    act_count 2 · learn_applied 0 · learn_proposals 1 · plan_count 1 · reflect_count 1 · success 1 · veto_count 0
    execution_ms       ████████                 50.5 ms
    first_action_ms    ██████                   40 ms
    planning_ms        ███                      20 ms
    total_ms           ████████████████████████ 150 ms

  Timeline, events: 11
    act 3 · direction 1 · learn 1 · observe 1 · plan 1 · reflect 1 · runtime 1 · start 1 · terminate 1
      +0.000s start      system           Summarize the open tickets
      +0.010s observe    system           Summarize the open tickets
      +0.020s plan       planner.minimal  steps: 3
      +0.030s direction  policy:core.minimal direction.hint · hint
      +0.040s act        adapter:core.minimal adapter:core.minimal · Collect the open tickets · step-1
      +0.090s act        adapter:core.minimal adapter:core.minimal · Summarize the tickets · step-2
      +0.095s act        adapter:core.minimal step-3 · skipped
      +0.120s reflect    system           success=true
      +0.130s learn      system           applied=false · proposals=1
      +0.140s runtime    system           run.state_projection
      +0.150s terminate  system           ok

  Run: unknown
  Records: 1 error
    error record/json-syntax (state.json:1): state.json is not JSON: the text ends where a value is expected
    33 rules not judged; for the reasons: runvet validate episodes/ep_answer
  $ cp "$CORPUS/good/terminal/episodes/ep_answer/state.json" episodes/ep_answer; rm episodes/ep_answer/events.jsonl; printf '?' > episodes/ep_answer/summary.json
  $ runvet view ep | grep -e shown -e ^Plan -e events
  summary.json can't be shown: not JSON: expected a value
  Plan by planner.minimal
    events     events.jsonl         missing
  Timeline: can't be shown: there is no such file
    error events/missing (events.jsonl): there is no events.jsonl

A run in progress has no summary yet.
  $ (cd "$CORPUS/demo"; runvet view ep_02 | grep "can't be shown")
  [1]

# A plan of an unsupported version is compared all the same.
  $ copy demo/episodes/ep_03_edited; edit 's/"version":"1.0"/"version":"2.0"/' episodes/*/state.json; runvet plan
    persisted (state.json)                    rebuilt (events.jsonl)
    ✓ step-1 done: Collect the open tickets │ ✓ step-1 done: Collect the open tickets
  ! ○ step-2 pending: Summarize the tickets │ ✓ step-2 done: Summarize the tickets
    – step-3 skipped: Check the summary     │ – step-3 skipped: Check the summary

  ! `plan.steps[1].status` is "pending", but the act event on line 6 set it to "done" (events.jsonl:6)
  the plan differs from the timeline from line 6 of events.jsonl on
  ? `version` is "2.0", but runvet supports "1.0"; its plan is still compared

# A dashboard of a recorded run says what was found and printed.
  $ echo '{"finish":{"status":"ok","assertions":[{"name":"cites","passed":true},{"name":"short","passed":false,"message":"412 words"}],"score":0.25,"metrics":{"tokens":812}}}' > finish
  $ runvet record --run-data . --task "$(printf 'write %.0s' $(seq 1000))" < finish > out; runvet view | grep -A 2 -e ^Goal -e ^Verification -e '^Outcome metrics'
  Goal not achieved (summary.json:1): failed assertion: short (412 words)

  Verification: failed, 2 assertions
    failed short: 412 words
    passed cites
  --
  Outcome metrics
    score 0.25 · steps_completed 0 · steps_total 0 · tokens 812
  $ test $(runvet view | wc -c) -lt 3000
  $ runvet record --run-data . --exec -- sh -c 'echo fine; echo one >&2; echo >&2; echo "no rule to make it" >&2; exit 3' > out 2> err
  [3]
  $ runvet view | grep -A 2 'the command exited' | head -3
  Failed at step-1 (events.jsonl:6, +[..]s): the command exited with 3
    stderr: one
    stderr: no rule to make it
  $ runvet view --json | json . reason/stderr
  ["one","no rule to make it"]

# Nothing is cut or wrapped when no width is known.
  $ copy demo/episodes/ep_01_answer; copy demo/episodes/ep_03_edited; long='Summarize the tickets that nobody has looked at since the first of March'
  $ edit "s/Summarize the tickets/$long/g; s/Summarize the open tickets/$long/" episodes/ep_03_edited/state.json
  $ runvet view ep_03 | grep -c "$long"
  7
  $ runvet view ep_03 | grep -e ' · mode meta' -e 'is 0.75 in'
  status ok · outcome success · started 2026-03-01 12:00:00Z · took 0.15s · mode meta · adapter:core.minimal
    error projection/outcomes (events.jsonl:10): `outcomes.metrics.task_score` is 0.75 in the projection event on line 10, but 0.95 in the state
  $ runvet view ep_03 --events | tail -6
       6   +0.090s act        adapter:core.minimal adapter:core.minimal · Summarize the tickets · step-2
       7   +0.095s act        adapter:core.minimal step-3 · skipped
       8   +0.120s reflect    system           success=true
       9   +0.130s learn      system           applied=false · proposals=1
      10   +0.140s runtime    system           run.state_projection
      11   +0.150s terminate  system           ok
  $ runvet plan ep_03 | grep "$long"; runvet diff ep_01 ep_03 | grep -e step-2 -e '! projection/outcomes'; runvet list | grep "$long"
  ! ○ step-2 pending: Summarize the tickets that nobody has looked at since the first of March │ ✓ step-2 done: Summarize the tickets
  ! `plan.steps[1].description` is "Summarize the tickets that nobody has looked at since the first of March", but "Summarize the tickets" in the step record of the plan event on line 3 (events.jsonl:3)
  ! ✓ step-2 done: Summarize the tickets    │ ○ step-2 pending: Summarize the tickets that nobody has looked at since the first of March
  ! projection/outcomes - │ 2
  2026-03-01 12:00:00 ep_03_edited ok       success  0.15s Summarize the tickets that nobody has looked at since the first of March

# A link is present when it leads to its artifact.
  $ copy good/terminal/episodes/ep_answer; edit 's#"events.jsonl"#"./events.jsonl"#g; s#"learn.jsonl"#"../learn.jsonl"#g' episodes/*/state.json; rm episodes/*/manifest.json
  $ runvet view ep | sed -n '/^Links/,/^$/p'
  Links
    events     ./events.jsonl       there
    learn      ../learn.jsonl       leads elsewhere
    manifest   manifest.json        missing
    summary    summary.json         there

# A plan and a dashboard mark the steps about which the timeline says otherwise.
  $ copy good/terminal/episodes/ep_answer; cd episodes/ep_answer; cp state.json state
  $ edit 's/\({"description":"Summarize the tickets"[^}]*}\),\({"description":"Check[^}]*}\)/\2,\1/; s/"id":"step-2","kind"/"id":"step-9","kind"/' state.json; COLUMNS=80 runvet plan; COLUMNS=80 runvet view | grep '^! '
    persisted (state.json)                 rebuilt (events.jsonl)
    ✓ step-1 done: Collect the open tic… │ ✓ step-1 done: Collect the open tic…
  !                                      │ ✓ step-2 done: Summarize the tickets
    – step-3 skipped: Check the summary  │ – step-3 skipped: Check the summary
  ! ✓ step-9 done: Summarize the tickets │

  ! `plan.steps[1].id` is "step-3", but "step-2" in the step record of the plan
    event on line 3 (events.jsonl:3)
  ! `plan.steps[1].kind` is "verify", but "act" in the step record of the plan
    event on line 3 (events.jsonl:3)
  ! `plan.steps[1].description` is "Check the summary", but "Summarize the
    tickets" in the step record of the plan event on line 3 (events.jsonl:3)
  ! `plan.steps[2].id` is "step-9", but "step-3" in the step record of the plan
    event on line 3 (events.jsonl:3)
  ! `plan.steps[2].kind` is "act", but "verify" in the step record of the plan
    event on line 3 (events.jsonl:3)
  ! `plan.steps[2].description` is "Summarize the tickets", but "Check the
    summary" in the step record of the plan event on line 3 (events.jsonl:3)
  the plan differs from the timeline from line 3 of events.jsonl on
  ! ✓ step-2     act      done     (only in the timeline) Summarize the tickets
  ! ✓ step-9     act      done     Summarize the tickets

It says what it does not compare, and names the step that one side lacks; one with a repeated id stands beside the other.
  $ sed 's/"id":"step-2","kind":"act","status":"done"/"id":"step-2","kind":"act","status":"completed"/' state > state.json; COLUMNS=80 runvet plan
    persisted (state.json)                 rebuilt (events.jsonl)
    ✓ step-1 done: Collect the open tic… │ ✓ step-1 done: Collect the open tic…
  ? ? step-2 completed: Summarize the t… │ ✓ step-2 done: Summarize the tickets
    – step-3 skipped: Check the summary  │ – step-3 skipped: Check the summary

  ? 1 value not compared, because the state or the timeline violates the schema:
    /plan/steps/1/status
  what can be compared of the persisted plan equals the rebuilt one
  $ sed 's/{"description":"Summarize the tickets"[^}]*},//' state > state.json; runvet plan | grep lacks
  ! the plan has 2 steps, but the rebuilt plan has 3 steps; the state lacks "step-2" (events.jsonl:3)
  $ sed 's/"id":"step-2","kind"/"id":"step-1","kind"/' state > state.json; COLUMNS=80 runvet plan | grep '│'
    ✓ step-1 done: Collect the open tic… │ ✓ step-1 done: Collect the open tic…
  ! ✓ step-1 done: Summarize the tickets │ ✓ step-2 done: Summarize the tickets
    – step-3 skipped: Check the summary  │ – step-3 skipped: Check the summary

# A timeline is printed by event, and can be filtered.
  $ cd "$CORPUS/demo"; events_of() { runvet view ep_01 "$@" | tr -s ' ' | cut -d ' ' -f 2-4; }
  $ events_of --events
  1 +0.000s start
  2 +0.010s observe
  3 +0.020s plan
  4 +0.030s direction
  5 +0.040s act
  6 +0.090s act
  7 +0.095s act
  8 +0.120s reflect
  9 +0.130s learn
  10 +0.140s runtime
  11 +0.150s terminate
  $ events_of --phase act
  5 +0.040s act
  6 +0.090s act
  7 +0.095s act
  $ events_of --grep '"step-3"'
  3 +0.020s plan
  4 +0.030s direction
  7 +0.095s act
  $ events_of --grep step-3 --phase act
  7 +0.095s act
  $ for it in '--phase act' '--grep x' --events; do runvet view ep_01 --json $it; done
  error: --json prints the whole run, not its events; each line of episodes/ep_01_answer/events.jsonl is one event in JSON
  error: --json prints the whole run, not its events; each line of episodes/ep_01_answer/events.jsonl is one event in JSON
  error: --json prints the whole run, not its events; each line of episodes/ep_01_answer/events.jsonl is one event in JSON
  [2]

# Bad lines of a timeline go to standard error, with their place.
  $ copy demo/episodes/ep_04_crashed; edit '3s/^/\n[1]\n/' episodes/*/events.jsonl
  $ runvet view ep --events 2> said | cut -c 1-6 | paste -s; cat said
       1	     2	     5	     6	     7	     8	     9	    10	    11	    12
  error: episodes/ep_04_crashed/events.jsonl:4:1: an array, not an object
  error: episodes/ep_04_crashed/events.jsonl:13:120: not JSON: the text ends inside a string
  $ rm episodes/*/events.jsonl; runvet view ep --events
  error: episodes/ep_04_crashed/events.jsonl: there is no such file
  [2]

# The command `show` loses nothing when it is pretty, and no byte when it is raw.
  $ copy good/terminal/episodes/ep_answer; cat > odd <<'.'
  >  {"z" :1.50,"a":[ ],"b":{},"n":[1E2,-0.0,{"é":"\u00e9\ud83d\ude00"}],"big":12345678901234567890.10,"z":2}
  > .
  $ cp odd episodes/ep_answer/state.json; runvet show ep state; runvet show ep state --raw | cmp - odd
  {
    "z": 1.50,
    "a": [],
    "b": {},
    "n": [
      1E2,
      -0.0,
      {
        "é": "\u00e9\ud83d\ude00"
      }
    ],
    "big": 12345678901234567890.10,
    "z": 2
  }
  $ printf '\377{\0\033[31m' > episodes/ep_answer/state.json; runvet show ep state --raw | cmp - episodes/ep_answer/state.json; runvet show ep state
  error: episodes/ep_answer/state.json:1:1: not JSON: the text has a byte that is not UTF-8
  [2]
  $ cd "$CORPUS/good"; for file in */episodes/ep_*/state.json */episodes/ep_*/summary.json; do
  >   record=${file##*/}; runvet show ${file%/*} ${record%.json} --raw | cmp - $file
  >   test "$(runvet show ${file%/*} ${record%.json} | tr -d ' \n')" = "$(tr -d ' \n' < $file)" || echo $file
  > done
  $ cd "$CORPUS/demo"; runvet show ep_02 summary
  error: episodes/ep_02_paused/summary.json: there is no such file
  [2]

# Every command ends quietly when the pipe closes.
  $ copy good/terminal/episodes/ep_answer; more() { seq $1 | sed 's/.*/{"phase":"'$2'","timestamp":"2026-03-01T12:00:01Z","payload":{"message":"'$(printf 'x%.0s' $(seq 100))'"}}/'; }
  $ more 2000 tick >> episodes/ep_answer/events.jsonl; edit "s/Ticket 2 is the oldest./$(head -c 100000 /dev/zero | tr '\0' x)/" episodes/ep_answer/state.json
  $ for at in $(seq 1000); do mkdir episodes/ep_$at; echo '{}' > episodes/ep_$at/state.json; done
  $ for it in 'view ep_answer --events' 'view ep_answer --json' 'show ep_answer state' 'show ep_answer state --raw' 'list --limit 0 --format json'; do
  >   { runvet $it; echo $? >&2; } | head -c 10 | wc -c
  > done | sort | uniq -c
  2
  2
  2
  2
  2
        5 10

# A long timeline is folded and counted, a short one is shown whole, and rare phases are counted together.
  $ copy good/terminal/episodes/ep_answer; file=episodes/ep_answer/events.jsonl; cp $file short
  $ more() { seq $1 | sed "s/.*/{\"phase\":\"$2\",\"timestamp\":\"2026-03-01T12:00:01Z\",\"payload\":{}}/"; }
  $ runvet view ep | grep -e Timeline -e '… '; { cat short; more 10 tick; } > $file; runvet view ep | grep -e Timeline -e '… '
  Timeline, events: 11
  Timeline, events: 21
  $ { cat short; more 15000 tick; more 5000 tock; } > $file; runvet view ep | grep -e Timeline -e '… ' -e 'for all'; runvet view ep --events | wc -l
  Timeline, events: 20011
    … 3 learn, reflect, runtime
    … 20000 tick, tock
    for all: runvet view episodes/ep_answer --events
  20011
  $ runvet view ep --json | json /events/phases tick tock act
  15000 5000 3
  $ test $(runvet view ep | wc -l) -lt 80
  $ { cat short; more 3000 phase-\& | sed 's/phase-[0-9]*\([0-9][0-9][0-9]\)/phase-\1/'; } > $file; runvet view ep | grep -o '(others) [0-9]*'
  (others) 2909
  $ runvet view ep --json | json /events/phases (others) phase-100
  2909 -

# A huge event is outlined, and broken lines are counted.
  $ copy good/terminal/episodes/ep_answer; long=$(head -c 100000 /dev/zero | tr '\0' x)
  $ { cat episodes/ep_answer/events.jsonl; printf '{"phase":"%s","agent_id":"%s","payload":{"tool":"%s","steps":["%s"]}}\n' $long $long $long $long; for at in $(seq 30); do printf '{"%s\n' $long; done; } > long; mv long episodes/ep_answer/events.jsonl
  $ runvet view ep --json | json /events total broken_lines
  12 30
  $ test $(runvet view ep | wc -c) -lt 20000; runvet view ep | grep 'not events'
    lines that are not events: 30

# A table of two plans ends with the verdict.
  $ cd "$CORPUS"; for run in good/terminal/episodes/* demo/episodes/ep_04_crashed broken/summary-alone/episodes/*; do runvet plan $run | tail -1; done
  the persisted plan equals the one rebuilt from the timeline
  not judged: line 11 of events.jsonl is not an event, and could be the one that matters
  not judged: events.jsonl is missing
  $ runvet plan demo/episodes/ep_03_edited | grep '^! .*│'
  ! ○ step-2 pending: Summarize the tickets │ ✓ step-2 done: Summarize the tickets
  $ runvet plan good/legacy-labels/episodes/* | grep -o Collect | uniq
  Collect

# Of many actions, those that are not ok are among those that are shown.
  $ act() { echo "{\"act\":{\"tool\":\"Bash\",\"input\":{\"command\":\"$1\"},\"result_status\":\"$2\"}}"; }
  $ (for n in 1 2 3 4 5 6 7 8 9 10 11 12 13; do act "echo $n" ok; done; act 'rm -rf x' denied; act 'echo 14' ok; echo '{"finish":{"status":"ok"}}') | runvet record --run-data many --id ep_many --task Many > answers
  $ runvet view ep_many --run-data many | grep -A 14 '^Actions' | tail -4
    act-11                Bash                 ok       echo 11
    act-14                Bash                 denied   rm -rf x
    … and 3 more
