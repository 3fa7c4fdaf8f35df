Runs are found by the tools that they called, by what came of a call, by cost, and by their texts.

# Three runs: a tool returned an error, a rule denied a call, and one went well.
  $ cat > runvet.toml <<'END'
  > [[rule]]
  > id = "acme/no-deletion"
  > each = { kind = "execute" }
  > check = "!event.payload['x-command'].startsWith('rm ')"
  > message = "nothing is deleted"
  > END
  $ recorded() { id=$1; shift; printf '%s\n' "$@" | runvet record --run-data runs --id "$id" --task "Help $id" > answers || true; }
  $ recorded ep_error '{"act":{"tool":"lookup","output":"o-17"}}' '{"act":{"tool":"carrier.notify","result_status":"error","output":{"error":"HTTP 503 from \"carrier\""}}}' '{"finish":{"status":"partial","reason":"no carrier","metrics":{"cost_usd":0.5,"tokens_in":900}}}'
  $ runvet record --run-data runs --id ep_denied --exec -- rm 'Größe 5' o-17 2> said || cat said
  error: the action is refused: nothing is deleted (acme/no-deletion)
  $ recorded ep_good '{"act":{"tool":"lookup","output":"a\nHTTP 200"}}' '{"finish":"ok"}'
  $ of() { echo "[$(echo $(runvet list runs --sort id --format ids "$@"))]"; }; places() { runvet list runs --sort id "$@" | grep '^  '; }
  $ of; of --tool lookup; of --tool rm; of --tool rm --tool carrier.notify; of --tool nothing; of --tool '(none)'
  [ep_denied ep_error ep_good]
  [ep_error ep_good]
  [ep_denied]
  [ep_denied ep_error]
  []
  []
  $ of --call error; of --call denied; of --call error --call denied; of --call error --tool lookup; of --call denied --tool rm
  [ep_error]
  [ep_denied]
  [ep_denied ep_error]
  []
  [ep_denied]
  $ places --call error --call denied
    runs/episodes/ep_denied/events.jsonl:4: rm was denied
    runs/episodes/ep_error/events.jsonl:3: carrier.notify returned an error
  $ runvet list runs --call error --tool carrier.notify --format json | json . runs/0/tools/1/tool runs/0/tools/1/error_line runs/0/hits/0/line runs/0/hits/0/text runs/0/metrics/cost_usd
  carrier.notify 3 3 carrier.notify returned an error 0.5
  $ runvet list runs --call error --tool rm || true; runvet list runs --call wrong
  no runs: none of 3 runs matches --tool rm --call error
  error: invalid value 'wrong' for '--call <RESULT>'
    [possible values: error, denied]

  For more information, try '--help'.
  [2]



  $ runvet table runs runs --call denied | cut -d , -f 1-3
  dir,episode_id,valid
  runs/episodes/ep_denied,ep_denied,true

Cost and tokens are columns, and order the list.
  $ runvet list runs --sort metric:cost_usd --metric tokens_in | tail -1 | sed -E 's/.*(ep_[a-z]*) .* ([0-9-]+) +([0-9.-]+) Help.*/\1 \2 \3/'
  ep_error 900 0.5
  $ runvet list runs --sort metric:cost_usd --format ids; of --metric cost_usd..0.3..; runvet list runs --sort cost
  ep_error
  ep_good
  ep_denied
  [ep_error]
  error: invalid value 'cost' for '--sort <ORDER>': expected newest, started, duration, id or metric:NAME

  For more information, try '--help'.
  [2]






Words are searched in keys and values as a reader sees them, in upper or lower case; a hit has its line.
  $ places --text 'http 503'; places --text '"carrier"'; places --text größe; of --text nhttp
    runs/episodes/ep_error/events.jsonl:3: HTTP 503 from "carrier"
    runs/episodes/ep_error/events.jsonl:4: HTTP 503 from "carrier"
    runs/episodes/ep_error/events.jsonl:6: HTTP 503 from "carrier"
    … and more places
    runs/episodes/ep_error/events.jsonl:3: HTTP 503 from "carrier"
    runs/episodes/ep_error/events.jsonl:4: HTTP 503 from "carrier"
    runs/episodes/ep_error/events.jsonl:6: HTTP 503 from "carrier"
    … and more places
    runs/episodes/ep_denied/events.jsonl:1: rm 'Größe 5' o-17
    runs/episodes/ep_denied/events.jsonl:2: rm 'Größe 5' o-17
    runs/episodes/ep_denied/events.jsonl:4: Größe 5
    … and more places
  []
  $ of --text 'o-17'; of --text 'o-17 rm'; of --text 'o-17' --call error; of --text 'help ep_good'; of --text 'lookup o-17'
  [ep_denied ep_error]
  [ep_denied]
  [ep_error]
  [ep_good]
  []
  $ runvet list runs --text 'HTTP 404'; runvet list runs --search 'HTTP 503'
  no runs: none of 3 runs matches --text HTTP 404 (searched: events.jsonl, state.json, summary.json, learn.jsonl)
  no runs: none of 3 runs matches --search HTTP 503 (searched: id, directory and task)
  $ runvet list runs --text 'HTTP 503' --format json | json . runs/0/episode_id runs/0/hits/0/file runs/0/hits/0/line runs/0/hits/0/text
  ep_error events.jsonl 3 HTTP 503 from "carrier"

# Letters are found however they are escaped; in a record of many lines, the hit is on the line of the first word.
  $ copy good/terminal/episodes/ep_answer; edit 's/Summarize/S\\u0075mmarize/' episodes/ep_answer/events.jsonl; python3 -m json.tool episodes/ep_answer/summary.json > s && mv s episodes/ep_answer/summary.json
  $ runvet list --text summarize | grep -m 1 events; runvet list --text act_count | tail -1; grep -n act_count episodes/ep_answer/summary.json | head -1
    episodes/ep_answer/events.jsonl:1: Summarize the open tickets
    episodes/ep_answer/summary.json:27: act_count
  27:        "act_count": 2,

# Of many places, the first three are shown.
  $ copy good/terminal/episodes/ep_answer; runvet list --text ep_answer | tail -4
    episodes/ep_answer/events.jsonl:1: ep_answer
    episodes/ep_answer/events.jsonl:2: ep_answer
    episodes/ep_answer/events.jsonl:3: ep_answer
    … and more places

# What can't be searched is said, and fails.
  $ copy good/terminal/episodes/ep_answer; rm episodes/*/events.jsonl; mkdir episodes/ep_answer/events.jsonl; runvet list --text nothing; runvet list --call error
  error: episodes/ep_answer/events.jsonl: it is a directory
  no runs: none of 1 run matches --text nothing (searched: events.jsonl, state.json, summary.json, learn.jsonl)
  error: episodes/ep_answer/events.jsonl: it is a directory
  no runs: none of 1 run matches --call error
  [2]
