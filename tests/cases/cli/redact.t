Copies of runs without their texts, in which the same rules find the same.

# Every text goes that does not stay by its nature, and equal texts stay equal.
  $ runs_and_key
  $ runvet redact runs/episodes/ep_answer --to copy --key key
  1 run redacted in copy
  still readable: 290 keys, 59 ids, 56 words of tools, kinds and statuses, 14 paths, 21 times, 37 numbers, 0 other texts
  copies under different keys can't be matched by their placeholders, but by times, ids and numbers
  $ for dir in runs copy; do grep -o '"task":"[^"]*"' $dir/episodes/ep_answer/s*.json; grep -o '"plan":.*"kind":"detect"' $dir/episodes/ep_answer/state.json; done
  runs/episodes/ep_answer/state.json:"task":"Summarize the open tickets"
  runs/episodes/ep_answer/summary.json:"task":"Summarize the open tickets"
  "plan":{"rationale":"Collect, then summarize","source":"planner.minimal","steps":[{"description":"Collect the open tickets","id":"step-1","inputs":{"queue":"support"},"kind":"detect"
  copy/episodes/ep_answer/state.json:"task":"[redacted-acca38d69e34a0d885bbd94e955eef87]"
  copy/episodes/ep_answer/summary.json:"task":"[redacted-acca38d69e34a0d885bbd94e955eef87]"
  "plan":{"rationale":"[redacted-31d672eb7bd7a952b0d1d071cb248c5b]","source":"planner.minimal","steps":[{"description":"[redacted-2bd28b8923b3c716d05ba5c1a2d43d0f]","id":"step-1","inputs":{"queue":"[redacted-839a3454056a4ca8afeda87a79319521]"},"kind":"detect"
  $ runvet validate runs copy --verify-manifest; ls copy/episodes/ep_answer
  2 episodes: all valid
  events.jsonl
  learn.jsonl
  manifest.json
  state.json
  summary.json
  $ runvet redact copy --to again --key key > out; diff -r copy again && echo same
  same
  $ runvet redact runs --to other > out; diff -q copy/episodes/ep_answer/state.json other/episodes/ep_answer/state.json
  Files copy/episodes/ep_answer/state.json and other/episodes/ep_answer/state.json differ
  [1]

# A place is named by a key at any depth or by a pointer, and what has the same text goes with it.
  $ runs_and_key
  $ for name in task /goal/task /payload/task /task '/**/task'; do
  >   runvet redact runs --to copy --key key --drop "$name" > out; (cat copy/episodes/ep_answer/*.json copy/episodes/ep_answer/events.jsonl; rm -r copy) | grep -c 'Summarize the open tickets'
  > done | uniq -c
        5 0
  $ runvet redact runs --to copy --key key --keep description > out; grep -o '"description":"[^"]*"' copy/episodes/ep_answer/state.json; rm -r copy
  "description":"Collect the open tickets"
  "description":"Summarize the tickets"
  "description":"Check the summary"
  $ runvet redact runs --to copy --key key --drop /payload/step_records > out; runvet validate copy; grep -o '"description":"[^"]*"' copy/episodes/ep_answer/state.json; rm -r copy
  1 episode: valid
  "description":"[redacted-2bd28b8923b3c716d05ba5c1a2d43d0f]"
  "description":"[redacted-af6f68a0368aa1afe6e04614a482b2ae]"
  "description":"[redacted-bd5fa554fd34fbdba632382a2cca8f4d]"
  $ for name in a/b '' '/a~2'; do runvet redact runs --to copy --drop "$name"; runvet redact runs --to copy --keep "$name"; done
  error: the name to drop "a/b": a JSON Pointer starts with `/`
  error: the name to keep "a/b": a JSON Pointer starts with `/`
  error: the name to drop "": name a key, or write a JSON Pointer
  error: the name to keep "": name a key, or write a JSON Pointer
  error: the name to drop "/a~2": in a JSON Pointer `~` is written `~0`, and `/` in a key `~1`
  error: the name to keep "/a~2": in a JSON Pointer `~` is written `~0`, and `/` in a key `~1`
  [2]
  $ runvet redact runs --to copy --pattern '('; runvet redact runs --to copy --keep-files '[a'; ls copy
  error: the pattern "(": error: unclosed group
  error: the glob "[a": Pattern syntax error near position 0: invalid range pattern
  ls: cannot access 'copy': No such file or directory
  [2]

# Secrets of known forms go wherever they are, escaped or not: in texts, keys, ids, names of files and lines that are no JSON.
  $ runs_and_key
  $ secret=AKIAIOSFODNN7EXAMPLE; mkdir -p runs/episodes/ep_$secret/files/ghp_dir; mv runs/episodes/ep_answer/* runs/episodes/ep_$secret; rmdir runs/episodes/ep_answer; cd runs/episodes/ep_$secret
  $ sed -i "s/ep_answer/ep_$secret/g; s/planner.minimal/planner.ghp_1/g; s/step-1/step-xoxb-1/g" *.json*
  $ sed -i 's/"x-attempt":1/"x-github_pat_1":[{"deep":["\\u0041KIA2"]}]/g' state.json events.jsonl; echo "no JSON $secret" >> events.jsonl; echo $secret > files/ghp_dir/$secret.txt; ln -s ghp_dir/$secret.txt files/link; ln -s /etc/AKIA out
  $ cd ../../..; runvet redact runs --to copy --key key --drop nothing; grep -rE 'AKIA|0041KIA|ghp_|xoxb-|github_pat_' copy; find copy | grep -E 'AKIA|ghp_'; ls copy/episodes | sed 's/-[0-9a-f]*/-.../'
  1 run redacted in copy
  still readable: 290 keys, 37 ids, 56 words of tools, kinds and statuses, 14 paths, 21 times, 31 numbers, 42 other texts
  copies under different keys can't be matched by their placeholders, but by times, ids and numbers
  redacted-...
  $ (cd copy/episodes/*; find . -type l | sort | while read link; do readlink $link; done) | sed 's/-[0-9a-f]*/-.../g'
  redacted-.../redacted-....txt
  redacted-...
  $ for dir in runs copy; do runvet validate $dir --format concise 2>&1 | sed -n 's#.*/\([a-z]*.jsonl*\S*\): \(error\|warning\) \([^:]*\): .*#\1 \3#p'; done | sort | uniq -c
        1 events.jsonl:12:1 events/syntax
        1 events.jsonl:12:2 events/syntax

# A key is 32 bytes or 64 hexadecimal digits that its owner alone may read; one that is absent is made.
  $ runs_and_key
  $ runvet redact runs --to copy --key new > out; stat -c %a new; wc -c < new; rm -r copy
  600
  65
  $ runvet redact runs --to copy --key new > out; rm -r copy; chmod 644 new; runvet redact runs --to copy --key new
  error: the key new: others may read it (mode 0644): `chmod 600` makes it its owner's alone
  [2]
  $ for bytes in 0 31 33 63 5000; do rm -f new; (umask 077; head -c $bytes /dev/zero > new); runvet redact runs --to copy --key new; done; runvet redact runs --to copy --key .; ls copy
  error: the key new: it has 0 bytes; a key is 32 bytes or 64 hexadecimal digits
  error: the key new: it has 31 bytes; a key is 32 bytes or 64 hexadecimal digits
  error: the key new: it has 33 bytes; a key is 32 bytes or 64 hexadecimal digits
  error: the key new: it has 63 bytes; a key is 32 bytes or 64 hexadecimal digits
  error: the key new: it has more than 4096 bytes; a key is 32 bytes or 64 hexadecimal digits
  error: the key .: it is not a regular file
  ls: cannot access 'copy': No such file or directory
  [2]

# A copy lies neither in its input nor around it, and nothing is written over.
  $ runs_and_key
  $ runvet redact runs --to runs/copy; runvet redact runs/episodes/ep_* --to runs/episodes; runvet redact runs --to runs; runvet redact runs --to .
  error: the copy runs/copy would lie in runs or around it: name a directory elsewhere
  error: the copy runs/episodes would lie in runs/episodes/ep_answer or around it: name a directory elsewhere
  error: the copy runs would lie in runs or around it: name a directory elsewhere
  error: the copy . would lie in runs or around it: name a directory elsewhere
  [2]
  $ mkdir full && touch full/file; runvet redact runs --to full; mkdir empty && runvet redact runs --to empty > out && ls empty
  error: making a copy beside full: it is not empty
  episodes
  $ runvet redact nowhere --to copy; mkdir nothing; runvet redact nothing --to copy; ls -a | grep redact
  error: no run was found; nowhere: no such file or directory
  error: no run was found
  [1]

# A run that another process writes is refused, and one that can't be read, and the others are copied.
  $ runs_and_key
  $ rm -rf runs/episodes/*; for id in a b c; do runvet example run runs/episodes/$id; done
  $ head -c 70000000 /dev/zero > runs/episodes/b/state.json
  $ flock runs/episodes/a/events.jsonl runvet redact runs --to copy; ls copy/episodes; rm -r copy
  1 run redacted in copy
  still readable: 66 keys, 3 ids, 13 words of tools, kinds and statuses, 8 paths, 5 times, 6 numbers, 0 other texts
  copies under different keys can't be matched by their placeholders, but by times, ids and numbers
  error: runs/episodes/a is not copied: another process writes it
  error: runs/episodes/b is not copied: state.json is larger than the limit of 64 MiB
  c

# Two runs never have one place.
  $ runs_and_key
  $ mkdir two; cp -r runs/episodes two; runvet redact runs/episodes/ep_answer two --to copy; ls copy
  error: two runs would be episodes/ep_answer in the copy: copy them one by one
  ls: cannot access 'copy': No such file or directory
  [2]

# A team marks what is sensitive, its closed sets stay, and the verdict of its rules is compared.
  $ runs_and_key
  $ cat > team.toml <<'END'
  > [vocabulary]
  > "/payload/decision" = ["hint"]
  > [[schema]]
  > id = "acme/acts"
  > where = { phase = "act" }
  > at = "/payload"
  > [schema.schema.properties]
  > input_excerpt = { "x-runvet" = "sensitive", type = "string", maxLength = 30 }
  > END
  $ runvet redact runs --to copy --key key --config team.toml --drop nothing; echo; grep -o '"input_excerpt":"[^"]*"' copy/episodes/ep_answer/state.json; rm -r copy
  1 run redacted in copy
  acme/acts finds something else in the copy of 1 run
  still readable: 290 keys, 59 ids, 56 words of tools, kinds and statuses, 14 paths, 21 times, 37 numbers, 40 other texts
  copies under different keys can't be matched by their placeholders, but by times, ids and numbers

  "input_excerpt":"[redacted-2bd28b8923b3c716d05ba5c1a2d43d0f]"
  "input_excerpt":"[redacted-af6f68a0368aa1afe6e04614a482b2ae]"

  $ runvet redact runs --to copy --key key --config team.toml --allow-changed-verdict > out; grep -o '"decision":"[^"]*"' copy/episodes/ep_answer/events.jsonl
  "decision":"hint"

# Marks are read of schemas that lead into themselves alone.
  $ runs_and_key
  $ echo '{}' > other.schema.json; echo '{"$ref": "other.schema.json"}' > acts.schema.json
  $ cat > team.toml <<'END'
  > [[schema]]
  > id = "acme/acts"
  > where = { phase = "act" }
  > at = "/payload"
  > file = "acts.schema.json"
  > END
  $ runvet redact runs --to copy --key key --config team.toml
  error: the reference "other.schema.json": marks are read of schemas whose references lead into themselves, as `#/$defs/…` does
  [2]

# The verdict on the runs of each door, and of each format of logs, stays as it is.
  $ runs_of_doors; head -c 32 /dev/zero > key; chmod 600 key; ls all/episodes | wc -l
  27
  $ runvet redact all --to copy --key key | head -1; for dir in all copy; do places $dir > $dir.txt; done; diff all.txt copy.txt && grep -c rule all.txt
  27 runs redacted in copy
  2
  $ grep -rlE 'Ada|secret|printed|1 passed|no money' copy
  [1]
  $ runvet redact copy --to again --key key > out; diff -r copy again && echo same
  same

# What is no run data, or can't be copied, leaves nothing behind, and the input is never touched.
  $ runs_and_key; cp -r runs before; stamps() { find runs -printf '%p %T@ %s %m %l\n' | sort; }; stamps > stamps
  $ tried() { runvet redact "$@" --to copy; echo "exit code $?"; ls -A | grep -E 'copy|redact'; stamps | diff stamps -; diff -r --no-dereference before runs; }
  $ (trap '' XFSZ; ulimit -f 4; tried runs)
  error: writing state.json: File too large (os error 27)
  exit code 2
  $ mkdir file; echo > file/copy; (cd file; runvet redact ../runs --to copy; runvet redact ../runs --to copy/deep; ls -A)
  error: making a copy beside copy: Not a directory (os error 20)
  error: making a copy beside copy/deep: Not a directory (os error 20)
  copy
  $ mkdir closed; mkfifo key2; tried runs --key key2; tried runs --key nowhere/key; ls nowhere
  error: the key key2: it is not a regular file
  exit code 2
  error: the key nowhere/key: No such file or directory (os error 2)
  exit code 2
  ls: cannot access 'nowhere': No such file or directory
  [2]
  $ deep=runs/episodes/ep_answer; for level in $(seq 70); do deep=$deep/d; done; mkdir -p $deep; stamps > stamps; rm -r before; cp -r runs before; tried runs
  0 runs redacted in copy
  still readable: 0 keys, 0 ids, 0 words of tools, kinds and statuses, 0 paths, 0 times, 0 numbers, 0 other texts
  copies under different keys can't be matched by their placeholders, but by times, ids and numbers
  error: runs/episodes/ep_answer is not copied: it has more than 64 levels of directories
  exit code 2
  copy
  $ rm -r runs/episodes/ep_answer/d; mkdir runs/episodes/ep_answer/run; cp -r runs/episodes/ep_answer/state.json runs/episodes/other; tried runs/episodes/other 2>&1 | head -2
  error: no run was found; runs/episodes/other: not a directory and not an artifact of a run (state.json, summary.json, events.jsonl, learn.jsonl, manifest.json)
  exit code 2

# Links, names that are no UTF-8, and files that are none: what leads out of the run leads nowhere.
  $ runs_and_key; cd runs/episodes/ep_answer; echo secret > ../../../secret; ln -s ../../../secret out; ln -s /etc/passwd etc; ln -s state.json in; mkfifo fifo; mkdir empty; printf secret > "$(printf 'a\377b')"; cd ../../..
  $ runvet redact runs --to copy --key key | head -1; cd copy/episodes/ep_answer; test -p fifo && test -d empty && readlink in; for link in out etc; do readlink $link | sed 's/-[0-9a-f]*/-.../'; test -e $link || echo nowhere; done
  1 run redacted in copy
  state.json
  redacted-...
  nowhere
  redacted-...
  nowhere
  $ ls | LC_ALL=C grep -c "$(printf '\377')"; grep -rl secret . ; cd ../../..; places runs > 1; places copy > 2; diff 1 2
  1
