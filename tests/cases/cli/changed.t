Runs that changed since a revision of git: what counts as changed, and what git must not do.

# An episode is checked however an artifact changed, from any directory, for any paths.
  $ repo clean committed deleted staged unstaged renamed notes
  $ changed() { runvet validate --format json "$@" 2> /dev/null; }
  $ longer committed/state.json; commit
  $ mv runs/episodes/deleted/manifest.json manifest.json; longer staged/summary.json; git add --all; longer unstaged/events.jsonl
  $ mv runs/episodes/renamed "$(printf 'runs/episodes/mo\nved')"; episode untracked; echo 'no artifact' > runs/episodes/notes/notes.txt
  $ changed --changed-since HEAD~1 | json /episodes/* id
  committed
  deleted
  mo
  ved
  staged
  unstaged
  untracked
  [1]
  $ changed --changed-since HEAD runs | json /episodes/* id
  deleted
  mo
  ved
  staged
  unstaged
  untracked
  [1]
  $ cd runs; changed --changed-since HEAD~1 | json /totals episodes
  6
  [1]
  $ changed --changed-since HEAD~1 episodes/staged ../runs/episodes/clean/state.json | json /episodes/* id
  staged

# A linked artifact counts when links are followed.
  $ repo clean linked; cd runs/episodes/linked; mkdir real; mv state.json real/s.json; ln -s real/s.json state.json; cd ../../..; commit; longer linked/real/s.json
  $ since() { runvet validate --format json --changed-since HEAD "$@" 2> /dev/null; }
  $ since | json /episodes/* id
  $ since --follow-links | json /episodes/* id
  linked

# A run with a manifest counts when manifests are verified.
  $ repo bare named; rm runs/episodes/bare/manifest.json; cd runs/episodes/named
  $ echo '{"files": [{"name": "out.txt", "size_bytes": 5}]}' > manifest.json; printf hello > out.txt; commit; printf EVIL > out.txt
  $ since() { runvet validate --format json --changed-since HEAD "$@" 2> /dev/null; }
  $ since | json /episodes/* id
  $ since --verify-manifest | json /episodes/* id
  named
  [1]
  $ since --rule=manifest/digest=warning | json /episodes/* id
  named

# Another file counts when a schema judges it.
  $ repo clean committed deleted ignored staged unstaged
  $ cat > runvet.toml <<.
  > [[schema]]
  > id = 'acme/scores'
  > record = 'scores[1].json'
  > expect = 'ended'
  > title = 't'
  > schema = { type = 'object', required = ['a'] }
  > .
  $ write() { echo "$2" > "runs/episodes/$1/scores[1].json"; }
  $ for run in clean committed deleted staged unstaged; do write $run '{"a": 1}'; done; commit; write committed '{}'; commit
  $ rm runs/episodes/deleted/scores*; echo 'scores*' > .git/info/exclude; write ignored '{}'; write staged '{}'; git add --update; write unstaged '{}'
  $ runvet validate --changed-since HEAD~1 --format concise 2>&1 | sed 's/: error/\n  error/' | grep -e ^runs -e error
  runs/episodes/committed/scores[1].json:1:1
    error acme/scores: the record lacks the required field `a`
  runs/episodes/deleted/scores[1].json
    error acme/scores: there is no scores[1].json
  runs/episodes/ignored/scores[1].json:1:1
    error acme/scores: the record lacks the required field `a`
  runs/episodes/staged/scores[1].json:1:1
    error acme/scores: the record lacks the required field `a`
  runs/episodes/unstaged/scores[1].json:1:1
    error acme/scores: the record lacks the required field `a`
  5 episodes: 0 valid, 5 break a rule of the team (5 errors)
  $ runvet validate --changed-since HEAD~1 --rule=acme/scores=off
  note: nothing to check: no change since HEAD~1 in 6 episodes

# Run data can't hide itself from git.
  $ repo clean crooked; episode ignored; echo '*' > runs/episodes/ignored/.gitignore
  $ episode embedded; (cd runs/episodes/embedded; git init --quiet; commit)
  $ runvet validate --format json --changed-since HEAD | json /episodes/* id
  embedded
  ignored

# Git runs no program of the repository, and writes nothing.
  $ repo clean changed; printf "#!/bin/sh\ntouch '$PWD/ran'\n" > script; chmod +x script
  $ for setting in core.fsmonitor diff.external diff.odd.command diff.odd.textconv; do git config $setting "$PWD/script"; done
  $ echo '* diff=odd' > runs/episodes/changed/.gitattributes; longer changed/state.json

Files of which only the times have changed make git rewrite its index, if it may.
  $ touch runs/episodes/clean/state.json; cp .git/index index
  $ runvet validate --format json --changed-since HEAD | json /episodes/* id
  changed
  $ ls ran; cmp .git/index index
  ls: cannot access 'ran': No such file or directory

# No change is no fault, and no episode is one.
  $ repo clean; runvet validate --changed-since HEAD
  note: nothing to check: no change since HEAD in 1 episode
  $ runvet validate --changed-since HEAD --quiet
  $ runvet validate --format ndjson > before; runvet validate --changed-since HEAD --against before --fail-above 0 runs
  note: nothing to check: no change since HEAD in 1 episode
  0 of 0 runs affected; verdicts changed: 0; not compared: 1

  not compared: runs/episodes/clean: only the first report has it
  within the limit of 0 affected
  more incomparable than the limit of 0
  [2]

A directory that is no longer an episode is reported; copies of records are not episodes.
  $ episode lost; mkdir runs/episodes/clean/copy; cp runs/episodes/lost/state.json runs/episodes/clean/copy; commit
  $ rm -r runs/episodes/lost/* runs/episodes/clean/copy
  $ runvet validate --changed-since HEAD
  note: nothing to check: no change since HEAD in 1 episode
  note: runs/episodes/lost had state.json or events.jsonl at HEAD and has neither now
  note: runs/episodes/lost: the directory is empty, so no run is checked there
  $ (cd runs; runvet validate --changed-since HEAD episodes/clean)
  note: nothing to check: no change since HEAD in 1 episode
  $ for at in $(seq -w 12); do episode run_$at; done; commit; rm -r runs/episodes/run_*; runvet validate --changed-since HEAD 2>&1 | tail -2
  note: and 2 more
  note: runs/episodes/lost: the directory is empty, so no run is checked there
  $ mkdir empty; code --changed-since HEAD empty
  3

# What git can't do is a fault.
  $ repo clean; for revision in nowhere 'HEAD^{tree}' '' --all "$(printf 'HEAD\033[2J')"; do runvet validate "--changed-since=$revision"; done
  error: [DIR] has no commit `nowhere`; a shallow clone may lack it
  error: [DIR] has no commit `HEAD^{tree}`; a shallow clone may lack it
  error: the revision is an empty text: did the command that names it fail?
  error: [DIR] has no commit `--all`; a shallow clone may lack it
  error: [DIR] has no commit `HEAD\u{1b}[2J`; a shallow clone may lack it
  [2]
  $ runvet validate --changed-since HEAD "$CORPUS/good/terminal" runs
  error: [CORPUS]/good/terminal/episodes/ep_answer lies outside of [DIR], so git can't say whether it changed
  [2]
  $ top=$PWD; (cd /; runvet validate --changed-since HEAD "$top" 2>&1 | cut -c1-50)
  error: git failed: fatal: not a git repository (or
  $ runvet=$(command -v runvet); PATH=/nowhere $runvet validate --changed-since HEAD
  error: can't run git: No such file or directory (os error 2)
  [2]
