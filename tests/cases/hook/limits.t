A hook answers in time, and one that is killed stands in nobody's way.

# Input that stays open is refused before a call; so is a run that somebody else writes to, and a directory that is no run.
  $ session claude-code; before 1 ls '{}'; mkdir -p runs/episodes/kept; echo mine > runs/episodes/kept/notes.txt
  $ opens() { { echo "{\"session_id\":\"o\",\"hook_event_name\":\"$1\",\"tool_name\":\"ls\"}"; sleep 5; } | runvet hook claude-code --config runvet.toml --into runs $2; echo "$1 $?"; }
  $ (opens PreToolUse > 1 2>&1 & opens Stop > 2 2>&1 & opens PreToolUse --fail-open > 3 2>&1 & (id=kept; before 1 ls '{}'; echo $?) > 4 2>&1 & exec 9< runs/episodes/s/events.jsonl; flock 9; (before 2 ls '{}'; echo $?) > 5 2>&1; (hook Stop '"a":1'; echo $?) > 6 2>&1; wait); cat 1 2 3 4 5 6
  error: there is no answer in time: standard input stays open, or the run is too large
  PreToolUse 2
  error: there is no answer in time: standard input stays open, or the run is too large
  Stop 0
  error: there is no answer in time: standard input stays open, or the run is too large
  PreToolUse 0
  error: runs/episodes/kept is in the way of a run
  2
  error: another process is recording the run s
  2
  error: another process is recording the run s
  0
  $ before 2 ls '{}'; kinds; cat runs/episodes/kept/notes.txt
  begun
  begun
  mine

# What a hook left that was killed while its run began is no run.
  $ session claude-code; mkdir -p runs/episodes/s runs/.hook-s/episodes/s; printf '{"epi' > runs/episodes/s/events.jsonl; : > runs/episodes/s/learn.jsonl; cp runs/episodes/s/* runs/.hook-s/episodes/s
  $ hook Stop '"a":1'; before 1 ls '{}'; kinds; ls -A runs runs/episodes
  begun
  runs:
  episodes

  runs/episodes:
  s

# Sessions have different runs, and a name that leads elsewhere is none.
  $ session claude-code; for id in a/b a-b a.b a.2 ../../x x 'é' state.json; do before 1 ls '{}'; done; id=; ls -A runs/episodes; runvet list runs --format ids | wc -l
  error: the id is refused: the name `state.json` means something else in run data
  a-b
  a-b-c14cddc033f64b9d
  a.2-0baf0d14a1b0f335
  a.b
  session-4a99557e4033c353
  x
  x-9cdf6a50100a862e
  7

# Without --into, the run is in the user's state directory, and removed at the end of the session.
  $ session claude-code; kept() { XDG_STATE_HOME=$PWD/state runvet hook claude-code --config runvet.toml; }
  $ echo '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"ls"}' | kept; ls state/runvet/hooks/episodes; echo '{"session_id":"s","hook_event_name":"SessionEnd"}' | kept; ls -A state/runvet/hooks state/runvet/hooks/episodes
  s
  state/runvet/hooks:
  episodes

  state/runvet/hooks/episodes:

# The answer at the end has the digest of the manifest.
  $ session claude-code; before 1 ls '{}'; ends; grep -c "^{\"manifest_sha256\":\"$(sha256sum < runs/episodes/s/manifest.json | cut -c 1-64)\"}$" ended
  1

# A session in which nobody said anything has no task; input that can't be read is refused.
  $ session claude-code; before 1 ls '{}'; grep -o 'unknown: a session of [a-z-]*' runs/episodes/s/state.json | head -n 1
  unknown: a session of claude-code
  $ runvet hook claude-code --config runvet.toml --into runs < .
  error: the input can't be read: Is a directory (os error 21)
  [2]
