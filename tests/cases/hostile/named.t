What a manifest names: nothing outside of the episode is opened, nothing waits, nothing is read twice.

# Special files and links are not opened, with --follow-links neither.
  $ manifest() { fresh; echo "{\"files\": $1}" > episodes/ep_answer/manifest.json; cd episodes/ep_answer; }; checked() { runvet validate --verify-manifest --format json "$@" .; }
  $ mkdir outside; echo secret > outside/secret; manifest '[{"name":"pipe","size_bytes":7},{"name":"pipe/x","size_bytes":7},{"name":"out/secret","size_bytes":7},{"name":"secret","size_bytes":7},{"name":"state.json/.","size_bytes":7}]'
  $ ln -s ../../outside out; ln -s ../../outside/secret secret; mkfifo pipe
  $ checked | json /episodes/*/findings/* message
  "pipe" is a FIFO, a socket or a device, so it was not opened
  there is no file "pipe/x"
  "out/secret" is a symbolic link, or lies behind one, so it was not opened
  "secret" is a symbolic link, or lies behind one, so it was not opened
  "state.json/." is a directory
  [1]
  $ checked --follow-links | json /totals errors
  5
  [1]

# A file that is named often is read once, and files beyond the limit are skipped unread.
  $ manifest() { fresh; echo "{\"files\": $1}" > episodes/ep_answer/manifest.json; cd episodes/ep_answer; }; checked() { runvet validate --verify-manifest --format json "$@" .; }
  $ zeros=0000000000000000000000000000000000000000000000000000000000000000; manifest "[$(for at in $(seq 4999); do printf '{"name":"./holes","sha256":"%s"},' $zeros; done){\"name\":\"./holes\",\"sha256\":\"$zeros\"}]"
  $ truncate -s 1M holes; checked | json /totals errors unjudged
  5000 0
  [1]
  $ cd ../..; manifest '[{"name":"a","sha256":"'$zeros'"},{"name":"b","size_bytes":1},{"name":"state.json","sha256":"'$zeros'"}]'; truncate -s 17179869185 a b
  $ checked 2> /dev/null | json /episodes/*/findings/* pointer
  -
  -
  -
  /files/1/size_bytes
  /files/2/sha256
  [2]
  $ checked 2> /dev/null | json /episodes/*/skipped/* kind
  limit
  [2]

# A manifest is judged only when the run has ended.
  $ copy good/paused/episodes/ep_paused; cd episodes/ep_paused; echo '[]' > manifest.json; checked() { runvet validate --verify-manifest --format json .; }
  $ checked | json /episodes/*/findings/* rule
  lifecycle/early-artifacts
  $ checked | json /episodes/0 skipped
  []
  $ echo '{' > state.json; checked 2> /dev/null > out; grep -o '"rule":"manifest/digest","reason":"[^"]*"' out
  "rule":"manifest/digest","reason":"the records do not say whether the run has ended"

# A fingerprint holds the digest where the size differs, and tells apart what is in the place of a file.
  $ manifest() { fresh; echo "{\"files\": $1}" > episodes/ep_answer/manifest.json; cd episodes/ep_answer; }; print() { runvet validate --verify-manifest --format json . | grep -o '"pointer":"[^"]*"\|"fingerprint":"[^"]*"' | paste -s; }
  $ manifest '[{"name": "out.txt", "size_bytes": 4, "sha256": "0000000000000000000000000000000000000000000000000000000000000000"}]'
  $ printf hello > out.txt; print > one; print | cmp - one; printf EVIL! > out.txt; print > two; cmp -s one two && echo the same
  [1]
  $ cd ../..; manifest '[{"name": "gone", "size_bytes": 4}]'; { print; ln -s /etc/passwd gone; print; rm gone; mkdir gone; print; } | sort -u | wc -l
  3
