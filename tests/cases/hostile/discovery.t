Run data that tries to hide a run from the gate: what is not judged is a fault, never passed.

# A run is judged when it holds a directory `episodes`; elsewhere that is run data, and what lies beside it another program's.
  $ two_runs; mkdir episodes/ep_03_edited/episodes; seen .; seen episodes/ep_03_edited/state.json
  1 episodes/ep_03_edited episodes/ep_answer
  1 episodes/ep_03_edited
  $ bad elsewhere; mkdir elsewhere/episodes; seen elsewhere
  3
  fault: no episode found; an episode is a directory with state.json or events.jsonl, or a directory with summary.json below one called episodes; docs/bring-your-runs.md says how logs and traces of other programs become episodes

# Artifacts in `episodes` hide no run.
  $ two_runs; for file in learn.jsonl summary.json events.jsonl state.json; do
  >   cp episodes/ep_answer/$file episodes; seen .; seen episodes; seen episodes/$file | sed s/$file/FILE/; rm episodes/$file
  > done | sort | uniq -c
        4 2
        8 2 episodes/ep_03_edited episodes/ep_answer
       12 fault: episodes
  $ seen .
  1 episodes/ep_03_edited episodes/ep_answer

# Records that are copied into a group hide no run, and whoever says that it is a copy takes the responsibility.
  $ two_runs; bad episodes/group/ep_03_edited; seen .
  1 episodes/ep_03_edited episodes/ep_answer episodes/group/ep_03_edited
  $ cp episodes/ep_answer/state.json episodes/group; seen .; seen episodes/group
  2 episodes/ep_03_edited episodes/ep_answer episodes/group
  fault: episodes/group/ep_03_edited
  2 episodes/group
  fault: episodes/group/ep_03_edited
  $ echo "exclude = ['episodes/group/*']" > runvet.toml; seen --config runvet.toml .
  1 episodes/ep_03_edited episodes/ep_answer episodes/group

A directory without a timeline is none that a run could be in.
  $ rm runvet.toml episodes/group/ep_03_edited/events.jsonl; seen .
  1 episodes/ep_03_edited episodes/ep_answer episodes/group

# An episode above run data hides no run.
  $ two_runs; bad top/runs/deep/episodes/ep_03_edited; bad top/runs/episodes/group/ep_03_edited; mkdir -p top/empty/episodes; seen top
  1 top/runs/deep/episodes/ep_03_edited top/runs/episodes/group/ep_03_edited
  $ : > top/events.jsonl; seen top; seen . | head -1
  2 top top/runs/deep/episodes/ep_03_edited top/runs/episodes/group/ep_03_edited
  fault: top/runs/deep/episodes
  fault: top/runs/episodes
  2 episodes/ep_03_edited episodes/ep_answer top top/runs/deep/episodes/ep_03_edited top/runs/episodes/group/ep_03_edited

Records beside the copies of a run change nothing; what the user excludes is not opened.
  $ : > top/runs/events.jsonl; seen top
  2 top top/runs/deep/episodes/ep_03_edited top/runs/episodes/group/ep_03_edited
  fault: top/runs/deep/episodes
  fault: top/runs/episodes
  $ echo "exclude = ['top/runs']" > runvet.toml; seen --config runvet.toml top; rm runvet.toml
  0 top

Below `episodes` the search stops at an episode.
  $ bad episodes/ep_answer/copy/episodes/ep_03_edited; seen episodes
  1 episodes/ep_03_edited episodes/ep_answer

# A run with only a summary is not hidden by another; the summary of a group is its own matter.
  $ two_runs; copy good/terminal/episodes/ep_answer ep_1; mkdir g; mv episodes/ep_1 g/ep_answer; mv g episodes/ep_1; summed() { printf '%s' "$1" > episodes/ep_1/summary.json; seen .; }
  $ for text in '{}' '[]' '' '{"episode_id":null}' '{"runs":[{"episode_id":"a"}]}'; do summed "$text"; done | uniq -c
        5 1 episodes/ep_03_edited episodes/ep_1/ep_answer episodes/ep_answer
  $ summed '{"episode_id":"ep_1"}'
  2 episodes/ep_03_edited episodes/ep_1/ep_answer episodes/ep_answer
  fault: episodes/ep_1
  $ for file in learn.jsonl manifest.json; do : > episodes/ep_1/$file; summed '{}'; rm episodes/ep_1/$file; done
  2 episodes/ep_03_edited episodes/ep_1/ep_answer episodes/ep_answer
  fault: episodes/ep_1
  2 episodes/ep_03_edited episodes/ep_1/ep_answer episodes/ep_answer
  fault: episodes/ep_1
  $ { printf '['; head -c 2000000 /dev/zero | sed 's/\x00\x00/0,/g'; printf '0]'; } > episodes/ep_1/summary.json; seen . | tail -1
  fault: episodes/ep_1
  $ rm -r episodes/ep_1/ep_answer; summed '{"episode_id":"ep_1"}'
  1 episodes/ep_03_edited episodes/ep_1 episodes/ep_answer

# A link below `episodes` hides no run. Links to episodes that are judged anyway, to files and to nothing are none.
  $ mkdir data; cd data; two_runs; bad ../elsewhere; elsewhere=${PWD%/data}/elsewhere; mkdir episodes/group
  $ ln -s ep_answer episodes/latest; ln -s ../ep_answer episodes/group/latest; ln -s "$PWD/episodes/ep_03_edited" episodes/worst
  $ ln -s ep_answer/state.json episodes/file; ln -s nowhere episodes/dangling; ln -s itself episodes/itself; ln -s episodes other
  $ seen .; seen episodes
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/dangling
  fault: episodes/itself
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/dangling
  fault: episodes/itself

What an episode holds is not searched, but for a run that could be hidden.
  $ ln -s / episodes/ep_answer/root; ln -s ../ep_03_edited episodes/ep_answer/parent; ln -s "$elsewhere" episodes/ep_answer/run; seen .
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/dangling
  fault: episodes/ep_answer/root
  fault: episodes/ep_answer/run
  fault: episodes/itself
  $ rm episodes/ep_answer/run; seen .
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/dangling
  fault: episodes/ep_answer/root
  fault: episodes/itself
  $ ln -s / episodes/up; ln -s group episodes/other; ln -s . episodes/here; ln -s "$elsewhere" episodes/group/b; ln -s "$elsewhere" episodes/a; seen .
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/a
  fault: episodes/dangling
  fault: episodes/ep_answer/root
  fault: episodes/group/b
  fault: episodes/itself
  fault: episodes/up

Only a part of the run data may be looked at.
  $ rm episodes/here episodes/other episodes/up episodes/group/b; seen episodes/group
  2
  fault: episodes/group/latest

The user may take the responsibility for the link, or have its target checked.
  $ echo "exclude = ['episodes/a']" > runvet.toml; seen --config runvet.toml episodes; rm runvet.toml
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/dangling
  fault: episodes/ep_answer/root
  fault: episodes/itself
  $ seen .; seen . "$elsewhere"; seen . "$elsewhere/state.json"
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/a
  fault: episodes/dangling
  fault: episodes/ep_answer/root
  fault: episodes/itself
  2 [DIR]/elsewhere episodes/ep_03_edited episodes/ep_answer
  fault: episodes/dangling
  fault: episodes/ep_answer/root
  fault: episodes/itself
  2 [DIR]/elsewhere episodes/ep_03_edited episodes/ep_answer
  fault: episodes/dangling
  fault: episodes/ep_answer/root
  fault: episodes/itself

A run that moved away may leave a link.
  $ rm -r episodes/a episodes/ep_03_edited episodes/ep_answer/parent; ln -s "$elsewhere" episodes/ep_03_edited; seen .
  2 episodes/ep_answer
  fault: episodes/dangling
  fault: episodes/ep_03_edited
  fault: episodes/ep_answer/root
  fault: episodes/itself
  fault: episodes/worst

# A link to an excluded run is no fault, and an excluded directory is not opened.
  $ two_runs; ln -s ep_03_edited episodes/latest; echo "exclude = ['ep_03_edited']" > runvet.toml; seen --config runvet.toml .
  0 episodes/ep_answer
  $ rm episodes/latest runvet.toml; mkdir -p episodes/old/episodes; echo '{}' > episodes/old/episodes/state.json; ln -s / episodes/old/root; seen .
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/old/episodes
  fault: episodes/old/root
  $ echo "exclude = ['old']" > runvet.toml; seen --config runvet.toml .; runvet validate --config runvet.toml . 2>&1 > out
  1 episodes/ep_03_edited episodes/ep_answer
  note: 1 directory excluded by the configuration
  [1]

# An artifact behind a link stands for the run it is in.
  $ bad other/episodes/ep_1; mkdir other/episodes/ep_1/deep A; cp other/episodes/ep_1/state.json other/episodes/ep_1/deep; cp -r "$CORPUS/good/terminal/episodes/ep_answer" A/ep_1
  $ ln -s "$PWD/other/episodes/ep_1/deep" A/ep_1/chk; seen A/ep_1/chk/state.json
  1 [DIR]/other/episodes/ep_1

# A directory that is too deep is a fault, and not searched.
  $ two_runs; deepest=$(printf 'd/%.0s' $(seq 254)); short() { "$@" | sed 's#\(d/\)\1*#d/…#g'; }
  $ mkdir -p episodes/${deepest}run; : > episodes/${deepest}run/events.jsonl; short seen .
  1 episodes/d/…run episodes/ep_03_edited episodes/ep_answer
  $ mkdir -p episodes/${deepest}d/a episodes/${deepest}d/b; short seen .
  2 episodes/d/…run episodes/ep_03_edited episodes/ep_answer
  fault: episodes/d/…a
  fault: episodes/d/…b
  $ short seen episodes
  1 episodes/d/…run episodes/ep_03_edited episodes/ep_answer
  $ echo "exclude = ['a', 'b']" > runvet.toml; short seen --config runvet.toml .
  1 episodes/d/…run episodes/ep_03_edited episodes/ep_answer

# Artifacts that belong to no run are a fault; elsewhere they may be another program's.
  $ two_runs; for file in learn.jsonl manifest.json; do mkdir -p episodes/group/ep_bad; : > episodes/group/ep_bad/$file; seen .; mv episodes/group/ep_bad $file; seen .; done
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/group/ep_bad
  1 episodes/ep_03_edited episodes/ep_answer
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/group/ep_bad
  1 episodes/ep_03_edited episodes/ep_answer

# A run that was packed or renamed is not passed over.
  $ two_runs; for file in group/ep_gone/state.json.gz group/gone/STATE.JSON 'group/gone/events (1).jsonl' group/gone/gone.tar.zst ep_gone/checkpoints/7/weights.bin ep_gone.tar.gz; do
  >   mkdir -p "$(dirname "episodes/$file")"; : > "episodes/$file"; seen .; rm "episodes/$file"; seen . | grep fault
  > done
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/group/ep_gone
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/group/gone
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/group/gone
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/group/gone
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/ep_gone
  2 episodes/ep_03_edited episodes/ep_answer
  fault: episodes/ep_gone.tar.gz
  [1]
  $ : > episodes/group/gone/EVENTS.JSONL; runvet list --format ids
  error: episodes/group/gone: the directory holds "EVENTS.JSONL", but no record of a run (state.json, events.jsonl), so nothing in it is checked; unpack or rename what is a record, or exclude the directory
  ep_03_edited
  ep_answer
  [2]

# Files below `episodes` that are no run are noted.
  $ two_runs; mkdir -p episodes/group episodes/assets/images assets; cp -r episodes/ep_answer episodes/group/ep_1
  $ : > episodes/README.md; : > episodes/group/notes.md; : > episodes/group/.DS_Store; : > episodes/assets/images/logo.png; : > episodes/assets/images/wide.png; : > assets/logo.png
  $ runvet validate --select state/schema .
  3 episodes: all valid
  note: episodes/assets: the directory holds "images/logo.png" and 1 more file, but no record of a run (state.json, events.jsonl), so nothing in it is checked; unpack or rename what is a record, or exclude the directory

# Faults are told in plain words.
  $ two_runs; ln -s / episodes/root; echo '{}' > episodes/state.json; mkdir -p episodes/ep_answer/copy episodes/ep_1/ep_2 sub/runs/episodes/ep_1; : > episodes/ep_answer/copy/events.jsonl
  $ for file in ep_1/summary.json ep_1/manifest.json ep_1/ep_2/summary.json; do echo '{}' > episodes/$file; done; echo '{"plan":{}}' > sub/state.json
  $ runvet validate 2>&1 > out
  error: episodes: artifacts lie directly in a directory called `episodes`, so they belong to no run
  error: episodes/ep_1: this directory looks like a run and holds another run, so only the inner run is checked; move one of them, or exclude the inner one
  error: episodes/ep_answer/copy: a directory in an episode holds events.jsonl, so a run may be hidden; move it, or exclude it
  error: episodes/root: a symbolic link to a directory that is not checked; exclude the link, give / too, or follow it with --follow-links=/
  error: sub/runs/episodes: a directory called `episodes` lies in the episode sub, so runs may be hidden; move it, or exclude it
  note: sub/runs/episodes/ep_1: the directory is empty, so no run is checked there
  [2]

# A run with only a summary is listed and viewed.
  $ two_runs; mkdir -p episodes/ep_1/snapshots; echo '{}' > episodes/ep_1/summary.json
  $ runvet list --format ids --sort id; runvet view ep_1 --json > out; runvet view snapshot
  ep_03_edited
  ep_1
  ep_answer
  error: there is no run "snapshot" in .; `runvet list` shows the runs
  [2]
