What coding agents print in a pipeline becomes a run: `claude -p --output-format stream-json` and `codex exec --json`.

# Claude: a call that nobody allowed is denied, a sub-agent is one, and the last line has the cost. The same lines in one
# list, as a step of a workflow keeps them, are the same run.
  $ cat > claude.jsonl <<'L'
  > {"type":"system","subtype":"hook_started","hook_name":"SessionStart:startup","session_id":"s1","uuid":"u0"}
  > {"type":"system","subtype":"init","cwd":"/repo","session_id":"s1","tools":["Bash","Task"],"model":"claude-haiku-4-5","permissionMode":"default","claude_code_version":"2.1.267","uuid":"u1"}
  > {"type":"assistant","message":{"id":"m1","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"thinking","thinking":"Look first."}],"usage":{"input_tokens":3,"cache_read_input_tokens":100,"output_tokens":5}},"parent_tool_use_id":null,"session_id":"s1","uuid":"u2"}
  > {"type":"assistant","message":{"id":"m1","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"Count the tests"}}],"usage":{"input_tokens":3,"cache_read_input_tokens":100,"output_tokens":25}},"parent_tool_use_id":null,"session_id":"s1","uuid":"u3"}
  > {"type":"user","message":{"role":"user","content":"Count the tests"},"parent_tool_use_id":"t1","session_id":"s1","uuid":"u4"}
  > {"type":"assistant","message":{"id":"m2","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"ls tests | wc -l"}}],"usage":{"input_tokens":10,"output_tokens":5}},"parent_tool_use_id":"t1","session_id":"s1","uuid":"u5"}
  > {"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"12"}]},"parent_tool_use_id":"t1","session_id":"s1","uuid":"u6"}
  > {"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"12 tests"}]}]},"parent_tool_use_id":null,"session_id":"s1","uuid":"u7"}
  > {"type":"assistant","message":{"id":"m3","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"t3","name":"Bash","input":{"command":"git push"}}],"usage":{"input_tokens":4,"output_tokens":6}},"parent_tool_use_id":null,"session_id":"s1","uuid":"u8"}
  > {"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t3","content":"This command requires approval","is_error":true}]},"parent_tool_use_id":null,"session_id":"s1","uuid":"u9"}
  > {"type":"rate_limit_event","rate_limit_info":{"status":"allowed"},"session_id":"s1","uuid":"u10"}
  > {"type":"assistant","message":{"id":"m4","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"text","text":"I may not push."}],"usage":{"input_tokens":4,"output_tokens":6}},"parent_tool_use_id":null,"session_id":"s1","uuid":"u11"}
  > {"type":"result","subtype":"success","is_error":false,"num_turns":4,"result":"I may not push.","session_id":"s1","total_cost_usd":0.0125,"usage":{"input_tokens":11,"output_tokens":37},"permission_denials":[{"tool_name":"Bash","tool_use_id":"t3","tool_input":{"command":"git push"}}],"uuid":"u12"}
  > L
  $ runvet import claude.jsonl --into runs
  s1: new
  note: left out: 1 prompt of a sub-agent, 1 rate_limit_event, 1 system hook_started
  note: 1 run in runs
  $ cat runs/episodes/s1/state.json | json /outcomes/actions/* tool kind result_status x-agent x-parent x-command
  Bash execute ok t1 t1 ls tests | wc -l
  Task delegate ok - - -
  Bash execute denied - - git push
  $ cat runs/episodes/s1/state.json | json /outcomes status metrics
  ok {"cache_read_tokens":100,"cache_write_tokens":0,"cost_usd":0.0125,"input_tokens":121,"output_tokens":42,"steps_completed":0,"steps_total":0,"tokens":163}
  $ cat runs/episodes/s1/state.json | json /episode tags
  {"cwd":"/repo","model":"claude-haiku-4-5","permission_mode":"default","started_at":"unknown","version":"2.1.267"}
  $ runvet validate runs --deny-warnings
  1 episode: valid
  $ mkdir list && (printf '['; paste -sd, claude.jsonl; printf ']') > list/output.json
  $ runvet import list --into listed --quiet
  s1: new
  $ cat listed/episodes/s1/state.json | json /outcomes/actions/* tool result_status
  Bash ok
  Task ok
  Bash denied
  $ runvet import --explain claude.jsonl
  ./claude.jsonl: claude-stream, because its lines have a `type` and a `session_id`, and one is a message, or the `init` or the `result` of a session
    1 run
    values by type
           5 assistant
           1 rate_limit_event
           1 result
           2 system
           4 user
    taken
           2 Bash -> act
           1 Task -> act
           4 answer of a model -> note (reason)
    left out
           1 prompt of a sub-agent
           1 rate_limit_event
           1 system hook_started

# A limit aborts a run, a failed request is its error, and a result alone is an answer.
  $ rm -rf runs && cat > s.json <<'L'
  > {"type":"system","subtype":"init","cwd":"/repo","session_id":"s2"}
  > {"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I begin."}]},"session_id":"s2"}
  > {"type":"result","subtype":"error_max_turns","is_error":true,"session_id":"s2","total_cost_usd":0.5}
  > L
  $ runvet import s.json --into runs --quiet
  s2: new
  $ cat runs/episodes/s2/state.json | json /outcomes status error
  aborted null
  $ grep -o '"reason":"[^"]*"\|"text":"[^"]*"' runs/episodes/s2/events.jsonl
  "text":"I begin."
  "reason":"error_max_turns"
  $ rm -rf runs && cat > s.json <<'L'
  > {"type":"assistant","error":"rate_limit","message":{"role":"assistant","content":[{"type":"text","text":"API Error: 529 Overloaded"}]},"session_id":"s2"}
  > {"type":"result","subtype":"success","is_error":true,"result":"API Error: 529 Overloaded","session_id":"s2"}
  > L
  $ runvet import s.json --into runs --quiet
  s2: new
  $ cat runs/episodes/s2/state.json | json /outcomes status error
  error API Error: 529 Overloaded
  $ grep -o '"reason":"[^"]*"\|"text":"[^"]*"' runs/episodes/s2/events.jsonl
  "text":"API Error: 529 Overloaded"
  $ rm -rf runs && cat > s.json <<'L'
  > {"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s2","total_cost_usd":0.5}
  > L
  $ runvet import s.json --into runs --quiet
  s2: new
  $ cat runs/episodes/s2/state.json | json /outcomes status error
  ok null
  $ grep -o '"reason":"[^"]*"\|"text":"[^"]*"' runs/episodes/s2/events.jsonl
  "text":"Done."

# A session is in progress until its result is there, and nothing follows with `--ended`. Each session of a file is a run.
  $ cat > s.jsonl <<'L'
  > {"type":"system","subtype":"init","cwd":"/repo","session_id":"s3"}
  > {"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I will run the tests now."}]},"session_id":"s3"}
  > {"type":"system","subtype":"init","cwd":"/repo","session_id":"s4"}
  > {"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}],"usage":{"input_tokens":3,"output_tokens":1}},"session_id":"s4"}
  > {"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s4","modelUsage":{"claude-haiku-4-5":{"inputTokens":5,"outputTokens":90,"cacheReadInputTokens":7,"cacheCreationInputTokens":1}}}
  > L
  $ runvet import s.jsonl --into runs
  s3: new
  s4: new
  note: 2 runs in runs
  $ cat runs/episodes/s3/state.json | json /outcomes status
  pending
  $ cat runs/episodes/s4/state.json | json /outcomes status metrics
  ok {"cache_read_tokens":7,"cache_write_tokens":1,"input_tokens":13,"output_tokens":90,"steps_completed":0,"steps_total":0,"tokens":103}
  $ cat runs/episodes/s4/state.json | json /outcomes/actions/* x-command result_status
  make missing
  $ runvet import s.jsonl --into runs --ended --only s3 && grep -o '"reason":"[^"]*"' runs/episodes/s3/events.jsonl
  s3: again
  note: 1 run in runs
  "reason":"the log has no result, and nothing follows"

# Codex: commands without the shell around them, changes of files, tools of a server, and tokens.
  $ cat > codex.jsonl <<'L'
  > {"type":"thread.started","thread_id":"th1"}
  > {"type":"turn.started"}
  > {"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"I list the files."}}
  > {"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/bin/zsh -lc 'ls -1 && echo \"it'\"'\"'s\"'","aggregated_output":"","exit_code":null,"status":"in_progress"}}
  > {"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"/bin/zsh -lc 'ls -1 && echo \"it'\"'\"'s\"'","aggregated_output":"a.txt\n","exit_code":0,"status":"completed"}}
  > {"type":"item.completed","item":{"id":"item_2","type":"file_change","changes":[{"path":"/repo/a.txt","kind":"update"},{"path":"/repo/b.txt","kind":"add"}],"status":"completed"}}
  > {"type":"item.completed","item":{"id":"item_3","type":"command_execution","command":"bash -lc 'cargo test'","aggregated_output":"1 failed","exit_code":101,"status":"failed"}}
  > {"type":"item.completed","item":{"id":"item_4","type":"command_execution","command":"bash -lc 'rm -rf x'","aggregated_output":"","exit_code":null,"status":"declined"}}
  > {"type":"item.completed","item":{"id":"item_5","type":"mcp_tool_call","server":"erp","tool":"refund","arguments":{"order":"o-1"},"result":{"content":[{"type":"text","text":"paid"}],"structured_content":null},"error":null,"status":"completed"}}
  > {"type":"item.completed","item":{"id":"item_6","type":"todo_list","items":[{"text":"a","completed":true}]}}
  > {"type":"item.completed","item":{"id":"item_7","type":"error","message":"A model that is old."}}
  > {"type":"item.completed","item":{"id":"item_8","type":"agent_message","text":"It fails."}}
  > {"type":"turn.completed","usage":{"input_tokens":51227,"cached_input_tokens":35968,"output_tokens":169,"reasoning_output_tokens":57}}
  > L
  $ runvet import codex.jsonl --into codex
  th1: new
  note: left out: 1 todo_list
  note: no working directory is in a log of codex-exec: `--tag cwd=DIR` names it
  note: 1 run in codex
  $ runvet import --explain codex.jsonl
  ./codex.jsonl: codex-exec, because a line is `thread.started` with a `thread_id`
    1 run
    values by type
           9 item.completed
           1 item.started
           1 thread.started
           1 turn.completed
           1 turn.started
    taken
           1 apply_patch -> act
           1 mcp__erp__refund -> act
           3 shell -> act
           1 retry -> note (observe)
           2 answer of a model -> note (reason)
    left out
           1 todo_list
  $ cat codex/episodes/th1/state.json | json /outcomes/actions/* tool kind result_status x-command x-paths output
  shell execute ok ls -1 && echo "it's" - a.txt
  apply_patch edit ok - ["/repo/a.txt","/repo/b.txt"]
  shell execute error cargo test - 1 failed
  shell execute denied rm -rf x -
  mcp__erp__refund tool ok - - paid
  $ cat codex/episodes/th1/state.json | json /outcomes status metrics
  ok {"cache_read_tokens":35968,"cache_write_tokens":0,"input_tokens":51227,"output_tokens":169,"steps_completed":0,"steps_total":0,"tokens":51396}
  $ runvet validate codex --deny-warnings
  1 episode: valid

# A turn that failed is the error of its run.
  $ printf '%s\n' '{"type":"thread.started","thread_id":"th2"}' '{"type":"turn.started"}' '{"type":"turn.failed","error":{"message":"stream disconnected"}}' > failed.jsonl
  $ runvet import failed.jsonl --into codex --quiet
  th2: new
  $ cat codex/episodes/th2/state.json | json /outcomes status error
  error stream disconnected

# A thread without the end of its turn is in progress, each thread is a run, and older versions name items otherwise.
  $ cat > two.jsonl <<'L'
  > {"type":"thread.started","thread_id":"th3"}
  > {"type":"turn.started"}
  > {"type":"item.completed","item":{"id":"item_0","item_type":"command_execution","command":["bash","-lc","ls"],"aggregated_output":"","exit_code":0,"status":"completed"}}
  > {"type":"item.completed","item":{"id":"item_1","item_type":"assistant_message","text":"Done."}}
  > {"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}
  > {"type":"thread.started","thread_id":"th4"}
  > {"type":"turn.started"}
  > {"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"I run it."}}
  > L
  $ runvet import two.jsonl --into codex --quiet
  th3: new
  th4: new
  $ cat codex/episodes/th3/state.json | json /outcomes status
  ok
  $ cat codex/episodes/th3/state.json | json /outcomes/actions/* x-command result_status
  ls ok
  $ cat codex/episodes/th4/state.json | json /outcomes status
  pending
