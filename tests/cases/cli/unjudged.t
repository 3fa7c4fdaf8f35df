The last line says what was not judged, and the strict profile lets none of it pass.

# Of a run that has not ended, a link and an empty directory the last line gives the number.
  $ copy good/terminal/episodes/ep_answer; copy good/paused/episodes/ep_paused; mkdir episodes/empty; runvet validate episodes
  2 episodes: 2 valid, 1 not ended, 1 directory empty
  note: episodes/empty: the directory is empty, so no run is checked there
  $ runvet validate --require-ended episodes 2>&1 | grep -e ^error -e episodes:
  error[lifecycle/unended]: the run has not ended: its status is "pending"
  2 episodes: 1 valid, 1 invalid, 1 not ended, 1 directory empty (1 error)
  $ runvet validate --format json episodes 2> /dev/null | json /totals not_judged
  {"empty":1,"links":0,"not_ended":1,"rules":0,"skipped":0}
  $ mkdir -p top/episodes store; mv episodes/ep_answer store; cp -r store/ep_answer top/episodes; ln -s ../store/ep_answer top/one; ln -s ../episodes top/more; ln -s /nowhere top/episodes/gone; runvet validate top 2> /dev/null
  1 episode: 1 valid, 3 links not followed
  [2]
  $ ln -s ../store top/plain; rm top/episodes/gone top/more; runvet validate --follow-links top 2> /dev/null | tail -1
  1 episode: 1 valid, 1 link not followed

# A link that is followed is walked under its own path, each target once.
  $ mkdir -p top/episodes store; cp -r "$CORPUS/good/terminal/episodes/ep_answer" store; ln -s ../../store/ep_answer top/episodes/ep_answer; ln -s ../store/ep_answer top/zone; runvet validate --follow-links=store --format json top | json /episodes/* dir id
  top/episodes/ep_answer ep_answer

# A selection that applies to no run is as no rule.
  $ project < /dev/null; for rule in plan/still-running lifecycle/early-artifacts team/vocabulary strict/steps summary/counts; do code --select $rule runs/demo/episodes/ep_02_paused; done
  3
  0
  3
  0
  3
  $ code --select plan/still-running runs; code --select lifecycle/early-artifacts runs/demo/episodes/ep_01_answer
  0
  3

# The profile stands for its options, and what is set besides takes precedence.
  $ runvet record --run-data runs --exec -- echo done > /dev/null 2>&1; runvet validate --profile strict runs
  1 episode: valid
  $ cd runs/episodes/*; echo note > note.txt; cd ../../..; runvet validate --profile strict --format concise runs | sed 's#[^ ]*/manifest.json#manifest.json#'
  1 episode: valid, with 1 warning
  note: the check fails because of 1 warning (--deny-warnings)
  manifest.json: warning manifest/unlisted: manifest.json does not list the file "note.txt"
  $ code --profile strict --verify-manifest=false runs; code --profile strict --deny-warnings=false runs; code --profile strict --rule manifest/unlisted=off runs
  0
  0
  0
  $ echo "profile = 'strict'" > runvet.toml; code runs; code --deny-warnings=false runs; runvet config | grep -e deny -e manifest -e ended -e profile; runvet config strict/steps
  1
  0
  deny-warnings    true    runvet.toml:1
  deny-unjudged    true    runvet.toml:1
  verify-manifest  true    runvet.toml:1
  require-ended    true    runvet.toml:1
  profile          strict  runvet.toml:1
  strict/steps  error  runvet.toml:1 (strict/*)
  $ RUNVET_PROFILE=strict runvet validate --no-config --format concise "$CORPUS/good/paused" | grep -o 'error lifecycle.*'
  1 episode: 0 valid, 1 invalid, 1 not ended (1 error)
  error lifecycle/unended: the run has not ended: its status is "pending"

# A baseline covers the number of events in a row, and nothing beyond a limit.
  $ a='{"tool":"a"}' b='{"tool":"b"}'; printf "[[order]]\nid = 'a/b'\nmessage = 'm'\neach = { tool = 'a' }\nat-most = 2\nin-a-row = true\n" > runvet.toml
  $ events ended "$a" "$a" "$a" "$b" "$a"; runvet validate --quiet --write-baseline known runs > /dev/null; report --select 'a/*' --baseline known | json /totals baselined errors
  1 0
  $ events ended "$a" "$a" "$a" "$a" "$b"; report --select 'a/*' --baseline known | json /totals baselined errors
  0 1
  [1]
  $ project < /dev/null; truncate -s 65M runs/demo/episodes/ep_01_answer/manifest.json; runvet validate --quiet --rule manifest/digest=warning --write-baseline beyond runs 2> said > /dev/null; grep -o 'the baseline .* could not' said; test -e beyond
  the baseline beyond is not written, because the check is not complete: manifest/digest could not
  [1]

# Readers take a state without the mode of intuition for an advisory one; what is stored stays.
  $ copy good/terminal/episodes/ep_answer; edit 's/"intuition_mode":"advisory",//' episodes/ep_answer/state.json; runvet view --json episodes/ep_answer | json /state/episode intuition_mode
  advisory
  $ runvet show episodes/ep_answer state | grep -c intuition_mode
  0
  [1]
