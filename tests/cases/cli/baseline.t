The baseline: what it accepts, what it no longer knows, and how it is written.

# A baseline fails only new findings, in every format.
  $ adopted
  $ runvet validate runs 2>&1 | head -1
  error: can't read the baseline known.json: No such file or directory (os error 2) (set by runvet.toml:1; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  $ runvet validate --write-baseline known.json runs
  200 episodes: no other errors; 58 findings in the baseline
  note: known.json lists 58 findings in 29 episodes
  $ for format in $(formats); do code --format $format runs; done | uniq -c
       11 0

From another directory the same episodes have other paths.
  $ (cd runs/episodes; code ..)
  0
  $ code --no-config runs
  1
  $ RUNVET_BASELINE=known.json code --no-baseline runs
  1

The other episodes appear only in formats that list suppressed findings or all episodes.
  $ edit 's/"outcome":"success"/"outcome":"succes"/' runs/episodes/run_150/ep_01_answer/summary.json
  $ for format in $(formats); do
  >   runvet validate --format $format runs > out 2> /dev/null; echo $? $(grep -c run_150 out | sed s/[1-9].*/new/) $(grep -q run_001 out && echo $format)
  > done | sort
  1 new
  1 new
  1 new
  1 new
  1 new
  1 new
  1 new html
  1 new json
  1 new junit
  1 new ndjson
  1 new sarif

# A baseline knows values, not places.
  $ adopted; code --write-baseline known.json runs
  0
  $ state=runs/episodes/run_001/ep_03_edited/state.json
  $ cp $state state; printf '\n\n' | cat - state > $state; code runs
  0
  $ sed s/0.95/0.99/ state > $state; runvet validate --format concise runs
  runs/episodes/run_001/ep_03_edited/events.jsonl:10:858: error projection/outcomes: `outcomes.metrics.task_score` is 0.75 in the projection event on line 10, but 0.99 in the state
  200 episodes: 199 valid, 1 invalid (1 error); 57 findings in the baseline
  note: no longer found, and can be removed from the baseline: runs/episodes/run_001/ep_03_edited: projection/outcomes events.jsonl /payload/outcomes/metrics/task_score
  [1]

A finding that has vanished is reported, a few by name; one that was not judged, or whose rule is off, has not vanished.
  $ sed -i 's/0.9[59]/0.75/' runs/episodes/*/ep_03_edited/state.json
  $ runvet validate runs 2>&1 | grep -v run_
  200 episodes: no other errors; 29 findings in the baseline
  note: no longer found, and can be removed from the baseline: 19 more
  $ runvet validate runs 2>&1 | grep -c run_
  10
  $ runvet validate --rule 'projection/*=off' --quiet runs
  $ runvet validate --rule 'projection/*=off' runs
  200 episodes: no other errors; 29 findings in the baseline
  $ echo '{' > $state; runvet validate runs/episodes/run_001 2>&1 | grep -c note:.*plan/projection
  0
  [1]

# A baseline accepts skips until they change.
  $ project; crashed=runs/demo/episodes/ep_04_crashed
  $ runvet validate --write-baseline known.json $crashed
  1 episode: no other errors; 3 findings in the baseline
  note: known.json lists 3 findings and [..] rules not judged in 1 episode
  $ known() { runvet validate --format json --baseline known.json $crashed 2> said; }
  $ known | json /episodes/0 skipped
  []
  $ runvet validate --baseline known.json $crashed
  1 episode: no other errors; 3 findings in the baseline

The sentence is for people: another version of runvet may word it otherwise.
  $ edit 's/"reason":"/"reason":"once: /' known.json
  $ known | json /episodes/0 skipped
  []

Another kind of reason is another skip, and the report names one that is gone.
  $ echo '{' > $crashed/summary.json; known > out; grep -o '"skipped":\[[^]]*\]' out | grep -o '"kind":"[a-z_]*"' | uniq
  "kind":"syntax"
  $ cp runs/demo/episodes/ep_01_answer/summary.json $crashed; known > out; grep -o '"skipped":\[[^]]*\]' out | grep -o '"kind":"[a-z_]*"' | uniq
  "kind":"no_event"
  $ cat said
  note: no longer found, and can be removed from the baseline: runs/demo/episodes/ep_04_crashed: lifecycle/artifacts summary.json
  note: no longer found, and can be removed from the baseline: runs/demo/episodes/ep_04_crashed: not judged: [..] rules (once: there is no summary.json)

# A baseline covers one broken text and no other, though both are cut off.
  $ project; dir=runs/demo/episodes/ep_01_answer; cp -r $dir runs/good
  $ echo '{"x":1' >> $dir/events.jsonl
  $ code --write-baseline known.json $dir; code --baseline known.json $dir
  0
  0
  $ { cat runs/good/events.jsonl; echo '{"phase":"runtime"'; } > $dir/events.jsonl; code --baseline known.json $dir
  1
  $ cp runs/good/events.jsonl $dir; printf '{"x":1' > $dir/state.json
  $ code --write-baseline known.json $dir; code --baseline known.json $dir
  0
  0
  $ printf '{"version":1' > $dir/state.json; code --baseline known.json $dir
  1

# A baseline of another version is refused.
  $ project; echo '{"version":1,"episodes":{},"more":0}' > known.json
  $ runvet validate --baseline known.json runs
  error: the baseline known.json has version 1, but this runvet reads version 2 (set by --baseline; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  [2]

# A baseline inside run data is refused unless the command line names it: its author could accept every finding.
  $ project; edited=runs/demo/episodes/ep_03_edited; known=$edited/known.json
  $ code --write-baseline $known $edited; code --baseline $known $edited
  0
  0
  $ RUNVET_BASELINE=$known runvet validate $edited
  error: can't read the baseline runs/demo/episodes/ep_03_edited/known.json: it lies inside run data, because of runs/demo/episodes (set by RUNVET_BASELINE; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  [2]
  $ (cd $edited; RUNVET_BASELINE=known.json code --no-config .); ln -s $known link.json; RUNVET_BASELINE=link.json code runs
  2
  2
  $ echo "baseline = '$known'" > runvet.toml; runvet validate $edited
  error: can't read the baseline runs/demo/episodes/ep_03_edited/known.json: it lies inside run data, because of runs/demo/episodes (set by runvet.toml:1; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  [2]
  $ project; code --write-baseline known.json $edited; RUNVET_BASELINE=known.json code $edited
  0
  0
  $ echo "baseline = 'known.json'" > runvet.toml; code $edited
  0

# The findings of a vanished episode are reported, those of one that was not judged are not.
  $ adopted; code --write-baseline known.json runs
  0
  $ rm -r runs/episodes/run_000/ep_01_answer runs/episodes/run_001/ep_03_edited runs/episodes/run_008/ep_03_edited
  $ runvet validate runs 2>&1 | grep note:
  note: runs/episodes/run_000: the directory is empty, so no run is checked there
  note: runs/episodes/run_001: the directory is empty, so no run is checked there
  note: runs/episodes/run_008: the directory is empty, so no run is checked there
  note: no longer found, and can be removed from the baseline: runs/episodes/run_001/ep_03_edited: the episode no longer exists (2 findings)
  note: no longer found, and can be removed from the baseline: runs/episodes/run_008/ep_03_edited: the episode no longer exists (2 findings)
  $ runvet validate runs/episodes/run_015 2>&1 | grep -c note:
  2
  $ (cd runs/episodes/run_015; runvet validate 2>&1 | grep -c note:)
  2

At any place and with any name of the baseline.
  $ ln -s runs link; runvet validate --no-config --write-baseline link/known.json runs 2> /dev/null
  197 episodes: no other errors, 3 directories empty; 54 findings in the baseline
  $ runvet validate --no-config --baseline link/known.json runs
  197 episodes: no other errors, 3 directories empty; 54 findings in the baseline
  note: runs/episodes/run_000: the directory is empty, so no run is checked there
  note: runs/episodes/run_001: the directory is empty, so no run is checked there
  note: runs/episodes/run_008: the directory is empty, so no run is checked there
  $ runvet validate --no-config --baseline link/known.json runs/episodes/run_015
  1 episode: no other errors; 2 findings in the baseline
  $ cd runs/episodes/run_015/ep_03_edited; runvet validate --no-config --write-baseline known.json 2> /dev/null
  1 episode: no other errors; 2 findings in the baseline
  $ runvet validate --no-config --baseline known.json ../../run_014
  1 episode: valid
  $ cd ../../../..; rm -r link runs/episodes

A few are named, the rest are counted.
  $ runvet validate --allow-empty runs 2>&1 | grep -v run_
  note: no longer found, and can be removed from the baseline: 38 more
  note: no episode found
  $ runvet validate --allow-empty runs 2>&1 | grep -c run_
  10

# A baseline is sorted, small and written as a whole.
  $ adopted; code --write-baseline known.json --jobs 1 runs
  0
  $ cp known.json text; code --write-baseline known.json --jobs 4 runs/episodes/../episodes runs; cmp known.json text
  0
  $ grep -c '^ "' text; grep '^ "' text | LC_ALL=C sort -c; grep -c '^  {' text
  29
  58
  $ grep -c '.\{180\}' text; test $(wc -c < text) -lt 10440
  0

A check that was not done leaves it.
  $ code --write-baseline known.json runs nowhere; cmp known.json text
  2
  $ for broken in '' '{}' '[]' '{"version":3,"episodes":{}}' '{"version":2,"episodes":{}}' '{"version":2,"episodes":{},"skips":{},"more":1}'; do
  >   echo "$broken" > known.json; runvet validate runs
  > done
  error: the baseline known.json is damaged: EOF while parsing a value at line 2 column 0 (set by runvet.toml:1; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  error: the baseline known.json is damaged: missing field `version` at line 1 column 2 (set by runvet.toml:1; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  error: the baseline known.json is damaged: invalid length 0, expected struct Versioned with 1 element at line 1 column 2 (set by runvet.toml:1; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  error: the baseline known.json has version 3, but this runvet reads version 2 (set by runvet.toml:1; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  error: the baseline known.json is damaged: missing field `skips` at line 1 column 27 (set by runvet.toml:1; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  error: the baseline known.json is damaged: unknown field `more`, expected one of `version`, `episodes`, `skips` at line 1 column 44 (set by runvet.toml:1; `runvet validate --write-baseline` creates it, --no-baseline checks without it)
  [2]

Without findings it is empty, and can be read again.
  $ code --write-baseline known.json --rule 'plan/*=off' --rule 'projection/*=off' runs; cat known.json
  0
  {"version":2,"episodes":{},
  "skips":{}}
  $ code runs/episodes/run_000
  0

# A baseline is never also a report.
  $ adopted; code --write-baseline known.json runs; cp known.json text; ln -s known.json link.json
  0
  $ for name in known.json ./known.json runs/../known.json link.json $PWD/known.json; do
  >   for option in --baseline --write-baseline; do runvet validate $option known.json --output json=$name runs; cmp known.json text; done
  > done
  error: known.json can't be both a report and the baseline
  error: known.json can't be both a report and the baseline
  error: ./known.json can't be both a report and the baseline
  error: ./known.json can't be both a report and the baseline
  error: runs/../known.json can't be both a report and the baseline
  error: runs/../known.json can't be both a report and the baseline
  error: link.json can't be both a report and the baseline
  error: link.json can't be both a report and the baseline
  error: [DIR]/known.json can't be both a report and the baseline
  error: [DIR]/known.json can't be both a report and the baseline
  $ for name in new.json ./new.json runs/../new.json $PWD/new.json; do code --write-baseline new.json --output json=$name runs; done
  2
  2
  2
  2
  $ runvet validate --output json=o --output sarif=./o runs
  error: two reports can't both be written to ./o
  [2]
