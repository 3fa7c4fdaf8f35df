Logs that are imported without their texts.

# A run is redacted before it gets its place, and a log that is imported again is known by the key.
  $ for again in 1 2; do runvet import -q "$CORPUS/logs/chat" --into runs --redact --key key | sort | head -3; done; ls -A runs; stat -c %a key
  note: no working directory is in a log of chat: `--tag cwd=DIR` names it
  note: 4 runs in runs
  blocks: new
  conv-items: new
  helpdesk-1-0: new
  note: no working directory is in a log of chat: `--tag cwd=DIR` names it
  note: 4 runs in runs
  blocks: unchanged
  conv-items: unchanged
  helpdesk-1-0: unchanged
  episodes
  600
  $ runvet import -q "$CORPUS/logs/chat" --into plain > out; for dir in plain runs; do grep -rhoE '"task":"[^"]*"' $dir | sort -u | wc -l; done; grep -rh '"task":"[^[]' runs
  note: no working directory is in a log of chat: `--tag cwd=DIR` names it
  note: 4 runs in plain
  4
  4
  [1]
  $ runvet validate runs; runvet import -q "$CORPUS/logs/chat" --into runs --redact --key other | sort | head -1
  4 episodes: all valid
  note: no working directory is in a log of chat: `--tag cwd=DIR` names it
  note: 4 runs in runs
  blocks: refused: a run of this id is there, and it is no import of this log ([CORPUS]/logs/chat/blocks.json)
  $ runvet import -q "$CORPUS/logs/chat" --into runs --redact; runvet import -q "$CORPUS/logs/chat" --into runs --key key
  error: the following required arguments were not provided:
    --key <FILE>

  Usage: runvet import --redact --key <FILE> --into <RUNS> <PATH>...

  For more information, try '--help'.
  error: the following required arguments were not provided:
    --redact

  Usage: runvet import --key <FILE> --redact --into <RUNS> <PATH>...

  For more information, try '--help'.
  [2]

# The verdict on each format of logs is the one on its run without redaction.
  $ runvet import -q "$CORPUS/logs" --into plain > out; runvet import -q "$CORPUS/logs" --into runs --redact --key key > redacted; diff out redacted && wc -l < out
  note: left out: 1 GENERATION in a GENERATION, 1 SPAN, 1 agent_message, 1 chain, 1 context in a message of the user, 1 file-history-snapshot, 1 info, 1 progress, 1 prompt of a sub-agent, 1 score that is no number, 2 step-finish, 1 synthetic text, 1 task
  note: no logs: 1 file (1 .md)
  note: no working directory is in a log of atif: `--tag cwd=DIR` names it
  note: no working directory is in a log of chat: `--tag cwd=DIR` names it
  note: no working directory is in a log of gemini-cli: `--tag cwd=DIR` names it
  note: no working directory is in a log of inspect: `--tag cwd=DIR` names it
  note: no working directory is in a log of openhands: `--tag cwd=DIR` names it
  note: 20 runs in plain
  note: left out: 1 GENERATION in a GENERATION, 1 SPAN, 1 agent_message, 1 chain, 1 context in a message of the user, 1 file-history-snapshot, 1 info, 1 progress, 1 prompt of a sub-agent, 1 score that is no number, 2 step-finish, 1 synthetic text, 1 task
  note: no logs: 1 file (1 .md)
  note: no working directory is in a log of atif: `--tag cwd=DIR` names it
  note: no working directory is in a log of chat: `--tag cwd=DIR` names it
  note: no working directory is in a log of gemini-cli: `--tag cwd=DIR` names it
  note: no working directory is in a log of inspect: `--tag cwd=DIR` names it
  note: no working directory is in a log of openhands: `--tag cwd=DIR` names it
  note: 20 runs in runs
  20
  $ for dir in plain runs; do (cd $dir; runvet validate . --rule '*=warning' --format concise 2>&1 | sed -E 's/: (error|warning) ([^:]*): .*/ \2/; s/:[0-9]+ / /' > ../$dir.txt); done; diff plain.txt runs.txt && echo same
  same
