What logs of real sessions have that a first reading of their formats misses. The logs here are invented, in the
forms of public ones.

# Codex: newer versions write the command before the heading, and a patch that does not fit, or arguments that Codex
# can't read, have no exit code.
  $ mkdir -p codex && cat > codex/rollout-2026-04-20T16-43-30-t1.jsonl <<'E'
  > {"timestamp":"2026-04-20T16:43:30.000Z","type":"session_meta","payload":{"id":"t1","timestamp":"2026-04-20T16:43:30.000Z","cwd":"/repo","cli_version":"0.118.0"}}
  > {"timestamp":"2026-04-20T16:43:31.000Z","type":"event_msg","payload":{"type":"user_message","message":"Test it"}}
  > {"timestamp":"2026-04-20T16:43:32.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"cargo test\"}","call_id":"c1"}}
  > {"timestamp":"2026-04-20T16:43:33.000Z","type":"event_msg","payload":{"type":"exec_command_end","call_id":"c1","exit_code":101,"duration":{"secs":0,"nanos":5},"status":"failed"}}
  > {"timestamp":"2026-04-20T16:43:33.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Command: bash -lc 'cargo test'\nChunk ID: f1\nWall time: 0.5 seconds\nProcess exited with code 101\nOriginal token count: 3\nOutput:\n1 failed\n"}}
  > {"timestamp":"2026-04-20T16:43:34.000Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a.rs\n*** End Patch\n","call_id":"c2"}}
  > {"timestamp":"2026-04-20T16:43:34.000Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":"apply_patch verification failed: Failed to find expected lines in /repo/a.rs"}}
  > {"timestamp":"2026-04-20T16:43:35.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"rm -rf x\"}","call_id":"c3"}}
  > {"timestamp":"2026-04-20T16:43:36.000Z","type":"event_msg","payload":{"type":"exec_command_end","call_id":"c3","exit_code":-1,"status":"declined"}}
  > {"timestamp":"2026-04-20T16:43:36.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c3","output":"not now"}}
  > {"timestamp":"2026-04-20T16:43:37.000Z","type":"response_item","payload":{"type":"custom_tool_call","name":"exec","input":"text(await tools.exec_command({cmd: \"git push\"}))","call_id":"c4"}}
  > {"timestamp":"2026-04-20T16:43:38.000Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c4","output":[{"type":"input_text","text":"{\"output\":\"no\",\"exit_code\":1,\"wall_time_seconds\":0.2}"}]}}
  > {"timestamp":"2026-04-20T16:43:38.500Z","type":"response_item","payload":{"type":"function_call","name":"update_plan","arguments":"{}","call_id":"c5"}}
  > {"timestamp":"2026-04-20T16:43:38.600Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c5","output":"failed to parse function arguments: missing field `plan` at line 1 column 2"}}
  > {"timestamp":"2026-04-20T16:43:39.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"It fails."}]}}
  > E
  $ runvet import codex --into runs
  t1: new
  note: 1 run in runs
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool kind result_status duration_ms x-command output
  exec_command execute error 500.0 cargo test 1 failed
  apply_patch edit error - - apply_patch verification failed: Failed to find expected lines in /repo/a.rs
  exec_command execute denied - rm -rf x not now
  exec execute error 200.0 text(await tools.exec_command({cmd: "git push"})) no
  update_plan plan error - - failed to parse function arguments: missing field `plan` at line 1 column 2
  $ runvet validate runs --deny-warnings
  1 episode: valid

# Gemini CLI: a command that fails is a call that succeeds, what the program says is no message of the user, and a
# sub-agent lies in a directory of its session.
  $ mkdir -p tmp/1/chats/g1 && cat > tmp/1/chats/session-2026-04-17T18-09-g1.jsonl <<'E'
  > {"sessionId":"g1","projectHash":"1","startTime":"2026-04-17T18:09:00.000Z","kind":"main"}
  > {"id":"m1","timestamp":"2026-04-17T18:09:00.000Z","type":"user","content":[{"text":"<session_context>\nToday is Friday.\n</session_context>"}]}
  > {"$set":{"lastUpdated":"2026-04-17T18:09:00.000Z"}}
  > {"id":"m2","timestamp":"2026-04-17T18:09:01.000Z","type":"user","content":[{"text":"Build it"}]}
  > {"id":"m3","timestamp":"2026-04-17T18:09:02.000Z","type":"gemini","content":"I build it.","tokens":{"input":100,"output":10,"cached":20,"thoughts":5,"total":115},"model":"gemini-3-flash","toolCalls":[{"id":"c1","name":"run_shell_command","args":{"command":"make"},"result":[{"functionResponse":{"response":{"output":"Output: no rule\nExit Code: 2\nProcess Group PGID: 7"}}}],"status":"success","timestamp":"2026-04-17T18:09:03.000Z"},{"id":"c2","name":"docs","args":{},"agentId":"a1","result":[{"functionResponse":{"response":{"output":"Use ninja"}}}],"status":"success","timestamp":"2026-04-17T18:09:09.000Z"},{"id":"c3","name":"run_shell_command","args":{"command":"ninja"},"result":[{"functionResponse":{"response":{"error":"[Operation Cancelled] Reason: User denied execution."}}}],"status":"cancelled","timestamp":"2026-04-17T18:09:10.000Z"}]}
  > {"$set":{"messages":[{"id":"m4","timestamp":"2026-04-17T18:09:11.000Z","type":"user","content":[{"text":"<state_snapshot>The build fails.</state_snapshot>"}]},{"id":"m3","timestamp":"2026-04-17T18:09:02.000Z","type":"gemini","content":"cut"}]}}
  > {"$rewindTo":"m3"}
  > {"id":"m5","timestamp":"2026-04-17T18:09:12.000Z","type":"info","content":"Request cancelled."}
  > E
  $ cat > tmp/1/chats/g1/a1.jsonl <<'E'
  > {"sessionId":"a1","projectHash":"1","startTime":"2026-04-17T18:09:04.000Z","kind":"subagent"}
  > {"id":"s1","timestamp":"2026-04-17T18:09:04.000Z","type":"user","content":[{"text":"Look it up"}]}
  > {"id":"s2","timestamp":"2026-04-17T18:09:05.000Z","type":"gemini","content":"","tokens":{"input":50,"output":5,"cached":0,"thoughts":0,"total":55},"toolCalls":[{"id":"d1","name":"read_file","args":{"file_path":"/docs/a.md"},"result":[{"functionResponse":{"response":{"output":"ninja"}}}],"status":"success","timestamp":"2026-04-17T18:09:06.000Z"},{"id":"d2","name":"complete_task","args":{"answer":"Use ninja"},"result":[{"functionResponse":{"response":{"output":"done"}}}],"status":"success","timestamp":"2026-04-17T18:09:08.000Z"}]}
  > E
  $ runvet import tmp --into runs --tag cwd=/repo
  g1: new
  note: left out: 1 $rewindTo, 2 $set, 1 prompt of a sub-agent, 1 user message without text
  note: 1 run in runs
  $ cat runs/episodes/g1/state.json | json /outcomes/actions/* tool kind result_status x-agent x-parent
  run_shell_command execute error - -
  read_file read ok a1 c2
  complete_task tool ok a1 c2
  docs delegate ok - -
  run_shell_command execute denied - -
  $ cat runs/episodes/g1/state.json | json /goal task
  Build it
  $ cat runs/episodes/g1/state.json | json /outcomes status metrics
  aborted {"cache_read_tokens":20,"cache_write_tokens":0,"input_tokens":150,"output_tokens":20,"steps_completed":0,"steps_total":0,"tokens":170}
  $ grep -o '"kind":"compaction"[^}]*' runs/episodes/g1/events.jsonl
  "kind":"compaction","summary":"<state_snapshot>The build fails.</state_snapshot>"
  $ runvet import tmp/1/chats/g1 --into alone --quiet
  a1: new
  $ cat alone/episodes/*/state.json | json /episode/tags parent
  $ runvet validate runs --deny-warnings
  1 episode: valid

# ATIF of Harbor's converter of Codex: what a step says of a call besides its result.
  $ cat > trajectory.json <<'E'
  > {"schema_version": "ATIF-v1.7", "session_id": "h1", "agent": {"name": "codex", "version": "0.118.0"}, "steps": [
  >  {"step_id": 1, "timestamp": "2026-03-02T10:00:00Z", "source": "user", "message": "Test it"},
  >  {"step_id": 2, "timestamp": "2026-03-02T10:00:01Z", "source": "agent", "message": "", "tool_calls": [{"tool_call_id": "c1", "function_name": "shell", "arguments": {"command": "npm test"}}], "observation": {"results": [{"source_call_id": "c1", "content": "1 failed"}]}, "extra": {"status": "completed", "tool_metadata": {"exit_code": 1}}},
  >  {"step_id": 3, "timestamp": "2026-03-02T10:00:02Z", "source": "agent", "message": "", "tool_calls": [{"tool_call_id": "c2", "function_name": "shell", "arguments": {"command": "ls"}}, {"tool_call_id": "c3", "function_name": "shell", "arguments": {"command": "rm x"}}, {"tool_call_id": "c4", "function_name": "click", "arguments": {}}], "observation": {"results": [{"source_call_id": "c2", "content": "a"}, {"source_call_id": "c3", "content": "no"}, {"source_call_id": "c4", "content": "gone", "extra": {"error": "gone"}}]}, "extra": {"tool_call_details": {"c2": {"metadata": {"exit_code": 0}}, "c3": {"status": "declined"}}}},
  >  {"step_id": 4, "timestamp": "2026-03-02T10:00:03Z", "source": "agent", "message": "", "tool_calls": [{"tool_call_id": "c5", "function_name": "exec_command", "arguments": {"cmd": "make"}}], "observation": {"results": [{"source_call_id": "c5", "content": "Wall time: 1 seconds\nProcess exited with code 2\nOutput:\nno rule"}]}},
  >  {"step_id": 5, "timestamp": "2026-03-02T10:00:04Z", "source": "agent", "message": "It fails."}]}
  > E
  $ runvet import trajectory.json --into runs --quiet --tag cwd=/repo
  h1: new
  $ cat runs/episodes/h1/state.json | json /outcomes/actions/* tool result_status
  shell error
  shell ok
  shell denied
  click error
  exec_command error

# Pydantic AI 2: a call that is to be done again failed.
  $ printf '[{"kind": "request", "conversation_id": "p1", "parts": [{"part_kind": "user-prompt", "content": "Close 7", "timestamp": "2026-03-02T10:00:00Z"}]}, {"kind": "response", "timestamp": "2026-03-02T10:00:01Z", "parts": [{"part_kind": "tool-call", "tool_name": "close", "args": "{\\"id\\": \\"x\\"}", "tool_call_id": "c1"}]}, {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "close", "tool_call_id": "c1", "content": "no such ticket", "outcome": "retried", "timestamp": "2026-03-02T10:00:02Z"}]}, {"kind": "response", "timestamp": "2026-03-02T10:00:03Z", "parts": [{"part_kind": "text", "content": "There is none."}]}]' > messages.json
  $ runvet import messages.json --into runs --quiet
  p1: new
  $ cat runs/episodes/p1/state.json | json /outcomes/actions/* tool result_status output
  close error no such ticket

# LangSmith: runs that do not name their trace are one by their parents, and the tokens may be metadata.
  $ printf '{"runs": [{"id": "r0", "name": "agent", "run_type": "chain", "parent_run_id": null, "start_time": "2026-03-02T10:00:00", "end_time": "2026-03-02T10:00:04", "inputs": {"messages": [{"role": "user", "content": "Find it"}]}, "outputs": {"output": "Found"}}, {"id": "r1", "name": "ChatModel", "run_type": "llm", "parent_run_id": "r0", "start_time": "2026-03-02T10:00:01", "end_time": "2026-03-02T10:00:02", "inputs": {}, "outputs": {}, "extra": {"metadata": {"ls_model_name": "gpt-5", "usage_metadata": {"input_tokens": 10, "output_tokens": 5}}}}, {"id": "r2", "name": "find", "run_type": "tool", "parent_run_id": "r1", "start_time": "2026-03-02T10:00:02", "end_time": "2026-03-02T10:00:03", "inputs": {"q": "x"}, "outputs": {"output": "here"}}]}' > runs.json
  $ runvet import runs.json --into runs --quiet
  ep_r0: new
  $ cat runs/episodes/ep_r0/state.json | json /outcomes/actions/* tool result_status output
  find ok here
  $ cat runs/episodes/ep_r0/state.json | json /outcomes/metrics tokens
  15

# OpenHands: a conversation of the agent SDK, with a file for each event and the state beside them.
  $ mkdir -p conversations/0d9c/events && printf '{"id": "0d9c", "agent": {"kind": "Agent", "llm": {"model": "gpt-5"}}, "workspace": {"working_dir": "/repo"}, "execution_status": "finished", "stats": {"usage_to_metrics": {"agent": {"accumulated_cost": 0.25, "token_usages": [{"prompt_tokens": 100, "completion_tokens": 10, "cache_read_tokens": 40, "response_id": "r1"}]}}}}' > conversations/0d9c/base_state.json
  $ event() { n=$((n + 1)); printf '{"id": "e%s", "timestamp": "2026-03-02T10:00:0%s.000000", %s}' $n $n "$1" > conversations/0d9c/events/event-0000$n-aaaaaaaa.json; }
  $ event '"kind": "MessageEvent", "source": "user", "llm_message": {"content": [{"type": "text", "text": "Test it"}]}'
  $ event '"kind": "ActionEvent", "source": "agent", "thought": [], "tool_name": "terminal", "tool_call_id": "c1", "tool_call": {"arguments": "{\"command\": \"npm test\"}"}, "llm_response_id": "r1"'
  $ event '"kind": "ObservationEvent", "source": "environment", "tool_call_id": "c1", "action_id": "e2", "observation": {"content": [{"type": "text", "text": "1 failed"}], "exit_code": 1}'
  $ event '"kind": "ACPToolCallEvent", "source": "agent", "tool_call_id": "c2", "title": "git push", "tool_kind": "execute", "raw_input": {"command": "git push"}, "status": "in_progress"'
  $ event '"kind": "ACPToolCallEvent", "source": "agent", "tool_call_id": "c2", "title": "git push", "tool_kind": "execute", "raw_input": {"command": "git push"}, "raw_output": "rejected", "status": "failed"'
  $ event '"kind": "MessageEvent", "source": "agent", "llm_message": {"content": [{"type": "text", "text": "It fails."}]}'
  $ runvet import conversations --into runs
  0d9c: new
  note: 1 run in runs
  $ cat runs/episodes/0d9c/state.json | json /outcomes/actions/* tool kind result_status x-command output
  terminal execute error npm test 1 failed
  execute execute error git push rejected
  $ cat runs/episodes/0d9c/state.json | json /outcomes metrics
  {"cache_read_tokens":40,"cache_write_tokens":0,"cost_usd":0.25,"input_tokens":100,"output_tokens":10,"steps_completed":0,"steps_total":0,"tokens":110}
  $ runvet import conversations/0d9c --into runs
  0d9c: unchanged
  note: 1 run in runs
  $ runvet validate runs --deny-warnings
  1 episode: valid

# Arguments in a text that repeat a key, or nest too deep, are no object that can be recorded: a rule on what is in them
# can't judge the call, and the text is kept beside.
  $ deep=$(printf '[%.0s' $(seq 200))$(printf ']%.0s' $(seq 200))
  $ printf '[{"id": "c1", "role": "user", "content": "Go"}, {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "bash", "arguments": "{\\"command\\": \\"rm -rf /\\", \\"command\\": \\"ls\\"}"}}, {"id": "c2", "function": {"name": "close", "arguments": "{\\"id\\": 1, \\"x\\": %s}"}}]}, {"role": "tool", "tool_call_id": "c1", "content": "ok"}, {"role": "tool", "tool_call_id": "c2", "content": "ok"}, {"role": "assistant", "content": "Done."}]' "$deep" > odd.json
  $ runvet import odd.json --into odd --tag cwd=/repo --quiet
  odd: new
  $ cat odd/episodes/*/state.json | json /outcomes/actions/*/input bytes
  40
  416
  $ cat odd/episodes/*/state.json | json /outcomes/actions/0 kind x-input
  execute {"command": "rm -rf /", "command": "ls"}
  $ cat > runvet.toml <<'E'
  > [[rule]]
  > id = "acme/no-removal"
  > each = { phase = "act", tool = "bash", "/payload/input/command" = "*rm *" }
  > check = "false"
  > message = "a removal"
  > [[rule]]
  > id = "acme/no-push"
  > each = { phase = "act", tool = "bash", "/payload/x-command" = "*push*" }
  > check = "false"
  > message = "a push"
  > E
  $ runvet validate odd
  odd/episodes/odd (ended): 2 errors

  error[acme/no-removal]: the value at `/payload/input` was shortened, and the run has no file with all of it
     ╭─[odd/episodes/odd/events.jsonl:5:91]
   5 │ …":"act-1","input":{"bytes":40,"excerpt":"{\"command\": \"r…
     ·                    ────────────────────────────────────────
     ╰────
  help: Keep the rule; `runvet explain acme/no-removal` shows the expression.

  error[acme/no-push]: the value at `/payload/x-command` was shortened, and the run has no file with all of it
     ╭─[odd/episodes/odd/events.jsonl:5:336]
   5 │ …:"c1","x-command":{"bytes":40,"excerpt":"{\"command\": \"r…
     ·                    ────────────────────────────────────────
     ╰────
  help: Keep the rule; `runvet explain acme/no-push` shows the expression.

  1 episode: breaks a rule of the team (2 errors)
  To learn more about a rule: runvet explain acme/no-removal
  [1]
