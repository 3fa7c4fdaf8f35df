# What the cases have besides the commands of the shell.

# A repository with the runs of the demo; its configuration comes from standard input.
project() { mkdir -p .git runs/demo && cp -r "$CORPUS/demo/episodes" runs/demo && cat > runvet.toml; }

# A repository with the run of a case of the corpus; its configuration comes from standard input.
repository() { mkdir -p .git runs && cp -r "$CORPUS/$1/episodes" runs && cat > runvet.toml; }

# A repository with a run that has ended, and its seal.
sealed() { repository good/terminal < /dev/null; runvet validate runs --output in-toto=seal.json > report; }

# Run data with a copy of a run of the corpus, under its own name or another.
copy() { mkdir -p episodes && cp -r "$CORPUS/$1" "episodes/${2:-${1##*/}}"; }

# Edits files by a command of sed that must change each of them.
edit() {
  command=$1 && shift
  for file; do
    sed "$command" "$file" > edited
    cmp -s edited "$file" && echo "$file stays as it was"
    mv edited "$file"
  done
}

# A repository with one run, which has `ended` or is `paused`, and whose events have these payloads, one second apart;
# whole events, and lines that are not objects, stand as they are.
events() {
  case $1 in ended) from=good/terminal/episodes/ep_answer ;; paused) from=good/paused/episodes/ep_paused ;; esac
  rm -rf runs && mkdir -p .git runs/episodes && cp -r "$CORPUS/$from" runs/episodes/ep_1
  shift && second=0
  for event; do
    case $event in
      '{"phase"'* | *[!}]) printf '%s\n' "$event" ;;
      *) printf '{"phase":"act","timestamp":"2026-03-01T12:00:%02dZ","payload":%s}\n' "$second" "$event" ;;
    esac
    second=$((second + 1))
  done > runs/episodes/ep_1/events.jsonl
}

# The report of the check of `runs` in JSON.
report() { runvet validate --format json runs "$@" 2> said; }

# The start of the run's name, the level and the rule of each finding in `runs`.
levels() {
  runvet validate --format concise runs "$@" 2> said |
    sed -nE 's#.*/(ep_[0-9a-z]{2})[^ ]*: (error|warning) ([^:]*): .*#\1 \2 \3#p'
}

# The report of the rules of the group `a`, which does not depend on the number of threads.
judged() {
  report --select 'a/*' --jobs 4 > report.json
  report --select 'a/*' --jobs 1 | cmp - report.json
  cat report.json
}

# Edits of the configuration: the text in which the order `a/b` about refunds has these keys, or the rule `a/b`.
order() { printf "[[order]]\nid = 'a/b'\neach = { tool = 'refund' }\nmessage = 'm {count} {same}'\n$1\n" > runvet.toml; }
rule() { printf "[params]\ntool = 'refund'\n[[rule]]\nid = 'a/b'\nmessage = 'wrong: {value}'\n$1\n" > runvet.toml; }

# A run of each door, and of each format of logs, in `all`.
runs_of_doors() {
  mkdir -p all/episodes && keep() { mv runs/episodes/* all/episodes; }
  session claude-code && id=hooked
  { before 1 Bash '{"command":"git push"}'; before 2 WebFetch '{"url":"u"}'; before 3 Bash '{"command":"pytest"}'; after 3 Bash '{"command":"pytest"}' '{"stdout":"1 passed"}'; ends; } > answers && keep
  session codex && { id=asked before 1 ls '{}'; } > answers && keep
  { call 1 sum; call 2 delete; call 3 shot; call 4 fail; } | mcp > answers && keep
  commands | runvet record --run-data all --id recorded --task 'Refund Ada' --tag 'customer=Ada L.' --using adapter:ada --max-output 40 --anchor > answers
  commands | head -n 4 | runvet record --run-data all --id begun --task 'Refund Ada' > answers 2> notes
  mkdir work && echo secret > work/file && { echo '{"attach":{"path":"work/file"}}'; echo '{"finish":{"status":"aborted","reason":"no money"}}'; } |
    runvet record --run-data all --id compared --task 'Refund Ada' --workspace work --verify report.md > answers
  runvet record --run-data all --exec -- sh -c 'echo printed; exit 3' > answers || runvet import -q "$CORPUS/logs" --into all > answers
}

# Commands of a recorder with values of each kind, some of them large.
commands() {
  cat << 'END'
{"plan":[{"id":"look","description":"Look up Ada","inputs":{"name":"Ada"},"rationale":"to know"},"Refund it"]}
{"open":"look"}
{"act":{"tool":"lookup","input":{"name":"Ada","note":"a note of Ada that is longer than the limit"},"output":[1000000001,1000000002,1000000003,1000000004,"Ada"],"x-agent":"helper","result_status":"ok","duration_ms":3}}
{"note":{"phase":"observe","payload":{"text":"Ada was here","ada":{"deep":["Ada",1]}}}}
{"close":{"step_id":"look","status":"done","outputs":{"found":"Ada"}}}
{"attach":{"base64":"QWRh","extension":"png"}}
{"believe":{"statement":"Ada is right","confidence":0.5,"provenance":"a letter"}}
{"remember":{"key":"customer","value":"Ada"}}
{"jot":"Ada again"}
{"reflect":{"text":"ask Ada first"}}
{"propose":{"proposal":{"text":"Trust Ada"}}}
{"open":"step-2"}
{"close":{"status":"failed","error":{"message":"Ada is away"}}}
{"finish":{"status":"error","error":"Ada is away","artifacts":["ada.md"],"metrics":{"score":0.5}}}
END
}

# The rules that find something in run data, with all rules on: each with its file, lines and pointer.
places() {
  (cd "$1" && runvet validate . --rule '*=warning' --verify-manifest --format ndjson 2> /dev/null) |
    grep -oE '"(rule|file|pointer)":"[^"]*"|"line":[0-9]+' | tr '\n' ' ' | sed 's/"rule"/\n&/g'
}

# The exit code of a check that is not shown.
code() {
  runvet validate --quiet "$@" > /dev/null 2>&1
  echo $?
}

# The names of the formats of a report.
formats() { runvet validate --format no 2>&1 | sed -n 's/.*values: \(.*\)]/\1/p' | tr -d ,; }

# 200 episodes, 29 of them bad, as in a repository that adopts runvet.
adopted() {
  mkdir -p .git runs/episodes && echo "baseline = 'known.json'" > runvet.toml
  for number in $(seq -w 0 199); do
    case $((1$number % 7)) in 0) run=ep_03_edited ;; *) run=ep_01_answer ;; esac
    mkdir runs/episodes/run_$number && cp -r "$CORPUS/demo/episodes/$run" runs/episodes/run_$number
  done
}

# The runs of the demo, which changed in the order 3, 1, 5, 2, 4, the newest first.
demo_in_order() {
  cp -r "$CORPUS/demo/episodes" . && day=1
  for run in 04_crashed 02_paused 05_misnamed 01_answer 03_edited; do
    touch -d "2023-11-0${day}T00:00:00Z" episodes/ep_$run && day=$((day + 1))
  done
}

# A directory of work with run data, the older run of which has directories of its own.
work() {
  mkdir -p work/runs/episodes && cp -r "$CORPUS/demo/episodes/ep_01_answer" "$CORPUS/demo/episodes/ep_03_edited" work/runs/episodes
  mkdir -p work/runs/episodes/ep_01_answer/logs/deep && touch -d 2023-11-01 work/runs/episodes/ep_01_answer
}

# A run of a set that is compared: its name, its task, and edits of its records; it succeeds otherwise.
member() {
  run=$1/episodes/$2 task=$3 && shift 3
  mkdir -p "$run" && cp "$CORPUS/demo/episodes/ep_01_answer"/* "$run"
  sed -i "s/ep_01_answer/${run##*/}/g; s/Summarize the open tickets/$task/g" "$run"/*.json*
  for change; do sed -i "$change" "$run/state.json" "$run/summary.json" "$run/events.jsonl"; done
}
fails='s/"success":1/"success":0/; s/"outcome":"success"/"outcome":"goal_not_achieved"/; s/"passed":true,"policy"/"passed":false,"policy"/'
invalid='s/"act_count":2/"act_count":-2/'

# Two sets of 40 tasks; in the candidate the first ones fail.
sets() {
  for at in $(seq -w 0 39); do
    member base ep_$at "task $at"
    if [ $((1$at - 100)) -lt $1 ]; then member new ep_$at "task $at" "$fails"; else member new ep_$at "task $at"; fi
  done
}

# Two sets of runs of one task: their number, and the number of successes in each.
one_task() {
  for at in $(seq -w 0 $(($1 - 1))); do
    seed=$((1$at - 100))
    if [ $1 -lt 10 ]; then seed=$at; fi
    for set in base:$2 new:$3; do
      if [ $seed -lt ${set#*:} ]; then change=; else change=$fails; fi
      member ${set%:*} ep_$at 'the task' "s/\"seed\":7/\"seed\":$seed/" "$change"
    done
  done
}
compare() { runvet compare base new --no-config "$@"; }

# A repository of git with good runs.
repo() {
  git init --quiet --initial-branch=main
  for name; do episode $name; done
  commit
}
episode() { mkdir -p runs/episodes/$1 && for file in "$CORPUS"/good/terminal/episodes/ep_answer/*.json*; do sed "s/ep_answer/$1/g" "$file" > "runs/episodes/$1/${file##*/}"; done; }
commit() { git add --all && git commit --quiet --allow-empty --message=x; }
longer() { echo >> "runs/episodes/$1"; }

# A repository with a sound run and a pack, whose schema refers to another file.
pack() {
  repository good/terminal && cp -r "$CORPUS/../tests/cases/pack" gate && echo "packs = ['gate/pack.toml']" > runvet.toml
}

# A sound run, whose records are then changed; and a check by one rule or group.
fresh() { rm -rf episodes && copy good/terminal/episodes/ep_answer; }
# A sound run, and a key to redact it.
runs_and_key() { fresh; mkdir runs; mv episodes runs; head -c 32 /dev/zero > key; chmod 600 key; }
state=episodes/ep_answer/state.json events=episodes/ep_answer/events.jsonl summary=episodes/ep_answer/summary.json
told() { runvet validate --select "$1" --format json 2> /dev/null; }

# Run data with a valid run and one with errors; and what a check sees there: its exit code, runs, and faults.
two_runs() { copy good/terminal/episodes/ep_answer && copy demo/episodes/ep_03_edited; }
bad() { mkdir -p "$(dirname "$1")" && cp -r "$CORPUS/demo/episodes/ep_03_edited" "$1"; }
seen() {
  runvet validate --format ndjson --quiet "$@" > out 2> err
  echo $? $(sed -n 's/^{"id":"[^"]*","dir":"\([^"]*\)".*/\1/p' out)
  sed -n 's/^error: \([^:]*\).*/fault: \1/p' err
}

# The answers with which a recorder refuses these commands of a new run.
refused() {
  printf '%s\n' "$@" | runvet record --run-data runs --id ep_1 --task t --keep-going 2> notes | grep '"ok":false'
  rm -rf runs
}

# The sentences of a page in HTML, from four words on: its texts, without the pages of
# rules, and those of attributes.
texts() {
  awk -v RS='<' '
    /^(script|style|noscript data-rule-page)/ { skips = 1 }
    /^\/(script|style|noscript)>/ { skips = 0 }
    !skips {
      gsub(/\n/, " ")
      tag = $0
      while (match(tag, /(title|aria-label|placeholder|data-hint)="[^"]*"/)) {
        print substr(tag, RSTART, RLENGTH)
        tag = substr(tag, RSTART + RLENGTH)
      }
      sub(/^[^>]*>/, "")
      print
    }
  ' | awk 'NF > 3' | sed 's/^ *//; s/ *$//' | LC_ALL=C sort -u
}

# A session of an agent with a hook, which has an order and a question; events of it; and the kinds of what is recorded.
session() {
  rm -rf runs && agent=$1 && shift && options=$*
  cat > runvet.toml <<'END'
[[order]]
id = "acme/tested"
each = { kind = "execute", if = "event.payload['x-command'].startsWith('git push')" }
needs-earlier = { kind = "execute", if = "event.payload['x-command'] == 'pytest'", "/payload/result_status" = "ok" }
message = "a push without a test"
[[order]]
id = "acme/asked"
level = "ask"
each = { tool = "WebFetch" }
never = true
message = "a page is fetched"
END
}
hook() {
  echo "{\"session_id\":\"${id:-s}\",\"transcript_path\":null,\"cwd\":\"${cwd:-/repo}\",\"hook_event_name\":\"$1\",$2}" |
    runvet hook $agent --config runvet.toml --into runs $options
}
before() { hook PreToolUse "\"tool_name\":\"$2\",\"tool_input\":$3,\"tool_use_id\":\"$1\""; }
after() { hook PostToolUse "\"tool_name\":\"$2\",\"tool_input\":$3,\"tool_response\":$4,\"tool_use_id\":\"$1\""; }
ends() { hook SessionEnd '"reason":"exit"' > ended; }
answer() { sed -E 's/.*"permissionDecision":"([a-z]*)","permissionDecisionReason":"(.*)"\}\}/\1 \2/'; }
kinds() {
  sed -nE -e 's/.*"event_type":"direction\.([a-z]*)".*/\1/p' -e 's/.*"result_status":"([a-z]*)".*"phase":"act".*/act \1/p' \
    -e 's/.*"kind":"(begun|undone|would-hold|history)".*"phase":"observe".*/\1/p' runs/episodes/${1:-s}/events.jsonl
}

# An MCP server that keeps what it gets in `got` and answers calls, and rules about those.
mcp_server() {
  cat > runvet.toml << 'END'
[[order]]
id = "acme/no-deletion"
each = { tool = ["delete", "mcp__files__delete"] }
never = true
message = "nothing is deleted"
help = "Archive it."
[[order]]
id = "acme/payments"
level = "ask"
each = { tool = "pay" }
never = true
message = "a payment"
END
  cat > server << 'END'
while IFS= read -r line || [ -n "$line" ]; do
  printf '%s\n' "$line" >> got
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,]*\),"method":"tools.call".*/\1/p')
  case $line in
    *'"hang"'*) continue ;;
    *'"fail"'*) result='{"content":[{"type":"text","text":"no"}],"isError":true}' ;;
    *'"shot"'*) result='{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},{"type":"text","text":"a"},{"type":"text","text":"b"}]}' ;;
    *'"sum"'*) result='{"content":[{"type":"text","text":"3"}],"structuredContent":{"sum":3}}' ;;
    *) result='{"content":[{"type":"text","text":"done"}]}' ;;
  esac
  case $line in
    *'"wrong"'*) printf '{"id":%s,"error":{"code":-32602,"message":"unknown"}}\n' "$id" ;;
    *tools/call*) printf '{"id":%s,"result":%s}\n' "$id" "$result" ;;
  esac
done
END
}

# A session with that server, whose run is `s`, by the lines of standard input; its exit code, unless that is 0.
mcp() {
  rm -rf got runs && mcp_server
  runvet mcp --config runvet.toml --into runs --id s "$@" -- sh server && code=0 || code=$?
  runvet validate --quiet runs
  [ "$code" = 0 ] || echo "exit code $code"
}

# A session with another server, its exit code and its end.
mcp_with() {
  rm -rf runs && : > runvet.toml
  runvet mcp --config runvet.toml --into runs --id s -- "$@" && code=0 || code=$?
  runvet validate --quiet --rule '*=error' runs
  echo "exit code $code"
  tr -d '\n' < runs/episodes/s/state.json | grep -o -e '"error":{[^}]*}' -e '"status":"[a-z]*"},"plan"' -e '"result_status":"[a-z]*"'
}

# A call of a tool; what a client can; the acts of the run `s`; a line that must not reach the server.
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" "${3:-{\}}"; }
hello() { printf '{"id":0,"method":"initialize","params":{"capabilities":%s}}\n' "$1"; }
mcp_acts() { grep '"phase":"act"' runs/episodes/s/events.jsonl | sed -E 's/.*"payload"://;s/,"phase":.*//;s/"id":"[^"]*",//;s/"duration_ms":[0-9.]*,//;s/,"x-call-id":"[^"]*"//' | sort; }
wrong() { printf "$1\n" | mcp; if [ -e got ]; then cat got; fi; }
