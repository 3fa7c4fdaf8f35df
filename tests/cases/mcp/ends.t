A session with an MCP server ends truly, whoever ends first.

  $ : > runvet.toml
  $ mcp() { rm -rf runs; runvet mcp --config runvet.toml --into runs --id s -- "$@"; echo "[$?]"; runvet validate --quiet --rule '*=error' runs; tr -d '\n' < runs/episodes/s/state.json | grep -o -e '"error":{[^}]*}' -e '"status":"[a-z]*"},"plan"' -e '"result_status":"[a-z]*"'; }
  $ call='{"id":1,"method":"tools/call","params":{"name":"list"}}'

# The exit code is that of the server, and standard error passes through.
  $ mcp cat < /dev/null
  $ mcp sh -c 'echo said >&2; exit 7' < /dev/null
  $ echo "$call" | mcp sh -c 'read -r line; exit 0'
  $ echo "$call" | mcp sh -c 'read -r line; kill -9 $$'
  $ mcp runvet-no-such-program < /dev/null
  $ echo x > no-program; mcp "$PWD/no-program" < /dev/null

# A server that ends ends the session of a client that goes on; so does one that closes its output.
  $ mkfifo up; (exec 3> up; sleep 20) & mcp sh -c 'exit 3' < up; kill $!
  $ (exec 3> up; sleep 20) & mcp sh -c 'exec >&-; sleep 20' < up; kill $!

# A server that goes on after its client is ended.
  $ mcp sleep 30 < /dev/null


# A signal reaches the server.
  $ cat > server << 'END'
  > trap 'echo heard >&2; exit 9' TERM
  > kill -TERM $PPID
  > while :; do sleep 0.1; done
  > END
  $ mcp sh server < up & (exec 3> up; wait $!)

# What floods is not kept, and what nobody reads ends.
  $ mcp sh -c 'head -c 300000000 /dev/zero; echo end' < /dev/null | tail -c 400 | tr -d '\0'
  $ mcp yes < /dev/null | head -c 1

# A run that is there is not written to, and no server starts.
  $ mcp cat < /dev/null > out; runvet mcp --config runvet.toml --into runs --id s -- touch made
  $ test -e made; echo $?
  $ runvet mcp --config none.toml --into runs -- touch made
  $ runvet mcp --config runvet.toml --into runs --rule acme/none=error -- touch made
