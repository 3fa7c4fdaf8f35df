The sentences of pages for browsers.

# A page says what was found, in which records, and what it leaves out.
  $ cp -r "$CORPUS/demo/episodes" .; runvet validate --format html . 2> said | texts
  , 2026-03-01: the last line ends without a newline and is not JSON: the text ends inside a string
  , 2026-03-01: the run has ended with the status &quot;ok&quot;, but there is no manifest.json
  , if that is what it means.
  , judged by runvet [VERSION] with default settings.
  14 rules: line 11 of events.jsonl is not an event, and could be the one that matters
  23 rules: there is no summary.json
  3 of 5 runs
  : The confidence of the run, from 0 (none) to 1 (certainty).
  Find out what stopped the writer (a crash, a full disk) and repeat the run; the event is lost.
  Keys without a modifier act
  Not judged: 1 not ended, 1 not fully judged.
  Nothing was found: the records agree with their schemas and each other.
  Persist the state and emit its projection event from the same value.
  Rebuild the plan from the timeline before you persist it;
  Rename the field to
  Skip to the content
  Summarize the open tickets
  The list of runs, their steps, events and records need JavaScript. What was found in runs follows.
  What was found in records
  Write manifest.json when the run ends.
  Write summary.json when the run ends.
  a field is probably misspelled
  a run that has ended lacks an artifact
  and 1 more rule
  aria-label="Pages of the list"
  back to the list
  can't be shown: there is no such file
  first error of a run
  is &quot;pending&quot;, but the act event on line 6 set it to &quot;done&quot;
  is 0.75 in the projection event on line 10, but 0.95 in the state
  is 90, above the maximum of 1
  is not a known field, and
  next and previous run of the list
  placeholder="Search id, task, directory"
  previous and next mark of a chart
  previous and next run
  says that the records of a run agree with each other and with their schemas, and keep the rules of the team; whether the run reached its goal is its outcome.
  the event has &quot;done&quot;
  the last line ends without a newline and is not JSON: the text ends inside a string
  the last line of the timeline was cut off
  the outcomes in the state
  the persisted plan differs from the plan rebuilt from the timeline
  the projection event and the state disagree on the outcomes
  the run has ended with the status &quot;ok&quot;, but there is no manifest.json
  the run has ended with the status &quot;ok&quot;, but there is no summary.json
  the state violates its schema
  the status of the run
  title="a date, a date-time such as 2026-03-01T14:00, today, yesterday, or a length before now such as 15m, 24h or 7d; in UTC"
  title="a length of time such as 15m: runs in progress of which no file was written for so long"
  title="the name of a metric, alone or with its lowest value and the end of its range, such as task_score or task_score..0.5..0.9"
  title="the shortest duration in seconds and the end of the range, such as 10..60, 60.. or ..1"
  title="words that are all in one text of a run"
  $ for which in invalid none; do runvet validate --format html --html-runs $which . 2> said | texts | grep asked; done
  runs of the list have no page here. Only runs that are not valid were asked to have a page. A file lists at most 5,000 runs that are not valid and 2,000 valid ones, and has at most 500 pages of runs and 50 MB. The sums in the overview are of all runs.
  runs of the list have no page here. No run was asked to have a page. A file lists at most 5,000 runs that are not valid and 2,000 valid ones, and has at most 500 pages of runs and 50 MB. The sums in the overview are of all runs.

# A page of runs that say little says that.
  $ copy good/least/episodes/ep_least; edit 's/"started_at":"[^"]*"/"started_at":null/;s/"timestamp":"[^"]*"/"timestamp":"no"/;s/"duration_sec":[0-9.]*/"duration_sec":null/' episodes/*/s*.json* episodes/*/e*.json*; runvet validate --format html . 2> said | texts | grep -e '^No' -e '^The' -e '^These' -e not
  The list of runs, their steps, events and records need JavaScript. What was found in runs follows.
  event. It does not change when the run is continued.
  is &quot;no&quot;, not an RFC 3339 date-time with an offset
  is null, not a number
  is null, not a string
  $ : > episodes/ep_least/events.jsonl; echo '{"version":"1.0"}' > episodes/ep_least/state.json; rm episodes/ep_least/summary.json; runvet validate --format html . 2> said | texts | grep -e '^No' -e '^The' -e '^A' -e not
  5 rules: the records do not say whether the run has ended
  5 rules: the run may not have ended, and no projection event dates its snapshot
  A run without a task
  The list of runs, their steps, events and records need JavaScript. What was found in runs follows.
  the start event does not confirm when the run started
  $ for line in $(seq 5); do echo "no event"; done > episodes/ep_least/events.jsonl; runvet validate --format html . 2> said | texts | grep -i event
  15 rules: line 1 of events.jsonl is not an event, and could be the one that matters
  Append each event once; where a write is tried again, first find out whether it succeeded.
  The list of runs, their steps, events and records need JavaScript. What was found in runs follows.
  Write each event as one JSON object on its own line.

# A page of one sound run says that it can be trusted, and one of runs without times says that.
  $ copy good/terminal/episodes/ep_answer; runvet validate --format html . | texts | grep -e trusted; runvet validate --select plan/projection --coverage --format html . | texts | grep Each
  The run can be trusted
  Each rule compared something in some run.
  $ for run in 0 1 2 3 4 5 6 7 8 9; do mkdir episodes/ep_$run; echo '{"version":"1.0"}' > episodes/ep_$run/state.json; done; rm -r episodes/ep_answer; runvet validate --format html . 2> said | texts | grep '^No'
  No run says how long it took.

# A page of a policy says which rules of the team are broken, and what does not count.
  $ repository good/terminal <<.
  > [[rule]]
  > id = 'a/b'
  > check = 'false'
  > message = 'm'
  > [[schema]]
  > id = 'a/c'
  > record = 'notes.json'
  > schema = {}
  > .
  $ runvet validate --format html runs 2> said | texts | grep -i -e team -e trust; runvet validate --write-baseline known.json runs > said; runvet validate --baseline known.json --format html runs | texts | grep -i -e count -e found
  Rules of the team that are broken
  breaks a rule of the team
  says that the records of a run agree with each other and with their schemas, and keep the rules of the team; whether the run reached its goal is its outcome.
  note: known.json lists 1 finding in 1 episode
  Findings that do not count: 1
  Nothing was found that counts.
  The list of runs, their steps, events and records need JavaScript. What was found in runs follows.
  $ runvet validate --select 'plan/*' --format html runs | texts | grep -e Nothing -e judged -e compared
  , judged by runvet [VERSION] with the settings of runvet.toml, changed by options.
  Nothing was found: the records agree with their schemas and each other.

# A page of a check that is not complete, or that skipped rules, says so.
  $ copy good/terminal/episodes/ep_answer; mkdir episodes/only; echo '{}' > episodes/only/learn.jsonl; runvet validate --format html . 2> said | texts | grep -i -e complete -e judged
  , judged by runvet [VERSION] with default settings.
  Everything else is on this page. What could not be read or judged (1):
  Nothing is wrong in the 1 run judged so far
  This check is not complete
  $ rm -r episodes/only; rm episodes/ep_answer/events.jsonl; runvet validate --rule events/missing=off --format html . 2> said | texts | grep -i -e complete -e judged -e plan -e trust -e says
  , judged by runvet [VERSION] with default settings, changed by options.
  Not judged: 1 not fully judged.
  could not be judged by every rule
  says that the records of a run agree with each other and with their schemas, and keep the rules of the team; whether the run reached its goal is its outcome.
  valid, not all rules judged
  $ runvet validate --rule events/missing=off --write-baseline known.json . 2> said; runvet validate --rule events/missing=off --baseline known.json --format html . | texts | grep baseline
  1 episode: valid
  Rules that could not be judged for a reason that the baseline knows: 26
  $ runvet validate --rule events/missing=off .; runvet validate --rule events/missing=off --format markdown .
  episodes/ep_answer (ended): nothing found, but some rules could not be judged

  not judged: 26 rules, events.jsonl is missing

  1 episode: 1 valid, 1 not fully judged
  ### runvet: 1 episode: 1 valid, 1 not fully judged

  ```text
  episodes/ep_answer: note: not judged: 26 rules, events.jsonl is missing
  ```

# A page of a comparison has the differences of its pairs.
  $ mkdir -p a/episodes b/episodes; cp -r "$CORPUS/good/terminal/episodes/ep_answer" a/episodes; cp -r "$CORPUS/good/failed/episodes"/* b/episodes; runvet compare --format html a b | texts
  1 pair of 1 task compared; not compared: 0 runs
  aria-label="measure, base, candidate, difference, 95 % interval, lower, same, higher, p, cmh_p"
  over tasks (sign test; tasks are independent): p = 0.5000; 1 task can't give a p-value below 0.5000, so this says nothing
  success 1 -&gt; 0: 1 of 1 pair flipped, 1 to worse, 0 to better
  worse: Summarize the open tickets, 7
