What an import leaves out is counted, and each kind has its own words.

# Inspect: what a sample lacks.
  $ printf '{"status": "success", "eval": {"task": "t", "model": "m", "run_id": "r1", "created": "2026-03-02T10:00:00Z"}, "samples": [{"id": 1, "epoch": 1, "input": "How many?", "messages": [{"role": "user", "content": "attachment://0123456789abcdef0123456789abcdef"}]}]}' > inspect.json
  $ runvet import inspect.json --into inspect
  r1-t-1-1: new
  note: left out: 1 attachment that is not there
  note: 1 run in inspect
  $ cat inspect/episodes/*/state.json | json /outcomes status
  partial
  $ grep -o 'the sample ends without [a-z ]*' inspect/episodes/*/events.jsonl
  the sample ends without a score and without an answer
  $ printf '{"status": "success", "eval": {"task": "t", "model": "m", "run_id": "r3", "created": "2026-03-02T10:00:00Z"}, "samples": [{"id": 1, "epoch": 1, "input": "How many?", "messages": [], "events": [{"event": "model", "timestamp": "2026-03-02T10:00:01Z", "model": "m", "input": [{"role": "tool", "content": "seven"}], "output": {"choices": [{"message": {"role": "assistant", "content": "Seven."}}]}}, {"event": "tool", "id": "c1", "function": "look", "arguments": {}, "timestamp": "2026-03-02T10:00:02Z", "result": [{"type": "image", "image": "shot.png"}]}, {"event": "model", "timestamp": "2026-03-02T10:00:03Z", "model": "m", "pending": true}]}]}' > events.json
  $ runvet import events.json --into inspect
  r3-t-1-1: new
  note: left out: 1 message of tool in an input, 1 model that did not answer, 1 picture that is not in the log
  note: 1 run in inspect

# ATIF: a picture and a sub-agent that are in no file, and a reward in words.
  $ cp -r "$CORPUS"/logs/harbor/close-old__k7 trial && sed -i 's/"reward": 0.0/"reward": "low"/' trial/result.json
  $ sed -i 's|"content": "7 8.nopened 2024-01-03"|"content": [{"type": "image", "source": {"path": "images/1.png"}}], "subagent_trajectory_ref": [{"trajectory_id": "sub"}]|' trial/agent/trajectory.json
  $ runvet import trial --into trials
  5b0e-close-old: new
  note: left out: 1 picture that is not there, 1 reward that is no number, 1 trajectory of a sub-agent that is not there
  note: no working directory is in a log of atif: `--tag cwd=DIR` names it
  note: 1 run in trials

# Codex: a message of the user that is written twice.
  $ sed '3p' "$CORPUS"/logs/codex/2026/03/02/*.jsonl > rollout.jsonl
  $ printf '{"timestamp":"2026-03-02T09:10:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Return 404 for unknown tickets"}]}}\n' >> rollout.jsonl
  $ runvet import rollout.jsonl --into codex
  019c9f10-7c11-7d20-9a3e-64d1f0a2b3c4: new
  note: left out: 1 agent_message, 1 context in a message of the user, 1 repeated message of the user
  note: 1 run in codex

# Copilot CLI: a session that is shut down within a turn.
  $ head -6 "$CORPUS"/logs/copilot/*/*/events.jsonl > events.jsonl && printf '{"type":"session.shutdown","data":{"shutdownType":"routine"},"timestamp":"2026-03-02T10:01:00Z"}\n' >> events.jsonl
  $ runvet import events.jsonl --into copilot --quiet && grep -o 'the session was shut down [a-z ]*' copilot/episodes/*/events.jsonl
  2f9e7c10: new
  the session was shut down within a turn

# Gemini CLI: what a user sent that is no text.
  $ sed 's|"text": "Which ticket is the oldest?"|"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}|' "$CORPUS"/logs/gemini/*/chats/session-*.json > session-2026-03-02T10-00-c5b80d44.json
  $ runvet import session-2026-03-02T10-00-c5b80d44.json --into gemini
  c5b80d44-2f6e-4b7d-9c3a-17e0d5f6a782: new
  note: left out: 1 part of a message of the user, 1 user message without text
  note: no working directory is in a log of gemini-cli: `--tag cwd=DIR` names it
  note: 1 run in gemini

# OpenHands: how an agent ends its task by itself.
  $ printf '{"instance_id": "%s", "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "m"}}, "metrics": {}, "history": [{"id": 0, "timestamp": "2026-03-02T10:00:00.000000", "source": "user", "action": "message", "args": {"content": "Tidy up."}}, {"id": 1, "timestamp": "2026-03-02T10:00:03.000000", "source": "agent", %s}]}\n' rejects '"action": "reject", "args": {}' finishes '"action": "finish", "args": {"task_completed": "partial"}, "tool_call_metadata": {"function_name": "finish", "tool_call_id": "c1"}' fails '"observation": "agent_state_changed", "content": "", "extras": {"agent_state": "error", "reason": ""}' > output.jsonl
  $ runvet import output.jsonl --into openhands --quiet
  output-rejects: new
  output-finishes: new
  output-fails: new
  $ grep -ho 'the agent [a-z ]*' openhands/episodes/*/events.jsonl
  the agent is in the state error
  the agent is in the state error
  the agent is in the state error
  the agent did not complete the task
  the agent rejected the task

# LangSmith: a graph that waits for a person.
  $ sed 's/"error": null/"error": "GraphInterrupt((Interrupt(value=1),))"/' "$CORPUS/logs/langsmith/runs.jsonl" > runs.jsonl && runvet import runs.jsonl --into smith --quiet
  ep_01951: new
  $ grep -ho 'it waits for a person' smith/episodes/*/events.jsonl
  it waits for a person

# OpenAI Agents SDK: a trace from which spans are missing.
  $ grep -v '"id": "span_1"' "$CORPUS/logs/openai-agents/traces.jsonl" > traces.jsonl && runvet import traces.jsonl --into agents --quiet
  trace_7c11: new
  $ grep -ho 'a span is not there yet [a-z ]*' agents/episodes/*/events.jsonl
  a span is not there yet in which others lie

# Pydantic AI: an answer that ends with an error.
  $ head -n -1 "$CORPUS/logs/pydantic-ai/messages.json" > messages.json
  $ printf ', {"kind": "response", "model_name": "gpt-5.2", "timestamp": "2026-03-02T10:00:09Z", "finish_reason": "error", "parts": []}]' >> messages.json
  $ runvet import messages.json --into pydantic --quiet
  conv-7: new
  $ grep -ho 'the model ended with an error' pydantic/episodes/*/events.jsonl
  the model ended with an error
  the model ended with an error
  the model ended with an error

# A file that is no log.
  $ echo 7 > seven.json && runvet import seven.json --into none
  error: ./seven.json: it is no log of a known format: it begins with neither an object nor a list of JSON
  note: 0 runs in none
  [1]
  $ pack() { python3 -c 'import sys, zipfile; archive = zipfile.ZipFile(sys.argv[1], "w"); [archive.writestr(name, text) for name, text in zip(sys.argv[2::2], sys.argv[3::2])]; archive.close()' "$@"; }
  $ header='{"status": "success", "eval": {"task": "t", "model": "m", "run_id": "r2", "created": "2026-03-02T10:00:00Z"}}'
  $ pack other.eval notes.txt none && runvet import other.eval --into none
  error: ./other.eval: it is a ZIP file without a header of Inspect
  note: 0 runs in none
  [1]
  $ pack chunks.eval header.json "$header" samples/1_epoch_1/sample.json '{}' && runvet import chunks.eval --into none
  error: ./chunks.eval:2: samples/1_epoch_1/sample.json: a sample in chunks is not read: `inspect log convert` makes it one
  note: 0 runs in none
  [1]
  $ pack changed.eval header.json "$header" samples/1_epoch_1.json '{"id": 1, "epoch": 1}' && sed -i 's/"epoch": 1}/"epoch": 2}/' changed.eval && runvet import changed.eval --into none
  error: ./changed.eval:2: samples/1_epoch_1.json: it is damaged: its checksum differs
  note: 0 runs in none
  [1]
  $ echo '[7]' > list.json && runvet import list.json --into none
  error: ./list.json: it is no log of a known format: its first value is a list of 1 item
  note: 0 runs in none
  [1]
  $ echo '"seven"' > text.json && runvet import text.json --into none
  error: ./text.json: it is no log of a known format: it begins with neither an object nor a list of JSON
  note: 0 runs in none
  [1]
  $ pack plain.zip notes.txt none && runvet import plain.zip --into none
  error: ./plain.zip: it is a ZIP file without a header of Inspect
  note: 0 runs in none
  [1]
  $ damage() { python3 -c 'import sys, zipfile; archive = zipfile.ZipFile("torn.eval", "w"); archive.writestr("header.json", sys.argv[1]); archive.writestr("samples/1_epoch_1.json", "{" * 500, zipfile.ZIP_DEFLATED); archive.close(); bytes = bytearray(open("torn.eval", "rb").read()); at = bytes.index(b"samples/1_epoch_1.json") + 22; bytes[at:at + 4] = b"\xff\xff\xff\xff"; open("torn.eval", "wb").write(bytes)' "$header"; }
  $ damage && runvet import torn.eval --into none
  error: ./torn.eval:2: samples/1_epoch_1.json: it can't be unpacked: corrupt deflate stream
  note: 0 runs in none
  [1]

# Inspect: what a sample did that was tried again.
  $ printf '{"status": "success", "eval": {"task": "t", "model": "m", "run_id": "r4", "created": "2026-03-02T10:00:00Z"}, "samples": [{"id": 1, "epoch": 1, "input": "How many?", "error_retries": [{"message": "no network", "events": [{"event": "state"}]}], "messages": [{"role": "user", "content": "How many?"}, {"role": "assistant", "content": "Seven."}]}]}' > again.json
  $ runvet import again.json --into again
  r4-t-1-1: new
  note: left out: 1 event of a try before
  note: 1 run in again
