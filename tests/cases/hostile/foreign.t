Directories with the `state.json` of another program: no episodes, unless a user gives them.

# It is passed over with a note.
  $ put() { mkdir -p "$1" && echo "${2:-{\"serial\": 4, \"resources\": [{\"episode\": {\"id\": \"ep_1\"\}\}]\}}" > "$1/state.json"; }
  $ put node_modules/x
  $ runvet validate 2>&1 | head -1; runvet validate . 2>&1 | head -1; runvet validate . node_modules 2>&1 | head -1
  note: skipped 1 directory whose only artifact is a state.json of another program; to check one, give its path
  note: skipped 1 directory whose only artifact is a state.json of another program; to check one, give its path
  note: skipped 1 directory whose only artifact is a state.json of another program; to check one, give its path
  $ put node_modules '{}'; mkdir runs; cp -r "$CORPUS/good/terminal/episodes" runs
  $ runvet validate; runvet validate --format json 2> /dev/null | grep -c node_modules
  1 episode: valid
  note: skipped 2 directories whose only artifact is a state.json of another program; to check one, give its path
  0
  [1]
  $ runvet validate --quiet

Where a user stands is not what the user gave.
  $ put .; runvet validate; runvet list --format ids; runvet view | head -1
  1 episode: valid
  note: skipped 3 directories whose only artifact is a state.json of another program; to check one, give its path
  ep_answer
  ep_answer

# It is judged when its path is given.
  $ put() { mkdir -p "$1" && echo '{"serial": 4, "resources": [{"episode": {"id": "ep_1"}}]}' > "$1/state.json"; }
  $ put x; for it in x x/ ./x/state.json '. x' 'x/state.json .'; do runvet validate --format ndjson $it 2> said | grep -o '"dir":"[^"]*"'; grep 'passed over' said; done
  "dir":"x"
  "dir":"x"
  "dir":"x"
  "dir":"x"
  "dir":"x"
  [1]

A list is what a search found, so it is judged as a search judges.
  $ echo x/state.json > list; code --files-from list; runvet validate --files-from list 2>&1 | grep -o 'state.json of another program'
  3
  state.json of another program
  $ (cd x; code .; code); runvet view x > out; runvet list --format ids x
  1
  3
  x

# Only an object without a known field is one of another program.
  $ put() { mkdir -p "$1" && printf '%s' "$2" > "$1/state.json"; }
  $ put known '{"x": 1, "l\u0069nks": null}'; put repeated '{"goal": 1, "x": 2, "goal": 3}'; put cut '{"x": '; put empty ''; put list '[]'
  $ put deep "{\"x\": $(printf '[%.0s' $(seq 200))1$(printf ']%.0s' $(seq 200))}"; mkdir -p directory/state.json fifo huge link; mkfifo fifo/state.json; truncate -s 67108865 huge/state.json
  $ put foreign '{"x": 1, "x": 2, "Goal": {"goal": 3}}'; ln -s ../foreign/state.json link/state.json
  $ for file in events.jsonl learn.jsonl manifest.json summary.json; do put $file.d '{"serial": 4}'; : > $file.d/$file; done
  $ runvet validate --format ndjson 2> /dev/null | grep -o '^{"id":"[^"]*"' | paste -s
  {"id":"cut"	{"id":"deep"	{"id":"directory"	{"id":"empty"	{"id":"events.jsonl.d"	{"id":"fifo"	{"id":"huge"	{"id":"known"	{"id":"learn.jsonl.d"	{"id":"link"	{"id":"list"	{"id":"manifest.json.d"	{"id":"repeated"	{"id":"summary.json.d"
  $ runvet validate --format ndjson --follow-links 2> /dev/null | grep -c '^{"id"'
  14

# Below `episodes` no state is one of another program.
  $ mkdir -p runs/episodes/group/ep_1; echo '{"serial": 4}' > runs/episodes/group/ep_1/state.json; runvet validate --format ndjson | grep -o '"dir":"[^"]*"' | head -1
  "dir":"runs/episodes/group/ep_1"
