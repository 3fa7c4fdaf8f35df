A dashboard says why a run did not succeed, and where, on the first screen.

# The reason is where the records have it.
  $ reason() { runvet view "$1" | sed '1,/^\//d; /^$/,$d' | grep -v "can't be shown: "; }; of() { reason "$CORPUS/good/$1"/episodes/*; }
  $ of failed
  Failed (state.json:1): timeout
  $ of aborted
  Aborted (events.jsonl:11, +0.150s): the records do not say why
  $ of unverified
  Not verified (summary.json:1): no verification was provided
  $ of terminal
  [1]
  $ of paused
  [1]
  $ of failed-in-a-step
  Failed at step-3 (state.json:1): timeout
  $ of vetoed
  Vetoed at step-2 (act-2, events.jsonl:6, +0.090s): the records do not say why

# A veto names who vetoed what, and why, unless it was not enforced.
  $ reason() { runvet view "$PWD/episodes/"* | sed '1,/^\//d; /^$/,$d' | grep -v "can't be shown: "; }
  $ copy "good/vetoed/episodes/$(ls "$CORPUS/good/vetoed/episodes")"; events=$(echo episodes/*/events.jsonl)
  $ edit 's/"payload":{"decision":"hint","target":"step-3"}/"payload":{"decision":"veto","message":"no bulk mails","policy_id":"policy:mail"}/' $events; reason
  Vetoed at step-2 by policy:mail (events.jsonl:4, +0.030s): no bulk mails
  $ edit 's/"decision":"veto",/"decision":"veto","enforced":false,/' $events; reason
  Vetoed at step-2 (act-2, events.jsonl:6, +0.090s): the records do not say why

# A step that failed is a reason, unless it was repeated with success.
  $ reason() { runvet view "$PWD/episodes/"* | sed '1,/^\//d; /^$/,$d' | grep -v "can't be shown: "; }
  $ copy good/failed/episodes/ep_failed; cd episodes/ep_failed; rm state.json summary.json manifest.json; cd ../..; reason
  [1]
  $ edit 's/"result_status":"ok","step_id":"step-2","step_status":"done"/"error":"no answer","step_id":"step-2","step_status":"failed"/' episodes/*/events.jsonl; reason
  Failed at step-2 (act-2, events.jsonl:6, +0.090s): no answer
  $ rm -r episodes; copy good/failed/episodes/ep_failed
  $ edit 's/"result_status":"ok","step_id":"step-1","step_status":"done"/"error":"no answer","step_id":"step-1","step_status":"failed"/' episodes/*/events.jsonl; reason
  Failed at step-1 (act-1, events.jsonl:5, +0.040s): timeout (no answer)
  $ edit 's/"step_id":"step-2","step_status"/"step_id":"step-1","step_status"/' episodes/*/events.jsonl; reason
  Failed (state.json:1): timeout

# A goal that was not achieved is told by its assertion.
  $ reason() { runvet view "$PWD/episodes/"* | sed '1,/^\//d; /^$/,$d'; }
  $ copy good/terminal/episodes/ep_answer; summary=episodes/ep_answer/summary.json; edit 's/"outcome":"success"/"outcome":"goal_not_achieved"/' $summary; reason
  $ edit 's/{"name":"report exists","passed":true/{"name":"report exists","passed":false/' $summary; reason
  Goal not achieved (summary.json:1): failed assertion: report exists
  $ edit 's/{"name":"report exists",/&"message":"2 of 5 are empty",/' $summary; runvet view | grep Run:
  Run: goal not achieved (ok): failed assertion: report exists (2 of 5 are empty)
