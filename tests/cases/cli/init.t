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
  $ runvet rules --test | grep -c 'all with the declared result'
  3
  $ runvet validate old
  1 episode: valid
  note: acme/refund-input: `where` matches no event of any run
  note: acme/approve-first: `each` matches no event of any run
  note: acme/approve-first: `other` matches no event of any run
  note: acme/refund-limit: `each` matches no event of any run

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
  error: ./.pre-commit-config.yaml exists, and nothing is overwritten: no file was written
  [2]
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
