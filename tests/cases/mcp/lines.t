Lines pass between a client and an MCP server, but for calls that a rule holds back.

# What is no call passes byte for byte, whatever it is; an unfinished last line is a line.
  $ printf ' {"id":1, "method":"ping"}\r\n\n{"id":"é","method":"tools/list"}' > in; mcp < in; cmp in got
  cmp: EOF on in after byte 62, in line 3
  [1]

# Each call is an act: how it ended, and what came of it.
  $ { call 1 list; call '"1"' fail; call 3 wrong; call 4 shot; call 5 sum; call 6 hang; printf '{"method":"notifications/cancelled","params":{"requestId":6}}\n'; } > in
  $ mcp < in > out; cmp in got; wc -l < out; mcp_acts
  5
  {"input":{},"kind":"search","output":"done","result_status":"ok","tool":"list"}
  {"input":{},"kind":"tool","output":"a\nb","result_artifacts":["attachments/4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6.png"],"result_status":"ok","tool":"shot"}
  {"input":{},"kind":"tool","output":"no","result_status":"error","tool":"fail"}
  {"input":{},"kind":"tool","output":{"code":-32602,"message":"unknown"},"result_status":"error","tool":"wrong"}
  {"input":{},"kind":"tool","output":{"sum":3},"result_status":"ok","tool":"sum"}
  {"input":{},"kind":"tool","result_status":"cancelled","tool":"hang"}

# The name of the server is in the names of tools. What a rule holds back is answered, and the server never sees it.
  $ { call 1 delete '{"path":"a"}'; call 2 list; } | mcp --name files; cat got; mcp_acts; grep -o '"using":"[^"]*"' runs/episodes/s/events.jsonl
  {"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"nothing is deleted (acme/no-deletion): Archive it.","type":"text"}],"isError":true}}
  {"id":2,"result":{"content":[{"type":"text","text":"done"}]}}
  {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list","arguments":{}}}
  {"input":{},"kind":"tool","output":"done","result_status":"ok","tool":"mcp__files__list"}
  "using":"mcp:files"
  $ { call 1 delete; } | mcp --rule acme/no-deletion=off --task 'Tidy up'; mcp_acts; grep -o '"task":"[^"]*"' runs/episodes/s/events.jsonl
  {"id":1,"result":{"content":[{"type":"text","text":"done"}]}}
  runs/episodes/s (ended): 1 error

  error[acme/no-deletion]: nothing is deleted
     ╭─[runs/episodes/s/events.jsonl:4:1]
   4 │ {"agent_id":"system","episode_id":"s","i…
     · ────────────────────────────────────────
     ╰────
  help: Archive it.

  {"input":{},"kind":"tool","output":"done","result_status":"ok","tool":"delete"}
  "task":"Tidy up"

# A person is asked where the client can; other calls go on meanwhile. Anything but `accept` is no.
  $ { hello '{"elicitation":{}}'; call 1 pay '{"amount":5}'; call 2 list; printf '{"id":"runvet-1","result":{"action":"accept","content":{}}}\n'; } | mcp; cat got; mcp_acts
  {"id":"runvet-1","jsonrpc":"2.0","method":"elicitation/create","params":{"message":"a payment (acme/payments): Keep the order; `runvet explain acme/payments` shows the order.\nMay pay be called with {\"amount\":5}?","requestedSchema":{"properties":{},"type":"object"}}}
  {"id":2,"result":{"content":[{"type":"text","text":"done"}]}}
  {"id":1,"result":{"content":[{"type":"text","text":"done"}]}}
  {"id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}
  {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list","arguments":{}}}
  {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"amount":5}}}
  {"input":{"amount":5},"kind":"tool","output":"done","result_status":"ok","tool":"pay"}
  {"input":{},"kind":"search","output":"done","result_status":"ok","tool":"list"}
  $ { hello '{"elicitation":{"form":{}}}'; call 1 pay; printf '{"id":"runvet-1","result":{"action":"decline"}}\n'; call 2 pay; printf '{"id":"runvet-2","error":{"code":1,"message":"m"}}\n{"id":"runvet-3","result":{}}\n'; } | mcp | grep -v elicitation; cat got; mcp_acts
  {"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"a payment, and the answer was no (acme/payments): Keep the order; `runvet explain acme/payments` shows the order.","type":"text"}],"isError":true}}
  {"id":2,"jsonrpc":"2.0","result":{"content":[{"text":"a payment, and the answer was no (acme/payments): Keep the order; `runvet explain acme/payments` shows the order.","type":"text"}],"isError":true}}
  {"id":0,"method":"initialize","params":{"capabilities":{"elicitation":{"form":{}}}}}
  {"id":"runvet-3","result":{}}
  $ for can in '{}' '{"elicitation":{"url":{}}}'; do { hello "$can"; call 1 pay; } | mcp; done; grep -c direction.ask runs/episodes/s/events.jsonl
  {"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"ask a person: a payment (acme/payments): Keep the order; `runvet explain acme/payments` shows the order.","type":"text"}],"isError":true}}
  {"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"ask a person: a payment (acme/payments): Keep the order; `runvet explain acme/payments` shows the order.","type":"text"}],"isError":true}}
  0
  [1]

# A question that is not answered, or whose call is taken back, was answered with no.
  $ { hello '{"elicitation":{}}'; call 1 pay; call 2 pay; printf '{"method":"notifications/cancelled","params":{"requestId":1}}\n'; } | mcp | grep -c -v elicitation; cat got; mcp_acts; grep -o '"answer":"[a-z]*"' runs/episodes/s/events.jsonl
  0
  {"id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}
  {"method":"notifications/cancelled","params":{"requestId":1}}
  "answer":"no"
  "answer":"no"

# What a server might read otherwise than runvet never reaches it.
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"list","arguments":{"a":NaN}}}'
  {"error":{"code":-32700,"message":"Parse error: the line is not JSON: NaN and Infinity are not JSON"},"id":null,"jsonrpc":"2.0"}
  $ wrong '\357\273\277{"id":1,"method":"ping"}'
  {"error":{"code":-32700,"message":"Parse error: the line is not JSON: the text starts with a byte order mark"},"id":null,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"\\ud800"}}'
  {"error":{"code":-32700,"message":"Parse error: the line is not JSON: the escape is half of a surrogate pair"},"id":null,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"ping","params":{"a":\r{"id":2,"method":"tools/call","params":{"name":"delete"}}\r}}'
  {"error":{"code":-32700,"message":"Parse error: the line has a carriage return within"},"id":null,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"ping"'
  {"error":{"code":-32700,"message":"Parse error: the line is not JSON: the text ends inside an object"},"id":null,"jsonrpc":"2.0"}
  $ wrong "$(printf '[%.0s' $(seq 200))"
  {"error":{"code":-32700,"message":"Parse error: the line is not JSON: arrays and objects are nested deeper than 128 levels"},"id":null,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"ping","method":"tools/call","params":{"name":"delete"}}'
  {"error":{"code":-32600,"message":"Invalid Request: \"method\" is there twice"},"id":1,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"ping","Method":"tools/call","params":{"name":"delete"}}'
  {"error":{"code":-32600,"message":"Invalid Request: \"method\" is there twice"},"id":1,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"id":2,"method":"ping"}'
  {"error":{"code":-32600,"message":"Invalid Request: \"id\" is there twice"},"id":null,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"list","name":"delete"}}'
  {"error":{"code":-32600,"message":"Invalid Request: \"name\" is there twice"},"id":1,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"tools/call","param\\u0073":{"name":"list"},"params":{"name":"delete"}}'
  {"error":{"code":-32600,"message":"Invalid Request: \"params\" is there twice"},"id":1,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"list","arguments":{"a":1,"a":2}}}'
  {"error":{"code":-32600,"message":"Invalid Request: an object of the call has the same key twice"},"id":1,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"list","arguments":{"a":1e999}}}'
  {"error":{"code":-32600,"message":"Invalid Request: an argument is refused: the number 1e999 is too large"},"id":1,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"list","arguments":[]}}'
  {"error":{"code":-32600,"message":"Invalid Request: `arguments` of a call is an object"},"id":1,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"tools/call","params":{"name":7}}'
  {"error":{"code":-32600,"message":"Invalid Request: `name` of a call is a text"},"id":1,"jsonrpc":"2.0"}
  $ wrong '{"id":1,"method":"tools/call"}'
  {"error":{"code":-32600,"message":"Invalid Request: `params` of a call is an object"},"id":1,"jsonrpc":"2.0"}
  $ wrong '{"id":null,"method":"tools/call","params":{"name":"list"}}'
  {"error":{"code":-32600,"message":"Invalid Request: the id of a call is a number or a text"},"id":null,"jsonrpc":"2.0"}
  $ wrong '{"method":["tools/call"],"params":{"name":"list"}}'
  {"error":{"code":-32600,"message":"Invalid Request: `method` is no text"},"id":null,"jsonrpc":"2.0"}
  $ wrong '7'
  {"error":{"code":-32600,"message":"Invalid Request: a message is an object, not a number"},"id":null,"jsonrpc":"2.0"}
  $ { call 1 hang; call 1 list; } | mcp; mcp_acts
  {"error":{"code":-32600,"message":"Invalid Request: a call with this id is under way"},"id":1,"jsonrpc":"2.0"}
  {"input":{},"kind":"tool","result_status":"missing","tool":"hang"}

# Of a batch the rest passes as one array.
  $ { printf '['; call 1 list | tr -d '\n'; printf ', '; call 2 delete | tr -d '\n'; printf ',{"method":"ping", "id":3}]\n'; } | mcp; cat got
  {"id":2,"jsonrpc":"2.0","result":{"content":[{"text":"nothing is deleted (acme/no-deletion): Archive it.","type":"text"}],"isError":true}}
  {"id":1,"result":{"content":[{"type":"text","text":"done"}]}}
  [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","arguments":{}}},{"method":"ping", "id":3}]
  $ printf '[{"id":1,"method":"ping"} , {"id":2,"method":"ping"}]\n' | mcp; cat got
  [{"id":1,"method":"ping"} , {"id":2,"method":"ping"}]

# A call without an answer is missing, and the run does not end well.
  $ call 1 hang | mcp; mcp_acts
  {"input":{},"kind":"tool","result_status":"missing","tool":"hang"}

# A line of more than 64 MiB is answered; one of the server passes.
  $ { head -c 70000000 /dev/zero | tr '\0' ' '; printf '{"id":1,"method":"ping"}\n{"id":2,"method":"ping"}\n'; } | mcp; cat got
  {"error":{"code":-32700,"message":"Parse error: the line is longer than 64 MiB"},"id":null,"jsonrpc":"2.0"}
  {"id":2,"method":"ping"}
  $ mcp_with sh -c 'head -c 70000000 /dev/zero | tr "\\0" x; printf "\\nlast\\n"' < /dev/null > out; wc -c < out; tail -n 3 out
  70000040
  last
  exit code 0
  "status":"ok"},"plan"
