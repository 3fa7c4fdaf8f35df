A timeline that is anchored: each projection event has the digest of the lines before it.

# Anchors are written where they are asked for, and a line that is changed later shows.
  $ act() { printf '{"act":{"tool":"%s"}}\n' "$@"; }; run=runs/episodes/ep_1
  $ { act lookup; echo '{"persist":true}'; act pay; echo '{"finish":"ok"}'; } | runvet record --run-data runs --task 'Pay' --id ep_1 --anchor > answers
  $ grep -c prefix_sha256 $run/events.jsonl; grep -o '"prefix_sha256":"[^"]*"' $run/events.jsonl | tail -1 | cut -d '"' -f 4 > claimed; head -5 $run/events.jsonl | sha256sum | cut -d ' ' -f 1 | cmp - claimed
  2
  $ runvet validate runs --profile strict
  1 episode: valid
  $ runvet view $run | grep -A 1 ^Timeline
  Timeline, events: 6
    anchored up to line 5
  $ runvet view $run --json | json /events total anchored_up_to
  6 5
  $ runvet validate runs --format html --output in-toto=seal.json > page.html; grep -o '<dt>timeline</dt><dd>[^<]*' page.html
  <dt>timeline</dt><dd>anchored up to line 5
  $ edit s/lookup/delete/ $run/events.jsonl; runvet validate runs --select strict/prefix --rule strict/prefix=error --format concise | cut -d ' ' -f 1-3
  1 episode: invalid (2 errors)
  runs/episodes/ep_1/events.jsonl:3:328: error strict/prefix:
  runs/episodes/ep_1/events.jsonl:6:512: error strict/prefix:
  $ runvet view $run | grep -A 1 ^Timeline
  Timeline, events: 6
    changed: the lines before line 6 are not those that it anchors
  $ runvet view $run --json | json /events total anchored_up_to
  6 null
  $ runvet validate runs --format html | grep -o '<dt>timeline</dt><dd>[^<]*'
  <dt>timeline</dt><dd>changed: the lines before line 6 are not those that it anchors

# Without the option there are none; a run that goes on has them from there.
  $ echo '{"pause":"ask"}' | runvet record --run-data runs --task t --id ep_1 > answers; grep -c prefix_sha256 runs/episodes/ep_1/events.jsonl
  0
  [1]
  $ echo '{"finish":"ok"}' | runvet record --run-data runs --resume ep_1 --anchor > answers; grep -c prefix_sha256 runs/episodes/ep_1/events.jsonl
  1
  $ runvet validate runs --profile strict
  1 episode: valid

# A run that began with anchors keeps them: when it is resumed, when it is abandoned, and by an import.
  $ anchors() { grep -c prefix_sha256 $1/events.jsonl; }
  $ echo '{"pause":"ask"}' | runvet record --run-data runs --task t --id ep_1 --anchor > answers
  $ echo '{"finish":"ok"}' | runvet record --run-data runs --resume ep_1 > answers; anchors runs/episodes/ep_1
  2
  $ echo '{"act":{"tool":"lookup"}}' | runvet record --run-data runs --task t --id ep_2 --anchor > answers; rm runs/episodes/ep_2/state.json; head -2 runs/episodes/ep_2/events.jsonl > cut; cp cut runs/episodes/ep_2/events.jsonl
  note: the input ended before the run: ep_2 stays pending, and --resume ep_2 goes on with it
  $ runvet abandon ep_2 --run-data runs --reason gone; anchors runs/episodes/ep_2
  runs/episodes/ep_2: ended the run as aborted
  2
  $ log() { printf '{"messages":[{"role":"user","content":"Pay"},{"role":"assistant","content":"%s"}]}' "$1" > log.json; }
  $ log paid; runvet import log.json --into runs --anchor | cut -d ' ' -f 2; anchors runs/episodes/log
  note: 1 run in runs
  new
  2
  $ log 'not paid'; runvet import log.json --into runs | cut -d ' ' -f 2; anchors runs/episodes/log
  note: 1 run in runs
  again
  2
  $ runvet import log.json --into runs | cut -d ' ' -f 2; runvet import log.json --into runs --anchor | cut -d ' ' -f 2
  note: 1 run in runs
  unchanged
  note: 1 run in runs
  unchanged
  $ runvet validate runs --rule strict/prefix=error
  3 episodes: all valid

# A run whose earlier lines were changed does not go on.
  $ { echo '{"act":{"tool":"lookup"}}'; echo '{"pause":"ask"}'; } | runvet record --run-data runs --task t --id ep_1 --anchor > answers
  $ edit s/lookup/delete/ runs/episodes/ep_1/events.jsonl runs/episodes/ep_1/state.json; echo '{"finish":"ok"}' | runvet record --run-data runs --resume ep_1
  {"ok":false,"error":{"kind":"untrusted","message":"the recorder can't go on with the run ep_1: line 4 of events.jsonl has a `prefix_sha256` that is not that of the lines before it; only its own writer can repair or end it"}}
  error: the recorder can't go on with the run ep_1: line 4 of events.jsonl has a `prefix_sha256` that is not that of the lines before it; only its own writer can repair or end it
  [2]
