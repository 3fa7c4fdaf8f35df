Runs that are parts of other runs.

# A run names the run that it is a part of, and a list of trees shows it below that one, with the sums of what is below.
  $ run() { id=$1; shift; printf '%s\n' "${end:-{\"finish\":\"ok\"\}}" | runvet record --run-data runs --id $id --task "Task of $id" --started-at 2026-03-01T12:00:0${id#?}Z "$@" > answers; }
  $ run a1; run b2 --parent a1; end='{"finish":"error"}' run c3 --parent b2; run d4 --parent a1; run e5 --parent gone; run f6 --parent g7; run g7 --parent f6; run h8 --parent h8; run i9
  $ runvet list runs --tree
  STARTED             ID     STATUS   OUTCOME              TOOK TASK
  2026-03-01 12:00:09 i9     ok       success_unverified  0.00s Task of i9
  2026-03-01 12:00:08 h8     ok       success_unverified  0.00s (a part of h8, which is not above) Task of h8
  2026-03-01 12:00:05 e5     ok       success_unverified  0.00s (a part of gone, which is not there) Task of e5
  2026-03-01 12:00:01 a1     ok       success_unverified  0.00s (3 runs below, 0.00s, 1 without success) Task of a1
  2026-03-01 12:00:04   d4   ok       success_unverified  0.00s Task of d4
  2026-03-01 12:00:02   b2   ok       success_unverified  0.00s (1 run below, 0.00s, 1 without success) Task of b2
  2026-03-01 12:00:03     c3 error    error               0.00s Task of c3
  2026-03-01 12:00:07 g7     ok       success_unverified  0.00s (1 run below, 0.00s) (a part of f6, which is not above) Task of g7
  2026-03-01 12:00:06   f6   ok       success_unverified  0.00s Task of f6
  $ runvet list runs --tree --limit 2
  STARTED             ID STATUS   OUTCOME              TOOK TASK
  2026-03-01 12:00:09 i9 ok       success_unverified  0.00s Task of i9
  2026-03-01 12:00:08 h8 ok       success_unverified  0.00s (a part of h8, which is not above) Task of h8
  … and 7 more runs (--limit 0 shows all)
  $ runvet list runs --tree --status ok --limit 0 --sort id
  STARTED             ID   STATUS   OUTCOME              TOOK TASK
  2026-03-01 12:00:01 a1   ok       success_unverified  0.00s (2 runs below, 0.00s) Task of a1
  2026-03-01 12:00:02   b2 ok       success_unverified  0.00s Task of b2
  2026-03-01 12:00:04   d4 ok       success_unverified  0.00s Task of d4
  2026-03-01 12:00:05 e5   ok       success_unverified  0.00s (a part of gone, which is not there) Task of e5
  2026-03-01 12:00:08 h8   ok       success_unverified  0.00s (a part of h8, which is not above) Task of h8
  2026-03-01 12:00:09 i9   ok       success_unverified  0.00s Task of i9
  2026-03-01 12:00:06 f6   ok       success_unverified  0.00s (1 run below, 0.00s) (a part of g7, which is not above) Task of f6
  2026-03-01 12:00:07   g7 ok       success_unverified  0.00s Task of g7
  $ runvet list runs --tree --sort id --format ids
  a1
  b2
  c3
  d4
  e5
  h8
  i9
  f6
  g7
  $ runvet list runs --sort id --format json | json /runs/* episode_id parent
  a1 null
  b2 a1
  c3 b2
  d4 a1
  e5 gone
  f6 g7
  g7 f6
  h8 h8
  i9 null
  $ run a1 --parent x --tag parent=y; runvet record --run-data runs --resume a1 --parent x
  error: the tag "parent" is given twice
  error: the argument '--resume <EPISODE>' cannot be used with '--parent <ID>'

  Usage: runvet record --run-data <DIR> --resume <EPISODE> [-- <COMMAND>...]

  For more information, try '--help'.
  [2]

# The answer to `finish` has the digest of the manifest.
  $ echo '{"finish":"ok"}' | runvet record --run-data runs --id a --task t > answers; grep -c "\"manifest_sha256\":\"$(sha256sum < runs/episodes/a/manifest.json | cut -c 1-64)\"" answers
  1

# What was to be recorded and is not in the run is counted; a question is not, nor what was never done.
  $ lost() { n=$((n + 1)); printf '%s\n' "$1" '{"finish":"ok"}' | runvet record --run-data runs --id r$n --task t --keep-going > answers 2>&1; echo "$1: $(grep -o '"x-refused":[0-9]*' runs/episodes/r$n/summary.json)"; }
  $ for line in '{"act":{"tool":1e999}}' '{"act":{"tool":"x","agent_x":1}}' '{"note":{"phase":"act"}}' '{"believe":{"statement":"s","confidence":2,"provenance":"p"}}' '{"remember":{"key":"k"}}' '{"jot":1}' '{"reflect":1}' '{"propose":1}' 'no JSON' '{"close":{"outputs":{"a":1}}}' '{"close":{"step":"s","error":"e"}}'; do lost "$line"; done
  {"act":{"tool":1e999}}: "x-refused":1
  {"act":{"tool":"x","agent_x":1}}: "x-refused":1
  {"note":{"phase":"act"}}: "x-refused":1
  {"believe":{"statement":"s","confidence":2,"provenance":"p"}}: "x-refused":1
  {"remember":{"key":"k"}}: "x-refused":1
  {"jot":1}: "x-refused":1
  {"reflect":1}: "x-refused":1
  {"propose":1}: "x-refused":1
  no JSON: "x-refused":1
  {"close":{"outputs":{"a":1}}}: "x-refused":1
  {"close":{"step":"s","error":"e"}}: "x-refused":1
  $ for line in '{"act":{"tool":"x","agent_x":1,"hold":true}}' '{"act":{"tool":1e9,"hold":true,"x":[]}}' '{"would":{"phase":"act","payload":1}}' '{"dance":1}' '{"plan":1}' '{"open":"none"}' '{"close":"none"}' '{"close":{"step":"none"}}' '{"finish":"well"}' '{"pause":1}' '{"at":"never"}'; do lost "$line"; done
  {"act":{"tool":"x","agent_x":1,"hold":true}}: 
  {"act":{"tool":1e9,"hold":true,"x":[]}}: 
  {"would":{"phase":"act","payload":1}}: 
  {"dance":1}: 
  {"plan":1}: 
  {"open":"none"}: 
  {"close":"none"}: 
  {"close":{"step":"none"}}: 
  {"finish":"well"}: 
  {"pause":1}: 
  {"at":"never"}:
