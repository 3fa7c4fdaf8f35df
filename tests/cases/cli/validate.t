The command line for users: arguments, exit codes, standard output and standard error.

# The exit code is the outcome of the check.
  $ mkdir empty; empty=$PWD/empty; cd "$CORPUS"
  $ code good/terminal
  0
  $ code bad/episode/task/case
  1

A warning passes, unless it is denied.
  $ code bad/lifecycle/learn-missing/gone
  0
  $ code --deny-warnings bad/lifecycle/learn-missing/gone
  1

A fault weighs more than findings.
  $ code nowhere
  2
  $ code nowhere bad/episode/task/case
  2
  $ code --no-such-flag
  2
  $ code "$empty"
  3
  $ code --allow-empty "$empty"
  0
  $ code --allow-empty nowhere
  2
  $ code --help
  0
  $ runvet > /dev/null 2>&1
  [2]

# The exit code is the same in every format.
  $ cd "$CORPUS"
  $ for format in $(formats); do
  >   echo $(code --format $format good/terminal) $(code --format $format bad/episode/task/case) $(code --format $format nowhere)
  > done | sort -u
  0 1 2

# The address of a store names what reads it.
  $ runvet validate s3://runs
  error: s3://runs: no such file or directory; `python -m runvet.batch` checks stores of objects
  no episodes: 1 path could not be checked
  [2]

# Faults go to standard error, and findings are still printed.
  $ cd "$CORPUS"
  $ runvet validate nowhere bad/episode/task/case 2>&1 > /dev/null
  error: nowhere: no such file or directory
  [2]
  $ runvet validate nowhere bad/episode/task/case 2> /dev/null | grep -c 'error.episode/task.:'
  1

# An episode is checked once, however often it is named.
  $ cd "$CORPUS"
  $ dirs() { runvet validate --format json "$@"; }
  $ episode=good/terminal/episodes/ep_answer
  $ dirs $episode/state.json | json /episodes/* dir
  good/terminal/episodes/ep_answer
  $ dirs $episode/state.json $episode good/terminal ./good/terminal/ good/terminal/episodes/../ | json /totals episodes
  1
  $ dirs ./good/terminal/ | json /episodes/* dir
  good/terminal/episodes/ep_answer

Copies in a checkpoint belong to the episode that holds them, also from within.
  $ copy=good/grouped/episodes/.nightly/a/ep_grouped/checkpoints/1
  $ dirs $copy/state.json | json /episodes/* dir
  good/grouped/episodes/.nightly/a/ep_grouped
  $ (cd $copy; dirs state.json) | json /episodes/* id valid
  ep_grouped true
  $ (cd $copy; dirs ../1/state.json) | json /episodes/* id valid
  ep_grouped true
  $ (cd $copy/..; dirs 1/state.json) | json /episodes/* id valid
  ep_grouped true
  $ (cd $copy/../..; dirs checkpoints/1/state.json) | json /episodes/* id valid
  ep_grouped true
  $ code $episode/notes.txt
  2
  $ code ../Cargo.toml
  2

# The current directory is the default, and names the episode.
  $ cd "$CORPUS/good/terminal"
  $ runvet validate --format json | json /episodes/* id dir
  ep_answer episodes/ep_answer
  $ cd episodes/ep_answer
  $ runvet validate --format json . | json /episodes/* id dir
  ep_answer .
  $ runvet validate --format json .. | json /episodes/* id dir
  ep_answer ../ep_answer

The name of the directory is the id only below `episodes`.
  $ cd "$CORPUS/bad/episode/id/elsewhere/some/dir"
  $ runvet validate --format json . | json /episodes/* id
  ep_answer
  [1]

# Paths are read from a file or from standard input.
  $ cd "$CORPUS"
  $ printf 'good/terminal\n\ngood/paused\n' | runvet validate --files-from -
  2 episodes: 2 valid, 1 not ended
  $ printf 'good/terminal\0good/paused' | runvet validate --files-from - -0
  2 episodes: 2 valid, 1 not ended

An empty list is not the current directory.
  $ code --files-from - < /dev/null
  3
  $ code -0 good/terminal
  2
  $ code --files-from no-such-list
  2

# What is no request on standard input is refused.
  $ echo '{}' | runvet validate -
  error: standard input: not a request for a check: it has no `episode_id`
  [2]
  $ echo '{"episode_id":"e","records":{"other.json":"{}"}}' | runvet validate -
  error: standard input: not a request for a check: `records` has `other.json`, which is none of state.json, summary.json, events.jsonl, learn.jsonl, manifest.json
  [2]
  $ echo '{}' | runvet validate - .
  error: `-` stands for the records of one episode, so it can't be used with other paths or with --against, --changed-since, --since, --until or --write-baseline; a directory of that name is `./-`
  [2]
  $ echo '{}' | runvet validate - --since 1h
  error: `-` stands for the records of one episode, so it can't be used with other paths or with --against, --changed-since, --since, --until or --write-baseline; a directory of that name is `./-`
  [2]
  $ head -c 67108865 /dev/zero | tr '\0' ' ' | runvet validate -
  error: standard input: it is larger than 64 MiB
  [2]

# An unknown rule is refused with a suggestion.
  $ cd "$CORPUS"; case=bad/episode/task/case
  $ code --rule episode/task=off $case
  0
  $ code --rule 'episode/*=warning' $case
  0

Later settings count.
  $ code --rule 'episode/*=off' --rule episode/task=error $case
  1
  $ runvet validate --rule episode/taks=off $case 2>&1 | grep mean
  error: invalid value 'episode/taks=off' for '--rule <NAME=LEVEL>': there is no rule called `episode/taks`; did you mean `episode/task`?
  $ runvet validate --rule all=off $case 2>&1 | grep mean
  error: invalid value 'all=off' for '--rule <NAME=LEVEL>': there is no rule called `all`; did you mean `*`?
  $ runvet validate --quiet '--rule=*=off' $case
  error: no rule is on that applies to 1 episode, so nothing was checked there
  [3]
  $ runvet validate --quiet --select 'plan/*' --rule 'plan/*=off' $case
  error: no rule is on that applies to 1 episode, so nothing was checked there
  [3]
  $ code --rule 'nothing/*=off' $case
  2
  $ code --rule episode/task=fatal $case
  2
  $ code --rule episode/task $case
  2

# Every rule is listed and explained.
  $ runvet rules | wc -l > rules; for rule in $(runvet rules | cut -d ' ' -f 1); do runvet explain $rule; done > pages
  $ grep -c '^# [a-z-]*/[a-z-]* (' pages | cmp - rules; grep -c '^## How to fix it' pages | cmp - rules
  $ runvet explain plan
  plan/step-ids (error): two steps of the plan share an id
  plan/projection (error): the persisted plan differs from the plan rebuilt from the timeline
  plan/legacy-labels (warning): the steps differ from the labels of the plan event
  plan/no-event (warning): the plan has steps, but no plan event lists them
  plan/still-running (warning): a run has ended, but a step of its plan is still running
  $ runvet explain plan/ | wc -l
  5
  $ runvet explain 'plan/*' | wc -l
  5
  $ runvet explain plan/projection lifecycle/links | grep '^# '
  # plan/projection (error)
  # lifecycle/links (error)
  $ runvet explain outcomes
  error: there is no rule called `outcomes`; did you mean `projection/outcomes`? (`runvet rules` lists all rules)
  [2]
  $ runvet explain lifecycle/link
  error: there is no rule called `lifecycle/link`; did you mean `lifecycle/links`? (`runvet rules` lists all rules)
  [2]

# A schema is printed as it is stored.
  $ for name in state summary event report config; do runvet schema $name | cmp - "$CORPUS/../schemas/$name.schema.json"; done
  $ runvet schema manifest > /dev/null 2>&1
  [2]

# What could not be written was not the whole job.
  $ cd "$CORPUS"
  $ { runvet validate --format json --max-findings 0 .; echo $? >&2; } | head -c 10 | wc -c
  10
  2
  $ commands() {
  >   "$@" validate good/terminal; "$@" validate --format json good/terminal; "$@" validate --format ndjson bad
  >   "$@" validate bad; "$@" rules; "$@" explain plan/projection; "$@" schema state; "$@" --version; "$@" validate --help
  > }
  $ full() { runvet "$@" > /dev/full; echo $?; }
  $ commands full 2>&1 | paste - - | uniq -c
        9 error: can't write the output: No space left on device (os error 28)	2
  $ unwritable() { runvet "$@" 1< /dev/null; echo $? >&2; }
  $ commands unwritable 2>&1 | paste - - | uniq -c
        9 error: can't write the output: Bad file descriptor (os error 9)	2

# A full standard error is a fault, and a closed one is none.
  $ cat > runvet.toml <<.
  > [[ignore]]
  > rule = 'plan/*'
  > episode = '**'
  > reason = 'x'
  > expires = 2020-01-01
  > .
  $ noted="--config=$PWD/runvet.toml --output=json=$PWD/report.json"; here=$PWD; cd "$CORPUS"
  $ full() { runvet "$@" > /dev/null 2> /dev/full; echo $?; }
  $ full validate nowhere
  2
  $ full validate good nowhere
  2
  $ full validate --no-such-option
  2
  $ full view nobody
  2
  $ full watch nowhere
  2

A note would be lost.
  $ full validate good $noted; ls "$here"
  2
  runvet.toml
  $ runvet validate good $noted; ls "$here"
  37 episodes: 37 valid, 5 not ended
  note: [DIR]/runvet.toml:2: this ignore expired on 2020-01-01 and has no effect
  report.json
  runvet.toml
  $ closed() { runvet "$@" > /dev/null 2< /dev/null; echo $?; }
  $ closed validate nowhere; closed validate bad/episode/task/case; closed no
  2
  1
  2

# Quietly only findings are printed, and what is not judged is no silent pass.
  $ cd "$CORPUS"
  $ runvet validate --quiet good/terminal
  $ runvet validate --quiet bad/summary/version/older
  bad/summary/version/older/episodes/ep_answer (ended): 1 error

  error[summary/version]: `schema_version` is "1.2.0", but runvet supports "1.3.0"
     ╭─[bad/summary/version/older/episodes/ep_answer/summary.json:1:591]
   1 │ …0},"outcome":"success","schema_version":"1.2.0","started_at":"2026…
     ·                                          ───────
     ╰────
  help: Only the version differs from 1.3.0, as far as the schema shows. Convert the record before you change its version, or give runvet the schema of its version with `[[version]]` in `runvet.toml`.

  not judged: 2 rules, summary.json is of version "1.2.0", which is not supported: record/misspelled-field, summary/schema
  [1]

# The number of findings that are not shown is given; formats for machines are complete.
  $ ln -s "$CORPUS/bad" .
  $ runvet validate --max-findings 1 bad/state/schema | grep -e ^error -e 'not shown'
  error[state/schema]: `outcomes.actions[0]` must not have the field `toolname`
  state/schema: [..] more findings not shown (--max-findings 1)
  not judged: 1 more line not shown (--max-findings 1)
  $ runvet validate --format concise bad/state/schema 2>/dev/null | grep -c ' error state/schema: ' > lines
  $ runvet validate --format json bad/state/schema | tail -1 | grep -c "\"errors\":$(cat lines),"
  1

An episode whose findings are all cut has no heading.
  $ runvet validate --max-findings 1 bad/episode/id | grep -e ' (ended): ' -e 'more findings'
  bad/episode/id/elsewhere/some/dir (ended): 1 error
  episode/id: [..] more findings not shown (--max-findings 1)

# Colour is used when it is asked for.
  $ cd "$CORPUS"
  $ escapes() { "$@" | grep -c "$(printf '\033')\["; }
  $ bad="runvet validate bad/episode/task/case"
  $ escapes $bad
  0
  [1]
  $ escapes $bad --color always | sed 's/.*[1-9].*/some/'
  some
  $ NO_COLOR=1 escapes $bad --color always | sed 's/.*[1-9].*/some/'
  some
  $ CLICOLOR_FORCE=1 escapes $bad | sed 's/.*[1-9].*/some/'
  some
  $ CLICOLOR_FORCE=0 escapes $bad
  0
  [1]
  $ CLICOLOR_FORCE=1 escapes $bad --color never
  0
  [1]

# A report is the same for any number of jobs, and any order of paths.
  $ here=$PWD; cd "$CORPUS"
  $ for format in $(formats); do
  >   runvet validate --format $format --max-findings 0 --jobs 1 bad broken good > "$here/one" 2> /dev/null
  >   runvet validate --format $format --max-findings 0 --jobs 7 good bad broken 2> /dev/null | cmp - "$here/one"
  >   test -s "$here/one" || echo "$format is empty"
  > done

# The summary of a group is not an episode.
  $ cd "$CORPUS/good/group-summary/episodes/group"
  $ code summary.json
  3
  $ runvet validate .
  1 episode: valid

# A directory named like an artifact stands for its episode.
  $ cd "$CORPUS/bad/record/unreadable/directory/episodes/ep_answer"
  $ runvet validate --format json state.json | json /episodes/*/findings/0 rule
  record/unreadable
  [1]

# Links are followed only on request, and to files.
  $ code "$CORPUS/bad/record/unreadable/link"
  1
  $ code --follow-links "$CORPUS/bad/record/unreadable/link"
  0
  $ runvet validate --format concise --follow-links "$CORPUS/bad/record/unreadable/dangling-manifest"
  [CORPUS]/bad/record/unreadable/dangling-manifest/episodes/ep_answer/manifest.json: error record/unreadable: manifest.json can't be read: it is a symbolic link that leads out of the episode's directory
  1 episode: invalid (1 error)
  [1]
  $ copy good/terminal/episodes/ep_answer; cd episodes/ep_answer
  $ rm manifest.json; mkdir checkpoints; ln -s checkpoints manifest.json
  $ runvet validate --format concise --follow-links .
  manifest.json: error record/unreadable: manifest.json can't be read: it is a directory
  1 episode: invalid (1 error)
  [1]

# A line that is too long takes no memory beyond the limit.
  $ copy good/terminal/episodes/ep_answer; truncate -s 1G episodes/ep_answer/events.jsonl
  $ (ulimit -v 524288; runvet validate --format json .) | json /episodes/*/findings/0 rule line
  record/unreadable 12
  [1]

# The command `check` is another name of `validate`.
  $ cd "$CORPUS"
  $ runvet check good > /dev/null
  $ runvet --help | grep alias
    validate     Check run data and report what can't be trusted [alias: check]
