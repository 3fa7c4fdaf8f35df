What an import refuses or leaves out, and the words for it.

# A file that is no log says what it looks like.
  $ printf 'PK\003\004' > a.json; printf '\037\213' > b.json; printf '\050\265\057\375' > c.json; echo 7 > d.json; echo '{}' > e.json; printf 'SQLite format 3' > f.json; for file in a b c d e f; do runvet import $file.json --into runs; done
  error: ./a.json: it is a ZIP file that can't be read: invalid Zip archive: Could not find EOCD
  note: 0 runs in runs
  error: ./b.json: it is compressed by gzip: unpack it first
  note: 0 runs in runs
  error: ./c.json: it is compressed by zstd: unpack it first
  note: 0 runs in runs
  error: ./d.json: it is no log of a known format: it begins with neither an object nor a list of JSON
  note: 0 runs in runs
  error: ./e.json: it is no log of a known format: its first value is an empty object
  note: 0 runs in runs
  error: ./f.json: it is a database of SQLite, which is not read: export the sessions in it as files
  note: 0 runs in runs
  [1]
  $ { printf '{\n"a":"'; head -c 67108865 /dev/zero | tr '\0' a; printf '"\n}'; } > large.json; runvet import large.json --into runs; { head -12 "$CORPUS"/logs/claude/*/*.jsonl; head -c 67108865 /dev/zero | tr '\0' a; echo; } > line.jsonl; runvet import line.jsonl --into runs 2>&1 | grep longer
  error: ./large.json: it is larger than 64 MiB, and no list of lines
  note: 0 runs in runs
  error: ./line.jsonl:13: it is longer than 64 MiB
  $ mkdir many; for number in $(seq 60); do echo x > many/$number.json; done; runvet import many --into runs 2>&1 | tail -2
  error: many: 40 more files are no logs
  note: 0 runs in runs

# A log without a conversation, and one whose directory is not known, say so.
  $ log=$(ls "$CORPUS"/logs/claude/*/*.jsonl | head -1); sed 's/"cwd":"[^"]*",*//' "$log" > bare.jsonl; runvet import bare.jsonl --into runs 2>&1 | grep -v ': new'
  note: left out: 1 file-history-snapshot, 1 progress
  note: no working directory is in a log of claude-code: `--tag cwd=DIR` names it
  note: 1 run in runs
  $ grep -v '"type":"user"' "$log" > silent.jsonl; runvet import silent.jsonl --into silent; grep -ho 'unknown: the log[^"]*' silent/episodes/*/state.json | sort -u
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: new
  note: left out: 1 file-history-snapshot, 1 progress
  note: 1 run in silent
  unknown: the log has no message of the user
  $ echo '{"type":"summary","summary":"s","leafUuid":"a"}' > meta.jsonl; runvet import meta.jsonl --into meta
  error: ./meta.jsonl: it looks like a log of claude-code, and nothing is said or done in it
  note: 0 runs in meta
  [1]
  $ mkdir -p taken/episodes; name=$(ls runs/episodes | head -1); mkdir taken/episodes/$name; ln -s gone taken/episodes/$name/events.jsonl; runvet import bare.jsonl --into taken 2>&1 | grep refused
  7a1e0c52-9d34-4f6b-8a70-5be1c3d90f21: refused: what is at its place can't be read: it is a symbolic link, and links are not followed (./bare.jsonl)

# A trace without its root, without an end, or without a reason, says so.
  $ span() { echo "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"0af7651916cd43dd8448eb211c80319c\",\"spanId\":\"b7ad6b7169203331\",\"name\":\"chat m\",\"startTimeUnixNano\":\"1772366400000000000\",\"attributes\":[{\"key\":\"gen_ai.operation.name\",\"value\":{\"stringValue\":\"chat\"}}]$1}]}]}]}"; }
  $ span ',"endTimeUnixNano":"1772366401000000000","parentSpanId":"b7ad6b7169203332"' > root.jsonl; span '' > end.jsonl; span ',"endTimeUnixNano":"1772366401000000000","status":{"code":2}' > reason.jsonl
  $ for trace in root end reason; do runvet import $trace.jsonl --into $trace --quiet; cat $trace/episodes/*/*.json* | grep -ho 'the root of the trace[^"]*\|the trace does not[^"]*' | sort -u; done
  ep_0af7651916cd43dd8448eb211c80319c: new
  the root of the trace is not there yet
  ep_0af7651916cd43dd8448eb211c80319c: new
  the root of the trace has no end
  ep_0af7651916cd43dd8448eb211c80319c: new
  the trace does not say why
