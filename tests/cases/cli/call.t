A call of a tool is recorded in one form, whatever its caller has.

# The command, the paths, the arguments and the agent stand where rules look for them.
  $ recorded() { printf '%s\n' "$@" '{"finish":"ok"}' | runvet record --run-data . --id ep_1 --tag cwd=/repo --task T > answers; grep -e '"phase":"act"' -e '"phase":"reason"' episodes/ep_1/events.jsonl | sed -e 's/"episode_id.*"payload"/"payload"/' -e 's/,"phase".*//'; rm -r episodes; }
  $ recorded '{"act":{"tool":"Bash","input":{"command":"rm -rf x"}}}' '{"act":{"tool":"shell","kind":"tool","input":"{\"command\":[\"bash\",\"-lc\",\"pytest -q\"]}"}}'
  {"agent_id":"system","payload":{"id":"act-1","input":{"command":"rm -rf x"},"kind":"execute","tool":"Bash","x-command":"rm -rf x"}
  {"agent_id":"system","payload":{"id":"act-2","input":{"command":["bash","-lc","pytest -q"]},"kind":"execute","tool":"shell","x-command":"pytest -q"}
  $ recorded '{"act":{"tool":"Read","input":{"file_path":"src/../a.rs"},"agent":"helper"}}' '{"act":{"tool":"lookup","kind":"fetch","input":"o-17"}}'
  {"agent_id":"helper","payload":{"id":"act-1","input":{"file_path":"src/../a.rs"},"kind":"read","tool":"Read","x-agent":"helper","x-paths":["/repo/a.rs"]}
  {"agent_id":"system","payload":{"id":"act-2","input":{"input":"o-17"},"kind":"fetch","tool":"lookup"}
  $ recorded '{"note":{"phase":"reason","agent":"helper","payload":{"kind":"message"}}}' '{"note":{"phase":"reason"}}'
  {"agent_id":"helper","payload":{"kind":"message","x-agent":"helper"}
  {"agent_id":"system","payload":{}

# Both names of an agent in one act are a mistake.
  $ echo '{"act":{"tool":"a","agent":"b","x-agent":"c"}}' | runvet record --run-data . --task T --on-eof aborted 2> err | grep -o '"message":"[^}]*"'
  "message":"the action is refused: \"agent\" is not a field of an action, and does not start with `x-`"

# A command is held back before it is executed.
  $ cat > runvet.toml <<'END'
  > [[rule]]
  > id = "acme/no-deletion"
  > each = { kind = "execute" }
  > check = "!event.payload['x-command'].startsWith('rm ')"
  > message = "nothing is deleted"
  > END
  $ touch file; runvet record --run-data runs --exec -- sh -c 'rm file'
  error: the action is refused: nothing is deleted (acme/no-deletion)
  [2]
  $ runvet record --run-data runs --exec -- ls file; runvet list runs | awk '{ print $4, $5 }' | sort
  file
  OUTCOME TOOK
  ok success_unverified
  vetoed error

# A rule that looks for what recorders no longer write is noted.
  $ cat > runvet.toml <<'END'
  > [[order]]
  > id = "acme/models"
  > each = { kind = "model" }
  > at-most = 5
  > message = "too many calls of models"
  > [[order.example]]
  > events = ['{"payload": {"kind": "model"}}']
  > fires = []
  > [[rule]]
  > id = "acme/arguments"
  > each = { tool = "pay" }
  > check = "event.payload.input['gen_ai.tool.call.arguments'] != ''"
  > message = "no arguments"
  > [[order]]
  > id = "acme/now"
  > each = { kind = ["execute", "edit"], phase = "act", "/payload/input/amount" = 5 }
  > never = true
  > message = "now"
  > END
  $ runvet rules --test | tail -n 0; runvet validate . 2>&1 | grep 'no longer'
  note: acme/models: `kind = "model"` is a kind that recorders no longer write: a call of a model is a note with `phase = "reason"`
  note: acme/arguments: `/payload/input/gen_ai.…` is a place that recorders no longer write: the arguments of a call are its `input`, its result is its `output`, and other attributes are below `/payload/x-attributes`
  note: acme/models: `kind = "model"` is a kind that recorders no longer write: a call of a model is a note with `phase = "reason"`
  note: acme/arguments: `/payload/input/gen_ai.…` is a place that recorders no longer write: the arguments of a call are its `input`, its result is its `output`, and other attributes are below `/payload/x-attributes`
