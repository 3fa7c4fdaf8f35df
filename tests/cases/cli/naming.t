How runs are named on the command line: by ids and their parts, by paths, and by nothing at all.

# A run is named by any part of its id, from above.
  $ work; for name in ep_01_answer EP_01 answer Answer _01_ work/runs/episodes/ep_01_answer work/runs/episodes/ep_01_answer/summary.json; do
  >   runvet view --json $name | grep -o '"episode_id":"[^"]*"'
  > done | uniq -c
       14 "episode_id":"ep_01_answer"

# A run without a name is the one around, or the newest.
  $ work; view() { runvet view --json "$@"; }
  $ view | json . episode_id
  ep_03_edited
  $ cd work/runs/episodes/ep_01_answer; view | json . episode_id
  ep_01_answer
  $ view @latest | json . episode_id
  ep_03_edited
  $ view --run-data ../../../runs | json . episode_id
  ep_03_edited
  $ runvet plan > /dev/null; runvet plan --json > /dev/null; runvet show state | grep '"id": "ep'
      "id": "ep_01_answer",
  $ cd logs/deep; view | json . episode_id
  ep_01_answer
  $ view @latest | json . episode_id
  ep_03_edited

# Several directories of run data below are named.
  $ work; mkdir old; cp -r "$CORPUS/good/terminal/episodes" old
  $ runvet list --format ids --sort id; runvet list . --format ids | wc -l
  ep_01_answer
  ep_03_edited
  ep_answer
  3
  $ runvet view
  error: several directories below . contain one called `episodes`; name one of them: old, work/runs
  [2]
  $ runvet plan ep
  error: several directories below . contain one called `episodes`; name one of them: old, work/runs
  [2]

# The command `list` takes paths or run data, but not both.
  $ work; ids() { echo $(runvet list --format ids "$@"); }; run=work/runs/episodes/ep_01_answer
  $ ids; ids work; RUNVET_RUN_DATA=nowhere ids work/runs/episodes; ids $run; ids $run $run work/runs
  ep_03_edited ep_01_answer
  ep_03_edited ep_01_answer
  ep_03_edited ep_01_answer
  ep_01_answer
  ep_03_edited ep_01_answer
  $ ids --run-data work/runs $run
  error: --run-data has no effect beside paths; leave one of them out

# Hostile ids are escaped where they are named.
  $ copy good/terminal/episodes/ep_answer "$(printf 'ep_\033[31ma')"; copy good/terminal/episodes/ep_answer "$(printf 'ep_\342\200\256b')"
  $ runvet view ep_
  error: several runs match "ep_": ep_\u{1b}[31ma, ep_\u{202e}b
  [2]
  $ runvet view "$(printf 'ep_\342\200\256\342\200\256b')"
  error: there is no run "ep_\u{202e}\u{202e}b"; did you mean ep_\u{202e}b?
  [2]
  $ runvet view "$(printf '\033[31m\nerror: forged')"
  error: there is no run "\u{1b}[31m\nerror: forged" in .; `runvet list` shows the runs
  [2]

# Run data comes from an option, the environment, or from nearby.
  $ mkdir nowhere; cd nowhere; demo=$CORPUS/demo other=$CORPUS/good/paused
  $ dir() { runvet view --json "$@"; }
  $ dir --run-data $demo ep_01 | json . episode_dir
  [CORPUS]/demo/episodes/ep_01_answer
  $ RUNVET_RUN_DATA=$demo dir ep_01 | json . episode_dir
  [CORPUS]/demo/episodes/ep_01_answer
  $ (cd $other; RUNVET_RUN_DATA=$demo dir ep_01) | json . episode_dir
  [CORPUS]/demo/episodes/ep_01_answer
  $ (cd $demo; RUNVET_RUN_DATA=$demo dir --run-data $other ep_p) | json . episode_dir
  [CORPUS]/good/paused/episodes/ep_paused
  $ (cd $demo; dir ep_01) | json . episode_dir
  episodes/ep_01_answer
  $ (cd $demo/episodes; dir ep_01) | json . episode_dir
  ../episodes/ep_01_answer
  $ (cd $demo/episodes/ep_02_paused; dir ep_01) | json . episode_dir
  ../../episodes/ep_01_answer
  $ (cd $demo/episodes/ep_02_paused; dir .) | json . episode_dir
  .

A path needs no run data.
  $ dir $demo/episodes/ep_01_answer/state.json | json . episode_dir
  [CORPUS]/demo/episodes/ep_01_answer
  $ for it in list 'view ep_01' 'plan ep_01' 'diff ep_01 ep_02' 'show ep_01 state'; do
  >   runvet $it 2>&1 | cut -c1-40; runvet $it --run-data absent 2>&1 | cut -c1-40
  > done | sort | uniq -c
        5 error: absent is not a run-data director
        5 error: there is no run data here: no dir

# An unknown id is a fault that names the nearest.
  $ cd "$CORPUS/demo"
  $ for it in view 'view --json' 'view --events' plan; do runvet $it ep_03_edite_; done; runvet show ep_03_edite_ state
  error: there is no run "ep_03_edite_"; did you mean ep_03_edited?
  error: there is no run "ep_03_edite_"; did you mean ep_03_edited?
  error: there is no run "ep_03_edite_"; did you mean ep_03_edited?
  error: there is no run "ep_03_edite_"; did you mean ep_03_edited?
  error: there is no run "ep_03_edite_"; did you mean ep_03_edited?
  [2]
  $ runvet view nosuch
  error: there is no run "nosuch" in .; `runvet list` shows the runs
  [2]
  $ runvet view ep_0
  error: several runs match "ep_0": ep_01_answer, ep_02_paused, ep_03_edited, ep_04_crashed, ep_05_misnamed
  [2]
  $ runvet show @latest 2>&1 | grep tip
    tip: name a record after the run: `runvet show @latest state`
  $ runvet view empty/
  error: there is no run "empty/" in .; `runvet list` shows the runs
  [2]
  $ runvet view ./nope/x
  error: there is no run "./nope/x" in .; `runvet list` shows the runs
  [2]

# The name of a file here is a path, without a slash.
  $ copy good/terminal/episodes/ep_answer ep_outer; cp -r episodes/ep_outer ep_out
  $ view() { runvet view --json $1; }
  $ view ep_out | json . episode_dir
  ep_out
  $ view ep_oute | json . episode_dir
  episodes/ep_outer
  $ cd episodes/ep_outer; view state.json | json . episode_dir
  .

# Names that differ in the form of Unicode only are told apart.
  $ name=$(printf 'ep_cafe\314\201'); copy good/terminal/episodes/ep_answer $name; edit s/ep_answer/ep_café/g episodes/*/*.json episodes/*/events.jsonl
  $ runvet validate --select episode/id --format concise
  episodes/ep_café/events.jsonl:1:35: error episode/id: 11 events belong to other episodes, the first of them to "ep_caf\u{e9}", but the directory is called "ep_cafe\u{301}"
  episodes/ep_café/state.json:1:154: error episode/id: the record belongs to the episode "ep_caf\u{e9}", but the directory is called "ep_cafe\u{301}"
  episodes/ep_café/summary.json:1:62: error episode/id: the record belongs to the episode "ep_caf\u{e9}", but the directory is called "ep_cafe\u{301}"
  1 episode: invalid (3 errors)
  [1]

As it is typed, the name finds the run.
  $ runvet view ep_café > /dev/null
