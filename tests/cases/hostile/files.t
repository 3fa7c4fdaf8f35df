Anything in place of a file: it is judged or reported, and other episodes are judged as usual.

# Files beyond a limit are reported, and one that is not read may have any size.
  $ fresh; copy demo/episodes/ep_01_answer; grown() { cp episodes/ep_answer/$1 kept; truncate -s $2 episodes/ep_answer/$1; runvet validate --format concise 2>&1 | grep -e error -e valid; mv kept episodes/ep_answer/$1; }
  $ grown state.json 10G; grown summary.json 10G; grown events.jsonl 17179869185; grown learn.jsonl 1T
  episodes/ep_answer/state.json: error record/unreadable: state.json can't be read: it is larger than the limit of 64 MiB
  2 episodes: 1 valid, 1 invalid (1 error); 1 not fully judged
  episodes/ep_answer/summary.json: error record/unreadable: summary.json can't be read: it is larger than the limit of 64 MiB
  2 episodes: 1 valid, 1 invalid (1 error); 1 not fully judged
  episodes/ep_answer/events.jsonl: error record/unreadable: events.jsonl can't be read: it is larger than the limit of 16384 MiB
  2 episodes: 1 valid, 1 invalid (1 error); 1 not fully judged
  2 episodes: all valid

# An episode is judged when its name is not UTF-8, and so is a file in it that is given.
  $ fresh; copy demo/episodes/ep_01_answer; odd="$(printf 'episodes/\377\376\033[2J')"; cp -r episodes/ep_answer "$odd"; echo 'not looked at' > "$(printf 'episodes/ep_answer/state.json\377')"
  $ runvet validate --format json | json /episodes/* valid
  true
  true
  false
  [1]
  $ runvet validate --format json | json /episodes/*/findings/* rule
  episode/id
  episode/id
  episode/id
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
  fault: episodes/here
  fault: episodes/root
  $ rm episodes/here episodes/up episodes/root; seen .
  0 episodes/ep_answer
