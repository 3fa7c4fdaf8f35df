Two runs side by side, and what counts as a difference.

# Both runs are named.
  $ cd "$CORPUS/demo"
  $ runvet diff ep_01 2>&1 | tail -5
    <RIGHT>

  Usage: runvet diff <LEFT> <RIGHT>

  For more information, try '--help'.

# The exit code is 0 for the same run, and 1 for another.
  $ cd "$CORPUS/demo"
  $ runvet diff ep_01 ep_01 --json
  {"same":true,"left":{"episode_id":"ep_01_answer","dir":"episodes/ep_01_answer"},"right":{"episode_id":"ep_01_answer","dir":"episodes/ep_01_answer"},"first_divergence":null,"differences":[],"more":0,"uncounted":[],"uncounted_more":0}
  $ runvet diff ep_01 ep_03 --json | json /differences/* pointer left right
  /state/outcomes/metrics/task_score 0.75 0.95
  /state/plan/steps/1/status done pending
  /findings/plan~1projection null 1
  /findings/projection~1outcomes null 1
  [1]

# Ids, times, durations and digests do not count.
  $ copy good/terminal/episodes/ep_answer; copy good/terminal/episodes/ep_answer ep_other; cd episodes/ep_other
  $ edit 's/ep_answer/ep_other/g; s/2026-03-01/2026-04-02/g; s/act-1/act-7/g' state.json summary.json events.jsonl
  $ edit 's/"duration_sec":0.15/"duration_sec":9/; s/"total_ms":150/"total_ms":9000/' summary.json

The provenance of what the run believes is no id.
  $ edit 's/"provenance":"act-7"/"provenance":"act-1"/g' state.json; cd ../..
  $ diff_of() { runvet diff ep_answer ep_other --json; }
  $ diff_of | json /differences/* pointer
  $ diff_of | json /uncounted/* pointer
  /state/beliefs/0/timestamp
  /state/episode/id
  /state/episode/started_at
  /state/memory/facts/0/timestamp
  /state/outcomes/actions/0/id
  /state/outcomes/actions/0/timestamp
  /state/outcomes/actions/1/timestamp
  /state/plan/updated_at
  /summary/duration_sec
  /summary/episode_id
  /summary/metrics/latencies/total_ms
  /summary/started_at
  $ edit 's/"queue":"support"/"queue":"sales"/' episodes/ep_other/state.json; diff_of | json /differences/0 pointer left right
  /state/plan/steps/0/inputs/queue support sales
  [1]

# A record that is there but broken is a fault; one that is not there is a difference.
  $ copy good/terminal/episodes/ep_answer; copy good/terminal/episodes/ep_answer ep_other; echo '{' > episodes/ep_answer/summary.json
  $ runvet diff ep_other ep_answer
  error: episodes/ep_answer/summary.json:2:1: not JSON: the text ends where a key is expected
  [2]
  $ rm episodes/ep_answer/summary.json; runvet diff ep_other ep_answer --json | json /differences/* pointer
  /summary
  /findings/episode~1id
  /findings/lifecycle~1artifacts
  [1]
  $ runvet diff ep_other ep_nowhere
  error: there is no run "ep_nowhere" in .; `runvet list` shows the runs
  [2]

# The differences of long lists are bounded and counted.
  $ copy good/terminal/episodes/ep_answer; copy good/terminal/episodes/ep_answer ep_other
  $ beliefs() { seq 100000 | sed 's/.*/{"statement":"'$1'&","confidence":1,"provenance":"x"}/' | paste -s -d , ; }
  $ for run in answer other; do { sed 's/"beliefs":\[.*/"beliefs":[/' episodes/ep_$run/state.json; beliefs $run; sed 's/.*"beliefs":\[[^]]*\]/]/' episodes/ep_$run/state.json; } | tr -d '\n' > s; mv s episodes/ep_$run/state.json; done
  $ runvet diff ep_answer ep_other --json > out; grep -o '"pointer"' out | wc -l; grep -o '"more":[0-9]*,"uncounted"' out
  1000
  "more":99001,"uncounted"
  $ test $(runvet diff ep_answer ep_other | wc -c) -lt 16000

# Actions are aligned by tool and input, steps by kind and description: one more act is one difference.
  $ one() { printf '{"act":{"kind":"tool","tool":"%s","input":{"p":"%s"},"output":"y"}}\n' $1 $2; }
  $ rest() { for i in 1 2 3; do one tool$i f$i; done; echo '{"finish":{"status":"ok"}}'; }
  $ rest | runvet record --run-data . --task t --id left > out; { one look first; rest | sed s/f2/f9/; } | runvet record --run-data . --task t --id right > out
  $ runvet diff left right | grep -A 6 -e ^Actions -e ^Differences -e divergence
  Actions
  +                         │ act-1 look  {"p":"first"}
    act-1 tool1  {"p":"f1"} │ act-2 tool1  {"p":"f1"}
  ! act-2 tool2  {"p":"f2"} │ act-3 tool2  {"p":"f9"}
    act-3 tool3  {"p":"f3"} │ act-4 tool3  {"p":"f3"}

  Outcomes
  --
  Differences
  + /state/outcomes/actions/0: absent, but {"id":"act-1","input":{"p":"first"},"kind":"tool","output":"y","timestamp":"2026…
  ! /state/outcomes/actions/1/input/p (/state/outcomes/actions/2/input/p): "f2", but "f9"
  ! /summary/metrics/act_count: 3, but 4
  ! /events/total: 7, but 8
  ! /events/phases/act: 3, but 4

  first divergence: only the right run has /state/outcomes/actions/0
  the runs differ in 5 places; 13 more differences in ids, times, durations or digests are not counted
  $ runvet diff left right --json | json /differences/* pointer right_pointer
  /state/outcomes/actions/0 -
  /state/outcomes/actions/1/input/p /state/outcomes/actions/2/input/p
  /summary/metrics/act_count -
  /events/total -
  /events/phases/act -
  [1]
  $ runvet diff left right --json | json /first_divergence left right
  null /state/outcomes/actions/0
  [1]
  $ runvet diff right left --json | json /first_divergence left right
  /state/outcomes/actions/0 null
  [1]
  $ runvet diff left left --json | json . same first_divergence
  true null
