One law of exit: what was not judged comes before what was found, and that before nothing.

# An error rule that meets a limit leaves the run undecided.
  $ project; sound=runs/demo/episodes/ep_01_answer; truncate -s 65M $sound/manifest.json

Nobody asks for the manifest.
  $ code $sound
  0
  $ code --verify-manifest $sound
  2
  $ runvet validate --format json --verify-manifest $sound 2> /dev/null | json /episodes/0 valid skipped/0/kind
  null limit
  [2]
  $ runvet validate --format json --verify-manifest $sound 2> /dev/null | json . totals/undecided totals/valid complete
  1 0 false
  [2]
  $ runvet validate --format json --verify-manifest $sound 2> /dev/null | json /faults/* message
  manifest/digest could not be judged: manifest.json can't be read: it is larger than the limit of 64 MiB
  [2]

It comes before errors.
  $ code --verify-manifest runs
  2
  $ code runs
  1

As a warning, it is a skip like any other; a baseline does not cover what lies beyond a limit.
  $ code --verify-manifest --rule=manifest/digest=warning $sound
  0
  $ code --verify-manifest --write-baseline=known.json $sound
  2
  $ code --verify-manifest --baseline=known.json $sound
  2

# Every format shows a run that is undecided.
  $ project; sound=runs/demo/episodes/ep_01_answer; truncate -s 65M $sound/manifest.json
  $ for format in $(formats); do
  >   runvet validate --verify-manifest --format $format $sound > out 2> err; echo $?
  >   grep -q -e 'could not be judged' -e 'not judged' out || echo $format says nothing
  >   grep -q 'manifest/digest could not be judged' err || echo $format is silent
  > done | uniq -c
       11 2
  $ runvet validate --verify-manifest $sound
  error: runs/demo/episodes/ep_01_answer: manifest/digest could not be judged: manifest.json can't be read: it is larger than the limit of 64 MiB
  runs/demo/episodes/ep_01_answer (ended): undecided, because some rules could not be judged

  not judged: 2 rules, manifest.json can't be read: it is larger than the limit of 64 MiB: manifest/digest, manifest/unlisted

  1 episode: 0 valid, 0 invalid, 1 undecided, 1 not fully judged
  [2]
  $ runvet view --verify-manifest $sound | grep Records
  Records: undecided: manifest/digest could not be judged: manifest.json can't be read: it is larger than the limit of 64 MiB
  $ runvet list --verify-manifest --invalid runs | grep -o undecided
  undecided

# An error rule that can't read leaves the run undecided, if no finding says what is wrong.
  $ project; sound=runs/demo/episodes/ep_01_answer; rm $sound/manifest.json; mkdir $sound/manifest.json
  $ code --verify-manifest $sound
  1
  $ code --verify-manifest --rule=record/unreadable=off $sound
  2
  $ paused=runs/demo/episodes/ep_02_paused; truncate -s 65M $paused/state.json
  $ code $paused
  1
  $ code --rule=record/unreadable=off $paused
  2

# With --deny-unjudged, skips fail.
  $ project; sound=runs/demo/episodes/ep_01_answer paused=runs/demo/episodes/ep_02_paused warning=--rule=manifest/digest=warning
  $ code --deny-unjudged $sound $paused
  0
  $ truncate -s 65M $sound/manifest.json
  $ code --deny-unjudged $sound
  0
  $ code $warning $sound
  0
  $ code $warning --deny-unjudged $sound
  1
  $ runvet validate $warning --format json $sound | json /totals unjudged
  1
  $ runvet validate $warning --deny-unjudged --format junit $sound | grep -c '<failure'
  note: the check fails because of 1 rule that could not be judged (--deny-unjudged)
  1
  $ code $warning --write-baseline=known.json $sound
  2
  $ code $warning --deny-unjudged --baseline=known.json $sound
  2
  $ printf "deny-unjudged = true\nrules = { 'manifest/*' = 'warning' }\n" > runvet.toml
  $ code $sound
  1
  $ code --deny-unjudged=false $sound
  0

In a run that has ended, every skip counts; in one in progress, those that lie in its data.
  $ echo "rules = { 'manifest/*' = 'warning', 'lifecycle/*' = 'off' }" > runvet.toml; rm $sound/manifest.json
  $ runvet validate --format json $sound | json /episodes/*/skipped/0 kind
  missing
  $ code --deny-unjudged $sound
  1
  $ cp $paused/events.jsonl events; grep -v run.state_projection events > $paused/events.jsonl
  $ runvet validate --format json $paused | json /episodes/*/skipped/0 kind
  unreached
  $ code --deny-unjudged $paused
  0
  $ echo junk | cat events - > $paused/events.jsonl
  $ code --deny-unjudged '--rule=events/*=off' $paused
  1

# What fails a check in which no error was found is said, in every format.
  $ project; crashed=runs/demo/episodes/ep_04_crashed sound=runs/demo/episodes/ep_01_answer; truncate -s 65M $sound/manifest.json
  $ warnings='--rule lifecycle/*=warning --rule events/*=warning --deny-warnings' unjudged='--rule manifest/*=warning --deny-unjudged'
  $ for format in $(formats); do runvet validate --format $format $warnings $crashed 2>&1 > out | grep fails; done | uniq -c
       11 note: the check fails because of 3 warnings (--deny-warnings)
  $ runvet validate $unjudged $sound > out
  note: the check fails because of 2 rules that could not be judged (--deny-unjudged)
  [1]
  $ runvet validate $warnings $unjudged $sound $crashed > out
  note: the check fails because of 3 warnings (--deny-warnings) and [..] rules that could not be judged (--deny-unjudged)
  [1]
  $ echo '{"episode_id":"ep_1","records":{"events.jsonl":""}}' | runvet validate --deny-warnings - > out
  note: the check fails because of 1 warning (--deny-warnings)
  [1]

Errors speak for themselves, and so does the impact where it decides.
  $ runvet validate --deny-warnings $crashed > out
  [1]
  $ runvet validate --quiet $warnings $crashed > out
  [1]
  $ runvet validate --format ndjson --quiet $warnings $crashed > before; runvet validate $warnings --against before --fail-above 0 $crashed > out
  $ runvet validate $warnings --against before $crashed > out
  note: the check fails because of 3 warnings (--deny-warnings)
  [1]

# Where no rule is on, nothing was looked at.
  $ project
  $ code '--rule=*=off' runs
  3
  $ code '--rule=*=off' --allow-empty runs
  0
  $ runvet validate '--rule=*=off' --output=json=report.json runs; ls
  5 episodes: 5 valid, 1 not ended
  error: no rule is on that applies to 5 episodes, so nothing was checked there
  runs
  runvet.toml
  $ cat > runvet.toml <<.
  > [[override]]
  > paths = ['runs']
  > rules = { '*' = 'off' }
  > .
  $ code runs
  3

Where some are judged, the others are said.
  $ edit "s/'runs'/'ep_03*', 'ep_04*', 'ep_05*'/" runvet.toml
  $ runvet validate runs
  5 episodes: 5 valid, 1 not ended
  note: no rule is on that applies to 3 episodes, so nothing was checked there
  $ report | json /totals unchecked
  3

# A path without a run, beside others, is noted.
  $ project; sound=runs/demo/episodes/ep_01_answer; mkdir empty lonely; cp $sound/learn.jsonl lonely
  $ for nothing in empty lonely lonely/learn.jsonl; do
  >   code $nothing; runvet validate $sound $nothing; runvet validate --quiet $sound $nothing
  > done
  3
  1 episode: valid
  note: empty: no episode was found here, though there are some below other paths
  3
  1 episode: valid
  note: lonely: no episode was found here, though there are some below other paths
  3
  1 episode: valid
  note: lonely: no episode was found here, though there are some below other paths
  $ printf "$sound\nempty\n" > list; runvet validate --files-from=list
  1 episode: valid
  note: empty: no episode was found here, though there are some below other paths
  $ runvet table runs $sound empty 2>&1 > out; runvet coverage $sound empty 2>&1 > out
  note: empty: no episode was found here, though there are some below other paths
  note: empty: no episode was found here, though there are some below other paths

What a path leads to is judged, whatever other path leads there too.
  $ runvet validate $sound $sound/../ep_01_answer
  1 episode: valid
  $ runvet validate runs/demo/episodes/ep_02_paused $sound/state.json $sound
  2 episodes: 2 valid, 1 not ended
