Findings by cause: one finding for many, and the ignore that covers them.

# Causes come by their runs, and their ignores cover them.
  $ project; for run in 01_answer 03_edited 05_misnamed; do edit 's/"adapter_name":/"tools":["x"],&/g; s/\("actions":\[{\)/\1"tools":["x"],/' runs/demo/episodes/ep_$run/state.json; done
  $ runvet validate --group-by cause runs > said; head -14 said
  state/schema: 3 findings in 3 runs, such as in runs/demo/episodes/ep_01_answer

  error[state/schema]: `outcomes.actions[0]` must not have the field `tools`
     ╭─[runs/demo/episodes/ep_01_answer/state.json:1:694]
   1 │ …s the oldest."},"outcomes":{"actions":[{"tools":["x"],"id":"act-1"…
     ·                                          ───────
     ╰────
  help: Add the prefix `x-` to the name to make the field an extension, or remove it.
  to ignore them:
  [[ignore]]
  rule = "state/schema"
  episode = "**"
  file = "state.json"
  pointer = "/outcomes/actions/*/tools"
  $ sed -n '/^ *\[\[ignore\]\]/,/^$/p' said | sed 's/^ *//' > runvet.toml; runvet validate runs 2>&1 | grep -c 'reason is empty' | sed 's/[1-9].*/told/'
  told
  $ sed -i 's/reason = ""/reason = "theirs"/' runvet.toml; runvet validate runs
  runs/demo/episodes/ep_04_crashed (ended): no new findings, but some rules could not be judged

  not judged: 14 rules, line 11 of events.jsonl is not an event, and could be the one that matters
  not judged: 23 rules, there is no summary.json

  5 episodes: no other errors, 1 not ended, 1 not fully judged; 10 findings ignored

# A report is by cause where a rule has more than a screen of findings, unless another form is asked for, or all of them.
  $ project; run=runs/demo/episodes/ep_01_answer; cp $run/state.json state
  $ actions() { more=$(for at in $(seq $(($1 - 2))); do printf '{"kind":"k","tools":[]},'; done); sed "s/\"actions\":\[{\(.*\)},{\(.*\)\],\"artifacts\"/\"actions\":[$more{\"tools\":[],\1},{\"tools\":[],\2],\"artifacts\"/" state > $run/state.json; }
  $ told() { runvet validate --select state/schema $run "$@" > said; head -1 said; grep -c 'must not have the field' said; }
  $ actions 20; told; grep -c '\[\[ignore' said
  runs/demo/episodes/ep_01_answer (ended): 20 errors
  20
  0
  [1]
  $ actions 21; told; grep -o -e '--group-by episode' said
  state/schema: 21 findings in 1 run, such as in runs/demo/episodes/ep_01_answer
  1
  --group-by episode
  $ told --max-findings 1
  state/schema: 21 findings in 1 run, such as in runs/demo/episodes/ep_01_answer
  1
  $ told --group-by episode; told --group-by rule; told --max-findings 0
  runs/demo/episodes/ep_01_answer (ended): 21 errors
  20
  state/schema: 21 findings
  20
  runs/demo/episodes/ep_01_answer (ended): 21 errors
  21
