A hook judges the calls of a coding agent, in the form that the agent has.

# A call is held back by what the session did, also by what is under way; a failed test is none.
  $ session claude-code
  $ before 1 Bash '{"command":"git push"}' | json /hookSpecificOutput hookEventName permissionDecision permissionDecisionReason
  PreToolUse deny a push without a test (acme/tested): Keep the order; `runvet explain acme/tested` shows the order.
  $ before 2 Bash '{"command":"pytest"}'; before 3 Bash '{"command":"git push"}' | json /hookSpecificOutput permissionDecision
  deny
  $ hook PostToolUseFailure '"tool_name":"Bash","tool_input":{"command":"pytest"},"tool_use_id":"2","error":"1 failed"'; before 4 Bash '{"command":"git push"}' | json /hookSpecificOutput permissionDecision
  deny
  $ before 5 Bash '{"command":"pytest"}'; after 5 Bash '{"command":"pytest"}' '{"stdout":"1 passed"}'; before 6 Bash '{"command":"git push"}'
  $ kinds
  veto
  begun
  veto
  act error
  veto
  begun
  act ok
  begun

# A person is asked where the agent can, and answers by making the call, or not.
  $ session claude-code
  $ before 1 WebFetch '{"url":"u"}'; after 1 WebFetch '{"url":"u"}' '"page"'; before 2 WebFetch '{"url":"v"}' > asked; ends
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"a page is fetched (acme/asked): Keep the order; `runvet explain acme/asked` shows the order."}}
  $ kinds; grep -o '"answer":"[a-z]*","by":"[a-z]*"' runs/episodes/s/events.jsonl
  begun
  ask
  act ok
  begun
  ask
  "answer":"yes","by":"user"
  "answer":"no","by":"user"
  $ runvet validate runs --deny-warnings
  1 episode: valid
  note: acme/tested: `each` matches no event of any run
  note: acme/tested: `other` matches no event of any run

# Codex and Gemini CLI can't ask: the call is refused.
  $ session codex; before 1 WebFetch '{"url":"u"}'
  {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"ask a person: a page is fetched (acme/asked): Keep the order; `runvet explain acme/asked` shows the order."}}
  $ session gemini; hook BeforeTool '"tool_name":"WebFetch","tool_input":{}'; hook BeforeTool '"tool_name":"ls","tool_input":{"a":1}'; hook AfterTool '"tool_name":"ls","tool_input":{"a":1},"tool_response":{"error":"no"}'
  {"decision":"deny","reason":"ask a person: a page is fetched (acme/asked): Keep the order; `runvet explain acme/asked` shows the order."}
  {}
  {}
  $ kinds
  veto
  begun
  act error

# What stops counts no longer: a person declined it. An act that comes nevertheless is one.
  $ session claude-code
  $ before 1 ls '{}'; hook Stop '"stop_hook_active":false'; after 1 ls '{}' '"x"'; before 2 ls '{}'; ends; kinds
  begun
  undone
  act ok
  begun
  act missing

# The same holds from what the user says on; a sub-agent that stops changes nothing.
  $ session claude-code; before 1 ls '{}'; hook Stop '"agent_id":"a1"'; hook SubagentStop '"agent_id":"a1"'; kinds
  begun
  $ before 2 Bash '{"command":"pytest"}'; hook UserPromptSubmit '"prompt":"Stop that!"'; before 3 Bash '{"command":"git push"}' | answer
  deny a push without a test (acme/tested): Keep the order; `runvet explain acme/tested` shows the order.
  $ ends; kinds
  begun
  begun
  undone
  undone
  veto
  $ grep -c '"text":"Stop that!"' runs/episodes/s/events.jsonl
  1

# A sub-agent calls the same hook: its name stands in what it began and did.
  $ session claude-code; hook PreToolUse '"tool_name":"Bash","tool_input":{"command":"pytest"},"tool_use_id":"1","agent_id":"a1","agent_type":"tester"'; hook PostToolUse '"tool_name":"Bash","tool_input":{"command":"pytest"},"tool_use_id":"1","agent_id":"a1","tool_response":"ok","duration_ms":12'
  $ grep -o '"phase":"[a-z]*"\|"x-agent":"a1"\|"duration_ms":12' runs/episodes/s/events.jsonl | tail -4
  "phase":"observe"
  "duration_ms":12
  "x-agent":"a1"
  "phase":"act"
  $ before 2 Bash '{"command":"git push"}'

# Two hooks of one agent that ask about one call count it once; without ids, equal calls are paired in order.
  $ session claude-code; echo '[[order]]
  > id = "acme/once"
  > each = { tool = "deploy" }
  > at-most = 1
  > message = "deployed twice"' >> runvet.toml
  $ before 1 deploy '{}'; before 1 deploy '{}'; before 2 deploy '{}' | answer
  deny deployed twice (acme/once): Keep the order; `runvet explain acme/once` shows the order.
  $ session gemini; for n in 1 2; do hook BeforeTool '"tool_name":"ls","tool_input":{"a":1}'; done; for n in 1 2; do hook AfterTool '"tool_name":"ls","tool_input":{"a":1},"tool_response":{"output":"x"}'; done; kinds
  {}
  {}
  {}
  {}
  begun
  begun
  act ok
  act ok

# A session that comes again goes on as another run with what was done.
  $ session claude-code
  $ before 1 Bash '{"command":"pytest"}'; after 1 Bash '{"command":"pytest"}' '"ok"'; ends; before 2 Bash '{"command":"git push"}'; kinds s.2
  act ok
  begun
  $ cat runs/episodes/s.2/state.json | json /episode/tags parent
  s
  $ grep -c '"x-repeated":true' runs/episodes/s.2/events.jsonl
  2

# What was done before the hook is the beginning of the run.
  $ session claude-code; log=$(ls "$CORPUS"/logs/claude/*/*.jsonl); id=$(basename $log .jsonl)
  $ echo "{\"session_id\":\"$id\",\"transcript_path\":\"$log\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"ls\",\"tool_use_id\":\"n\"}" | runvet hook claude-code --config runvet.toml --into runs
  $ kinds $id; grep -c '"x-agent"' runs/episodes/$id/events.jsonl; runvet validate runs
  history
  act ok
  act ok
  act ok
  act ok
  act error
  act denied
  act ok
  act ok
  begun
  4
  1 episode: 1 valid, 1 not ended
  note: acme/asked: `each` matches no event of any run
  $ echo "{\"session_id\":\"other\",\"transcript_path\":\"$log\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"ls\"}" | runvet hook claude-code --config runvet.toml --into runs 2>&1 | sed 's/script .*logs/script …/'
  error: the transcript …/claude/-home-mo-tickets/7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21.jsonl can't be used: it is the log of another session than other
  $ (head -c 3000 $log; printf '\nno line\n{}\n') > $id.jsonl; echo "{\"session_id\":\"$id\",\"transcript_path\":\"$id.jsonl\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"ls\"}" | runvet hook claude-code --config runvet.toml --into other
  error: the transcript 7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21.jsonl can't be used: line 7: it is not JSON: the text ends where a key is expected
  [2]
  $ head -c 3000 $log > $id.jsonl; echo "{\"session_id\":\"$id\",\"transcript_path\":\"$id.jsonl\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"ls\"}" | runvet hook claude-code --config runvet.toml --into other; ls other/episodes
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21

# What can't be judged is refused before a call, and passes at every other event.
  $ session claude-code
  $ hook PreToolUse '"tool_input":{}'
  error: the call has no `tool_name`, by which rules would know it
  [2]
  $ hook PreToolUse '"tool_name":7'
  error: the call has no `tool_name`, by which rules would know it
  [2]
  $ hook PreToolUse '"tool_name":"a","tool_name":"b"'
  error: an object of the input has the same key twice
  [2]
  $ hook PostToolUse '"tool_input":{}'
  error: the call has no `tool_name`, by which rules would know it
  $ hook Unknown '"tool_input":{}'; hook SessionStart '"source":"startup"'
  $ echo 'no JSON' | runvet hook claude-code --config runvet.toml
  error: the input is not JSON: expected `true`, `false` or `null`
  [2]
  $ echo '{"hook_event_name":"Stop"}' | runvet hook claude-code --config runvet.toml
  error: the input of the event can't be read: missing field `session_id`
  $ echo '{"session_id":"s"}' | runvet hook claude-code --config runvet.toml
  error: the input has no `hook_event_name`
  [2]
  $ echo '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"a"}' | runvet hook claude-code --config none.toml
  error: can't read the configuration none.toml: No such file or directory (os error 2)
  [2]
  $ echo '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"a"}' | runvet hook claude-code --config none.toml --fail-open
  error: can't read the configuration none.toml: No such file or directory (os error 2)
  $ before 1 WebFetch '{}' > /dev/full
  error: the answer can't be written: No space left on device (os error 28)
  [2]
  $ printf '[rules]\n"acme/none" = "error"\n' > wrong.toml; echo '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"a"}' | runvet hook claude-code --config wrong.toml
  error: the configuration wrong.toml has mistakes: `runvet config --config wrong.toml` shows them
  [2]
  $ head -c 67108865 /dev/zero | runvet hook claude-code --config runvet.toml
  error: the input is larger than 64 MiB
  [2]
  $ echo '{"session_id":"","hook_event_name":"PreToolUse","tool_name":"a"}' | env -u HOME -u XDG_STATE_HOME runvet hook claude-code --config runvet.toml
  error: no directory of this user is known: name one with --into
  [2]
  $ echo '{"session_id":"","hook_event_name":"PreToolUse","tool_name":"a"}' | runvet hook claude-code --config runvet.toml --into runs
  error: `session_id` is empty
  [2]
  $ before 2 WebFetch '{}' >&-
  error: the answer can't be written: standard output is closed
  [2]
  $ hook Stop '"a":1,"a":2'
  error: an object of the input has the same key twice
  $ hook PreToolUse '"hook_event_name":"Stop"'
  error: an object of the input has the same key twice
  [2]

# With --observe everything passes, and what would be held back is noted.
  $ session claude-code --observe; before 1 Bash '{"command":"git push"}'; before 2 WebFetch '{"url":"u"}'; before 3 Edit '{"file_path":"/repo/.claude/settings.json"}'; before 4 Bash '{"command":"ls"}'; kinds
  would-hold
  begun
  would-hold
  begun
  would-hold
  begun
  begun
  $ grep -o '"act":.*"kind":"would-hold".*"rule":"[a-z/-]*"' runs/episodes/s/events.jsonl | sed 's/"message":"[^"]*",//'
  "act":{"input":{"command":"git push"},"kind":"execute","tool":"Bash","x-call-id":"1"},"kind":"would-hold","rule":"acme/tested"
  "act":{"input":{"url":"u"},"kind":"fetch","tool":"WebFetch","x-call-id":"2"},"kind":"would-hold","rule":"acme/asked"
  "act":{"input":{"file_path":"/repo/.claude/settings.json"},"kind":"edit","tool":"Edit","x-call-id":"3"},"kind":"would-hold","message":"the call changes \"/repo/.claude/settings.json\", which the hook works by, and nobody was asked","rule":"hook/own-files"

# With --fail-open passes what could not be judged, and nothing that was.
  $ session claude-code --fail-open; hook PreToolUse '"tool_input":{}'
  error: the call has no `tool_name`, by which rules would know it
  $ before 1 WebFetch '{}' >&-
  error: the answer can't be written: standard output is closed
  $ before 2 Bash '{"command":"git push"}' | answer
  deny a push without a test (acme/tested): Keep the order; `runvet explain acme/tested` shows the order.

# Hooks of one session at the same time wait for each other.
  $ session claude-code; for n in 1 2 3 4 5 6; do before $n ls '{}' & done; wait; kinds | sort | uniq -c | sed 's/^ *//'
  6 begun

# The settings are written for one person, or for all.
  $ git init -q .; runvet init --hook claude-code | head -2; sed -n 's/^.*"command": //p' .claude/settings.local.json | sed "s#$PWD#.#" | sort -u
  wrote runvet.toml
  wrote .claude/settings.local.json
  "runvet hook claude-code --config ./runvet.toml || exit 0",
  "runvet hook claude-code --config ./runvet.toml || exit 2",
  $ runvet init --hook claude-code --shared > out; sed -n '/command"/p' .claude/settings.json | grep -c CLAUDE_PROJECT_DIR
  note: whoever has no runvet will now be refused each call of the agent
  6
  $ rm -r .claude; runvet init --hook claude-code --observe --fail-open > out; sed -n 's/^.*"command": //p' .claude/settings.local.json | sed "s#$PWD#.#" | sort -u
  "runvet hook claude-code --config ./runvet.toml --observe --fail-open || exit 0",
  $ runvet init --hook claude-code | grep kept; runvet init --hook codex | grep written
  kept runvet.toml, which exists
  .claude/settings.local.json is kept, as it exists: add
  .codex/hooks.json is not written, as others share it: to your own settings, or to it, add
  $ rm -r .claude; runvet init --hook claude-code | sed -n '/^next/,$p'; runvet init --hook gemini --observe | sed -n '/^next/,$p'
  next: runvet rules --test
  From the next session of claude-code on, each call is held to the rules of runvet.toml, and one that breaks a rule is refused with its sentence.
  To see what the rules would have held back in sessions that were:
    runvet import ~/.claude/projects --into runs
    runvet rules --replay runs
  next: runvet rules --test
  From the next session of gemini on, every call passes; what would be held back is noted in the run of the session, which `--into DIR` in the settings keeps.
  To see what the rules would have held back in sessions that were:
    runvet import ~/.gemini/tmp --into runs
    runvet rules --replay runs
  $ runvet init --hook codex --shared
  error: codex has no variable for the directory of the project, so a shared file would name a path of this machine: leave out --shared
  [2]

# So do sub-agents whose logs lie beside that of their session, as older versions of Claude Code write them, and threads
# that a thread of Codex began.
  $ session claude-code; mkdir -p old
  $ printf '{"type":"user","uuid":"u1","sessionId":"s9","timestamp":"2026-03-02T10:00:00Z","cwd":"/repo","message":{"role":"user","content":"Test it"}}\n{"type":"assistant","uuid":"u2","sessionId":"s9","timestamp":"2026-03-02T10:00:01Z","cwd":"/repo","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"Run pytest"}}]}}\n{"type":"user","uuid":"u3","sessionId":"s9","timestamp":"2026-03-02T10:00:09Z","cwd":"/repo","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"passed"}]}}\n' > old/s9.jsonl
  $ printf '{"type":"assistant","uuid":"v1","sessionId":"s9","isSidechain":true,"agentId":"x1","timestamp":"2026-03-02T10:00:02Z","cwd":"/repo","message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"b1","name":"Bash","input":{"command":"pytest"}}]}}\n{"type":"user","uuid":"v2","sessionId":"s9","isSidechain":true,"agentId":"x1","timestamp":"2026-03-02T10:00:03Z","cwd":"/repo","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"b1","content":"1 passed"}]}}\n' > old/agent-x1.jsonl
  $ sed 's/s9/s8/' old/agent-x1.jsonl > old/agent-x2.jsonl
  $ echo '{"session_id":"s9","transcript_path":"old/s9.jsonl","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"n"}' | runvet hook claude-code --config runvet.toml --into runs
  $ kinds s9; grep -c '"x-agent":"x1"' runs/episodes/s9/events.jsonl
  history
  act ok
  act ok
  begun
  3
  $ session codex; mkdir -p 02
  $ printf '{"timestamp":"2026-03-02T10:00:00Z","type":"session_meta","payload":{"id":"t9","timestamp":"2026-03-02T10:00:00Z","cwd":"/repo"}}\n{"timestamp":"2026-03-02T10:00:01Z","type":"response_item","payload":{"type":"function_call","name":"spawn_agent","arguments":"{}","call_id":"c1"}}\n{"timestamp":"2026-03-02T10:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\\"agent_id\\":\\"t9a\\"}"}}\n' > 02/rollout-2026-03-02T10-00-00-t9.jsonl
  $ printf '{"timestamp":"2026-03-02T10:00:03Z","type":"session_meta","payload":{"id":"t9a","timestamp":"2026-03-02T10:00:03Z","cwd":"/repo","source":{"subagent":{"thread_spawn":{"parent_thread_id":"t9"}}}}}\n{"timestamp":"2026-03-02T10:00:04Z","type":"response_item","payload":{"type":"function_call","name":"Bash","arguments":"{\\"command\\":\\"pytest\\"}","call_id":"d1"}}\n{"timestamp":"2026-03-02T10:00:05Z","type":"response_item","payload":{"type":"function_call_output","call_id":"d1","output":"ok"}}\n' > 02/rollout-2026-03-02T10-00-03-t9a.jsonl
  $ echo '{"session_id":"t9","transcript_path":"02/rollout-2026-03-02T10-00-00-t9.jsonl","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"n"}' | runvet hook codex --config runvet.toml --into runs
  $ kinds t9; grep -c '"x-agent":"t9a"' runs/episodes/t9/events.jsonl
  history
  act ok
  act ok
  begun
  2
