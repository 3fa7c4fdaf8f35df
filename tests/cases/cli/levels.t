The levels of rules, and findings that are ignored: what counts by the configuration.

# Levels depend on the directory, and flags override all of it.
  $ project
  $ levels
  ep_03 error projection/outcomes
  ep_03 error plan/projection
  ep_04 error events/torn-tail
  ep_04 error lifecycle/artifacts
  ep_04 error lifecycle/artifacts
  ep_05 error state/schema
  ep_05 warning record/misspelled-field
  $ cat > runvet.toml <<.
  > exclude = ['ep_05*']
  > rules = { 'plan/projection' = 'warning', 'plan/*' = 'off', 'lifecycle/*' = 'off' }
  > [[override]]
  > paths = ['runs/*/episodes/ep_04_crashed']
  > rules = { 'lifecycle/artifacts' = 'warning', 'events/*' = 'off' }
  > [[override]]
  > paths = ['nowhere']
  > rules = { 'projection/*' = 'off' }
  > .
  $ levels
  ep_03 error projection/outcomes
  ep_03 warning plan/projection
  ep_04 warning lifecycle/artifacts
  ep_04 warning lifecycle/artifacts
  $ report | json /totals episodes valid warnings
  4 3 3
  [1]
  $ cat said
  note: 1 directory excluded by the configuration
  note: runvet.toml:7: no directory matches `nowhere`
  $ runvet validate --quiet runs | grep note:.*runvet.toml
  [1]
  $ levels --rule 'lifecycle/*=off' --rule projection/outcomes=warning
  ep_03 warning projection/outcomes
  ep_03 warning plan/projection

A rule that is off is not said to be skipped.
  $ report > report.json; grep -c '"rule": *"plan/projection",' report.json; grep -c plan/no-event report.json
  2
  0
  [1]

A gate without anything to check must not pass.
  $ echo "exclude = ['runs']" > runvet.toml
  $ runvet validate runs/demo/episodes/ep_03_edited/state.json
  error: no episode to check: the configuration excludes 1 directory
  [3]

A run that a person names is shown, and a note says that a check leaves it out.
  $ run=runs/demo/episodes/ep_03_edited; runvet view $run > out; runvet view $run --json > out; runvet diff $run runs/demo/episodes/ep_01_answer > out
  note: the configuration excludes runs/demo/episodes/ep_03_edited, so no check looks at it
  note: the configuration excludes runs/demo/episodes/ep_03_edited, so no check looks at it
  note: the configuration excludes runs/demo/episodes/ep_03_edited, so no check looks at it
  note: the configuration excludes runs/demo/episodes/ep_01_answer, so no check looks at it
  [1]
  $ for command in 'table runs' coverage; do runvet $command $run; done
  error: no episode found: the configuration excludes 1 directory
  error: no episode found: the configuration excludes 1 directory
  [3]
  $ runvet compare $run $run
  error: no episode found below runs/demo/episodes/ep_03_edited: the configuration excludes 1 directory
  [2]
  $ echo "exclude = ['runs/demo/episodes/ep_0*']" > runvet.toml; runvet validate runs
  error: no episode to check: the configuration excludes 5 directories
  [3]

# Selected rules run alone, unless --rule says more.
  $ project
  $ levels --select 'plan/*,projection/*'
  ep_03 error projection/outcomes
  ep_03 error plan/projection
  $ levels '--select=plan/*' '--select=projection/*'
  ep_03 error projection/outcomes
  ep_03 error plan/projection
  $ levels --select strict/steps
  ep_03 warning strict/steps
  $ levels --select '*' | wc -l
  10
  $ levels --select=strict/steps --rule=plan/projection=warning '--rule=strict/*=error'
  ep_03 error strict/outcome-metrics
  ep_03 warning plan/projection
  ep_03 error strict/steps
  $ levels '--select=strict/*' '--rule=*=off'
  $ levels '--rule=*=off' --rule=strict/steps=warning
  ep_03 warning strict/steps

The file selects too, and what it turns off is a warning where it is selected.
  $ cat > runvet.toml <<.
  > select = ['strict/steps', 'plan/*']
  > rules = { 'strict/steps' = 'error', '*' = 'off', 'projection/*' = 'error' }
  > .
  $ levels
  ep_03 warning plan/projection
  ep_03 error strict/steps
  $ levels '--select=projection/*'
  ep_03 error projection/outcomes
  $ echo "select = ['plan']" > runvet.toml; runvet validate runs
  error: there is no rule called `plan`
     ╭─[runvet.toml:1:11]
   1 │ select = ['plan']
     ·           ──────
     ╰────
  help: did you mean `plan/*`?
  [2]

Only what is judged can show that an ignore is not needed any more.
  $ printf "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = 'known'\n" > runvet.toml
  $ report > report.json; report '--select=state/*' > report.json; cat said
  $ cd runs/demo
  $ runvet watch --select=strict/step
  error: invalid value 'strict/step' for '--select <RULE>': there is no rule called `strict/step`; did you mean `strict/steps`?

  For more information, try '--help'.
  [2]
  $ runvet list --invalid --select=strict/step
  error: invalid value 'strict/step' for '--select <RULE>': there is no rule called `strict/step`; did you mean `strict/steps`?

  For more information, try '--help'.
  [2]
  $ runvet view ep_03 --select=strict/step
  error: invalid value 'strict/step' for '--select <RULE>': there is no rule called `strict/step`; did you mean `strict/steps`?

  For more information, try '--help'.
  [2]

# The option --verify-manifest is an error, unless --rule says else.
  $ project
  $ echo '{"files": [{"name": "state.json", "size_bytes": 1}]}' > runs/demo/episodes/ep_01_answer/manifest.json
  $ manifest() { levels "$@" | grep manifest; }
  $ manifest
  [1]
  $ manifest --verify-manifest
  ep_01 error manifest/digest
  $ manifest --verify-manifest '--select=plan/*'
  ep_01 error manifest/digest
  $ manifest --verify-manifest --rule=manifest/digest=warning
  ep_01 warning manifest/digest
  $ echo 'verify-manifest = true' > runvet.toml
  $ manifest
  ep_01 error manifest/digest
  $ manifest --rule=manifest/digest=warning
  ep_01 warning manifest/digest
  $ manifest --verify-manifest=false
  [1]
  $ manifest '--select=plan/*'
  [1]
  $ echo "rules = { 'manifest/*' = 'warning' }" >> runvet.toml
  $ manifest
  ep_01 warning manifest/digest
  $ manifest --verify-manifest
  ep_01 error manifest/digest

# Ignored findings are counted apart, with who ignores them.
  $ project <<.
  > [[ignore]]
  > rule = 'lifecycle/*'
  > episode = 'runs/demo/episodes/ep_04_*'
  > reason = 'it crashed'
  > [[ignore]]
  > rule = 'plan/projection'
  > episode = 'ep_03_edited'
  > pointer = '/plan/steps/1'
  > reason = 'by hand'
  > [[ignore]]
  > rule = 'projection/outcomes'
  > episode = 'ep_03_edited'
  > pointer = '/payload/out'
  > reason = 'no such'
  > [[ignore]]
  > rule = 'state/schema'
  > episode = 'ep_99'
  > reason = 'not checked here'
  > .
  $ levels
  ep_03 error projection/outcomes
  ep_04 error events/torn-tail
  ep_05 error state/schema
  ep_05 warning record/misspelled-field
  $ report | json /totals errors ignored baselined
  3 3 0
  [1]
  $ report | json /episodes/*/suppressed/* by reason
  ignore by hand
  ignore it crashed
  ignore it crashed
  [1]

An ignore that covers an episode but matches no finding is reported.
  $ runvet validate runs 2>&1 | tail -3
  To learn more about a rule: runvet explain projection/outcomes
  note: runvet.toml:11: this ignore matches no finding and can be removed
  note: runvet.toml:17: no directory matches `ep_99`
  $ runvet validate runs/demo/episodes/ep_01_answer
  1 episode: valid
  $ runvet validate --quiet runs 2>&1 | grep note:.*runvet.toml
  [1]

# An ignore expires at the start of its day in UTC.
  $ project <<.
  > [[ignore]]
  > rule = 'plan/*'
  > episode = '*'
  > reason = 'for now'
  > expires = 2026-03-01
  > .
  $ export TZ=Asia/Tokyo SOURCE_DATE_EPOCH=1772323199
  $ report | json /totals ignored
  1
  [1]
  $ runvet config | grep 2026
  plan/* in *      ignored until 2026-03-01  runvet.toml:2
  $ SOURCE_DATE_EPOCH=1772323200
  $ report | json /totals ignored
  0
  [1]
  $ cat said
  note: runvet.toml:2: this ignore expired on 2026-03-01 and has no effect
  $ runvet config | grep 2026
  plan/* in *      expired on 2026-03-01  runvet.toml:2
  $ SOURCE_DATE_EPOCH=soon runvet validate runs
  error: SOURCE_DATE_EPOCH is not a number of seconds since 1970
  [2]

# A rule that is skipped for two records is counted once.
  $ project
  $ : > runs/demo/episodes/ep_01_answer/state.json; rm runs/demo/episodes/ep_01_answer/summary.json
  $ runvet validate --group-by rule runs/demo/episodes/ep_01_answer | grep 'not judged:'
  not judged: [..] rules in 1 episode, first in runs/demo/episodes/ep_01_answer: there is no summary.json
  not judged: [..] rules in 1 episode, first in runs/demo/episodes/ep_01_answer: state.json can't be judged
  not judged: 2 rules (lifecycle/artifacts, lifecycle/early-artifacts) in 1 episode, first in runs/demo/episodes/ep_01_answer: the records do not say whether the run has ended

# What list and view count is what validate counts.
  $ project <<.
  > [[ignore]]
  > rule = 'plan/*'
  > episode = 'ep_03*'
  > reason = 'known'
  > .
  $ invalid() { runvet list --run-data runs/demo --invalid --sort id --format ids "$@"; }
  $ invalid
  ep_03_edited
  ep_04_crashed
  ep_05_misnamed
  $ invalid --rule 'projection/*=off'
  ep_04_crashed
  ep_05_misnamed
  $ invalid --rule 'projection/*=off' --no-config
  ep_03_edited
  ep_04_crashed
  ep_05_misnamed
  $ echo "exclude = ['ep_04*']" > runvet.toml; invalid
  ep_03_edited
  ep_05_misnamed
  $ runvet validate --write-baseline known.json --no-config runs | tail -1
  note: known.json lists 7 findings and [..] rules not judged in 3 episodes
  5 episodes: no other errors, 1 not ended; 7 findings in the baseline
  $ runvet view ep_03 --run-data runs/demo | grep Records
  Records: 2 errors
  $ runvet view ep_03 --run-data runs/demo --baseline known.json | grep -A 1 Records
  Records: no new error
    the plan differs from the timeline from line 6 on: runvet plan runs/demo/episodes/ep_03_edited
  $ runvet view ep_03 --run-data runs/demo --json | json /valid
  false
  $ runvet view ep_03 --run-data runs/demo --baseline known.json --json | json /valid
  true
  $ runvet view ep_03 --run-data runs/demo --baseline known.json --json | json /suppressed/* rule
  -
  -

Where nothing is judged, the configuration does not count.
  $ echo 'fromat = 1' > runvet.toml
  $ runvet list --run-data runs/demo --format ids --limit 1 --sort id
  ep_01_answer
  $ runvet list --run-data runs/demo --invalid 2>&1 | head -1
  error: unknown key "fromat"

# A glob that matches nothing is told, unless only a part was searched.
  $ project <<.
  > exclude = [
  > 'EP_05*',
  > 'runs/demo/episodes/ep_04*',
  > 'checkpoints']
  > .
  $ runvet validate --max-findings 1 runs 2>&1 | grep note:.*runvet.toml
  note: runvet.toml:2: no directory matches `EP_05*`
  note: runvet.toml:4: no directory matches `checkpoints`
  $ runvet validate --strict-config --format concise runs
  runs/demo/episodes/ep_03_edited/events.jsonl:10:858: error projection/outcomes: `outcomes.metrics.task_score` is 0.75 in the projection event on line 10, but 0.95 in the state
  runs/demo/episodes/ep_03_edited/state.json:1:1664: error plan/projection: `plan.steps[1].status` is "pending", but the act event on line 6 set it to "done"
  runs/demo/episodes/ep_05_misnamed/state.json:1:27: error state/schema: `beliefs[0].confidence` is 90, above the maximum of 1
  runs/demo/episodes/ep_05_misnamed/state.json:1:170: warning record/misspelled-field: `intuitionMode` is not a known field, and `intuition_mode` is absent
  4 episodes: 2 valid, 2 invalid, 1 not ended (3 errors, 1 warning)
  note: 1 directory excluded by the configuration
  error: runvet.toml:2: no directory matches `EP_05*`
  error: runvet.toml:4: no directory matches `checkpoints`
  [2]
  $ runvet validate --strict-config runs/demo/episodes/ep_01_answer
  1 episode: valid
  $ runvet validate --strict-config runs/demo/episodes/ep_01_answer/state.json
  1 episode: valid
