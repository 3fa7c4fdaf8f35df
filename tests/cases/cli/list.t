The list of runs on the command line.

# A list has as many columns as fit, and says how many more runs there are.
  $ demo_in_order
  $ COLUMNS=80 runvet list
  STARTED          ID             STATUS   OUTCOME   TOOK TASK
  2026-03-01 12:00 ep_03_edited   ok       success  0.15s Summarize the open tick…
  2026-03-01 12:00 ep_01_answer   ok       success  0.15s Summarize the open tick…
  2026-03-01 12:00 ep_05_misnamed ok       success  0.15s Summarize the open tick…
  2026-03-01 12:00 ep_02_paused   paused   -            - Summarize the open tick…
  2026-03-01 12:00 ep_04_crashed  ok       -            - Summarize the open tick…
  $ COLUMNS=120 runvet list
  STARTED             ID             STATUS   OUTCOME   TOOK TASK
  2026-03-01 12:00:00 ep_03_edited   ok       success  0.15s Summarize the open tickets
  2026-03-01 12:00:00 ep_01_answer   ok       success  0.15s Summarize the open tickets
  2026-03-01 12:00:00 ep_05_misnamed ok       success  0.15s Summarize the open tickets
  2026-03-01 12:00:00 ep_02_paused   paused   -            - Summarize the open tickets (paused since 2026-03-01 12:00:00…
  2026-03-01 12:00:00 ep_04_crashed  ok       -            - Summarize the open tickets
  $ runvet list --format ids
  ep_03_edited
  ep_01_answer
  ep_05_misnamed
  ep_02_paused
  ep_04_crashed
  $ runvet list --format ids --limit 0 | wc -l
  5
  $ runvet list --format ids --limit 2
  ep_03_edited
  ep_01_answer
  $ runvet list --limit 2
  STARTED             ID           STATUS   OUTCOME   TOOK TASK
  2026-03-01 12:00:00 ep_03_edited ok       success  0.15s Summarize the open tickets
  2026-03-01 12:00:00 ep_01_answer ok       success  0.15s Summarize the open tickets
  … and 3 more runs (--limit 0 shows all)
  $ runvet list --limit 5 | grep -c more
  0
  [1]
  $ runvet list --limit 2 --format json | json . runs/1/episode_id more
  ep_01_answer 3
  $ mkdir -p none/episodes; cd none; runvet list; runvet list --format json
  no runs
  {"runs":[],"more":0}

# Columns line up beside ids in wide letters.
  $ demo_in_order; mv episodes/ep_04_crashed episodes/ep_日本語; COLUMNS=80 runvet list | cut -d ' ' -f 3- | tail -1
  ep_日本語      ok       -            - Summarize the open tick…
  $ mv episodes/ep_日本語 "$(printf 'episodes/ep_\033[31mred')"; runvet list | cut -d ' ' -f 3 | tail -1
  ep_\u{1b}[31mred

# A run of which only a timeline is there is in progress.
  $ copy demo/episodes/ep_01_answer; rm episodes/*/state.json episodes/*/summary.json episodes/*/manifest.json
  $ runvet list; runvet view ep_01 | grep Run:
  STARTED             ID           STATUS      OUTCOME   TOOK TASK
  2026-03-01 12:00:00 ep_01_answer in progress -            - Summarize the open tickets (now terminate · ok)
  Run: in progress

# A list can be filtered.
  $ demo_in_order; of() { echo $(runvet list --format ids "$@" 2> /dev/null); }
  $ of --status pending
  ep_02_paused
  $ of --outcome success
  ep_03_edited ep_01_answer ep_05_misnamed
  $ of --outcome success --limit 1
  ep_03_edited
  $ of --invalid
  ep_03_edited ep_05_misnamed ep_04_crashed
  $ of --invalid --outcome success --status ok
  ep_03_edited ep_05_misnamed
  $ of --since 2026-03-02T00:00:00Z
  $ of --since 2026-03-01T00:00:00Z | wc -w
  5
  $ of --since 2026-03-01T13:00:00+01:00 | wc -w
  5
  $ of --since 2026-03-01T12:00:00.1Z
  $ of --status ok --until 2026-03-02T00:00:00Z --limit 3 | wc -w
  3
  $ of --until 2026-03-01T12:00:00.1Z --since 2026-03-01T00:00:00Z | wc -w
  5
  $ of --status pending --status ok | wc -w
  5
  $ of --outcome success --outcome error | wc -w
  3
  $ of --tag team:support | wc -w
  5
  $ of --tag team:nobody
  $ runvet list --tag team=support 2>&1 | head -1
  error: invalid value 'team=support' for '--tag <KEY:VALUE>': a tag is written KEY:VALUE
  $ of --adapter adapter:core.minimal | wc -w
  5
  $ of --adapter adapter:other
  $ of --search 'TICKETS ep_03'
  ep_03_edited
  $ of --search 'tickets nowhere'
  $ runvet view ep_01 --phase plan --phase reflect | wc -l
  2

# Runs in progress that are silent are found; one that is paused waits.
  $ demo_in_order; copy good/events-beyond-the-snapshot/episodes/ep_beyond; of() { runvet list --format ids --silent-for $1; }
  $ of 0s
  ep_beyond
  $ of 1d
  $ runvet list --silent-for 1d
  no runs: none of 6 runs matches --silent-for 1d
  $ touch -d '30 hours ago' episodes/*/*; of 1d
  ep_beyond

# A narrow list keeps the rule, the duration and the task.
  $ copy demo/episodes/ep_03_edited ep_6KGKKQJ6QWTP8BQQY5BM1DWFKR; export COLUMNS=80
  $ edit 's/"outcome":"success"/"outcome":"success_unverified"/' episodes/*/summary.json
  $ runvet list
  STARTED     ID        STATUS   OUTCOME              TOOK TASK
  03-01 12:00 …BM1DWFKR ok       success_unverified  0.15s Summarize the open tic…
  $ runvet list --invalid
  STARTED     ID        STATUS   OUTCOME    TOOK FIRST ERROR  TASK
  03-01 12:00 …BM1DWFKR ok       success…  0.15s episode/id +5 Summarize the open…

# Shown runs are sorted by the start.
  $ demo_in_order; edit s/2026-03-01T12/2026-03-02T12/g episodes/ep_04_crashed/state.json; runvet list --format ids --limit 1
  ep_04_crashed

# Times have one grammar, and are said.
  $ demo_in_order; said() { runvet list . "$@" 2>&1 > /dev/null; runvet validate . "$@" 2>&1 > /dev/null; }
  $ said --since 2026-03-01 --until yesterday | sed 's/is 20[0-9-]*T[0-9:]*Z$/is TIME/'
  note: --since 2026-03-01 is TIME
  note: --until yesterday is TIME
  note: --since 2026-03-01 is TIME
  note: --until yesterday is TIME
  $ said --since -36500d | cut -c1-27
  note: --since -36500d is 19
  note: --since -36500d is 19
  $ said --since 2026-03-01T12:00:00.50 | head -1
  note: --since 2026-03-01T12:00:00.50 is 2026-03-01T12:00:00.5Z
  $ said --since 'last week' | grep error:
  error: invalid value 'last week' for '--since <TIME>': expected a date such as 2026-03-01, an RFC 3339 date-time, `today`, `yesterday`, or a length of time before now, such as 90s, 15m, 1h or 7d
  error: invalid value 'last week' for '--since <TIME>': expected a date such as 2026-03-01, an RFC 3339 date-time, `today`, `yesterday`, or a length of time before now, such as 90s, 15m, 1h or 7d
  $ runvet validate --until 2026-03-01T00:00:00Z . 2>&1 | grep -o 'none matches.*'
  none matches --until 2026-03-01T00:00:00Z

# A run is checked unless all its starts are outside of the period.
  $ forged() {
  >   rm -rf episodes; copy demo/episodes/ep_03_edited
  >   for file; do edit s/2026-03-01/1999-03-01/g episodes/*/$file; done
  >   echo $(code . --since 2026-01-01) $(code . --until 2000-01-01) $(code . --since 2001-01-01 --until 2002-01-01)
  > }
  $ forged state.json; forged summary.json; forged events.jsonl
  1 1 1
  1 1 1
  1 1 1
  $ forged state.json summary.json; forged state.json events.jsonl; forged summary.json events.jsonl
  1 1 1
  1 1 1
  1 1 1
  $ forged state.json summary.json events.jsonl
  3 1 3
  $ forged
  1 3 3

Nor if its start is not known.
  $ echo '{' > episodes/ep_03_edited/state.json; echo '{' > episodes/ep_03_edited/summary.json; rm episodes/*/events.jsonl; code . --since 2030-01-01
  1

# Metrics are columns where they are asked for, and only runs that have them in the range are shown.
  $ runvet import "$CORPUS/logs" --into logs --quiet > imported; runvet list --run-data logs --sort id --limit 0 --metric cost_usd --metric tokens..100..
  STARTED             ID                             STATUS   OUTCOME              TOOK cost_usd   tokens TASK
  2026-03-02 10:00:00 5b0e-close-old                 aborted  error                 15s     0.03     1100 Close all tickets from 2024 in /data.
  2026-03-02 10:00:00 mini-swe-agent-dates-3-dates-3 ok       success_unverified    20s     0.02      785 Parse dates with a dot.
  2026-03-02 10:00:00 openhands-output-api-4         ok       success               15s     0.03      330 Return 404 for unknown tickets.
  2026-03-02 10:10:00 openhands-output-api-5         error    error               5.00s     0.01      175 Count the tickets.
  2026-03-02 10:00:00 ses_3c1tickets                 ok       success_unverified  8.00s    0.004     1005 Make the header blue
  $ runvet list --run-data logs --sort id --metric cost_usd..0..0.01 --format ids
  ep_a3c1f00d0000000000000000000000e1
  ses_3c1tickets
  $ runvet list --run-data logs --metric tokens..9
  error: invalid value 'tokens..9' for '--metric <NAME[..LOW..HIGH]>': a range has the form LOW..HIGH, such as 0.5..2

  For more information, try '--help'.
  [2]
  $ runvet list --run-data logs --metric none
  no runs: none of 20 runs matches --metric none
