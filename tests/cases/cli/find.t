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
  $ recorded ep_good '{"act":{"tool":"lookup","output":"a\nHTTP 200"}}' '{"finish":"ok"}'
  $ of() { echo "[$(echo $(runvet list runs --sort id --format ids "$@"))]"; }; places() { runvet list runs --sort id "$@" | grep '^  '; }
  $ of; of --tool lookup; of --tool rm; of --tool rm --tool carrier.notify; of --tool nothing; of --tool '(none)'
  $ of --call error; of --call denied; of --call error --call denied; of --call error --tool lookup; of --call denied --tool rm
  $ places --call error --call denied
  $ runvet list runs --call error --tool carrier.notify --format json | json . runs/0/tools/1/tool runs/0/tools/1/error_line runs/0/hits/0/line runs/0/hits/0/text runs/0/metrics/cost_usd
  $ runvet list runs --call error --tool rm || true; runvet list runs --call wrong



  $ runvet table runs runs --call denied | cut -d , -f 1-3

Cost and tokens are columns, and order the list.
  $ runvet list runs --sort metric:cost_usd --metric tokens_in | tail -1 | sed -E 's/.*(ep_[a-z]*) .* ([0-9-]+) +([0-9.-]+) Help.*/\1 \2 \3/'
  $ runvet list runs --sort metric:cost_usd --format ids; of --metric cost_usd..0.3..; runvet list runs --sort cost






Words are searched in keys and values as a reader sees them, in upper or lower case; a hit has its line.
  $ places --text 'http 503'; places --text '"carrier"'; places --text größe; of --text nhttp
  $ of --text 'o-17'; of --text 'o-17 rm'; of --text 'o-17' --call error; of --text 'help ep_good'; of --text 'lookup o-17'
  $ runvet list runs --text 'HTTP 404'; runvet list runs --search 'HTTP 503'
  $ runvet list runs --text 'HTTP 503' --format json | json . runs/0/episode_id runs/0/hits/0/file runs/0/hits/0/line runs/0/hits/0/text

# Letters are found however they are escaped; in a record of many lines, the hit is on the line of the first word.
  $ copy good/terminal/episodes/ep_answer; edit 's/Summarize/S\\u0075mmarize/' episodes/ep_answer/events.jsonl; python3 -m json.tool episodes/ep_answer/summary.json > s && mv s episodes/ep_answer/summary.json
  $ runvet list --text summarize | grep -m 1 events; runvet list --text act_count | tail -1; grep -n act_count episodes/ep_answer/summary.json | head -1

# Of many places, the first three are shown.
  $ copy good/terminal/episodes/ep_answer; runvet list --text ep_answer | tail -4

# What can't be searched is said, and fails.
  $ copy good/terminal/episodes/ep_answer; rm episodes/*/events.jsonl; mkdir episodes/ep_answer/events.jsonl; runvet list --text nothing; runvet list --call error
