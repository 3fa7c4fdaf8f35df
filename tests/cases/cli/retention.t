Old runs are listed by their end, for a job that removes them.

# A run has ended at the latest time of its events, else at its start and duration; one without an end is none.
  $ cp -r "$CORPUS/demo/episodes" .; of() { runvet list --format paths "$@" 2> notes; cat notes; }
  $ of --ended-before 2026-03-02
  episodes/ep_05_misnamed
  episodes/ep_04_crashed
  episodes/ep_03_edited
  episodes/ep_01_answer
  note: --ended-before 2026-03-02 is 2026-03-02T00:00:00Z
  $ grep -ho '"timestamp":"[^"]*"' episodes/ep_01_answer/events.jsonl | tail -1
  "timestamp":"2026-03-01T12:00:00.150000+00:00"
  $ of --ended-before 2026-03-01T12:00:00.1Z
  $ of --ended-before 1d --search ep_01 | head -1
  episodes/ep_01_answer
  $ rm episodes/ep_01_answer/events.jsonl; grep -o '"duration_sec":[^,]*' episodes/ep_01_answer/summary.json; of --ended-before 2026-03-01T12:00:01Z --search ep_01; of --ended-before 2026-03-01T12:00:02Z --search ep_01
  "duration_sec":0.15
  episodes/ep_01_answer
  episodes/ep_01_answer
  $ edit 's/"started_at":"[^"]*",*//' episodes/ep_01_answer/*.json; of --ended-before 2026-03-02 --search ep_01
  episodes/ep_01_answer/manifest.json stays as it was
  note: --ended-before 2026-03-02 is 2026-03-02T00:00:00Z
  $ runvet list --ended-before 2026-03-02 --search ep_01
  note: --ended-before 2026-03-02 is 2026-03-02T00:00:00Z
  no runs: none of 5 runs matches --search ep_01 --ended-before 2026-03-02 (searched: id, directory and task)
  $ runvet list --ended-before tomorrow 2>&1 | head -1
  error: invalid value 'tomorrow' for '--ended-before <TIME>': expected a date such as 2026-03-01, an RFC 3339 date-time, `today`, `yesterday`, or a length of time before now, such as 90s, 15m, 1h or 7d

# By the configuration in force, runs are valid or not.
  $ project < /dev/null; cd runs/demo; of() { runvet list --format paths "$@" 2> notes; cat notes; }
  $ of --valid
  episodes/ep_02_paused
  episodes/ep_01_answer
  $ of --ended-before 2026-03-02 --valid
  episodes/ep_01_answer
  note: --ended-before 2026-03-02 is 2026-03-02T00:00:00Z
  $ of --invalid | sort
  episodes/ep_03_edited
  episodes/ep_04_crashed
  episodes/ep_05_misnamed
  $ printf "[[override]]\npaths = ['**/ep_03_edited', '**/ep_05*']\n[override.rules]\n'*' = 'off'\n" > ../../runvet.toml; of --valid | sort
  episodes/ep_01_answer
  episodes/ep_02_paused
  episodes/ep_03_edited
  episodes/ep_05_misnamed
  $ of --valid --invalid 2>&1 | head -1
  error: the argument '--valid' cannot be used with '--invalid'
  $ runvet list --valid --search nothing
  no runs: none of 5 runs matches --search nothing --valid (searched: id, directory and task)

# All runs are listed, one path a line, and none that is no line.
  $ copy good/terminal/episodes/ep_answer; for i in $(seq 30); do cp -r episodes/ep_answer episodes/ep_$i; done; runvet list --format paths | wc -l; runvet list --format paths --limit 3 | wc -l
  31
  3
  $ rm -r episodes/ep_*[0-9]; mv episodes/ep_answer "$(printf 'episodes/ep\n-rf')"; runvet list --format paths
  error: episodes/ep\n-rf: the path is left out: it is not UTF-8, or has characters that no line can have
  [2]

# A job of one line, a link to the newest run, and a seal that names what went.
  $ copy good/terminal/episodes/ep_answer; copy demo/episodes/ep_03_edited; ln -s ep_answer episodes/latest
  $ runvet list --ended-before 90d --valid --format paths 2> notes > old
  $ runvet validate --files-from old --output in-toto=gone.json > report; xargs -d '\n' -r rm -r -- < old; find episodes -xtype l -delete
  $ ls episodes; cat gone.json | json /predicate/runvet/episodes/* name verdict
  not JSON: ep_03_edited
  {"_type":"https://in-toto.io/Statement/v1","predicate":{"configuration":[],"result":"PASSED","runvet":{"decided_by":{"deny_unjudged":false,"deny_warnings":false,"exclude":[],"part":true,"select":[]},"episodes":[{"judged":["events.jsonl","state.json","summary.json"],"lifecycle":"terminal","name":"episodes/ep_answer","uncovered":[],"verdict":"valid"}],"faults":[],"not_judged":{"empty":0,"links":0,"not_ended":0,"rules":0,"skipped":0},"rules":{"actions/content":{"level":"warning"},"actions/ids":{"level":"warning"},"actions/mirror":{"level":"error"},"actions/unrecorded":{"level":"warning"},"coverage/required":{"level":"error"},"episode/id":{"level":"error"},"episode/tags":{"level":"warning"},"episode/task":{"level":"error"},"events/missing":{"level":"error"},"events/misspelled":{"level":"warning"},"events/repeated-line":{"level":"warning"},"events/schema":{"level":"error"},"events/second-start":{"level":"warning"},"events/syntax":{"level":"error"},"events/torn-tail":{"level":"error"},"events/unfinished-line":{"level":"warning"},"hook/own-files":{"level":"ask"},"lifecycle/artifacts":{"level":"error"},"lifecycle/early-artifacts":{"level":"warning"},"lifecycle/ending":{"level":"warning"},"lifecycle/learn-missing":{"level":"warning"},"lifecycle/link-target":{"level":"error"},"lifecycle/links":{"level":"error"},"lifecycle/outcome":{"level":"error"},"plan/legacy-labels":{"level":"warning"},"plan/no-event":{"level":"warning"},"plan/projection":{"level":"error"},"plan/step-ids":{"level":"error"},"plan/still-running":{"level":"warning"},"projection/digest":{"level":"error"},"projection/links":{"level":"error"},"projection/missing":{"level":"error"},"projection/not-yet":{"level":"warning"},"projection/outcomes":{"level":"error"},"projection/stale":{"level":"warning"},"record/duplicate-key":{"level":"error"},"record/json-syntax":{"level":"error"},"record/misspelled-field":{"level":"warning"},"record/unreadable":{"level":"error"},"recorder/lost":{"level":"warning"},"started-at/start-event":{"level":"error"},"started-at/summary":{"level":"error"},"state/missing":{"level":"error"},"state/newer-version":{"level":"warning"},"state/not-yet":{"level":"warning"},"state/schema":{"level":"error"},"state/version":{"level":"error"},"summary/adapter":{"level":"warning"},"summary/adherence-precision":{"level":"warning"},"summary/branching-factor":{"level":"error"},"summary/counts":{"level":"warning"},"summary/directions":{"level":"warning"},"summary/latencies":{"level":"warning"},"summary/learning":{"level":"warning"},"summary/mode":{"level":"warning"},"summary/newer-version":{"level":"warning"},"summary/schema":{"level":"error"},"summary/success":{"level":"warning"},"summary/verification":{"level":"error"},"summary/version":{"level":"error"},"summary/vetoes":{"level":"warning"},"team/vocabulary":{"level":"warning"}},"schema_version":"1.0.0","version":"[VERSION]"}},"predicateType":"https://in-toto.io/attestation/test-result/v0.1","subject":[{"digest":{"sha256":"ff11a87a58aeb557b360359abe820f19270fb419c5e182b1f090e25231a6185d"},"name":"episodes/ep_answer/events.jsonl"},{"digest":{"sha256":"529256a1a47083888357d57ea403dfb905102cd6c4a3a518b73812042da6c76f"},"name":"episodes/ep_answer/learn.jsonl"},{"digest":{"sha256":"2e99916c36a85d3a10fc4f233df149eb3ceb3900fc55c1cd132f9910fdbcd8e8"},"name":"episodes/ep_answer/manifest.json"},{"digest":{"sha256":"bec040a559178e360b3d85e8d8a2ae1bb98c1339571e4f33a1ed367a68e2bb42"},"name":"episodes/ep_answer/state.json"},{"digest":{"sha256":"c0e45f9f3712765fdbcb811d45200841569a2d8e6eeac9a4f58f2424f2b97146"},"name":"episodes/ep_answer/summary.json"}]}
  $ runvet verify gone.json .
  missing  episodes/ep_answer: the whole run
  judged by 62 rules of runvet [VERSION], the same as here, where no configuration was found
  this is not the run that runvet [VERSION] sealed: 1 change, 0 of 1 run unchanged; 1 run here is not sealed
  [1]
