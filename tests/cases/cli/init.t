What `runvet init` writes works as it is, and nothing is overwritten.

# The files that are written work, and what is there is said.
  $ mkdir runs; cp -r "$CORPUS/demo" runs; cp -r "$CORPUS/good/terminal" old
  $ runvet init --pack --pre-commit --workflow
  wrote runvet.toml
  wrote gate/team.toml
  wrote gate/refund.schema.json
  wrote .pre-commit-config.yaml
  wrote .github/workflows/runvet.yml
  found 6 runs below .
    old: 1 run
    runs/demo: 5 runs
  next: runvet rules --test && runvet validate
  note: replace `example/runvet` in the workflow by the place where you host runvet, and the zeros by the commit of a release
  $ runvet rules --test | grep -c 'all with the declared result'
  3
  $ runvet validate old
  1 episode: valid
  note: acme/refund-input: `where` matches no event of any run
  note: acme/approve-first: `each` matches no event of any run
  note: acme/approve-first: `other` matches no event of any run
  note: acme/refund-limit: `each` matches no event of any run

# So does the pack for agents that write code.
  $ runvet init --pack=coding
  wrote runvet.toml
  wrote gate/coding.toml
  found 0 runs below .
  next: runvet rules --test, and runvet record --help
  $ runvet rules --test | grep -c 'all with the declared result'
  5
  $ printf '%s\n' '{"act":{"tool":"Bash","input":{"command":"rm -rf x"},"result_status":"ok"}}' '{"act":{"tool":"Edit","input":{"path":"/etc/hosts"},"result_status":"ok"}}' '{"finish":"ok"}' | runvet record --run-data runs --id ep_1 --task T --tag cwd=/repo --keep-going > out
  $ runvet validate --format concise runs
  runs/episodes/ep_1/events.jsonl:2:179: error coding/destructive: a command that can't be undone: "rm -rf x"
  runs/episodes/ep_1/events.jsonl:3:1: error coding/tests-after-edit: an edit, and no test was run after it
  runs/episodes/ep_1/events.jsonl:3:173: error coding/edit-inside: an edit outside of the directory in which the run works: ["/etc/hosts"]
  1 episode: breaks a rule of the team (3 errors)
  note: coding/tests-before-push: `each` matches no event of any run
  note: coding/token-budget: `earlier` matches no event of any run
  [1]

# Each setting of the file is one.
  $ runvet init > out; runvet config > out
  $ sed -e '/^# \(\[\|"\|.* = \)/s/^# //' runvet.toml | grep -v ^packs > all; mv all runvet.toml
  $ runvet config --no-baseline | grep -o -e 'strict/\*' -e scratch -e 'in runs/old' -e '/outcomes/actions/\*/tools' | sort -u
  /outcomes/actions/*/tools
  in runs/old
  scratch
  strict/*

# Files that are read only in the root of the repository are of no use elsewhere.
  $ mkdir -p .git sub; runvet init sub --pre-commit --workflow
  wrote sub/runvet.toml
  wrote sub/.pre-commit-config.yaml
  wrote sub/.github/workflows/runvet.yml
  found 0 runs below sub
  next: runvet record --help
  note: hooks and workflows are read only in the root of the repository, which is [DIR]
  note: replace `example/runvet` in the workflow by the place where you host runvet, and the zeros by the commit of a release
  $ mkdir deeper repo repo/.git; runvet init deeper; runvet init repo --pre-commit
  wrote deeper/runvet.toml
  found 0 runs below deeper
  next: runvet record --help
  wrote repo/runvet.toml
  wrote repo/.pre-commit-config.yaml
  found 0 runs below repo
  next: runvet record --help

# Nothing is overwritten, and nothing is written into run data.
  $ echo 'repos: []' > .pre-commit-config.yaml; cp -r "$CORPUS/demo" runs
  $ runvet init --pre-commit
  wrote runvet.toml
  kept .pre-commit-config.yaml, which exists: add under `repos`
      - repo: local
        hooks:
          - id: runvet
            name: check the agent runs that changed
            language: system
            entry: runvet validate --staged
            always_run: true
            types: [file]
            files: (^|/)(state\.json|summary\.json|events\.jsonl|learn\.jsonl|manifest\.json)$
            require_serial: true
          - id: runvet-all
            name: check all agent runs, as their rules have changed
            language: system
            entry: runvet validate --allow-empty
            types: [file]
            files: (^|/)(runvet\.toml|runvet-baseline\.json|gate/.*)$
            pass_filenames: false
            require_serial: true
  found 5 runs below .
    runs: 5 runs
  next: runvet validate
  $ runvet init runs
  error: runs holds run data, because of [DIR]/runs/episodes: no configuration is read there; name a directory above it, such as the root of the repository
  [2]
  $ runvet init runs/episodes
  error: runs/episodes holds run data, because of [DIR]/runs/episodes: no configuration is read there; name a directory above it, such as the root of the repository
  [2]
  $ runvet init gone
  error: can't use gone: No such file or directory (os error 2)
  [2]
  $ ls -A
  .pre-commit-config.yaml
  runs
  runvet.toml

# Files are added later, and of those that are there it prints what to add.
  $ runvet init > out; runvet init; runvet init --workflow 2> out; runvet init --pack
  error: ./runvet.toml exists, and nothing is overwritten: no file was written
  wrote .github/workflows/runvet.yml
  kept runvet.toml, which exists
  found 0 runs below .
  next: runvet record --help
  wrote gate/team.toml
  wrote gate/refund.schema.json
  kept runvet.toml, which exists: add at its top
    packs = ["gate/team.toml"]
  found 0 runs below .
  next: runvet rules --test, and runvet record --help
  $ runvet init --workflow 2> out | head -4
  kept runvet.toml, which exists
  kept .github/workflows/runvet.yml, which exists: add to the steps of a job
          - uses: actions/checkout@9c091bb21b7c1c1d1991bb908d89e4e9dddfe3e0 # v7.0.0
            with:

# A workflow is green in a repository without runs, and a hook sees what the shipped one sees.
  $ git init --quiet; runvet init --workflow --pre-commit > out 2>&1; grep args .github/workflows/runvet.yml
            args: --allow-empty
  $ runvet validate --allow-empty .; runvet rules --test
  note: no episode found
  note: the configuration declares no rule that has examples, so none was tested
