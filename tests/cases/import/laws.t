What every import keeps to, whatever the format.

# A log that has grown replaces its run; a run that is no import of it stays.
  $ log=$(ls "$CORPUS"/logs/claude/*/*.jsonl) && name=${log##*/} && id=${name%.jsonl}
  $ head -12 "$log" > $name && runvet import $name --into runs --quiet
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: new
  $ cat runs/episodes/*/state.json | json /outcomes status
  pending
  $ tail -1 runs/episodes/*/events.jsonl | json /payload/outcomes status
  pending
  $ head -19 "$log" > $name && runvet import $name --into runs --quiet
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: again
  $ cat runs/episodes/*/state.json | json /outcomes status
  ok
  $ ls -A runs runs/episodes | grep -v $id
  runs:
  episodes

  runs/episodes:
  $ rm -r runs/episodes/$id && printf '{"finish":"ok"}\n' | runvet record --run-data runs --task x --id $id > out
  $ runvet import $name --into runs
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: refused: a run of this id is there, and it is no import (./7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21.jsonl)
  note: left out: 1 file-history-snapshot, 1 progress
  note: 1 run in runs
  [1]
  $ cat runs/episodes/*/state.json | json /goal task
  x

An import of another log with the same id stays, too.
  $ rm -r runs && runvet import $name --into runs --quiet
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: new
  $ cp $name copy.jsonl && runvet import copy.jsonl --into runs --quiet
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: refused: a run of this id is there, and it is no import of this log (./copy.jsonl)
  [1]
  $ mkdir a b && cp $name a && cp $name b && rm -r runs && runvet import a b --into runs --quiet
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: new
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: refused: another log of this import has the same id (b/7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21.jsonl)
  [1]

# A line that is not finished is no line yet; a broken one is said, and the rest is imported.
  $ log=$(ls "$CORPUS"/logs/codex/*/*/*/*.jsonl)
  $ (cat "$log"; printf '{"timestamp":') > grows.jsonl && runvet import grows.jsonl --into runs --quiet
  019c9f10-7c11-7d20-9a3e-64d1f0a2b3c4: new
  $ sed '3i {"timestamp"; nonsense' "$log" > broken.jsonl && runvet import broken.jsonl --into other --quiet
  019c9f10-7c11-7d20-9a3e-64d1f0a2b3c4: new
  error: ./broken.jsonl:3: it is not JSON: expected `:` after the key
  [1]
  $ runvet import broken.jsonl --into other --quiet
  019c9f10-7c11-7d20-9a3e-64d1f0a2b3c4: unchanged
  error: ./broken.jsonl:3: it is not JSON: expected `:` after the key
  [1]
  $ sed -n 2p other/episodes/*/events.jsonl | json /payload unreadable lines
  1 15

# The end comes from the log alone: `ok` is never the default.
  $ line() { printf '{"type":"%s","uuid":"u%s","sessionId":"s1","timestamp":"2026-03-01T12:00:%02dZ","isSidechain":false,"cwd":"/w","message":%s%s}\n' "$@"; }
  $ user() { line user $1 $1 "{\"role\":\"user\",\"content\":$2}"; }
  $ call() { line assistant $1 $1 "{\"id\":\"m$1\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t$1\",\"name\":\"Bash\",\"input\":{\"command\":\"make\"}}]}"; }
  $ said() { line assistant $1 $1 "{\"id\":\"m$1\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"$2\"}]$3}" "$4"; }
  $ ends() { rm -rf runs && cat > s1.jsonl && runvet import s1.jsonl --into runs --quiet "$@" | sed 's/s1: new//' && cat runs/episodes/s1/state.json | tr , '\n' | grep -o '"status":"[a-z]*"\|"result_status":"[a-z]*"'; grep '"terminate"\|run.interrupt' runs/episodes/s1/events.jsonl | grep -o '"reason":"[^"]*"\|"error":"[^"]*"'; }
  $ user 1 '"Build"' | ends
  "status":"pending"
  "reason":"the log ends within a turn"
  $ (user 1 '"Build"'; call 2) | ends
  "status":"pending"
  "reason":"the call of Bash has no result"
  $ (user 1 '"Build"'; call 2) | ends --ended
  "result_status":"missing"
  "status":"partial"
  "reason":"the call of Bash has no result, and nothing follows"
  $ (user 1 '"Build"'; said 2 Done) | ends
  "status":"ok"
  [1]
  $ (user 1 '"Build"'; call 2; user 3 '"[Request interrupted by user for tool use]"') | ends
  "result_status":"cancelled"
  "status":"aborted"
  "reason":"interrupted"
  $ (user 1 '"Build"'; said 2 No ',"stop_reason":"refusal"') | ends
  "status":"partial"
  "reason":"the model refused"
  $ (user 1 '"Build"'; said 2 'Overloaded' '' ',"isApiErrorMessage":true') | ends
  "status":"error"
  "error":"Overloaded"

# A log without anything that was said or done is an error: no empty run is made.
  $ echo '{"type":"file-history-snapshot","messageId":"m","snapshot":{}}' > s1.jsonl
  $ runvet import s1.jsonl --into runs
  error: ./s1.jsonl: it looks like a log of claude-code, and nothing is said or done in it
  note: 0 runs in runs
  [1]
  $ test -e runs
  [1]

# What is no log is named, with what it looks like; what lies beside logs is counted.
  $ mkdir none logs && echo '{"users": [{"role": "user"}]}' > none/users.json && echo text > none/notes.txt
  $ printf 'SQLite format 3\0' > none/opencode.db && : > none/empty.json && echo '{"type": "user", "sessionId": "s"}' > none/clicks.jsonl
  $ runvet import none --into runs
  error: none/clicks.jsonl: it is no log of a known format: its first value is an object with the keys sessionId, type
  error: none/empty.json: it is empty
  error: none/notes.txt: it is no log of a known format: it begins with neither an object nor a list of JSON
  error: none/opencode.db: it is a database of SQLite, which is not read: export the sessions in it as files
  error: none/users.json: it is no log of a known format: its first value is an object with the keys users
  note: 0 runs in runs
  [1]
  $ mkdir dbs; for tables in 'CREATE TABLE cursorDiskKV (key TEXT)' 'CREATE TABLE sessions (recipe_json TEXT, extension_data TEXT)' 'CREATE TABLE "session" CREATE TABLE "message" CREATE TABLE "part"'; do n=$((n + 1)); printf 'SQLite format 3\0%s' "$tables" > dbs/$n.db; done; runvet import dbs --into runs
  error: dbs/1.db: it is a database of Cursor, which has no command that exports a chat with its calls; `runvet hook claude-code` may record those to come
  error: dbs/2.db: it is a database of Goose: `goose session export` writes a session as a file
  error: dbs/3.db: it is a database of opencode: `opencode export ID` writes a session as a file
  note: 0 runs in runs
  [1]
  $ cp none/users.json none/notes.txt logs && cp "$CORPUS"/logs/opencode/*.json logs && runvet import logs --into runs
  ses_3c1tickets: new
  note: left out: 2 step-finish, 1 synthetic text
  note: no logs: 2 files (1 .json, 1 .txt)
  note: 1 run in runs
  $ runvet import logs --into runs --strict --quiet
  ses_3c1tickets: unchanged
  error: no logs: 2 files (1 .json, 1 .txt)
  [1]
  $ runvet import logs none/users.json --into runs --quiet
  ses_3c1tickets: unchanged
  error: none/users.json: it is no log of a known format: its first value is an object with the keys users
  [1]
  $ runvet import missing --into runs
  error: missing: No such file or directory (os error 2)
  [2]

# No link is followed, and no directory with runs is read.
  $ mkdir logs && ln -s "$CORPUS"/logs/opencode/header.json logs/link.json && ln -s "$CORPUS"/logs logs/dir
  $ runvet import logs --into runs
  error: logs: there is no log
  note: logs: 2 links not followed
  note: 0 runs in runs
  [1]
  $ runvet import logs/link.json --into runs
  error: logs/link.json: it is a symbolic link, and links are not followed
  note: 0 runs in runs
  [1]
  $ cp "$CORPUS"/logs/opencode/header.json logs && runvet import . --into runs --quiet && runvet import . --into runs
  ses_3c1tickets: new
  ses_3c1tickets: unchanged
  note: left out: 2 step-finish, 1 synthetic text
  note: .: 2 links not followed
  note: 1 run in runs

# What a file holds can't stop the others, nor leave half a run.
  $ mkdir logs && cp "$CORPUS"/logs/opencode/header.json logs/z.json
  $ printf '[{"role":"user","content":"\377"}]' > logs/utf8.json
  $ printf '{"messages": [{"role":"user","content":"x"}, ' > logs/open.json
  $ (printf '{"messages":'; head -c 100000 /dev/zero | tr '\0' '['; echo ']}') > logs/deep.json
  $ (printf '[{"role":"user","content":"'; head -c 70000000 /dev/zero | tr '\0' x; echo '"}]') > logs/long.json
  $ runvet import logs logs/utf8.json logs/open.json logs/deep.json logs/long.json --into runs
  ses_3c1tickets: new
  error: logs/deep.json: it is not JSON: arrays and objects are nested deeper than 128 levels
  error: logs/long.json: line 1: it is longer than 64 MiB
  error: logs/open.json: it is not JSON: the text ends where a value is expected
  error: logs/utf8.json: it is not JSON: the text has a byte that is not UTF-8
  error: logs/utf8.json: it is not JSON: the text has a byte that is not UTF-8
  error: logs/open.json: it is not JSON: the text ends where a value is expected
  error: logs/deep.json: it is not JSON: arrays and objects are nested deeper than 128 levels
  error: logs/long.json: line 1: it is longer than 64 MiB
  note: left out: 2 step-finish, 1 synthetic text
  note: 1 run in runs
  [1]
  $ ls -A runs runs/episodes
  runs:
  episodes

  runs/episodes:
  ses_3c1tickets

A call that nests deeper than a record may is refused, and no other.
  $ nest() { printf '[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":{"a":'; printf "%0$1d" 0 | tr 0 '['; printf "%0$1d" 0 | tr 0 ']'; echo '}}}]},{"role":"tool","tool_call_id":"1","content":"ok"}]'; }
  $ nest 119 > deep.json && nest 9 > flat.json && runvet import deep.json flat.json --into runs --quiet
  deep: refused: the `act` event is larger than the limit: 120 levels of nesting (./deep.json)
  flat: new
  [1]
  $ ls -A runs runs/episodes
  runs:
  episodes

  runs/episodes:
  flat
  ses_3c1tickets

# What is chosen is imported: by id, by time, with tags.
  $ runvet import "$CORPUS/logs" --into runs --quiet --only ses_3c1tickets --tag team=web
  ses_3c1tickets: new
  $ cat runs/episodes/*/state.json | json /episode/tags team cwd
  web /home/mo/web
  $ runvet import "$CORPUS/logs" --into late --quiet --since 2026-03-02T10:30:00Z
  chat-blocks: new
  chat-helpdesk-1-0: new
  chat-helpdesk-2-0: new
  conv-items: new
  ep_7d3c5b1e9f204a6d8e70c1b2a3f4d5e6: new

# With `--check`, one line is a gate: the exit code is that of the check, too.
  $ printf '[[rule]]\nid = "a/no-close"\neach = { tool = "close_ticket" }\ncheck = "false"\nmessage = "closed"\n' > runvet.toml && mkdir .git
  $ runvet import "$CORPUS/logs/chat" --into runs --check --quiet | tail -3
  4 episodes: 2 valid, 2 break a rule of the team (2 errors)
  To learn more about a rule: runvet explain a/no-close
  $ runvet import "$CORPUS/logs/opencode" --into runs --check --quiet
  ses_3c1tickets: new
  1 episode: valid

# Files of one name, and conversations of one file, are runs of their own.
  $ for dir in a b; do mkdir -p logs/$dir && echo '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"}]' > logs/$dir/chat.json; done
  $ printf '{"messages":[{"role":"user","content":"%s"}]}\n' 1 2 > logs/many.jsonl
  $ runvet import logs --into runs --quiet
  a-chat: new
  b-chat: new
  many-1: new
  many-2: new

# A large result, and a picture, are attached.
  $ text=$(head -c 70000 /dev/zero | tr '\0' x)
  $ echo "[{\"role\":\"user\",\"content\":\"x\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"$text\"}]" > large.json
  $ runvet import large.json --into runs --quiet
  large: new
  $ cat runs/episodes/large/state.json | json /outcomes/actions/0/output bytes
  70000
  $ wc -c runs/episodes/large/attachments/*.txt | sed 's#/.*##'
  70000 runs

# How a log is read, without a run.
  $ cp "$CORPUS"/logs/codex/2026/03/02/*.jsonl rollout.jsonl; echo '{"type":' >> rollout.jsonl; echo '{"type":"new_kind","payload":{}}' >> rollout.jsonl
  $ runvet import --explain rollout.jsonl
  ./rollout.jsonl: codex, because a line is `session_meta` with an id
    1 run
    values by type
           1 event_msg: agent_message
           1 event_msg: task_complete
           2 event_msg: token_count
           1 event_msg: user_message
           1 new_kind
           1 response_item: custom_tool_call
           1 response_item: custom_tool_call_output
           2 response_item: function_call
           2 response_item: function_call_output
           2 response_item: message
           1 session_meta
           1 turn_context
    taken
           1 apply_patch -> act
           1 exec_command -> act
           1 shell -> act
           1 message of user -> note (observe)
           1 answer of a model -> note (reason)
           2 usage -> note (reason)
    left out
           1 agent_message
           1 context in a message of the user
           1 new_kind
    unreadable: ./rollout.jsonl:16: it is not JSON: the text ends where a value is expected
  [1]
  $ runvet import --explain nothing.jsonl
  error: nothing.jsonl: No such file or directory (os error 2)
  [2]
  $ runvet import --explain rollout.jsonl --into runs
  error: the argument '--explain' cannot be used with '--into <RUNS>'

  Usage: runvet import --explain <PATH>...

  For more information, try '--help'.
  [2]
  $ runvet import rollout.jsonl
  error: the following required arguments were not provided:
    --into <RUNS>

  Usage: runvet import --into <RUNS> <PATH>...

  For more information, try '--help'.
  [2]
  $ for log in "$CORPUS"/logs/*/; do runvet import --explain "$log" | grep -o 'because .*' | sort -u; done
  because it has a list of messages with a `role`, or of items of a response
  because its lines have a `type`, an `uuid` and a message with a `role`
  because a line is `session_meta` with an id
  because its first line is `session.start` with an id and a time
  because it begins with `sessionId`, `projectHash` and `startTime`
  because it has `steps` and a `schema_version` of ATIF, or is the result of a trial
  because it has `eval` with a task, a model and a time
  because it has an id, and `observations` with a `type` and a `startTime`
  because its runs have a `run_type`, a `start_time` and a trace
  because it has `info`, `messages` and the version of mini-swe-agent
  because its objects are `trace` or `trace.span`
  because it has the ids of opencode: `ses_…`, `msg_…` or `prt_…`
  because it has a list of events with `action` or `observation`, or an `instance_id` with a `history`, or is a file of a conversation that has one for each event
  because its spans have a name, an id and that of a trace
  because its messages are `request` or `response`, with `parts`

# A large input is attached, so that rules see all of it; what a killed import left is removed.
  $ mkdir -p big/.import-x/episodes/gone; { printf '[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\\"command\\":\\"ls '; head -c 70000 /dev/zero | tr '\0' x; printf ' # rm -rf\\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"done"},{"role":"assistant","content":"ok"}]'; } > big.json
  $ printf '[[order]]\nid = "a/rm"\neach = { tool = "bash", "/payload/input/command" = "*rm -rf*" }\nnever = true\nmessage = "nothing is removed"\n' > rm.toml
  $ runvet import big.json --into big --format chat --quiet | sed 's/^[^:]*//'; ls -A big; ls big/episodes/*/attachments | wc -l; runvet validate --config rm.toml --select 'a/*' --format concise big 2>&1 | sed 's#^.*events.jsonl#events.jsonl#'
  : new
  episodes
  1
  events.jsonl:6:1: error a/rm: nothing is removed
  1 episode: breaks a rule of the team (1 error)
