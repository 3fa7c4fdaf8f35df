A run whose records agree and that breaks a rule of the team is distinguished from one whose records contradict each other.

# A broken rule of a team has its own words and count in every format.
  $ cat > runvet.toml <<.
  > [[rule]]
  > id = 'a/task'
  > check = "state.goal.task != 'forbidden'"
  > message = 'a forbidden task'
  > .
  $ mkdir .git; for id in sound team both; do member runs ep_$id 'forbidden'; done; member runs ep_sound 'Summarize the open tickets'
  $ edit 's/"seed":7/"seed":"x"/; s/2026-/2025-/g' runs/episodes/ep_both/state.json
  $ for format in human agent markdown github; do runvet validate --format $format runs | grep -o '3 episodes: .* (' | tail -1; runvet validate --format $format runs/episodes/ep_team | grep -o -e '1 episode: .*' -e invalid | tail -1; done | sort | uniq -c
        4 1 episode: breaks a rule of the team (1 error)
        4 3 episodes: 1 valid, 1 invalid, 1 breaks a rule of the team (
  $ runvet validate --format agent runs/episodes/ep_team | grep -c 'Repair the program that writes'
  0
  [1]
  $ runvet validate --format junit runs | grep -c 'The records agree; the run breaks a rule of the team.'
  1
  $ runvet view runs/episodes/ep_team | grep Records
  Records: breaks a rule of the team (1 error)
  $ report | json /episodes/* id valid verdict
  ep_both false invalid
  ep_sound true valid
  ep_team false breaks_rule
  [1]
  $ report | json /totals invalid breaks_rule
  2 1
  [1]
  $ runvet validate --output html=page.html runs > out; tr -d '\n' < page.html | sed 's/.*<h2 id="answer">//; s#</h2>.*##'
  <a href="#/runs?verdict=invalid">1 of 3 runs</a> can't be trusted, <a href="#/runs?verdict=breaks_rule">1</a> breaks a rule of the team
