The configuration for users: where it is found, and its effects.

# Flags override the environment, that the file, and that the defaults.
  $ cat > runvet.toml <<.
  > format = 'json'
  > deny-warnings = true
  > deny-unjudged = true
  > max-findings = 3
  > jobs = 3
  > baseline = 'known.json'
  > select = ['plan/*', 'state/schema']
  > verify-manifest = true
  > rules = { 'plan/*' = 'off' }
  > .
  $ config() { runvet config "$@" | tr -s ' '; }
  $ config --no-config
  format human default
  deny-warnings false default
  deny-unjudged false default
  max-findings 20 default
  jobs - default
  baseline - default
  select - default
  verify-manifest false default
  require-ended false default
  profile - default
  $ config > from-file; cat from-file
  format json runvet.toml:1
  deny-warnings true runvet.toml:2
  deny-unjudged true runvet.toml:3
  max-findings 3 runvet.toml:4
  jobs 3 runvet.toml:5
  baseline known.json runvet.toml:6
  select plan/*,state/schema runvet.toml:7
  verify-manifest true runvet.toml:8
  require-ended false default
  profile - default
  plan/* off runvet.toml:9
  $ export RUNVET_FORMAT= RUNVET_DENY_WARNINGS= RUNVET_DENY_UNJUDGED= RUNVET_MAX_FINDINGS= RUNVET_JOBS= RUNVET_BASELINE= RUNVET_SELECT= RUNVET_VERIFY_MANIFEST= RUNVET_CONFIG= RUNVET_RULES=

Empty counts as unset.
  $ config | cmp - from-file
  $ RUNVET_FORMAT=sarif RUNVET_DENY_WARNINGS=0 RUNVET_DENY_UNJUDGED=0 RUNVET_MAX_FINDINGS=4 RUNVET_JOBS=4 RUNVET_BASELINE=other.json
  $ RUNVET_SELECT='plan/*' RUNVET_VERIFY_MANIFEST=no RUNVET_RULES=state/schema=off,plan/*=error
  $ config
  format sarif RUNVET_FORMAT
  deny-warnings false RUNVET_DENY_WARNINGS
  deny-unjudged false RUNVET_DENY_UNJUDGED
  max-findings 4 RUNVET_MAX_FINDINGS
  jobs 4 RUNVET_JOBS
  baseline other.json RUNVET_BASELINE
  select plan/* RUNVET_SELECT
  verify-manifest false RUNVET_VERIFY_MANIFEST
  require-ended false default
  profile - default
  plan/* off runvet.toml:9
  state/schema off RUNVET_RULES
  plan/* error RUNVET_RULES
  $ config --format=junit --deny-warnings --deny-unjudged --max-findings=5 --jobs=5 --baseline=third.json '--select=strict/*,state/*' --verify-manifest --rule=episode/id=warning
  format junit --format
  deny-warnings true --deny-warnings
  deny-unjudged true --deny-unjudged
  max-findings 5 --max-findings
  jobs 5 --jobs
  baseline third.json --baseline
  select strict/*,state/* --select
  verify-manifest true --verify-manifest
  require-ended false default
  profile - default
  plan/* off runvet.toml:9
  state/schema off RUNVET_RULES
  plan/* error RUNVET_RULES
  episode/id warning --rule
  $ config --deny-warnings=false | grep warnings
  deny-warnings false --deny-warnings

The option --no-config is a flag, and overrides the environment too.
  $ RUNVET_CONFIG=runvet.toml config --no-config | grep -c -v -e RUNVET -e default
  0
  [1]

# The level of a rule is shown with what sets it.
  $ project <<.
  > [rules]
  > 'plan/*' = 'warning'
  > 'plan/no-event' = 'off'
  > 
  > [[override]]
  > paths = ['ep_02*']
  > rules = { '*' = 'off', 'plan/projection' = 'error' }
  > .
  $ paused=runs/demo/episodes/ep_02_paused other=runs/demo/episodes/ep_01_answer
  $ runvet config plan/projection
  plan/projection  warning  runvet.toml:2 (plan/*)
  $ runvet config plan/projection $other
  plan/projection  warning  runvet.toml:2 (plan/*)
  $ runvet config plan/projection $paused
  plan/projection  error  runvet.toml:7
  $ runvet config episode/id $paused
  episode/id  off  runvet.toml:7 (*)
  $ runvet config episode/id $other
  episode/id  error  default

An episode is named by its path, or as by the other commands; the level of one that is not there is not known.
  $ for episode in ep_02 @latest $paused/state.json; do runvet config plan/projection $episode; done
  plan/projection  error  runvet.toml:7
  plan/projection  warning  runvet.toml:2 (plan/*)
  plan/projection  error  runvet.toml:7
  $ runvet config plan/projection ep_no
  error: there is no run "ep_no" in runs/demo; `runvet list` shows the runs
  [2]
  $ runvet config plan/projection runs/no
  error: there is no run "runs/no" in runs/demo; `runvet list` shows the runs
  [2]
  $ runvet config 'plan/*'
  plan/step-ids       warning  runvet.toml:2 (plan/*)
  plan/projection     warning  runvet.toml:2 (plan/*)
  plan/legacy-labels  warning  runvet.toml:2 (plan/*)
  plan/no-event       off      runvet.toml:3
  plan/still-running  warning  runvet.toml:2 (plan/*)
  $ export RUNVET_RULES='plan/*=error,episode/id=off'
  $ for rule in plan/projection episode/id manifest/digest; do runvet config --verify-manifest --rule episode/id=warning $rule; done
  plan/projection  error  RUNVET_RULES (plan/*)
  episode/id  warning  --rule
  manifest/digest  error  --verify-manifest
  $ RUNVET_RULES= runvet config --select 'state/*' plan/projection
  plan/projection  off  not selected
  $ runvet config acme/no-such
  error: there is no rule called `acme/no-such`
  [2]
  $ runvet config plam/projection
  error: there is no rule called `plam/projection`; did you mean `plan/projection`?
  [2]

# The exit code follows the configuration.
  $ project; echo "rules = { 'state/schema' = 'off' }" > runvet.toml; misnamed=runs/demo/episodes/ep_05_misnamed
  $ code $misnamed
  0
  $ code --no-config $misnamed
  1
  $ echo 'deny-warnings = true' >> runvet.toml
  $ code $misnamed
  1
  $ code --deny-warnings=false $misnamed
  0

# The configuration is searched upward, but not beyond the repository.
  $ project; echo "format = 'json'" > runvet.toml; episode=runs/demo/episodes/ep_03_edited
  $ from() { (cd $1; runvet config | head -1); }
  $ from .
  format           json   runvet.toml:1
  $ from runs
  format           json   ../runvet.toml:1
  $ from $episode
  format           json   ../../../../runvet.toml:1

An episode outside `episodes` is run data as well.
  $ mkdir deeper; cp -r $episode deeper/elsewhere; from deeper/elsewhere
  format           json   ../../runvet.toml:1

The nearest one counts.
  $ echo "format = 'sarif'" > runs/runvet.toml; from runs; rm runs/runvet.toml
  format           sarif  runvet.toml:1
  $ runvet validate --config nowhere.toml runs
  error: can't read the configuration nowhere.toml: No such file or directory (os error 2)
  [2]

Outside the root of the repository, and outside of any repository, no parent is searched.
  $ mkdir -p tool/src/.git tool/docs; from tool/src
  note: no runvet.toml was found
  format           human  default
  $ rmdir .git; from tool/docs
  note: no runvet.toml was found
  format           human  default
  $ from .
  format           json   runvet.toml:1

# A configuration that exists but can't be read is an error.
  $ project; mkdir tool; ln -s gone.toml tool/runvet.toml; cd tool
  $ runvet validate ../runs
  error: can't read the configuration runvet.toml: No such file or directory (os error 2)
  [2]
  $ rm runvet.toml; mkdir runvet.toml; runvet validate ../runs
  error: can't read the configuration runvet.toml: it is not a regular file
  [2]

# No configuration is read in run data, whose author may put anything into it, even a repository.
  $ project; episode=runs/demo/episodes/ep_03_edited
  $ for dir in runs/demo runs/demo/episodes $episode; do echo "format = 'junit'" > $dir/runvet.toml; mkdir $dir/.git; done
  $ (cd $episode; runvet config | head -1; runvet validate | tail -2 | head -1; runvet list --invalid > out; echo $?)
  note: runvet.toml is not in force: it is inside run data, because of [DIR]/runs/demo/episodes
  note: ../runvet.toml is not in force: it is inside run data, because of [DIR]/runs/demo/episodes
  note: ../../runvet.toml is not in force: it is inside run data, because of [DIR]/runs/demo/episodes
  format           human  default
  note: runvet.toml is not in force: it is inside run data, because of [DIR]/runs/demo/episodes
  note: ../runvet.toml is not in force: it is inside run data, because of [DIR]/runs/demo/episodes
  note: ../../runvet.toml is not in force: it is inside run data, because of [DIR]/runs/demo/episodes
  1 episode: invalid (2 errors)
  0
  $ rm runvet.toml; (cd $episode; for command in config validate watch 'list --invalid'; do runvet $command; echo $?; done) | uniq -c; : > runvet.toml
  error: runvet.toml is inside run data, because of [DIR]/runs/demo/episodes, so it is not read; name it with --config ./runvet.toml, or set --no-config
  error: runvet.toml is inside run data, because of [DIR]/runs/demo/episodes, so it is not read; name it with --config ./runvet.toml, or set --no-config
  error: runvet.toml is inside run data, because of [DIR]/runs/demo/episodes, so it is not read; name it with --config ./runvet.toml, or set --no-config
  error: runvet.toml is inside run data, because of [DIR]/runs/demo/episodes, so it is not read; name it with --config ./runvet.toml, or set --no-config
        4 2
  $ (cd $episode; runvet validate --no-config ../ep_01_answer)
  1 episode: valid
  $ (cd $episode; runvet config --config runvet.toml | head -1)
  format           junit  runvet.toml:1

Nor may the author take away what the user relies on.
  $ echo '{"version":4}' > state.json; runvet validate runs; runvet init --pack; rm state.json
  error: runvet.toml is inside run data, because of [DIR]/state.json, so it is not read; name it with --config ./runvet.toml, or set --no-config
  error: . holds run data, because of [DIR]/state.json: no configuration is read there; name a directory above it, such as the root of the repository
  $ code runs; mkdir episodes; code runs; code --no-config runs; code --config runvet.toml runs
  1
  2
  1
  1
  $ rmdir episodes; : > events.jsonl; code runs
  2

# Globs hold below a directory that is not UTF-8.
  $ dir=$(printf 'caf\351'); mkdir -p "$dir/runs/episodes"; cp -r "$CORPUS/demo/episodes/ep_03_edited" "$dir/runs/episodes"
  $ printf "baseline = 'known.json'\nexclude = ['runs/episodes']\n" > "$dir/runvet.toml"
  $ runvet validate --config "$dir/runvet.toml" "$dir"
  error: can't read the baseline caf�/known.json: No such file or directory (os error 2) (set by caf�/runvet.toml:1; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  [2]
  $ echo '{"version":2,"episodes":{},"skips":{}}' > "$dir/known.json"
  $ code --config "$dir/runvet.toml" "$dir"
  3

# Bad numbers get the same message everywhere.
  $ runvet validate --jobs 0 2>&1 | head -1
  error: invalid value '0' for '--jobs <N>': expected a whole number, at least 1
  $ runvet validate --jobs x 2>&1 | head -1
  error: invalid value 'x' for '--jobs <N>': expected a whole number
  $ runvet validate --max-findings -1 2>&1 | head -1
  error: invalid value '-1' for '--max-findings <N>': expected a whole number
  $ runvet validate --jobs 99999999999999999999 2>&1 | head -1
  error: invalid value '99999999999999999999' for '--jobs <N>': the number is too large
