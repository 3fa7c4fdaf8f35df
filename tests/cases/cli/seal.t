Runs are sealed as they are judged, and compared with the seal later.

# The seal names each file of a run that has ended, as it was judged, and what judged it.
  $ cp -r "$CORPUS/good/terminal" runs; echo 'deny-warnings = true' > runvet.toml; mkdir .git
  $ runvet validate runs --output in-toto=seal.json
  1 episode: valid
  $ cat seal.json | json /subject/* name digest/sha256
  episodes/ep_answer/events.jsonl ff11a87a58aeb557b360359abe820f19270fb419c5e182b1f090e25231a6185d
  episodes/ep_answer/learn.jsonl 529256a1a47083888357d57ea403dfb905102cd6c4a3a518b73812042da6c76f
  episodes/ep_answer/manifest.json 2e99916c36a85d3a10fc4f233df149eb3ceb3900fc55c1cd132f9910fdbcd8e8
  episodes/ep_answer/state.json bec040a559178e360b3d85e8d8a2ae1bb98c1339571e4f33a1ed367a68e2bb42
  episodes/ep_answer/summary.json c0e45f9f3712765fdbcb811d45200841569a2d8e6eeac9a4f58f2424f2b97146
  $ (cd runs && sha256sum episodes/ep_answer/events.jsonl)
  ff11a87a58aeb557b360359abe820f19270fb419c5e182b1f090e25231a6185d  episodes/ep_answer/events.jsonl
  $ cat seal.json | json '' _type predicateType predicate/result
  https://in-toto.io/Statement/v1 https://in-toto.io/attestation/test-result/v0.1 PASSED
  $ cat seal.json | json /predicate/configuration/* name digest/sha256
  runvet.toml 587302ec5f1d61ce4963ff977dbb6606e6c862a493a59756966ce3a512ac0de8
  $ sha256sum < runvet.toml
  587302ec5f1d61ce4963ff977dbb6606e6c862a493a59756966ce3a512ac0de8  -
  $ cat seal.json | json /predicate/runvet/episodes/* name verdict lifecycle judged/2
  episodes/ep_answer valid terminal summary.json
  $ cat seal.json | json /predicate/runvet/decided_by deny_warnings part
  true false
  $ wc -l < seal.json; grep -c "$PWD" seal.json
  1
  0
  [1]
  $ runvet schema seal | json '' title
  runvet seal

The same runs have the same seal, whatever the number of threads.
  $ for jobs in 1 2 8; do runvet validate "$CORPUS/demo" --jobs $jobs --output in-toto=$jobs.json > report; done; cmp 1.json 2.json && cmp 1.json 8.json
  $ cat 1.json | json /predicate result
  FAILED
  $ cat 1.json | json /predicate/runvet/episodes/* name verdict lifecycle
  episodes/ep_01_answer valid terminal
  episodes/ep_02_paused valid non_terminal
  episodes/ep_03_edited invalid terminal
  episodes/ep_04_crashed invalid terminal
  episodes/ep_05_misnamed invalid terminal

# Runs that were sealed are known again, wherever they are.
  $ sealed
  $ runvet verify seal.json runs
  judged by [..] rules of runvet [VERSION], the same as in the configuration here
  this is the run that runvet [VERSION] sealed, unchanged (5 files)
  $ cp -r runs copy; runvet verify seal.json copy | tail -1; (cd copy/episodes/ep_answer && runvet verify ../../../seal.json | tail -1)
  this is the run that runvet [VERSION] sealed, unchanged (5 files)
  this is the run that runvet [VERSION] sealed, unchanged (5 files)
  $ runvet verify seal.json copy/episodes/ep_answer/state.json | tail -1
  this is the run that runvet [VERSION] sealed, unchanged (5 files)

# What changed is named, in both directions.
  $ sealed; cp -r runs copy
  $ cd copy/episodes; echo >> ep_answer/state.json; rm ep_answer/learn.jsonl; echo more > ep_answer/notes; cp -r ep_answer ep_2; cd ../..
  $ runvet verify seal.json copy
  missing  episodes/ep_answer/learn.jsonl: a file
  altered  episodes/ep_answer/state.json: other bytes
  added    episodes/ep_answer/notes: a file
  added    episodes/ep_2: a run that was not sealed
  judged by [..] rules of runvet [VERSION], the same as in the configuration here
  this is not the run that runvet [VERSION] sealed: 4 changes, 0 of 1 run unchanged; 1 run here is not sealed
  [1]
  $ runvet verify seal.json copy --allow-new | tail -1
  this is not the run that runvet [VERSION] sealed: 3 changes, 0 of 1 run unchanged; 1 run here is not sealed
  $ rm -r copy/episodes/ep_2; mv copy/episodes/ep_answer copy/episodes/ep_other; runvet verify seal.json copy
  missing  episodes/ep_answer: the whole run
  added    episodes/ep_other: a run that was not sealed
  judged by [..] rules of runvet [VERSION], the same as in the configuration here
  this is not the run that runvet [VERSION] sealed: 2 changes, 0 of 1 run unchanged; 1 run here is not sealed
  [1]
  $ rm -r copy; cp -r runs copy; cd copy/episodes/ep_answer; mv summary.json ../../..; ln -s ../../../summary.json summary.json; cd ../../..; runvet verify seal.json copy | head -1
  altered  episodes/ep_answer/summary.json: a symbolic link is in its place
  $ rm -r copy; cp -r runs copy; mkdir kept; mv copy/episodes/ep_answer kept/run; ln -s ../../kept/run copy/episodes/ep_answer; runvet verify seal.json copy
  altered  episodes/ep_answer: no directory is in its place
  judged by [..] rules of runvet [VERSION], the same as in the configuration here
  this is not the run that runvet [VERSION] sealed: 1 change, 0 of 1 run unchanged
  [1]
  $ runvet verify seal.json nowhere
  error: nowhere: no such file or directory
  [2]

At most a hundred changes are listed.
  $ rm -r copy; cp -r runs copy; for i in $(seq 150); do : > copy/episodes/ep_answer/$i; done; runvet verify seal.json copy | wc -l; runvet verify seal.json copy | tail -3
  103
  and 50 more changes
  judged by [..] rules of runvet [VERSION], the same as in the configuration here
  this is not the run that runvet [VERSION] sealed: 150 changes, 0 of 1 run unchanged

# A failed check is sealed too, and runs that had not ended are in no number.
  $ cp -r "$CORPUS/demo" demo; cp -r "$CORPUS/good/paused/episodes/ep_paused" demo/episodes; runvet validate demo --output in-toto=demo.json > report
  [1]
  $ cat demo.json | json /predicate result
  FAILED
  $ runvet verify demo.json demo
  not covered: episodes/ep_02_paused: it had not ended
  not covered: episodes/ep_paused: it had not ended
  judged by [..] rules of runvet [VERSION], the same as here, where no configuration was found
  these are the 4 runs that runvet [VERSION] sealed, unchanged (18 files); 3 of them had failed
  $ runvet verify demo.json demo/episodes/ep_01_answer | tail -1
  this is the run that runvet [VERSION] sealed, unchanged (5 files); 3 sealed runs not looked at
  $ rm -r demo/episodes/ep_paused; runvet verify demo.json demo | tail -1
  these are the 4 runs that runvet [VERSION] sealed, unchanged (18 files); 3 of them had failed

# Links and other files are sealed by their kinds alone.
  $ sealed
  $ cp -r runs kinds; cd kinds/episodes/ep_answer; ln -s state.json latest; mkfifo pipe; cd ../../..; runvet validate kinds --output in-toto=kinds.json
  1 episode: valid
  $ cat kinds.json | json /predicate/runvet/episodes/*/uncovered/* kind name
  link latest
  special pipe
  $ runvet verify kinds.json kinds
  not covered: the content of links and others (2 other entries)
  judged by [..] rules of runvet [VERSION], the same as in the configuration here
  this is the run that runvet [VERSION] sealed, unchanged (5 files)
  $ cd kinds/episodes/ep_answer; rm latest; cp state.json latest; rm pipe; cd ../../..; runvet verify kinds.json kinds | head -2
  altered  episodes/ep_answer/latest: a file, not a symbolic link
  missing  episodes/ep_answer/pipe: a FIFO, a socket or a device

# A part says of no other run that it was added.
  $ cp -r "$CORPUS/demo" demo
  $ runvet validate demo/episodes/ep_01_answer --output in-toto=one.json > report
  $ cat one.json | json /predicate/runvet/decided_by part
  true
  $ runvet verify one.json demo | tail -1
  this is the run that runvet [VERSION] sealed, unchanged (5 files); 4 runs here are not sealed
  $ runvet validate demo --since 2020-01-01 --output in-toto=one.json > report
  note: --since 2020-01-01 is 2020-01-01T00:00:00Z
  [1]
  $ cat one.json | json /predicate/runvet/decided_by part since
  true 2020-01-01T00:00:00Z

# Other rules than those in force are named, and decide nothing unless they are to.
  $ printf 'deny-warnings = true' | repository good/terminal; runvet validate runs --output in-toto=seal.json > report
  $ echo 'deny-warnings = false' > runvet.toml; runvet verify seal.json runs --rule plan/step-ids=off --rule strict/ending=warning
  judged by [..] rules of runvet [VERSION]; 3 differences in the configuration here:
    plan/step-ids was on (error), and is not
    strict/ending was not on, and is (warning)
    runvet.toml has other bytes
  this is the run that runvet [VERSION] sealed, unchanged (5 files)
  $ runvet verify seal.json runs --require-same-rules > said
  [1]
  $ rm runvet.toml; runvet verify seal.json runs | head -2
  judged by [..] rules of runvet [VERSION]; 1 difference here, where no configuration was found:
    runvet.toml is not read

# There is no seal of a check that is not complete, nor of nothing.
  $ sealed; cp -r runs copy
  $ mkdir -p empty/episodes; runvet validate empty --output in-toto=no.json
  note: the seal no.json is not written: no run was judged
  error: no episode found; an episode is a directory with state.json or events.jsonl, or a directory with summary.json below one called episodes; docs/bring-your-runs.md says how logs and traces of other programs become episodes
  [3]
  $ runvet validate empty --allow-empty --output in-toto=no.json
  note: the seal no.json is not written: no run was judged
  note: no episode found
  $ runvet validate "$CORPUS/good/paused" --output in-toto=no.json
  1 episode: 1 valid, 1 not ended
  error: can't write no.json: no run has ended, and a seal is about the files of runs that have
  [2]
  $ runvet validate runs nowhere --output in-toto=no.json > report
  error: nowhere: no such file or directory
  note: the seal no.json is not written: the check is not complete
  [2]
  $ ls no.json
  ls: cannot access 'no.json': No such file or directory
  [2]
  $ runvet validate runs copy --output in-toto=no.json > report
  error: the runs can't be sealed: two runs have the name episodes/ep_answer, as their paths from the run-data directory on; seal each run-data directory by itself
  [2]
  $ runvet validate runs --output in-toto=runs/episodes/ep_answer/seal.json > report
  error: the seal runs/episodes/ep_answer/seal.json would be a file of the run runs/episodes/ep_answer; write it elsewhere
  [2]
  $ runvet validate runs --output in-toto=a --output in-toto=b > report
  error: --output in-toto can be given once
  [2]
  $ runvet validate runs --output in-toto=a --output json=a > report
  error: a can't be both the seal and a report or the baseline
  [2]
  $ runvet validate runs --output in-toto=a --write-baseline b > report
  error: --output in-toto can't be used with --write-baseline, which accepts all
  [2]
  $ runvet validate --staged --output in-toto=a > report
  error: --output in-toto is about files of runs, not about staged or given records
  [2]
  $ ls no.json a b runs/episodes/ep_answer/seal.json 2>&1 | wc -l
  4

# A seal that can't be relied on is refused.
  $ sealed
  $ refused() { sed "$1" seal.json > wrong.json; cmp -s wrong.json seal.json && echo unchanged; runvet verify wrong.json runs; }
  $ refused 's|"_type":"|&x|'
  error: the seal wrong.json can't be relied on: its _type is "xhttps://in-toto.io/Statement/v1", not https://in-toto.io/Statement/v1
  [2]
  $ refused 's|test-result|other|'
  error: the seal wrong.json can't be relied on: its predicateType is "https://in-toto.io/attestation/other/v0.1", not https://in-toto.io/attestation/test-result/v0.1
  [2]
  $ refused 's|"schema_version":"1.0.0"|"schema_version":"2.0.0"|'
  error: the seal wrong.json can't be relied on: the part of runvet in it has the version "2.0.0", and this runvet reads version 1.0.0 and others of the same major
  [2]
  $ refused 's|"result":"PASSED"|"result":"PASSED","result":"PASSED"|'
  error: the seal wrong.json can't be relied on: the key "result" is repeated at line 1 column 211
  [2]
  $ refused 's|"name":"episodes/ep_answer/state.json"|"name":"episodes/ep_answer/../state.json"|'
  error: the seal wrong.json can't be relied on: the name "episodes/ep_answer/../state.json" is not a path below a directory
  [2]
  $ refused 's|"name":"episodes/ep_answer/state.json"|"name":"/etc/passwd"|'
  error: the seal wrong.json can't be relied on: the name "/etc/passwd" is not a path below a directory
  [2]
  $ refused 's|"name":"episodes/ep_answer/state.json"|"name":"episodes/ep_answer//state.json"|'
  error: the seal wrong.json can't be relied on: the name "episodes/ep_answer//state.json" is not a path below a directory
  [2]
  $ refused 's|"name":"episodes/ep_answer/state.json"|"name":"episodes\\\\ep_answer"|'
  error: the seal wrong.json can't be relied on: the name "episodes\ep_answer" is not a path below a directory
  [2]
  $ refused 's|"name":"episodes/ep_answer/state.json"|"name":"episodes/ep_answer/summary.json"|'
  error: the seal wrong.json can't be relied on: the name "episodes/ep_answer/summary.json" is in it twice
  [2]
  $ refused 's|"name":"episodes/ep_answer/state.json"|"name":"episodes/ep_9/summary.json"|'
  error: the seal wrong.json can't be relied on: "episodes/ep_9/summary.json" belongs to no run in it that had ended
  [2]
  $ refused 's|"sha256":"[0-9a-f]*"|"sha256":"ab"|'
  error: the seal wrong.json can't be relied on: a digest is not 64 hexadecimal digits at line 1 column 98
  [2]
  $ refused 's|"select":\[\]|"select":[],"x":{"y":1,"y":2}|'
  error: the seal wrong.json can't be relied on: the key "y" is repeated at line 1 column 323
  [2]
  $ refused "s|\"select\":\[\]|\"select\":[\"$(printf '%5000s' x)\"]|"
  error: the seal wrong.json can't be relied on: a text is longer than 4096 bytes at line 1 column 5308
  [2]
  $ refused 's|\(.*\).|\1|'
  error: the seal wrong.json can't be relied on: EOF while parsing an object at line 2 column 0
  [2]
  $ refused 's|.*|{"payload":"aGkK","payloadType":"application/vnd.in-toto+json","signatures":[]}|'
  error: the seal wrong.json can't be relied on: it is a DSSE envelope, not the seal in it; verify its signature, and unwrap it: jq -r .payload wrong.json | base64 -d > seal.json
  [2]
  $ refused 's|.*|{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","dsseEnvelope":{"payload":"aGkK"}}|'
  error: the seal wrong.json can't be relied on: it is a Sigstore bundle, not the seal in it; verify its signature, and unwrap it: jq -r .dsseEnvelope.payload wrong.json | base64 -d > seal.json
  [2]
  $ refused 's|"select":\[\]|"select":[],"later":true|' | tail -1
  this is the run that runvet [VERSION] sealed, unchanged (5 files)
  $ truncate -s 1025M wrong.json; runvet verify wrong.json runs; rm wrong.json; runvet verify runs runs; mkfifo fifo; runvet verify fifo runs
  error: the seal wrong.json can't be relied on: it is larger than 1 GiB
  error: the seal runs can't be relied on: it is not a regular file
  error: the seal fifo can't be relied on: it is not a regular file
  [2]

# A check that failed by warnings alone, or by what it could not judge, is told too.
  $ printf 'deny-warnings = true' | repository bad/plan/still-running/one; cd runs
  $ runvet validate . --output in-toto=seal.json --format concise
  episodes/ep_answer/state.json:1:1743: warning plan/still-running: `plan.steps[2].status` is "running", but the run has ended with the status "ok"
  1 episode: valid, with 1 warning
  note: the check fails because of 1 warning (--deny-warnings)
  [1]
  $ runvet verify seal.json . | tail -1
  this is the run that runvet [VERSION] sealed, unchanged (5 files); the check had failed

# What the configuration leaves out makes a part of it, and hides nothing later.
  $ printf "exclude = ['**/old']" | repository good/terminal; mkdir runs/episodes/old; cp -r "$CORPUS/demo/episodes/ep_03_edited" runs/episodes/old
  $ runvet validate runs --output in-toto=seal.json > report 2>&1; cat seal.json | json /predicate/runvet/decided_by part exclude
  true ["**/old"]
  $ runvet verify seal.json runs | tail -1
  this is the run that runvet [VERSION] sealed, unchanged (5 files); 1 run here is not sealed
  $ rm -r runs/episodes/old; runvet validate runs --output in-toto=seal.json > report 2>&1; cat seal.json | json /predicate/runvet/decided_by part
  false
  $ cp -r "$CORPUS/demo/episodes" runs/episodes/old; runvet verify seal.json runs | tail -1
  this is not the run that runvet [VERSION] sealed: 5 changes, 1 of 1 run unchanged; 5 runs here are not sealed
  $ printf "[rules]\n'plan/step-ids' = 'warning'" > runvet.toml; rm -r runs/episodes/old; runvet verify seal.json runs
  judged by [..] rules of runvet [VERSION]; 2 differences in the configuration here:
    plan/step-ids had the level error, and has warning
    runvet.toml has other bytes
  this is the run that runvet [VERSION] sealed, unchanged (5 files)
  $ rm runvet.toml; runvet validate runs --output in-toto=seal.json > report; : > runvet.toml; runvet verify seal.json runs | head -2
  judged by [..] rules of runvet [VERSION]; 1 difference in the configuration here:
    runvet.toml was not read, and is

# A run whose lifecycle its records do not show is named, and its files are not sealed.
  $ two_runs; echo '{' > episodes/ep_03_edited/state.json; runvet validate . --output in-toto=seal.json --format concise
  episodes/ep_03_edited/state.json:2:1: error record/json-syntax: state.json is not JSON: the text ends where a key is expected
  episodes/ep_03_edited: note: not judged: 31 rules, state.json can't be judged
  episodes/ep_03_edited: note: not judged: 2 rules, the records do not say whether the run has ended: lifecycle/artifacts, lifecycle/early-artifacts
  2 episodes: 1 valid, 1 invalid, 1 not fully judged (1 error)
  [1]
  $ runvet verify seal.json .
  not covered: episodes/ep_03_edited: its records did not show whether it had ended
  judged by [..] rules of runvet [VERSION], the same as here, where no configuration was found
  this is the run that runvet [VERSION] sealed, unchanged (5 files); the check had failed

# Each run-data directory is compared by itself, and what can't be looked at is told.
  $ sealed; cp -r runs copy; runvet verify seal.json runs copy
  error: two runs have the name episodes/ep_answer, as their paths from the run-data directory on; verify each run-data directory by itself
  [2]
  $ ln -s nowhere runs/episodes/gone; runvet verify seal.json runs
  error: runs/episodes/gone: a symbolic link that leads nowhere, where a run should be; mount or fetch what it leads to, or exclude the link
  judged by [..] rules of runvet [VERSION], the same as in the configuration here
  it is not known whether this is the run that runvet [VERSION] sealed; 1 path could not be looked at
  [2]
  $ mkdir -p store/episodes; mv copy/episodes/ep_answer store/episodes; ln -s ../../store/episodes/ep_answer copy/episodes/ep_answer; runvet validate copy --follow-links=store --output in-toto=no.json
  error: the runs can't be sealed: runs that links lead to are not sealed: judge them where they are
  [2]
  $ mkdir none; runvet verify seal.json none
  missing  episodes/ep_answer: the whole run
  judged by [..] rules of runvet [VERSION], the same as in the configuration here
  this is not the run that runvet [VERSION] sealed: 1 change, 0 of 1 run unchanged
  [1]
  $ sed 's|episodes/ep_answer|data/ep_answer|g' seal.json > other.json; mkdir data; runvet verify other.json data
  missing  data/ep_answer: the whole run
  judged by [..] rules of runvet [VERSION], the same as in the configuration here
  this is not the run that runvet [VERSION] sealed: 1 change, 0 of 1 run unchanged
  [1]

# A disk that is full leaves the seal as it was.
  $ sealed; cp seal.json before; (trap '' XFSZ; ulimit -f 0; runvet validate runs --rule 'plan/*=off' --output in-toto=seal.json 2>&1 > /dev/null | cat; runvet verify seal.json runs | tail -1); cmp seal.json before; ls
  error: can't write seal.json: File too large (os error 27)
  this is the run that runvet [VERSION] sealed, unchanged (5 files)
  before
  report
  runs
  runvet.toml
  seal.json

# A service takes the seal of one directory, and one that can be relied on.
  $ sealed; mkdir more; runvet serve runs more --seal seal.json; runvet serve runs --seal report
  error: --seal is about the runs of one directory, and several are given
  error: the seal report can't be relied on: trailing characters at line 1 column 3
  [2]

# Names that a seal can't have, and the words of the help.
  $ sealed; : > 'runs/episodes/ep_answer/a\b'; : > "$(printf 'runs/episodes/ep_answer/\377')"; runvet validate runs --output in-toto=seal.json > report
  $ cat seal.json | json /predicate/runvet/episodes/*/uncovered/* kind name
  name %FF
  name a%5Cb
  $ runvet verify seal.json runs
  not covered: the content of links and others (2 other entries)
  judged by 62 rules of runvet [VERSION], the same as in the configuration here
  this is the run that runvet [VERSION] sealed, unchanged (5 files)
  $ mkdir runs/episodes/empty; runvet verify seal.json runs/episodes/empty
  error: no episode found, and none that was sealed at these paths
  [3]
  $ mv 'runs/episodes/ep_answer/a\b' runs/episodes/ep_answer/a; mkfifo 'runs/episodes/ep_answer/a\b'; runvet verify seal.json runs | head -2
  altered  episodes/ep_answer/a%5Cb: a FIFO, a socket or a device, not a file whose name is no UTF-8 or contains a backslash
  added    episodes/ep_answer/a: a file
  $ runvet verify --help | sed -n '/^Exit/,$p'
  Exit codes:
    0  the runs are those that were sealed, whatever the result of their check was
    1  a file or a run is altered, missing or added (with --require-same-rules: or
       a rule is another one)
    2  the seal can't be relied on, or a path could not be looked at
    3  no run was found, and none that was sealed was looked for

  Examples:
    runvet validate runs --output in-toto=seal.json
    runvet verify seal.json runs
    runvet verify seal.json runs/episodes/ep_1        one run

# What the recorder attaches is in its manifest, and in the seal.
  $ printf '%s\n' '{"attach":{"base64":"iVBORw0KGgo=","extension":"png"}}' '{"finish":"ok"}' | runvet record --run-data runs --task t --id ep_1 > answers
  $ runvet validate runs --profile strict --output in-toto=seal.json
  1 episode: valid
  $ cat seal.json | json /subject/* name
  episodes/ep_1/attachments/4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6.png
  episodes/ep_1/events.jsonl
  episodes/ep_1/learn.jsonl
  episodes/ep_1/manifest.json
  episodes/ep_1/state.json
  episodes/ep_1/summary.json
  $ runvet verify seal.json runs --profile strict | tail -1
  this is the run that runvet [VERSION] sealed, unchanged (6 files)

# A seal is read up to limits.
  $ sealed
  $ python3 -c 'import json; print(json.dumps(dict.fromkeys(map(str, range(10001)))))' > many.json
  $ runvet verify many.json runs
  error: the seal many.json can't be relied on: an object has more than 10000 keys at line 1 column 138899
  [2]
