Messages of frameworks, and sessions of Copilot CLI, become runs.

# Pydantic AI: a call that has to be tried again failed, and the output tool is the answer.
  $ runvet import "$CORPUS/logs/pydantic-ai" --into runs
  conv-7: new
  note: 1 run in runs
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool kind result_status input output
  close tool error {"id":"7"} id must be a number
  notify tool denied {"who":"mo"} The tool call was denied.
  final_result tool ok {"closed":true} Final result processed.
  $ cat runs/episodes/*/state.json | json /outcomes status metrics
  ok {"cache_read_tokens":40,"cache_write_tokens":0,"input_tokens":200,"output_tokens":22,"steps_completed":0,"steps_total":0,"tokens":222}

# Lists with content blocks of Anthropic: only a flag makes an error.
  $ runvet import "$CORPUS/logs/chat/blocks.json" --into runs --quiet
  blocks: new
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool kind result_status x-paths output
  str_replace_based_edit_tool read ok ["/site/index.html"] Error pages: none
  str_replace_based_edit_tool edit error ["/site/index.html"] no match
  $ cat runs/episodes/*/state.json | json /outcomes status metrics
  ok {"cache_read_tokens":100,"cache_write_tokens":5,"input_tokens":125,"output_tokens":30,"steps_completed":0,"steps_total":0,"tokens":155}

# Items of Responses: what a person did not approve was not done.
  $ runvet import "$CORPUS/logs/chat/items.jsonl" --into runs --quiet
  conv-items: new
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool kind result_status x-command output
  close tool denied - not today
  shell execute error cd /data
  ls 7 ls: 7: not there
  $ printf '[{"type": "message", "text": "hi"}]' > messenger.json && runvet import messenger.json --into runs
  error: ./messenger.json: it is no log of a known format: its first value is a list of 1 item
  note: 0 runs in runs
  [1]
  $ sed 's/{"type": "mcp_approval_resp.*/]}/; s/, \]}/]}/' "$CORPUS/logs/chat/items.jsonl" > asked.jsonl && runvet import asked.jsonl --into asked --quiet
  conv-items: new
  $ cat asked/episodes/*/state.json | json /outcomes status
  pending

# Copilot CLI: tokens are those of the processes that ended.
  $ runvet import "$CORPUS/logs/copilot" --into runs
  2f9e7c10: new
  note: 1 run in runs
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool kind result_status duration_ms x-command x-denied-by
  bash execute error 5000.0 npm test -
  bash execute denied 7000.0 rm -rf build denied-interactively-by-user
  $ cat runs/episodes/*/state.json | json /outcomes status metrics
  ok {"cache_read_tokens":500,"cache_write_tokens":100,"input_tokens":900,"output_tokens":47,"steps_completed":0,"steps_total":0,"tokens":947}
  $ head -6 "$CORPUS"/logs/copilot/*/*/events.jsonl > events.jsonl && printf '{"type":"session.shutdown","data":{"shutdownType":"routine"},"timestamp":"2026-03-02T10:01:00Z"}\n' >> events.jsonl
  $ runvet import events.jsonl --into shut --quiet
  2f9e7c10: new
  $ cat shut/episodes/*/state.json | json /outcomes status
  aborted
