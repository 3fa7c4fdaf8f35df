Lines pass between a client and an MCP server, but for calls that a rule holds back.

# A server that keeps what it gets in `got`, and answers calls.
  $ cat > runvet.toml << 'END'
  > [[order]]
  > id = "acme/no-deletion"
  > each = { tool = ["delete", "mcp__files__delete"] }
  > never = true
  > message = "nothing is deleted"
  > help = "Archive it."
  > [[order]]
  > id = "acme/payments"
  > level = "ask"
  > each = { tool = "pay" }
  > never = true
  > message = "a payment"
  > END
  $ cat > server << 'END'
  > while IFS= read -r line || [ -n "$line" ]; do
  >   printf '%s\n' "$line" >> got
  >   id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,]*\),"method":"tools.call".*/\1/p')
  >   case $line in
  >     *'"hang"'*) continue ;;
  >     *'"die"'*) exit 7 ;;
  >     *'"kill"'*) kill -9 $$ ;;
  >     *'"fail"'*) printf '{"id":%s,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}\n' "$id" ;;
  >     *'"wrong"'*) printf '{"id":%s,"error":{"code":-32602,"message":"unknown"}}\n' "$id" ;;
  >     *'"shot"'*) printf '{"id":%s,"result":{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},{"type":"text","text":"a"},{"type":"text","text":"b"}]}}\n' "$id" ;;
  >     *'"sum"'*) printf '{"id":%s,"result":{"content":[{"type":"text","text":"3"}],"structuredContent":{"sum":3}}}\n' "$id" ;;
  >     *tools/call*) printf '{"id":%s,"result":{"content":[{"type":"text","text":"done"}]}}\n' "$id" ;;
  >   esac
  > done
  > END
  $ mcp() { rm -rf got runs; runvet mcp --config runvet.toml --into runs --id s "$@" -- sh server; code=$?; runvet validate --quiet --rule '*=error' runs; test $code = 0 || echo "[$code]"; }
  $ acts() { tr -d '\n' < runs/episodes/s/state.json | grep -o -e '"output":[^]]*"result_status":"[a-z]*"' -e '"result_status":"[a-z]*"' -e '"tool":"[^"]*"' -e '"status":"[a-z]*"},"plan"'; }
  $ call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" "${3:-{\}}"; }

# What is no call passes byte for byte, whatever it is; an unfinished last line is a line.
  $ printf ' {"id":1, "method":"ping"}\r\n\n{"id":"é","method":"tools/list"}' > in; mcp < in; cmp in got
  cmp: EOF on in after byte 59, line 2

# Each call is an act: how it ended, and what came of it.
  $ { call 1 list; call '"1"' fail; call 3 wrong; call 4 shot; call 5 sum; call 6 hang; printf '{"method":"notifications/cancelled","params":{"requestId":6}}\n'; } > in
  $ mcp < in > out; cmp in got; wc -l < out; acts | sort

# The name of the server is in the names of tools. What a rule holds back is answered, and the server never sees it.
  $ { call 1 delete '{"path":"a"}'; call 2 list; } | mcp --name files; cat got; acts; grep -o '"using":"[^"]*"' runs/episodes/s/events.jsonl
  $ { call 1 delete; } | mcp --rule acme/no-deletion=off --task 'Tidy up'; acts; grep -o '"task":"[^"]*"' runs/episodes/s/events.jsonl

# A person is asked where the client can; other calls go on meanwhile. Anything but `accept` is no.
  $ hello() { printf '{"id":0,"method":"initialize","params":{"capabilities":%s}}\n' "$1"; }
  $ { hello '{"elicitation":{}}'; call 1 pay '{"amount":5}'; call 2 list; printf '{"id":"runvet-1","result":{"action":"accept","content":{}}}\n'; } | mcp; cat got; acts
  $ { hello '{"elicitation":{"form":{}}}'; call 1 pay; printf '{"id":"runvet-1","result":{"action":"decline"}}\n'; call 2 pay; printf '{"id":"runvet-2","error":{"code":1,"message":"m"}}\n{"id":"runvet-3","result":{}}\n'; } | mcp | grep -v elicitation; cat got; acts
  $ for can in '{}' '{"elicitation":{"url":{}}}'; do { hello "$can"; call 1 pay; } | mcp; done; grep -c direction.ask runs/episodes/s/events.jsonl

# A question that is not answered, or whose call is taken back, was answered with no.
  $ { hello '{"elicitation":{}}'; call 1 pay; call 2 pay; printf '{"method":"notifications/cancelled","params":{"requestId":1}}\n'; } | mcp | grep -c -v elicitation; cat got; acts; grep -o '"answer":"[a-z]*"' runs/episodes/s/events.jsonl

# What a server might read otherwise than runvet never reaches it.
  $ wrong() { printf "$1\n" | mcp; test -e got && cat got; }
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"list","arguments":{"a":NaN}}}'
  $ wrong '\357\273\277{"id":1,"method":"ping"}'
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"\\ud800"}}'
  $ wrong '{"id":1,"method":"ping","params":{"a":\r{"id":2,"method":"tools/call","params":{"name":"delete"}}\r}}'
  $ wrong '{"id":1,"method":"ping"'
  $ wrong "$(printf '[%.0s' $(seq 200))"
  $ wrong '{"id":1,"method":"ping","method":"tools/call","params":{"name":"delete"}}'
  $ wrong '{"id":1,"method":"ping","Method":"tools/call","params":{"name":"delete"}}'
  $ wrong '{"id":1,"id":2,"method":"ping"}'
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"list","name":"delete"}}'
  $ wrong '{"id":1,"method":"tools/call","param\\u0073":{"name":"list"},"params":{"name":"delete"}}'
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"list","arguments":{"a":1,"a":2}}}'
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"list","arguments":{"a":1e999}}}'
  $ wrong '{"id":1,"method":"tools/call","params":{"name":"list","arguments":[]}}'
  $ wrong '{"id":1,"method":"tools/call","params":{"name":7}}'
  $ wrong '{"id":1,"method":"tools/call"}'
  $ wrong '{"id":null,"method":"tools/call","params":{"name":"list"}}'
  $ wrong '{"method":["tools/call"],"params":{"name":"list"}}'
  $ wrong '7'
  $ { call 1 hang; call 1 list; } | mcp; acts

# Of a batch the rest passes as one array.
  $ { printf '['; call 1 list | tr -d '\n'; printf ', '; call 2 delete | tr -d '\n'; printf ',{"method":"ping", "id":3}]\n'; } | mcp; cat got
  $ printf '[{"id":1,"method":"ping"} , {"id":2,"method":"ping"}]\n' | mcp; cat got

# A call without an answer is missing, and the run does not end well.
  $ call 1 hang | mcp; acts

# A line of more than 64 MiB is answered; one of the server passes.
  $ { head -c 70000000 /dev/zero | tr '\0' ' '; printf '{"id":1,"method":"ping"}\n{"id":2,"method":"ping"}\n'; } | mcp; cat got
  $ printf 'head -c 70000000 /dev/zero | tr "\\0" x; printf "\\nlast"' > server; mcp < /dev/null | tail -c 9; mcp < /dev/null | wc -c
