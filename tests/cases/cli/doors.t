The ways in: runs are named alike everywhere, and a mistake leads to what was meant.

# A run is called by its id, and run data by `--run-data`, in every command that takes paths.
  $ mkdir runs; cp -r "$CORPUS/demo" runs
  $ runvet validate ep_01; runvet validate --run-data runs/demo ep_02
  note: ep_01 is the run runs/demo/episodes/ep_01_answer
  1 episode: valid
  note: ep_02 is the run runs/demo/episodes/ep_02_paused
  1 episode: 1 valid, 1 not ended
  $ runvet validate --run-data runs/demo | tail -1
  To learn more about a rule: runvet explain projection/outcomes
  $ runvet validate ep_0; runvet validate nowhere
  error: ep_0: no such file or directory
  no episodes: 1 path could not be checked
  error: nowhere: no such file or directory
  no episodes: 1 path could not be checked
  [2]
  $ runvet validate --run-data runs/demo runs
  error: --run-data has no effect beside paths; leave one of them out
  [2]
  $ runvet table runs --run-data runs/demo | wc -l; runvet coverage --run-data runs/demo | head -1; runvet list --run-data runs/demo --format ids | head -1
  6
  5 runs: 54 rules compared something, 7 compared nothing
  ep_05_misnamed
  $ runvet table runs --run-data runs/demo runs 2>&1 | head -1
  error: the argument '--run-data <DIR>' cannot be used with '[PATHS]...'

# An unknown option is not to be passed as a value.
  $ for command in 'table actions --run-dat x' 'serve --port 80' 'coverage --json' 'list --nothing'; do runvet $command 2>&1 | head -4; done
  error: unexpected argument '--run-dat' found

    tip: a similar argument exists: '--run-data'

  error: unexpected argument '--port' found

    tip: the option is --listen

  error: unexpected argument '--json' found

    tip: the option is --format json

  error: unexpected argument '--nothing' found


  Usage: runvet list [OPTIONS] [PATHS]...

# A report without a format gets the one that its name asks for.
  $ for path in report.html report.jsonl out.md runvet.xml report; do runvet validate --output $path 2>&1 | head -1; done
  error: invalid value 'report.html' for '--output <FORMAT=PATH>': expected FORMAT=PATH, such as html=report.html
  error: invalid value 'report.jsonl' for '--output <FORMAT=PATH>': expected FORMAT=PATH, such as ndjson=report.jsonl
  error: invalid value 'out.md' for '--output <FORMAT=PATH>': expected FORMAT=PATH, such as markdown=out.md
  error: invalid value 'runvet.xml' for '--output <FORMAT=PATH>': expected FORMAT=PATH, such as junit=runvet.xml
  error: invalid value 'report' for '--output <FORMAT=PATH>': expected FORMAT=PATH, such as json=report.json

# The commands stand under five headings.
  $ runvet --help | grep '^[A-Z].*:$'
  Check:
  Look:
  Compare:
  Record:
  Set up:
  Options:

# What may be a record of a run under another name is said.
  $ cp -r "$CORPUS/good/terminal/episodes" .; cd episodes/ep_answer; gzip events.jsonl; mv state.json State.json; touch events.jsonl.1 summary.json.bak notes.txt workspace.tar.gz
  $ cd ../..; runvet validate episodes 2>&1 | grep note
  note: episodes/ep_answer: the directory of this run holds "State.json", "events.jsonl.1", "events.jsonl.gz" and 1 more file, which is not read: only state.json, summary.json, events.jsonl, learn.jsonl, manifest.json are; unpack, join or rename what is a record
  $ mv episodes/ep_answer/State.json episodes/ep_answer/state.json; runvet validate episodes 2>&1 | grep note
  note: episodes/ep_answer: the directory of this run holds "events.jsonl.1", "events.jsonl.gz", "summary.json.bak", which is not read: only state.json, summary.json, events.jsonl, learn.jsonl, manifest.json are; unpack, join or rename what is a record

# An empty list is told apart from one of which all was passed over.
  $ : | runvet validate --files-from - --allow-empty
  note: the list of paths is empty: did the command that makes it fail?
  note: no episode found
  $ echo notes.txt | runvet validate --files-from - --allow-empty --skip-others
  note: skipped 1 path without an artifact
  note: no episode found

# A name with a backslash in a manifest gets the advice to write `/`.
  $ cp -r "$CORPUS/good/terminal/episodes" .; printf '%s' '{"files": [{"name": "out\\a.txt", "size_bytes": 5}]}' > episodes/ep_answer/manifest.json
  $ runvet validate --verify-manifest
  episodes/ep_answer (ended): 1 error

  error[manifest/digest]: "out\a.txt" leads out of the episode's directory, so it was not opened
     ╭─[episodes/ep_answer/manifest.json:1:21]
   1 │ {"files": [{"name": "out\\a.txt", "size_bytes": 5}]}
     ·                     ────────────
     ╰────
  help: Names are written with `/`, on every system: `\` is a part of a name.

  1 episode: invalid (1 error)
  To learn more about a rule: runvet explain manifest/digest
  [1]

# In the format of GitLab, paths start at the root of the project.
  $ mkdir -p sub; cp -r "$CORPUS/demo/episodes" sub; cd sub; here=$PWD
  $ paths() { runvet validate --format gitlab "$@" | grep -o '"path":"[^"]*"' | sort -u | head -1; }
  $ paths; CI_PROJECT_DIR=$(dirname $PWD) paths; CI_PROJECT_DIR=/nowhere paths $PWD; cd ..; paths ./sub/../sub
  "path":"episodes/ep_03_edited/events.jsonl"
  "path":"sub/episodes/ep_03_edited/events.jsonl"
  "path":"episodes/ep_03_edited/events.jsonl"
  "path":"sub/episodes/ep_03_edited/events.jsonl"

# Text for people is ASCII alone where it is asked for, and data stay as they are.
  $ cp -r "$CORPUS/demo/episodes" .; edit 's/Summarize the open tickets/Über … tickets/' episodes/ep_01_answer/*.json*
  episodes/ep_01_answer/learn.jsonl stays as it was
  episodes/ep_01_answer/manifest.json stays as it was
  $ for command in 'validate' 'view ep_01' 'view ep_03' 'plan ep_03' 'diff ep_01 ep_03' 'list' 'explain plan/projection' 'validate ep_nö' 'table runs --nö'; do runvet $command --ascii > out 2>&1; LC_ALL=C grep -c '[^ -~]' out; TERM=dumb runvet $command > out 2>&1; LC_ALL=C grep -c '[^ -~]' out; done | sort | uniq -c
       18 0
  $ runvet view ep_01 --ascii | grep tickets; runvet list --format json --ascii | grep -o 'Über'; TERM=dumb runvet show ep_01 state | grep -o 'Über'
  \u{dc}ber ... tickets
    x step-1     detect   done     Collect the open tickets
    x step-2     act      done     Summarize the tickets
    act-1      step-1     adapter:core.minimal ok       Collect the open tickets
    act-2      step-2     adapter:core.minimal ok       Summarize the tickets
      0.9 Three tickets are open
      +0.000s start      system           \u{dc}ber ... tickets
      +0.010s observe    system           \u{dc}ber ... tickets
      +0.040s act        adapter:core.minimal adapter:core.minimal . Collect the open tickets . step-1
      +0.090s act        adapter:core.minimal adapter:core.minimal . Summarize the tickets . step-2
  Über
  Über
