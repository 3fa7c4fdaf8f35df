A session with an MCP server ends truly, whoever ends first.

# The exit code is that of the server, and standard error passes through.
  $ mcp_with cat < /dev/null
  exit code 0
  "status":"ok"},"plan"
  $ mcp_with sh -c 'echo said >&2; exit 7' < /dev/null
  said
  exit code 7
  "error":{"exit_code":7,"message":"the server exited with 7"}
  "status":"error"},"plan"
  $ call 1 list | mcp_with sh -c 'read -r line; exit 0'
  exit code 0
  "result_status":"missing"
  "error":{"exit_code":0,"message":"the server ended without an answer to 1 call"}
  "status":"error"},"plan"
  $ call 1 list | mcp_with sh -c 'read -r line; kill -9 $$'
  exit code 137
  "result_status":"missing"
  "error":{"message":"the signal 9 killed the server","signal":9}
  "status":"error"},"plan"
  $ mcp_with runvet-no-such-program < /dev/null
  error: can't execute runvet-no-such-program: No such file or directory (os error 2)
  exit code 127
  "error":{"message":"the server can't be executed: No such file or directory (os error 2)"}
  "status":"error"},"plan"
  $ echo x > no-program; mcp_with "$PWD/no-program" < /dev/null
  error: can't execute [DIR]/no-program: Permission denied (os error 13)
  exit code 126
  "error":{"message":"the server can't be executed: Permission denied (os error 13)"}
  "status":"error"},"plan"

# A server that ends ends the session of a client that goes on; so does one that closes its output.
  $ mkfifo up; exec 3<> up; mcp_with sh -c 'exit 3' < up
  exit code 3
  "error":{"exit_code":3,"message":"the server exited with 3"}
  "status":"error"},"plan"
  $ mkfifo up2; exec 4<> up2; mcp_with sh -c 'exec >&-; exec sleep 20' < up2
  exit code 143
  "error":{"message":"the signal 15 killed the server","signal":15}
  "status":"error"},"plan"

# A server that goes on after its client is ended.
  $ mcp_with sleep 30 < /dev/null
  exit code 143
  "error":{"message":"the signal 15 killed the server","signal":15}
  "status":"error"},"plan"

# A signal reaches the server.
  $ cat > server << 'END'
  > trap 'echo heard >&2; exit 9' TERM
  > kill -TERM $PPID
  > while :; do sleep 0.1; done
  > END
  $ mkfifo up; exec 3<> up; mcp_with sh server < up
  heard
  exit code 143
  "error":{"message":"the signal 15 ended the session","signal":15}
  "status":"error"},"plan"

# What floods is not kept, and what nobody reads ends.
  $ mcp_with sh -c 'head -c 300000000 /dev/zero; echo end' < /dev/null | tail -c 400 | tr -d '\0'
  end
  exit code 0
  "status":"ok"},"plan"
  $ mcp_with yes < /dev/null | head -c 1
  y

# A run that is there is not written to, and no server starts.
  $ mcp_with cat < /dev/null > out; runvet mcp --config runvet.toml --into runs --id s -- touch made
  error: a run with the id s already exists
  [2]
  $ test -e made; echo $?
  1
  $ runvet mcp --config none.toml --into runs -- touch made
  error: can't read the configuration none.toml: No such file or directory (os error 2)
  [2]
  $ runvet mcp --config runvet.toml --into runs --rule acme/none=error -- touch made
  error: there is no rule called `acme/none`
  [2]
