Which configuration is in force: what a search passes over is said, and run data configures nothing.

# A configuration between the working directory and the runs is said, and is a fault with `--strict-config`.
  $ project; echo "deny-warnings = true" > runs/runvet.toml; paused=runs/demo/episodes/ep_02_paused
  $ runvet validate $paused
  1 episode: 1 valid, 1 not ended
  note: runs/runvet.toml is not in force: the configuration is searched from the working directory upward; to use it, set --config runs/runvet.toml
  $ runvet validate --strict-config $paused
  1 episode: 1 valid, 1 not ended
  error: runs/runvet.toml is not in force: the configuration is searched from the working directory upward; to use it, set --config runs/runvet.toml
  [2]
  $ runvet validate --no-config --strict-config $paused
  1 episode: 1 valid, 1 not ended
  $ runvet validate --quiet $paused
  $ for command in 'list' 'table runs' 'coverage'; do runvet $command runs 2>&1 | grep 'in force'; done
  note: runs/runvet.toml is not in force: the configuration is searched from the working directory upward; to use it, set --config runs/runvet.toml
  note: runs/runvet.toml is not in force: the configuration is searched from the working directory upward; to use it, set --config runs/runvet.toml

It is said as well where it lies on the way to what is elsewhere.
  $ mkdir other; cd other; runvet validate ../$paused
  1 episode: 1 valid, 1 not ended
  note: [DIR]/runs/runvet.toml is not in force: the configuration is searched from the working directory upward; to use it, set --config [DIR]/runs/runvet.toml
  $ cd ../runs; runvet validate demo/episodes/ep_02_paused
  1 episode: 1 valid, 1 not ended

# A configuration of another name is said.
  $ project; touch .runvet.toml runvet.yaml Runvet.toml; printf '[tool.runvet]\ndeny-warnings = true\n' > pyproject.toml; paused=runs/demo/episodes/ep_02_paused
  $ runvet validate $paused
  1 episode: 1 valid, 1 not ended
  note: .runvet.toml is not in force: the configuration is a file called runvet.toml
  note: Runvet.toml is not in force: the configuration is a file called runvet.toml
  note: the table [tool.runvet] of pyproject.toml is not in force: the configuration is a file called runvet.toml
  note: runvet.yaml is not in force: the configuration is a file called runvet.toml
  $ runvet config | head -1
  note: .runvet.toml is not in force: the configuration is a file called runvet.toml
  note: Runvet.toml is not in force: the configuration is a file called runvet.toml
  note: the table [tool.runvet] of pyproject.toml is not in force: the configuration is a file called runvet.toml
  note: runvet.yaml is not in force: the configuration is a file called runvet.toml
  format           human  default
  $ runvet validate --strict-config $paused > out 2>&1; echo $?
  2
  $ mkdir sub; cd sub; runvet validate ../$paused 2>&1 | tail -1
  note: ../runvet.yaml is not in force: the configuration is a file called runvet.toml
  $ cd ..; rm .runvet.toml Runvet.toml runvet.yaml; echo '[tool.ruff]' > pyproject.toml; runvet validate --strict-config $paused
  1 episode: 1 valid, 1 not ended

# YAML in the file is one mistake that says so.
  $ project <<.
  > # our settings
  > deny-warnings: true
  > rules:
  >   "plan/*": "off"
  > .
  $ runvet validate
  error: key with no value, expected `=`
     ╭─[runvet.toml:2:16]
   2 │ deny-warnings: true
     ·                ▲
     ╰────
  help: This looks like YAML, and the file is TOML: write `key = value` in place of `key: value`, and `[table]` in place of `table:`.
  [2]

# A directory that directly holds a run is run data: the configuration above it counts.
  $ project <<.
  > deny-warnings = true
  > .
  $ mkdir bare; cp -r runs/demo/episodes/ep_02_paused bare/ep_1; cd bare
  $ runvet config | grep deny-warnings
  deny-warnings    true   ../runvet.toml:1
  $ printf '[rules]\n"*" = "off"\n' > runvet.toml; mkdir .git; runvet config | grep -e deny-warnings -e '"'
  note: runvet.toml is not in force: it is inside run data, because of [DIR]/bare/ep_1/events.jsonl
  deny-warnings    true   ../runvet.toml:1
  $ (cd ..; runvet validate bare 2>&1 | grep 'in force')
  note: bare/runvet.toml is not in force: the configuration is searched from the working directory upward; to use it, set --config bare/runvet.toml

Where there is none above, the check ends.
  $ rm ../runvet.toml; for command in validate watch list config; do runvet $command; echo $?; done
  error: runvet.toml is inside run data, because of [DIR]/bare/ep_1/events.jsonl, so it is not read; name it with --config ./runvet.toml, or set --no-config
  2
  error: runvet.toml is inside run data, because of [DIR]/bare/ep_1/events.jsonl, so it is not read; name it with --config ./runvet.toml, or set --no-config
  2
  error: there is no run data here: no directory called `episodes` is in the working directory, above it or a few levels below it; name its parent with --run-data
  2
  error: runvet.toml is inside run data, because of [DIR]/bare/ep_1/events.jsonl, so it is not read; name it with --config ./runvet.toml, or set --no-config
  2
  $ runvet validate --config ./runvet.toml; runvet validate --no-config | tail -1
  1 episode: 1 valid, 1 not ended
  error: no rule is on that applies to 1 episode, so nothing was checked there
  1 episode: 1 valid, 1 not ended
  $ runvet init; rm runvet.toml; runvet init
  error: . holds run data, because of [DIR]/bare/ep_1/events.jsonl: no configuration is read there; name a directory above it, such as the root of the repository
  error: . holds run data, because of [DIR]/bare/ep_1/events.jsonl: no configuration is read there; name a directory above it, such as the root of the repository
  [2]

The state of another program makes no run data.
  $ mkdir -p ../tool/cache; echo '{"serial": 4}' > ../tool/cache/state.json; echo 'deny-warnings = true' > ../tool/runvet.toml; cd ../tool; runvet config | grep deny-warnings
  deny-warnings    true   runvet.toml:1

# A byte order mark is no part of a configuration or a baseline.
  $ project; printf '\357\273\277deny-warnings = true\n' > runvet.toml; runvet config | grep deny-warnings
  deny-warnings    true   runvet.toml:1
  $ runvet validate --write-baseline known.json > out 2>&1; { printf '\357\273\277'; cat known.json; } > bom.json; runvet validate --baseline bom.json | tail -1
  5 episodes: no other errors, 1 not ended; 7 findings in the baseline
