Logs that are imported without their texts.

# A run is redacted before it gets its place, and a log that is imported again is known by the key.
  $ for again in 1 2; do runvet import -q "$CORPUS/logs/chat" --into runs --redact --key key | sort | head -3; done; ls -A runs; stat -c %a key
  blocks: new
  conv-items: new
  helpdesk-1-0: new
  blocks: unchanged
  conv-items: unchanged
  helpdesk-1-0: unchanged
  episodes
  600
  $ runvet import -q "$CORPUS/logs/chat" --into plain > out; for dir in plain runs; do grep -rhoE '"task":"[^"]*"' $dir | sort -u | wc -l; done; grep -rh '"task":"[^[]' runs
  4
  4
  [1]
  $ runvet validate runs; runvet import -q "$CORPUS/logs/chat" --into runs --redact --key other | sort | head -1
  4 episodes: all valid
  blocks: refused: a run of this id is there, and it is no import of this log ([CORPUS]/logs/chat/blocks.json)
  $ runvet import -q "$CORPUS/logs/chat" --into runs --redact; runvet import -q "$CORPUS/logs/chat" --into runs --key key
  error: the following required arguments were not provided:
    --key <FILE>

  Usage: runvet import --redact --key <FILE> --quiet --into <RUNS> <PATH>...

  For more information, try '--help'.
  error: the following required arguments were not provided:
    --redact

  Usage: runvet import --key <FILE> --redact --quiet --into <RUNS> <PATH>...

  For more information, try '--help'.
  [2]

# The verdict on each format of logs is the one on its run without redaction.
  $ runvet import -q "$CORPUS/logs" --into plain > out; runvet import -q "$CORPUS/logs" --into runs --redact --key key > redacted; diff out redacted && wc -l < out
  20
  $ for dir in plain runs; do (cd $dir; runvet validate . --rule '*=warning' --format concise 2>&1 | sed -E 's/: (error|warning) ([^:]*): .*/ \2/; s/:[0-9]+ / /' > ../$dir.txt); done; diff plain.txt runs.txt && echo same
  same
