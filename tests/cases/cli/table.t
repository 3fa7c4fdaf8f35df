Tables of runs and events: their options and errors.

# Filters choose the runs that have rows.
  $ cd "$CORPUS"; ids() { runvet table runs demo --format ndjson "$@" | grep -o '"episode_id":"ep_..' | paste -s; }
  $ ids; ids --status pending; ids --search ep_03; ids --invalid
  "episode_id":"ep_01	"episode_id":"ep_02	"episode_id":"ep_03	"episode_id":"ep_04	"episode_id":"ep_05
  "episode_id":"ep_02
  "episode_id":"ep_03
  "episode_id":"ep_03	"episode_id":"ep_04	"episode_id":"ep_05

# The settings in a row differ where rules are required or declared, and do not depend on the directory.
  $ mkdir one; cd one; project; digest() { runvet table runs --format ndjson "$@" | head -1 | grep -o '"settings":"[^"]*"'; }; rule() { printf "[[rule]]\nid = 'a/b'\neach = { phase = 'start' }\nmessage = 'm'\ncheck = '$1'\n" > runvet.toml; }
  $ { rule true; digest runs; digest runs --require strict/learn; digest runs --require strict/steps; rule false; digest runs; } | sort -u | wc -l
  4
  $ mkdir gate; packed() { printf "[[rule]]\nid = 'acme/start'\neach = { phase = 'start' }\ncheck = '$1'\nmessage = 'm'\n" > gate/pack.toml; echo '{"version":2,"episodes":{},"skips":{"runs/'$2'":[]}}' > accepted.json; }
  $ printf "packs = ['gate/pack.toml']\nexclude = ['old']\nbaseline = 'accepted.json'\n[[override]]\npaths = ['runs']\nrules = { 'plan/*' = 'off' }\n[[ignore]]\nrule = '*'\nepisode = 'ep_03_*'\nreason = 'edited by hand'\n" > runvet.toml
  $ packed true ep_1; { digest runs; (cd runs/demo; digest .); (cd gate; digest --config "$OLDPWD/runvet.toml" ../runs); cp -r . ../other; (cd ../other; digest runs); rm -r ../other; } | sort -u | wc -l
  1
  $ { digest runs; packed false ep_1; digest runs; packed true ep_2; digest runs; } | sort -u | wc -l
  3

# A number that no double holds is text, in a column of its own; a broken line is a row that says why.
  $ copy demo/episodes/ep_01_answer; edit 's/"seed":7/"seed":18446744073709551617/' episodes/*/state.json; row() { runvet table "$@" --format ndjson; }
  $ row runs . | json . seed beyond_double
  null {"seed":"18446744073709551617"}
  $ edit '1s/^/[1]\n/' episodes/*/events.jsonl; row events . | head -1 | json . line fault
  1 an array, not an object
  $ row events . | sed -n 2p | json . phase fault
  start null

# What could not be done is said.
  $ mkdir empty; runvet table runs "$CORPUS/demo" --format parquet 2>&1 | head -1
  error: the command writes no Parquet; in Python, `runvet.open(DIR).table(TABLE).write_parquet(FILE)` does
  $ runvet table runs empty
  error: no episode found
  [3]
  $ runvet table runs nowhere
  error: nowhere: no such file or directory
  [2]
  $ runvet table runs "$CORPUS/demo" --output runs.csv; runvet table runs "$CORPUS/demo" | cmp - runs.csv

# Rows are safe to print, and say what the record says.
  $ copy good/terminal/episodes/ep_answer; evil=$(printf '\302\2332J\342\200\256\342\201\246')
  $ echo '{"phase":"'$evil'","timestamp":"2026-03-01T12:00:00Z","payload":{"text":"'$evil'"}}' > episodes/ep_answer/events.jsonl; runvet table events --format ndjson | grep -o '"phase".*'
  "phase":"\u009b2J\u202e\u2066","event_type":null,"timestamp":"2026-03-01T12:00:00Z","agent_id":null,"event_episode_id":null,"step_id":null,"payload":"{\"text\":\"\u009b2J\u202e\u2066\"}","others":null,"fault":null}
