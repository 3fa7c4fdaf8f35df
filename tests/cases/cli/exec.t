A command is executed as without `runvet record --exec`, and its run is recorded.

# The exit code is that of the command, and the run says how it ended.
  $ executed() { rm -rf episodes; runvet record --run-data . --exec -- "$@"; echo $?; runvet validate --quiet --rule '*=error' .; cat episodes/*/state.json > state; }
  $ ended() { executed "$@" 2> /dev/null; tr -d '\n' < state | grep -o -e '"error":{[^}]*}' -e '"status":"[a-z]*"' -e '"result_status":"[a-z]*"' | paste -s; }
  $ ended true
  0
  "result_status":"ok"	"status":"ok"	"status":"done"
  $ ended false
  1
  "result_status":"error"	"error":{"exit_code":1,"message":"the command exited with 1"}	"status":"error"	"status":"failed"
  $ ended sh -c 'exit 2'
  2
  "result_status":"error"	"error":{"exit_code":2,"message":"the command exited with 2"}	"status":"error"	"status":"failed"
  $ ended sh -c 'exit 255'
  255
  "result_status":"error"	"error":{"exit_code":255,"message":"the command exited with 255"}	"status":"error"	"status":"failed"
  $ ended sh -c 'kill -9 $$'
  137
  "result_status":"error"	"error":{"message":"the signal 9 killed the command","signal":9}	"status":"error"	"status":"failed"
  $ ended sh -c 'kill -15 $$'
  143
  "result_status":"error"	"error":{"message":"the signal 15 killed the command","signal":15}	"status":"error"	"status":"failed"
  $ ended runvet-no-such-program
  127
  "result_status":"error"	"error":{"message":"the command can't be executed: No such file or directory (os error 2)"}	"status":"error"	"status":"failed"
  $ echo x > no-program; ended "$PWD/no-program"
  126
  "result_status":"error"	"error":{"message":"the command can't be executed: Permission denied (os error 13)"}	"status":"error"	"status":"failed"

# Input and output pass through, and are excerpted.
  $ { for at in $(seq 40000); do printf 'é'; done; printf '\0\377 end'; } > input
  $ runvet record --run-data . --exec -- sh -c "cat; printf 'wrong\\377' >&2" < input > out 2> err; cmp input out; printf 'wrong\377' | cmp - err
  $ runvet show state > state; grep -e exit_code -e stderr -e bytes state; grep '"stdout":' state | cut -c 1-40; test $(grep '"stdout":' state | wc -c) -lt 4300; grep -c 'duration_ms' state
            "exit_code": 0,
            "stderr": "wrong�",
            "stderr_bytes": 6,
            "stdout_bytes": 80006
            "stdout": "…éééééééé
  1

# The command line is the task, unless there is one.
  $ runvet record --run-data . --exec -- printf 'a b' "it's" '' > out 2>&1; runvet show state > state; grep -e '"task"' -e '"description"' -e '"tool"' state; tr -d '\n' < state | grep -o '"argv": *\[[^]]*\]' | tr -s ' '
      "task": "printf 'a b' 'it'\\''s' ''"
          "tool": "printf",
          "description": "printf 'a b' 'it'\\''s' ''",
  "argv": [ "printf", "a b", "it's", "" ]
  $ rm -r episodes; runvet record --run-data . --task 'Say nothing' --seed 7 --exec -- true --task x; runvet show state | grep -e '"task"' -e '"seed"'
      "seed": 7,
      "task": "Say nothing"

# A command is not executed when its run can't begin.
  $ : > file; runvet record --run-data file/runs --exec -- touch made > out 2>&1
  [2]
  $ ls
  file
  out

# A command ends when nobody reads its output, and output that is lost is a fault.
  $ { runvet record --run-data . --exec -- yes; echo $? >&2; } | head -c 1 > out
  141
  $ rm -r episodes; runvet record --run-data . --exec -- echo x > /dev/full
  error: can't pass on the output of echo x: No space left on device (os error 28)
  [2]
  $ runvet record --run-data . --exec -- sh -c 'echo x; exit 7' > /dev/full
  error: can't pass on the output of sh -c 'echo x; exit 7': No space left on device (os error 28)
  [7]

# Output and errors that go to one place keep their order, and a signal that is ignored stays ignored.
  $ runvet record --run-data . --exec -- sh -c 'for i in $(seq 200); do echo out $i; echo err $i >&2; done' > log 2>&1; for i in $(seq 200); do echo out $i; echo err $i; done | cmp - log
  $ (trap '' HUP; runvet record --run-data . --exec -- sh -c 'kill -HUP $$')
