What the next commit contains, by the index of git.

# A commit that deletes a record is judged, and one that deletes a run is said.
  $ repo good cut gone
  $ git rm --quiet --cached runs/episodes/cut/summary.json; git rm --quiet -r runs/episodes/gone
  $ runvet validate --staged
  runs/episodes/cut (ended): 1 error

  error[lifecycle/artifacts]: the run has ended with the status "ok", but there is no summary.json
  note: the status of the run
     ╭─[runs/episodes/cut/state.json:1:1314]
   1 │ …teps_total":3,"task_score":0.75},"status":"ok"},"plan":{"rationale…
     ·                                            ────
     ╰────
  help: Write summary.json when the run ends.

  not judged: 23 rules, there is no summary.json

  1 episode: 0 valid, 1 invalid, 1 not fully judged (1 error)
  To learn more about a rule: runvet explain lifecycle/artifacts
  note: runs/episodes/gone is a run that the commit deletes
  note: runs/episodes/cut/summary.json is not part of the commit: git does not track it, or ignores it; to add it, use git add --force
  [1]
  $ git reset --quiet --hard; git rm --quiet runs/episodes/cut/state.json runs/episodes/cut/summary.json runs/episodes/cut/events.jsonl; runvet validate --staged | tail -1
  To learn more about a rule: runvet explain state/missing

# The index counts, and not the working tree.
  $ repo good; cd runs/episodes/good; sed -i 's/ep_answer/other/; s/"good"/"other"/' state.json; git add state.json; git show HEAD:./state.json > state.json
  $ runvet validate .; runvet validate --staged
  1 episode: valid
  . (ended): 1 error

  error[episode/id]: the record belongs to the episode "other", but the directory is called "good"
     ╭─[state.json:1:154]
   1 │ …2:00:00.050000+00:00"}],"episode":{"id":"other","intuition_mode":"…
     ·                                          ───────
     ╰────
  help: Move the record to the directory of its own episode, or write the id of this episode.

  1 episode: invalid (1 error)
  To learn more about a rule: runvet explain episode/id
  [1]
  $ git reset --quiet; sed -i 's/"good"/"other"/' state.json; runvet validate --staged
  note: nothing to check: the commit changes no record of a run

# Records that git ignores or does not track are said.
  $ repo good; episode new; echo 'learn.jsonl' > .gitignore; echo summary.json >> .gitignore; git add .; episode unknown
  $ runvet validate --staged
  runs/episodes/new (ended): 1 error, 1 warning

  error[lifecycle/artifacts]: the run has ended with the status "ok", but there is no summary.json
  note: the status of the run
     ╭─[runs/episodes/new/state.json:1:1314]
   1 │ …teps_total":3,"task_score":0.75},"status":"ok"},"plan":{"rationale…
     ·                                            ────
     ╰────
  help: Write summary.json when the run ends.

  warning[lifecycle/learn-missing]: the state links learn.jsonl, but there is no such file
  note: the link in the state
     ╭─[runs/episodes/new/state.json:1:403]
   1 │ …s":{"events":"events.jsonl","learn":"learn.jsonl","manifest":"mani…
     ·                                      ─────────────
     ╰────
  help: Write learn.jsonl before the state links it; leave the file empty if nothing was learned.

  not judged: 23 rules, there is no summary.json

  1 episode: 0 valid, 1 invalid, 1 not fully judged (1 error, 1 warning)
  To learn more about a rule: runvet explain lifecycle/artifacts
  note: runs/episodes/new/learn.jsonl is not part of the commit: git does not track it, or ignores it; to add it, use git add --force
  note: runs/episodes/new/summary.json is not part of the commit: git does not track it, or ignores it; to add it, use git add --force
  note: not part of the commit: 1 run below `episodes` that git does not track, or ignores
  [1]

# Runs of given paths are checked besides; nothing else of a repository is one.
  $ repo good bad; sed -i 's/"bad"/"other"/' runs/episodes/bad/state.json; commit; mkdir web app; echo '{}' > web/manifest.json; echo '{"serial": 1}' > app/state.json; git add web app
  $ runvet validate --staged
  note: nothing to check: the commit changes no record of a run
  $ runvet validate --staged --format json runs/episodes/good/state.json web/manifest.json | json /episodes/* id dir
  good runs/episodes/good
  $ runvet validate --staged runs --quiet > out; cd runs; runvet validate --staged --format json . | json /episodes/* dir valid
  episodes/bad false
  episodes/good true
  [1]

# The first commit is checked, and a conflict is a fault.
  $ git init --quiet; episode first; git add .; runvet validate --staged
  1 episode: valid
  $ commit; git checkout --quiet -b one; longer first/state.json; commit; git checkout --quiet -b two HEAD~1; echo ' ' >> runs/episodes/first/state.json; commit; git merge one > out 2>&1
  [1]
  $ runvet validate --staged
  error: runs/episodes/first/state.json has a conflict; resolve it first
  [2]
  $ cd ..; mkdir -p none; cd none; GIT_CEILING_DIRECTORIES=$PWD/.. runvet validate --staged 2>&1 | head -1 | cut -c 1-40
  error: git failed: fatal: not a git repo
