Logs of agents become runs: `runvet import`, on the logs that the corpus brings.

# Each conversation of a log becomes a valid run, and what is left out is counted.
  $ runvet import "$CORPUS/logs" --into runs
  chat-blocks: new
  chat-helpdesk-1-0: new
  chat-helpdesk-2-0: new
  conv-items: new
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: new
  019c9f10-7c11-7d20-9a3e-64d1f0a2b3c4: new
  2f9e7c10: new
  c5b80d44-2f6e-4b7d-9c3a-17e0d5f6a782: new
  5b0e-close-old: new
  uopen1: new
  uopen2: new
  ep_a3c1f00d0000000000000000000000e1: new
  ep_01951: new
  mini-swe-agent-dates-3-dates-3: new
  trace_7c11: new
  ses_3c1tickets: new
  openhands-output-api-4: new
  openhands-output-api-5: new
  ep_7d3c5b1e9f204a6d8e70c1b2a3f4d5e6: new
  conv-7: new
  note: left out: 1 GENERATION in a GENERATION, 1 SPAN, 1 agent_message, 1 chain, 1 context in a message of the user, 1 file-history-snapshot, 1 progress, 1 prompt of a sub-agent, 1 score that is no number, 2 step-finish, 1 synthetic text, 1 task
  note: no logs: 1 file (1 .md)
  note: no working directory is in a log of atif: `--tag cwd=DIR` names it
  note: no working directory is in a log of chat: `--tag cwd=DIR` names it
  note: no working directory is in a log of gemini-cli: `--tag cwd=DIR` names it
  note: no working directory is in a log of inspect: `--tag cwd=DIR` names it
  note: no working directory is in a log of openhands: `--tag cwd=DIR` names it
  note: 20 runs in runs
  $ runvet validate --deny-warnings --deny-unjudged --verify-manifest runs
  20 episodes: all valid
  $ runvet list --run-data runs | grep -v '^time unknown' | sort
  2026-03-02 08:00:00 7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21 ok       success_unverified    55s Show dates in the list of tickets as day and month, and push it
  2026-03-02 08:59:59 019c9f10-7c11-7d20-9a3e-64d1f0a2b3c4 ok       success_unverified    25s Return 404 for unknown tickets
  2026-03-02 10:00:00 2f9e7c10                             ok       success_unverified    21s Clean up and test
  2026-03-02 10:00:00 5b0e-close-old                       aborted  error                 15s Close all tickets from 2024 in /data.
  2026-03-02 10:00:00 c5b80d44-2f6e-4b7d-9c3a-17e0d5f6a782 ok       success_unverified    30s Which ticket is the oldest?
  2026-03-02 10:00:00 conv-7                               ok       success_unverified  7.00s Close ticket 7
  2026-03-02 10:00:00 ep_01951                             ok       success_unverified    13s Close ticket 7
  2026-03-02 10:00:00 ep_a3c1f00d0000000000000000000000e1  ok       success             5.00s Close ticket 7
  2026-03-02 10:00:00 mini-swe-agent-dates-3-dates-3       ok       success_unverified    20s Parse dates with a dot.
  2026-03-02 10:00:00 openhands-output-api-4               ok       success               15s Return 404 for unknown tickets.
  2026-03-02 10:00:00 ses_3c1tickets                       ok       success_unverified  8.00s Make the header blue
  2026-03-02 10:00:00 trace_7c11                           ok       success_unverified  7.00s Close ticket 7
  2026-03-02 10:00:00 uopen1                               ok       goal_not_achieved   8.00s How many tickets are open?
  2026-03-02 10:00:00 uopen2                               aborted  error               8.00s How many tickets are open?
  2026-03-02 10:10:00 openhands-output-api-5               error    error               5.00s Count the tickets.
  2026-03-02 11:00:00 ep_7d3c5b1e9f204a6d8e70c1b2a3f4d5e6  ok       success_unverified  6.00s Close ticket 7
  STARTED             ID                                   STATUS   OUTCOME              TOOK TASK

The same logs change no byte.
  $ find runs -type f | sort | xargs sha256sum > before
  $ runvet import "$CORPUS/logs" --into runs --quiet
  chat-blocks: unchanged
  chat-helpdesk-1-0: unchanged
  chat-helpdesk-2-0: unchanged
  conv-items: unchanged
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: unchanged
  019c9f10-7c11-7d20-9a3e-64d1f0a2b3c4: unchanged
  2f9e7c10: unchanged
  c5b80d44-2f6e-4b7d-9c3a-17e0d5f6a782: unchanged
  5b0e-close-old: unchanged
  uopen1: unchanged
  uopen2: unchanged
  ep_a3c1f00d0000000000000000000000e1: unchanged
  ep_01951: unchanged
  mini-swe-agent-dates-3-dates-3: unchanged
  trace_7c11: unchanged
  ses_3c1tickets: unchanged
  openhands-output-api-4: unchanged
  openhands-output-api-5: unchanged
  ep_7d3c5b1e9f204a6d8e70c1b2a3f4d5e6: unchanged
  conv-7: unchanged
  $ find runs -type f | sort | xargs sha256sum | cmp - before

The format of each file is found by its form, or is named.
  $ runvet import "$CORPUS/logs/codex" --into other --format claude-code
  error: [CORPUS]/logs/codex/2026/03/02/rollout-2026-03-02T08-59-59-019c9f10-7c11-7d20-9a3e-64d1f0a2b3c4.jsonl: it is no log of a known format: its first value is an object with the keys payload, timestamp, type
  note: 0 runs in other
  [1]
  $ runvet import "$CORPUS/logs/codex" --into other --format clod 2>&1 | head -3
  error: invalid value 'clod' for '--format <FORMAT>'
    [possible values: auto, claude-code, claude-stream, codex, codex-exec, gemini-cli, opencode, copilot-cli, atif, inspect, mini-swe-agent, openhands, pydantic-ai, openai-agents, langfuse, langsmith, otlp, chat]

# A session has its sub-agents, each call at its result, and what was denied is not done.
  $ runvet import "$CORPUS/logs/claude" --into runs --quiet
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: new
  $ cat runs/episodes/7*/events.jsonl | grep -o '"agent_id":"[^s][^"]*"' | uniq -c
        3 "agent_id":"e4f5a6b"
  $ cat runs/episodes/7*/state.json | json /outcomes/actions/* tool kind result_status x-agent x-parent duration_ms
  Grep search ok - - 400.0
  Grep search ok e4f5a6b toolu_b 500.0
  Task delegate ok - - 9000.0
  Edit edit ok - - 200.0
  Bash execute error - - 4000.0
  Bash execute denied - - 3000.0
  Edit edit ok - - 200.0
  Bash execute ok - - 3000.0
  $ cat runs/episodes/7*/state.json | json /outcomes/actions/* x-command x-paths
  - -
  - -
  - -
  - ["/home/mo/tickets/list.py"]
  pytest -q tests/test_list.py -
  git checkout -- . && rm -rf tests -
  - ["/home/mo/tickets/tests/test_list.py"]
  git commit -am 'Show day and month' && git push -
  $ cat runs/episodes/7*/state.json | json /outcomes metrics
  {"cache_read_tokens":7120,"cache_write_tokens":1290,"input_tokens":8426,"output_tokens":344,"steps_completed":0,"steps_total":0,"tokens":8770}
  $ cat runs/episodes/7*/state.json | json /episode tags
  {"branch":"dates","cwd":"/home/mo/tickets","model":"claude-opus-4-6","permission_mode":"default","version":"2.1.40"}
  $ sed -n 2p runs/episodes/7*/events.jsonl | json /payload kind format files skipped unreadable ended
  import claude-code ["7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21.jsonl","agent-e4f5a6b.jsonl"] {"file-history-snapshot":1,"progress":1,"prompt of a sub-agent":1} 0 false
  $ runvet view 7a1e --run-data runs | grep -A1 ^Timeline
  Timeline, events: 25
    imported from a log of claude-code: it proves what the log says

# A rollout of Codex has exit codes, patches and tokens.
  $ runvet import "$CORPUS/logs/codex" --into runs --quiet
  019c9f10-7c11-7d20-9a3e-64d1f0a2b3c4: new
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool kind result_status duration_ms x-command x-paths
  shell execute ok 200.0 rg -n ticket src -
  apply_patch edit ok 0.0 - ["/home/mo/api/src/routes.ts"]
  exec_command execute ok 7500.0 npm test -
  $ cat runs/episodes/*/state.json | json /outcomes/metrics tokens cache_read_tokens
  4480 3200
  $ cat runs/episodes/*/state.json | json /episode using started_at tags
  adapter:codex 2026-03-02T08:59:59.500000+00:00 {"branch":"main","cwd":"/home/mo/api","model":"gpt-5.2-codex","permission_mode":"on-request","version":"0.98.0"}

# A chat of Gemini CLI has no directory, and says whether a person refused a call.
  $ runvet import "$CORPUS/logs/gemini" --into runs --tag cwd=/home/mo/data
  c5b80d44-2f6e-4b7d-9c3a-17e0d5f6a782: new
  note: 1 run in runs
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool kind result_status x-command x-paths output
  read_file read ok - ["/home/mo/data/tickets.csv"] id,opened
  7,2026-01-03
  9,2026-02-11
  run_shell_command execute denied rm /home/mo/data/tickets.csv - [Operation Cancelled] Reason: User did not allow tool call
  $ cat runs/episodes/*/state.json | json /outcomes metrics
  {"cache_read_tokens":3500,"cache_write_tokens":0,"input_tokens":6200,"output_tokens":89,"steps_completed":0,"steps_total":0,"tokens":6289}

# An export of opencode has the usage of each step.
  $ runvet import "$CORPUS/logs/opencode" --into runs --quiet
  ses_3c1tickets: new
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool kind result_status duration_ms x-command x-paths
  edit edit ok 200.0 - ["/home/mo/web/app.css"]
  bash execute error 2000.0 npm run lint -
  $ cat runs/episodes/*/state.json | json /outcomes/metrics tokens cost_usd
  1005 0.004
  $ cat runs/episodes/*/events.jsonl | grep -c synthetic
  1

# A trace is a run, whatever file or request its spans are in; without its root it goes on.
  $ mkdir traces && head -1 "$CORPUS/logs/otlp/traces.jsonl" > traces/1.jsonl
  $ runvet import traces --into runs --quiet
  ep_7d3c5b1e9f204a6d8e70c1b2a3f4d5e6: new
  $ cat runs/episodes/*/state.json | json /outcomes status
  pending
  $ tail -1 "$CORPUS/logs/otlp/traces.jsonl" > traces/2.jsonl
  $ runvet import traces --into runs --quiet
  ep_7d3c5b1e9f204a6d8e70c1b2a3f4d5e6: again
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool result_status duration_ms input output
  find_ticket ok 800.0 {"id":7} {"state":"open"}
  close_ticket error 1000.0 {"id":7} not allowed
  $ cat runs/episodes/*/state.json | json /outcomes/metrics tokens
  715
  $ cat runs/episodes/*/state.json | json /episode tags
  {"agent":"helpdesk","conversation":"conv-5","model":"gpt-5.2","service":"helpdesk","version":"3.2.0"}

# Messages have no times: nothing says one.
  $ runvet import "$CORPUS/logs/chat/helpdesk.json" --into runs --quiet
  helpdesk-1-0: new
  helpdesk-2-0: new
  $ runvet list --run-data runs
  STARTED             ID           STATUS   OUTCOME             TOOK TASK
  time unknown        helpdesk-2-0 ok       goal_not_achieved      - Close all tickets.
  time unknown        helpdesk-1-0 ok       success                - Close ticket 9.
  $ runvet list --run-data runs --format json | json /runs/* episode_id started_at duration_sec
  helpdesk-2-0 null null
  helpdesk-1-0 null null
  $ runvet table runs runs --format csv | sed 's/.*chat-helpdesk/helpdesk/' | cut -d, -f 1-5
  dir,episode_id,valid,errors,warnings
  runs/episodes/helpdesk-1-0,helpdesk-1-0,true,0,0
  runs/episodes/helpdesk-2-0,helpdesk-2-0,true,0,0
  $ runvet view helpdesk-1-0 --run-data runs | sed -n 3p
  status ok · outcome success · time unknown · mode minimal · adapter:chat
  $ cat runs/episodes/*1-0/summary.json | json /verification/assertions/* name passed
  reward true
