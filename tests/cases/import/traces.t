Traces of services and of the OpenAI Agents SDK become runs, as those of OTLP do.

# LangSmith: arguments are those that the model wrote, or the dictionary of Python.
  $ runvet import "$CORPUS/logs/langsmith" --into runs
  ep_01951: new
  note: left out: 1 chain
  note: 1 run in runs
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool kind result_status duration_ms input output
  find_ticket tool ok 2000.0 {"deep":null,"id":7} open
  policies search ok 1000.0 {"query":"closing"} {"documents":[]}
  close_ticket tool error 2000.0 {"force":false,"id":7} Error: not allowed
  $ cat runs/episodes/*/state.json | json /outcomes/metrics tokens
  190
  $ cat runs/episodes/*/state.json | json /episode/tags agent conversation model
  support thread-9 gpt-5.2

# Langfuse: a request that was seen twice is one, and tokens of a cache lie beside the input.
  $ runvet import "$CORPUS/logs/langfuse" --into runs
  ep_a3c1f00d0000000000000000000000e1: new
  note: left out: 1 GENERATION in a GENERATION, 1 SPAN
  note: 1 run in runs
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool result_status input output
  close_ticket denied {"id":7} rejected by the supervisor
  $ cat runs/episodes/*/state.json | json /outcomes metrics status
  {"cache_read_tokens":60,"cache_write_tokens":0,"cost_usd":0.002,"input_tokens":80,"output_tokens":9,"steps_completed":0,"steps_total":0,"tokens":89,"tone":0.5} ok
  $ cat runs/episodes/*/summary.json | json /verification/assertions/* name passed
  solved true

# OpenAI Agents SDK: a handoff, and a call that a person rejected. The usage of a task is that of its requests.
  $ runvet import "$CORPUS/logs/openai-agents" --into runs
  trace_7c11: new
  note: left out: 1 task
  note: 1 run in runs
  $ cat runs/episodes/*/state.json | json /outcomes/actions/* tool kind result_status x-agent x-parent input
  handoff delegate ok - - {"from_agent":"Desk","to_agent":"Closer"}
  close_ticket tool denied Closer span_3 {"id":7}
  $ cat runs/episodes/*/state.json | json /outcomes metrics status
  {"cache_read_tokens":0,"cache_write_tokens":0,"input_tokens":200,"output_tokens":29,"steps_completed":0,"steps_total":0,"tokens":229} ok
  $ cat runs/episodes/*/state.json | json /goal task
  Close ticket 7

Without its root a trace goes on; a circle of spans is no root.
  $ grep -v '"span_0", "trace_id"' "$CORPUS/logs/openai-agents/traces.jsonl" > some.jsonl && runvet import some.jsonl --into torn --quiet
  trace_7c11: new
  $ sed 's/"span_0", "trace_id": "trace_7c11", "parent_id": null/"span_0", "trace_id": "trace_7c11", "parent_id": "span_1"/' "$CORPUS/logs/openai-agents/traces.jsonl" > circle.jsonl && runvet import circle.jsonl --into round --quiet
  trace_7c11: new
  $ cat torn/episodes/*/state.json | json /outcomes status
  pending
  $ cat round/episodes/*/state.json | json /outcomes status
  pending

A span of OTLP has failed also where only `error.type` says so, an exception has left it, or its result says `isError`, as that of a tool of MCP. An exception that was handled is none.
  $ tool() { printf '{"traceId": "aa", "spanId": "%s", "parentSpanId": "01", "name": "t", "startTimeUnixNano": "%s000000000", "endTimeUnixNano": "%s500000000", "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "%s"%s}%s}\n' "$1" "$1" "$1" "$2" "$3" "$4"; }
  $ { echo '{"traceId": "aa", "spanId": "01", "name": "a", "startTimeUnixNano": "9000000000", "endTimeUnixNano": "19000000000", "attributes": {"gen_ai.operation.name": "invoke_agent"}}'; tool 11 typed ', "error.type": "timeout"'; tool 12 left '' ', "events": [{"attributes": {"exception.message": "boom", "exception.escaped": "True"}}]'; tool 13 handled '' ', "events": [{"attributes": {"exception.message": "boom", "exception.escaped": "False"}}]'; tool 14 mcp ', "gen_ai.tool.call.result": "{\"isError\": true}"'; } > errors.jsonl && runvet import errors.jsonl --into errors --quiet
  ep_aa: new
  $ cat errors/episodes/*/state.json | json /outcomes/actions/* tool result_status output
  typed error timeout
  left error boom
  handled ok -
  mcp error {"isError":true}
