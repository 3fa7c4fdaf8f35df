Options that make no sense are refused, and what is passed over or filtered is said.

# Unknown words are refused with a suggestion.
  $ cd "$CORPUS/demo"
  $ runvet list --status err 2>&1 | grep -e error: -e exists
  error: invalid value 'err' for '--status <STATUS>'
    tip: a similar value exists: 'error'
  $ runvet list --status completed 2>&1 | grep exists
    tip: a similar value exists: 'ok'
  $ runvet list --outcome succes 2>&1 | grep exists
    tip: a similar value exists: 'success'
  $ runvet list --sort newst 2>&1 | head -n 1
  error: invalid value 'newst' for '--sort <ORDER>': expected newest, started, duration, id or metric:NAME; did you mean `newest`?
  $ runvet view ep_01 --phase acts
  error: no event has the phase "acts"; did you mean `act`?
  [2]
  $ runvet view ep_01 --phase Terminate
  error: no event has the phase "Terminate"; did you mean `terminate`?
  [2]
  $ runvet view ep_01 --phase banana
  error: no event has the phase "banana"; runtimes write start, observe, interpret, reason, plan, direction, act, reflect, learn, insight, memory, intuition, governance, runtime, terminate
  [2]
  $ runvet view ep_01 --phase "$(printf '\033[2J')"
  error: no event has the phase "\u{1b}[2J"; runtimes write start, observe, interpret, reason, plan, direction, act, reflect, learn, insight, memory, intuition, governance, runtime, terminate
  [2]

# Open phases can be asked for.
  $ copy good/terminal/episodes/ep_answer
  $ echo '{"phase":"acts","timestamp":"2026-03-01T12:00:01Z","payload":{}}' >> episodes/ep_answer/events.jsonl
  $ runvet view --phase acts
      12   +1.000s acts

A phase that occurs, or that runtimes write, is not a slip.
  $ runvet view --phase acts --grep nowhere
  note: none of 12 events matches --phase acts --grep "nowhere"
  $ runvet view --phase governance
  note: none of 12 events matches --phase governance
  $ runvet view --grep nowhere
  note: none of 12 events matches --grep "nowhere"

# An empty list says what was filtered.
  $ cd "$CORPUS/demo"
  $ runvet list --status aborted
  no runs: none of 5 runs matches --status aborted
  $ runvet list --status pending --invalid --since 2030-01-01 2> /dev/null
  no runs: none of 5 runs matches --status pending --since 2030-01-01 --invalid

# A list of invalid runs names the first error.
  $ cd "$CORPUS/demo"
  $ runvet list --invalid --sort id
  STARTED             ID             STATUS   OUTCOME   TOOK FIRST ERROR            TASK
  2026-03-01 12:00:00 ep_03_edited   ok       success  0.15s projection/outcomes +1 Summarize the open tickets
  2026-03-01 12:00:00 ep_04_crashed  ok       -            - events/torn-tail +2    Summarize the open tickets
  2026-03-01 12:00:00 ep_05_misnamed ok       success  0.15s state/schema           Summarize the open tickets
  $ runvet list --sort id --format json | json /runs/* episode_id dir valid first_error
  ep_01_answer episodes/ep_01_answer null null
  ep_02_paused episodes/ep_02_paused null null
  ep_03_edited episodes/ep_03_edited null null
  ep_04_crashed episodes/ep_04_crashed null null
  ep_05_misnamed episodes/ep_05_misnamed null null
  $ runvet list --sort id --format json --invalid | json /runs/* episode_id valid first_error
  ep_03_edited false projection/outcomes
  ep_04_crashed false events/torn-tail
  ep_05_misnamed false state/schema

# A list is sorted by what is asked for.
  $ for it in b:13:3 a:15:1 c:14:2; do
  >   id=ep_${it%%:*} seconds=${it##*:} hour=${it#*:}; copy good/terminal/episodes/ep_answer $id
  >   edit "s/T12:00:00/T${hour%:*}:00:00/g" episodes/$id/state.json; edit "s/0\.15,/$seconds,/" episodes/$id/summary.json
  > done
  $ echo $(runvet list --format ids --sort id)
  ep_a ep_b ep_c
  $ echo $(runvet list --format ids --sort started)
  ep_a ep_c ep_b
  $ echo $(runvet list --format ids --sort duration --limit 2)
  ep_b ep_c

# Words of the vocabulary are never cut.
  $ copy good/terminal/episodes/ep_answer; edit 's/"outcome":"success"/"outcome":"success_unverified"/' episodes/ep_answer/summary.json
  $ COLUMNS=80 runvet list | grep -o ' success_unverified '
   success_unverified

# Options without effect are refused.
  $ cd "$CORPUS/demo"
  $ for option in '--rule=plan/*=off' --no-config --no-baseline; do runvet list $option; runvet view ep_01 --events $option; done
  error: --rule has no effect without --valid or --invalid
  error: --rule has no effect where only the timeline is printed
  error: --no-config has no effect without --valid or --invalid
  error: --no-config has no effect where only the timeline is printed
  error: --no-baseline has no effect without --valid or --invalid
  error: --no-baseline has no effect where only the timeline is printed
  [2]
  $ runvet validate --format sarif --statistics
  error: --statistics has no effect in the format sarif
  [2]
  $ runvet validate --format sarif --group-by=rule
  error: --group-by has no effect in the format sarif
  [2]
  $ runvet validate --format sarif --statistics --output=human=/dev/null/x 2>&1 | grep -c 'no effect'
  0
  [1]
  $ for it in 'view ep_01 --json' 'plan ep_01 --json' 'diff ep_01 ep_02 --json' 'list --format json' 'validate --format json'; do
  >   runvet $it --color always; runvet $it --color never 2>&1 | grep 'no effect'
  > done
  error: --color always has no effect with --json
  error: --color always has no effect with --json
  error: --color always has no effect with --json
  error: --color always has no effect in this format
  error: --color always has no effect in the format json
  [1]

A variable is meant for other calls too.
  $ RUNVET_RULES='plan/*=off' runvet list > /dev/null

# A baseline of selected rules alone is refused, unless no other rule is ever checked.
  $ cp -r "$CORPUS/demo" .
  $ runvet validate demo --write-baseline known.json --select 'plan/*'
  error: --write-baseline can't be used with --select: the baseline would lack the findings of all other rules
  [2]
  $ RUNVET_SELECT='plan/*' runvet validate demo --write-baseline known.json; ls
  error: --write-baseline can't be used with RUNVET_SELECT: the baseline would lack the findings of all other rules
  demo
  $ echo "select = ['plan/*']" > runvet.toml; runvet validate demo --write-baseline known.json --config runvet.toml; ls known.json
  5 episodes: no other errors, 1 not ended; 1 finding in the baseline
  note: known.json lists 1 finding and 3 rules not judged in 2 episodes
  known.json

# A complaint about a variable names it, and a flag goes before the variable.
  $ cd "$CORPUS"
  $ RUNVET_FORMAT=xml runvet check good 2>&1 | head -1
  error: invalid value 'xml' for 'variable RUNVET_FORMAT'
  $ RUNVET_JOBS=0 runvet check good 2>&1 | head -1
  error: invalid value '0' for 'variable RUNVET_JOBS': expected a whole number, at least 1
  $ RUNVET_RULES='plan/*=loud' runvet check good 2>&1 | head -1
  error: invalid value 'plan/*=loud' for 'variable RUNVET_RULES': "loud" is not one of error, ask, warning, off
  $ RUNVET_DENY_WARNINGS=perhaps runvet check good 2>&1 | head -1
  error: invalid value 'perhaps' for 'variable RUNVET_DENY_WARNINGS': value was not a boolean
  $ RUNVET_FORMAT=human runvet check --format xml good 2>&1 | head -1
  error: invalid value 'xml' for '--format <FORMAT>'

# A deleted artifact of a list stands for its episode.
  $ copy good/terminal/episodes/ep_answer; rm episodes/ep_answer/summary.json episodes/ep_answer/learn.jsonl
  $ listed() { runvet validate --format json --files-from - "$@"; }
  $ printf 'episodes/ep_answer/summary.json\nepisodes/ep_answer/learn.jsonl\n' | listed | json /totals episodes
  1
  [1]

Of a run without any artifact nothing is left to check, nor of one whose directory is gone.
  $ mkdir episodes/ep_gone; echo episodes/ep_gone/state.json | listed 2>&1 > /dev/null
  error: no episode found; an episode is a directory with state.json or events.jsonl, or a directory with summary.json below one called episodes; docs/bring-your-runs.md says how logs and traces of other programs become episodes
  [3]
  $ echo episodes/ep_never/state.json | listed 2>&1 > /dev/null
  error: episodes/ep_never/state.json: no such file or directory
  [2]

A deleted file above episodes stands for none of them.
  $ printf 'state.json\nepisodes/state.json\n' | listed 2>&1 > /dev/null
  error: no episode found; an episode is a directory with state.json or events.jsonl, or a directory with summary.json below one called episodes; docs/bring-your-runs.md says how logs and traces of other programs become episodes
  [3]

# Other files of a list are passed over on request.
  $ copy good/terminal/episodes/ep_answer; echo '{}' > base.json
  $ printf 'base.json\ngone.txt\ngone/state.json\nepisodes/ep_answer/state.json\n' > list
  $ code --files-from list
  2
  $ runvet validate --files-from list --skip-others
  note: skipped 2 paths without an artifact
  note: skipped 1 path of artifacts in directories that do not exist here, such as "gone/state.json": their runs were deleted
  1 episode: valid

# A list is read as git and Windows write it.
  $ copy good/terminal/episodes/ep_answer 'ep_ü "1"'
  $ listed() { runvet validate --format json --files-from - --skip-others --allow-empty "$@"; }
  $ quoted='"episodes/ep_\\303\\274 \\"1\\"/state.json"' plain='episodes/ep_ü "1"/state.json'
  $ printf "$quoted" | listed | json /totals episodes
  1
  [1]
  $ printf "$quoted\r" | listed | json /totals episodes
  1
  [1]
  $ printf "$plain\r" | listed | json /totals episodes
  1
  [1]
  $ printf "\357\273\277$plain" | listed | json /totals episodes
  1
  [1]
  $ printf "$plain" | runvet validate --files-from - --skip-others --null
  error: can't read paths from -: no NUL byte ends a path, so leave out --null
  [2]
  $ printf 'a/state.json\0' | runvet validate --files-from - --skip-others
  error: can't read paths from -: it has NUL bytes: --null is for a list that these separate, and UTF-16 must be UTF-8
  [2]

# A list that was made in another directory is refused; a run that was deleted is not.
  $ copy good/terminal/episodes/ep_answer; mkdir -p services/web/runs/episodes/ep_1; echo '{}' > services/web/runs/episodes/ep_1/state.json
  $ listed() { (cd $1; echo $2 | runvet validate --files-from - --skip-others --allow-empty); }
  $ listed services/web services/web/runs/episodes/ep_1/state.json
  error: the list has 1 path of artifacts in directories that do not exist here, such as "services/web/runs/episodes/ep_1/state.json": it was made in another directory than it is read in; git lists paths from the root of the repository, and with --relative from the working directory
  [2]
  $ listed . runs/episodes/ep_1/state.json
  error: the list has 1 path of artifacts in directories that do not exist here, such as "runs/episodes/ep_1/state.json": it was made in another directory than it is read in; git lists paths from the root of the repository, and with --relative from the working directory
  [2]
  $ listed services/web runs/episodes/ep_2/state.json
  note: skipped 1 path of artifacts in directories that do not exist here, such as "runs/episodes/ep_2/state.json": their runs were deleted
  note: no episode found
  $ listed . web/public/manifest.json
  note: skipped 1 path of artifacts in directories that do not exist here, such as "web/public/manifest.json": their runs were deleted
  note: no episode found

# A listed state of another program is passed over, unless this file is meant.
  $ mkdir .auth; echo '{"cookies":[]}' > .auth/state.json
  $ echo .auth/state.json | runvet validate --files-from - --allow-empty
  note: skipped 1 directory whose only artifact is a state.json of another program; to check one, give its path
  note: no episode found
  $ runvet validate --allow-empty --skip-others .auth/state.json
  note: skipped 1 directory whose only artifact is a state.json of another program; to check one, give its path
  note: no episode found
  $ code --allow-empty .auth/state.json
  1

# The command `show` prints events and the manifest.
  $ here=$PWD; cd "$CORPUS/demo"
  $ runvet show ep_01 events --line 5 | json . phase
  act
  $ runvet show ep_01 events --line 5 | head -2
  {
    "agent_id": "adapter:core.minimal",
  $ runvet show ep_01 events | grep -c '^{'
  11
  $ runvet show ep_01 events --raw | cmp - episodes/ep_01_answer/events.jsonl
  $ runvet show ep_01 manifest > /dev/null
  $ runvet show ep_01 events --line 12
  error: events.jsonl has no event on line 12
  [2]
  $ runvet show ep_01 state --line 1
  error: --line works only with `events`
  [2]

# The command `show` reports lines that are no events.
  $ copy good/terminal/episodes/ep_answer; printf '{"a":1}\n\n{\n{"b":2}\n' > episodes/ep_answer/events.jsonl
  $ runvet show events
  error: episodes/ep_answer/events.jsonl:3:2: not JSON: the text ends where a key is expected
  {
    "a": 1
  }
  {
    "b": 2
  }
  [2]
  $ runvet show events --line 4
  {
    "b": 2
  }
  $ runvet show events --line 3
  error: episodes/ep_answer/events.jsonl:3:2: not JSON: the text ends where a key is expected
  [2]
  $ runvet show events --line 2
  error: events.jsonl has no event on line 2
  [2]

# Arguments are escaped where they are refused.
  $ cd "$CORPUS/demo"; evil=$(printf 'x\033[31m\n::error::forged\342\200\256')
  $ runvet show state episodes/ep_01_answer "$evil" 2>&1 | head -1
  error: unexpected argument 'x\u{1b}[31m\n::error::forged\u{202e}' found
  $ runvet show "$evil" 2>&1 | head -1
  error: invalid value 'x\u{1b}[31m\n::error::forged\u{202e}' for '<RECORD>'
  $ runvet "$evil" 2>&1 | head -1
  error: unrecognized subcommand 'x\u{1b}[31m\n::error::forged\u{202e}'
  $ runvet list "--status=$evil" 2>&1 | head -1
  error: invalid value 'x\u{1b}[31m\n::error::forged\u{202e}' for '--status <STATUS>'
  $ runvet validate "--rule=$evil" 2>&1 | head -1
  error: invalid value 'x\u{1b}[31m\n::error::forged\u{202e}' for '--rule <NAME=LEVEL>': expected NAME=error, NAME=warning or NAME=off
  $ runvet validate "--select=$evil" 2>&1 | head -1
  error: invalid value 'x\u{1b}[31m\n::error::forged\u{202e}' for '--select <RULE>': there is no rule called `x\u{1b}[31m\n::error::forged\u{202e}`
  $ runvet validate "--$evil=$evil" 2>&1 | head -1
  error: unexpected argument '--x\u{1b}[31m\n::error::forged\u{202e}' found

# Rules without examples are not said to be tested.
  $ runvet rules --test --no-config
  note: the configuration declares no rule that has examples, so none was tested
