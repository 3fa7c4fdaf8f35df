What is recorded from the command line, and what the other commands say of it.

# A plan without ids can be extended, but no other step takes the place of one that was executed.
  $ steps() { printf '%s\n' "$@" '{"finish":"ok"}' | runvet record --run-data runs --id ep_1 --task t --keep-going 2> /dev/null; rm -r runs; }
  $ steps '{"plan":["Read"]}' '{"open":"step-1"}' '{"close":"step-1"}' '{"plan":["Delete"]}' | grep -o '"message":.*"'
  "message":"the plan is refused: step 1 has no id, and the one that is called step-1 so far is done and another step: give each step an id"
  $ steps '{"plan":["Read"]}' '{"open":"step-1"}' '{"close":"step-1"}' '{"plan":["Read","Write"]}' '{"open":"step-2"}' '{"close":"step-2"}' | tail -1 | grep -o '"outcome":"[a-z_]*"'
  "outcome":"success_unverified"
  $ steps '{"plan":["Read"]}' '{"plan":["Write"]}' '{"open":"step-1"}' '{"close":"step-1"}' | tail -1 | grep -o '"outcome":"[a-z_]*"'
  "outcome":"success_unverified"

# A pause is known by its event, however long the projection event after it is. A run that waits is not silent.
  $ { for act in $(seq 1000); do echo '{"act":{"tool":"search","result_status":"ok","output":"found"}}'; done; echo '{"pause":"wait for a human"}'; } | runvet record --run-data runs --id ep_1 --task t > answers
  $ runvet list --run-data runs --format json | json /runs/0/paused/reason
  wait for a human
  $ cp -r "$CORPUS/good/events-beyond-the-snapshot/episodes/ep_beyond" runs/episodes/; touch -d '1 hour ago' runs/episodes/*/*
  $ runvet list --run-data runs --silent-for 5m --format json | json /runs/*/episode_id
  ep_beyond

Runs without a state can't be compared with each other.
  $ rm runs/episodes/*/state.json; runvet diff ep_1 ep_beyond --run-data runs
  error: runs/episodes/ep_1: neither run has a state.json, so their plans and actions can't be compared
  [2]

# What would have no effect is refused.
  $ runvet record --run-data runs --resume ep_2 -- true < /dev/null 2>&1 | head -1
  error: the argument '--resume <EPISODE>' cannot be used with '[COMMAND]...'
  $ runvet record --run-data runs/episodes --task t < /dev/null
  error: runs/episodes is called `episodes`, like the directory of the runs in a run-data directory: name the directory above it
  [2]
  $ runvet record --run-data runs --task t --tag a=b --tag a=c < /dev/null
  error: the tag "a" is given twice
  [2]

# A run whose directory was removed is lost.
  $ { echo '{"jot":"a"}'; until [ -e gone ]; do sleep 0.1; done; echo '{"persist":{}}'; } | runvet record --run-data runs --id ep_1 --task t > answers 2> /dev/null &
  > until grep -qs evt-000002 answers; do sleep 0.1; done; rm -r runs/episodes/ep_1; touch gone; wait; tail -1 answers | grep -o '"kind":"[a-z]*"'
  "kind":"lost"

# A recovery says what it did.
  $ echo '{"propose":{"proposal":{"a":1}}}' | runvet record --run-data runs --id ep_1 --task t > answers 2>&1; cp runs/episodes/ep_1/learn.jsonl learn
  $ echo garbage >> runs/episodes/ep_1/learn.jsonl; runvet recover ep_1 --run-data runs; cmp learn runs/episodes/ep_1/learn.jsonl
  runs/episodes/ep_1: wrote learn.jsonl anew, with the proposals of the timeline; the run has not ended, and `recover` does not end it: `runvet record --resume ep_1` goes on with it, `runvet abandon ep_1` ends it
  $ runvet recover ep_1 --run-data runs --json | json /recovered
  intact
  $ rm runs/episodes/ep_1/learn.jsonl; runvet recover ep_1 --run-data runs --json | json /recovered
  learning

What writes to a run takes its id, or its own path.
  $ cd runs; runvet abandon .
  error: "." is above the run ep_1: what writes to a run takes its whole id, or the path of its own directory
  [2]
  $ runvet abandon episodes/ep_1
  episodes/ep_1: ended the run as aborted

# The answer names what was cut, and the file that has all of it.
  $ messages=$(printf '{"role":"user","content":"question %s"},' $(seq 2000)); printf '%s\n' '{"act":{"tool":"llm","input":{"model":"m","messages":['"${messages%,}"']},"output":"short"}}' '{"finish":"ok"}' | runvet record --run-data runs --id ep_1 --task t > answers
  $ wc -c runs/episodes/ep_1/$(grep -o 'attachments/[0-9a-f]*.json' answers) | cut -d ' ' -f 1
  82894
  $ grep -o '"cut":.*' answers | sed 's/[0-9a-f]\{64\}/DIGEST/'
  "cut":[{"field":"input.messages","bytes":82894,"attachment":"attachments/DIGEST.json"}]}
