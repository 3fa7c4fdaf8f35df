Anything in place of a file: it is judged or reported, and other episodes are judged as usual.

# Files beyond a limit are reported, and one that is not read may have any size.
  $ fresh; copy demo/episodes/ep_01_answer; grown() { cp episodes/ep_answer/$1 kept; truncate -s $2 episodes/ep_answer/$1; runvet validate --format concise 2>&1 | grep -e error -e valid; mv kept episodes/ep_answer/$1; }
  $ grown state.json 10G; grown summary.json 10G; grown events.jsonl 17179869185; grown learn.jsonl 1T
  episodes/ep_answer/state.json: error record/unreadable: state.json can't be read: it is larger than the limit of 64 MiB
  2 episodes: 1 valid, 1 invalid, 1 not fully judged (1 error)
  episodes/ep_answer/summary.json: error record/unreadable: summary.json can't be read: it is larger than the limit of 64 MiB
  2 episodes: 1 valid, 1 invalid, 1 not fully judged (1 error)
  episodes/ep_answer/events.jsonl: error record/unreadable: events.jsonl can't be read: it is larger than the limit of 16384 MiB
  2 episodes: 1 valid, 1 invalid, 1 not fully judged (1 error)
  2 episodes: all valid

# An episode is judged when its name is not UTF-8, and so is a file in it that is given.
  $ fresh; copy demo/episodes/ep_01_answer; odd="$(printf 'episodes/\377\376\033[2J')"; cp -r episodes/ep_answer "$odd"; echo 'not looked at' > "$(printf 'episodes/ep_answer/state.json\377')"
  $ runvet validate --format json | json /episodes/* valid
  not JSON: {"schema_version":"2.2.0","tool":{"name":"runvet","version":"[VERSION]"},
   "episodes":[
    {"id":"ep_01_answer","dir":"episodes/ep_01_answer","lifecycle":"terminal","mode":"meta","adapter":"adapter:core.minimal","valid":true,"verdict":"valid","findings":[],"skipped":[]},
    {"id":"ep_answer","dir":"episodes/ep_answer","lifecycle":"terminal","mode":"meta","adapter":"adapter:core.minimal","valid":true,"verdict":"valid","findings":[],"skipped":[]},
    {"id":"��\u001b[2J","dir":"episodes/��\u001b[2J","lifecycle":"terminal","mode":"meta","adapter":"adapter:core.minimal","valid":false,"verdict":"invalid","findings":[{"rule":"episode/id","severity":"error","message":"11 events belong to other episodes, the first of them to \"ep_answer\", but the directory is called \"��\\u{1b}[2J\"","help":"Move the record to the directory of its own episode, or write the id of this episode.","fingerprint":"730a5c646d9eea232c70e97e04ec6483","file":"episodes/��\u001b[2J/events.jsonl","pointer":"/episode_id","line":1,"column":35,"end_line":1,"end_column":46,"offset":34,"length":11},{"rule":"episode/id","severity":"error","message":"the record belongs to the episode \"ep_answer\", but the directory is called \"��\\u{1b}[2J\"","help":"Move the record to the directory of its own episode, or write the id of this episode.","fingerprint":"696a23a2208ef21b949094f79fbe4ab5","file":"episodes/��\u001b[2J/state.json","pointer":"/episode/id","line":1,"column":154,"end_line":1,"end_column":165,"offset":153,"length":11},{"rule":"episode/id","severity":"error","message":"the record belongs to the episode \"ep_answer\", but the directory is called \"��\\u{1b}[2J\"","help":"Move the record to the directory of its own episode, or write the id of this episode.","fingerprint":"cb2695722bb6dc4a645706e0d790e7a0","file":"episodes/��\u001b[2J/summary.json","pointer":"/episode_id","line":1,"column":62,"end_line":1,"end_column":73,"offset":61,"length":11}],"skipped":[]}],
   "totals":{"episodes":3,"valid":2,"invalid":1,"breaks_rule":0,"undecided":0,"errors":3,"warnings":0,"ignored":0,"baselined":0,"unjudged":0,"unchecked":0,"not_judged":{"not_ended":0,"skipped":0,"links":0,"empty":0,"rules":0}},"complete":true,"faults":[]}
  note: episodes/ep_answer: the directory of this run holds "state.json�", which is not read: only state.json, summary.json, events.jsonl, learn.jsonl, manifest.json are; unpack, join or rename what is a record
  [1]
  $ runvet validate --format json | json /episodes/*/findings/* rule
  not JSON: {"schema_version":"2.2.0","tool":{"name":"runvet","version":"[VERSION]"},
   "episodes":[
    {"id":"ep_01_answer","dir":"episodes/ep_01_answer","lifecycle":"terminal","mode":"meta","adapter":"adapter:core.minimal","valid":true,"verdict":"valid","findings":[],"skipped":[]},
    {"id":"ep_answer","dir":"episodes/ep_answer","lifecycle":"terminal","mode":"meta","adapter":"adapter:core.minimal","valid":true,"verdict":"valid","findings":[],"skipped":[]},
    {"id":"��\u001b[2J","dir":"episodes/��\u001b[2J","lifecycle":"terminal","mode":"meta","adapter":"adapter:core.minimal","valid":false,"verdict":"invalid","findings":[{"rule":"episode/id","severity":"error","message":"11 events belong to other episodes, the first of them to \"ep_answer\", but the directory is called \"��\\u{1b}[2J\"","help":"Move the record to the directory of its own episode, or write the id of this episode.","fingerprint":"730a5c646d9eea232c70e97e04ec6483","file":"episodes/��\u001b[2J/events.jsonl","pointer":"/episode_id","line":1,"column":35,"end_line":1,"end_column":46,"offset":34,"length":11},{"rule":"episode/id","severity":"error","message":"the record belongs to the episode \"ep_answer\", but the directory is called \"��\\u{1b}[2J\"","help":"Move the record to the directory of its own episode, or write the id of this episode.","fingerprint":"696a23a2208ef21b949094f79fbe4ab5","file":"episodes/��\u001b[2J/state.json","pointer":"/episode/id","line":1,"column":154,"end_line":1,"end_column":165,"offset":153,"length":11},{"rule":"episode/id","severity":"error","message":"the record belongs to the episode \"ep_answer\", but the directory is called \"��\\u{1b}[2J\"","help":"Move the record to the directory of its own episode, or write the id of this episode.","fingerprint":"cb2695722bb6dc4a645706e0d790e7a0","file":"episodes/��\u001b[2J/summary.json","pointer":"/episode_id","line":1,"column":62,"end_line":1,"end_column":73,"offset":61,"length":11}],"skipped":[]}],
   "totals":{"episodes":3,"valid":2,"invalid":1,"breaks_rule":0,"undecided":0,"errors":3,"warnings":0,"ignored":0,"baselined":0,"unjudged":0,"unchecked":0,"not_judged":{"not_ended":0,"skipped":0,"links":0,"empty":0,"rules":0}},"complete":true,"faults":[]}
  note: episodes/ep_answer: the directory of this run holds "state.json�", which is not read: only state.json, summary.json, events.jsonl, learn.jsonl, manifest.json are; unpack, join or rename what is a record
  [1]
  $ runvet validate --format json "$odd/state.json" | json /totals episodes
  1
  [1]
  $ runvet validate "$(printf 'no\377\033where')"
  error: no�\u{1b}where: no such file or directory
  no episodes: 1 path could not be checked
  [2]

# An episode of a hundred thousand entries is judged.
  $ fresh; cd episodes/ep_answer; seq 100000 | xargs touch; runvet validate .
  1 episode: valid

# A cycle of links is no way to other runs.
  $ fresh; for link in .:here ..:up /:root ep_answer:again; do ln -s ${link%:*} episodes/${link#*:}; done; seen .
  2 episodes/ep_answer
  fault: episodes/root
  $ rm episodes/here episodes/up episodes/root; seen .
  0 episodes/ep_answer
