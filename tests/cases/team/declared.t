What a team declares is judged as built-in rules are: at its place, from every entry point.

# A schema judges what it names, at its place. Each test of a selector must hold, and the last of a list may.
  $ repository good/terminal; places() { printf "[[schema]]\nid = 'a/b'\n$1\n" > runvet.toml; report --select a/b; }
  $ places "where = { phase = 'act', tool = 'adapter:*' }\nschema = { required = ['x'] }" | json /episodes/*/findings/* line pointer
  5
  6
  [1]
  $ places "where = { phase = 'act', '/payload/synthetic' = true }\nschema = { required = ['x'] }" | json /episodes/*/findings/* line pointer
  7
  [1]
  $ places "where = { phase = ['start', 'terminate'] }\nschema = { required = ['x'] }" | json /episodes/*/findings/* line pointer
  1
  11
  [1]
  $ places "where = { phase = 'act', tool = { not = 'adapter:*' } }\nschema = { not = {} }" | json /episodes/*/findings/* line pointer
  $ places "where = { kind = { not = ['x', 'y'] } }\nat = '/payload'\nschema = { required = ['x'] }" | json /episodes/*/findings/* line pointer
  5 /payload
  6 /payload
  [1]
  $ places "where = { '/payload/x-attempt' = 1.0, phase = 'act' }\nschema = { required = ['x'] }" | json /episodes/*/findings/* line pointer
  5
  6
  [1]
  $ places "where = { '/payload/x-attempt' = '1' }\nschema = { required = ['x'] }" | json /episodes/*/findings/* line pointer
  5 /payload/x-attempt
  6 /payload/x-attempt
  [1]

A value is judged where the pointer leads, and at its own place.
  $ places "at = '/payload/seed'\nschema = { type = 'string' }" | json /episodes/*/findings/* line pointer
  1 /payload/seed
  [1]
  $ places "at = '/payload/step_records/1'\nschema = { properties = { kind = { const = 1 } } }" | json /episodes/*/findings/* line pointer
  3 /payload/step_records/1/kind
  [1]
  $ places "record = 'action'\nwhere = { tool = 'adapter:*' }\nat = '/x-attempt'\nschema = { minimum = 2 }" | json /episodes/*/findings/* file pointer
  runs/episodes/ep_answer/state.json /outcomes/actions/0/x-attempt
  runs/episodes/ep_answer/state.json /outcomes/actions/1/x-attempt
  [1]
  $ places "record = 'state'\nat = '/episode'\nschema = { maxProperties = 1 }" | json /episodes/*/findings/* file pointer
  runs/episodes/ep_answer/state.json /episode
  [1]
  $ places "record = 'summary'\nschema = { required = ['cost'] }" | json /episodes/*/findings/* file line
  runs/episodes/ep_answer/summary.json 1
  [1]
  $ places "record = 'learn'\nschema = { required = ['lesson'] }" | json /episodes/*/findings/* file line
  runs/episodes/ep_answer/learn.jsonl 1
  [1]
  $ places "record = 'manifest'\nat = '/files'\nschema = { maxItems = 1 }" | json /episodes/*/findings/* file pointer
  runs/episodes/ep_answer/manifest.json /files
  [1]

A built-in schema, an older dialect, and a format.
  $ places "where = { phase = 'start' }\nschema = { '\$ref' = 'urn:runvet:schema:summary' }" | json /episodes/*/findings/* line
  1
  [1]
  $ places "where = { phase = 'start' }\nat = '/payload/seed'\nschema = { '\$schema' = 'http://json-schema.org/draft-04/schema#', maximum = 7, exclusiveMaximum = true }" | json /episodes/*/findings/* line pointer
  1 /payload/seed
  [1]
  $ places "at = '/payload/task'\nschema = { format = 'email' }" | json /episodes/*/findings/* line pointer
  1 /payload/task
  2 /payload/task
  [1]

# A value outside of a vocabulary is one finding, with its number.
  $ repository good/terminal; cat > runvet.toml <<.
  > [vocabulary]
  > phase = ['Direc-TION', 'start', 'act', 'o*', 'plan', 'terminate', 'reflect', 'learn', 'runtime']
  > '/payload/x-attempt' = 2
  > tool = ['adapter:core.minimol']
  > .
  $ report | json /episodes/*/findings/* message help
  `phase` is "direction", which the vocabulary lacks Did you mean "Direc-TION"?
  `payload.tool` is "adapter:core.minimal", which the vocabulary lacks, and 1 more event has this value Did you mean "adapter:core.minimol"?
  `payload.x-attempt` is 1, which the vocabulary lacks, and 1 more event has this value Correct the program that writes the value, or add the value to `[vocabulary]`.

# A rule of a team is a rule like any other.
  $ pack; report | json /episodes/*/findings/* rule line pointer
  acme/order 5 /payload
  acme/order 6 /payload
  [1]
  $ counts() { report "$@"; }
  $ counts --rule 'acme/*=warning' | json /totals errors warnings
  0 2
  $ counts --rule acme/order=off | json /totals errors warnings
  0 0
  $ counts --select acme/order | json /totals errors warnings
  2 0
  [1]
  $ counts --select 'plan/*' | json /totals errors warnings
  0 0
  $ runvet validate --rule acme/ordr=off runs 2>&1 | head -1
  error: there is no rule called `acme/ordr`; did you mean `acme/order`?
  $ cp runvet.toml declared; printf "[[ignore]]\nrule = 'acme/order'\nepisode = '*'\npointer = '/payload'\nreason = 'old'\n" >> runvet.toml
  $ counts | json /totals errors ignored
  0 2
  $ { cat declared; printf "[[override]]\npaths = ['runs']\nrules = { 'acme/*' = 'warning' }\n"; } > runvet.toml; counts | json /totals errors warnings
  0 2
  $ cp declared runvet.toml; code --write-baseline known.json runs
  0
  $ counts --baseline known.json | json /totals errors baselined
  0 2

It is explained and listed, and every format knows it.
  $ runvet explain acme/order
  # acme/order (error, found afterwards: it needs the result)

  an act names its order. The rule is declared in `gate/pack.toml:5`.

  ## Why it matters

  Money is paid by order.

  ## The schema

  ```json
  {
    "properties": {
      "x-attempt": {
        "$ref": "defs/n%20.json#/$defs/n"
      }
    },
    "required": [
      "order"
    ]
  }
  ```

  ## How to fix it

  Pass the order on.

  More: <https://acme.example/order>
  $ runvet rules --format json | grep -o '"id": *"acme/order".*'
  "id":"acme/order","group":"acme","level":"error","severity":"error","title":"an act names its order","hint":"Pass the order on.","url":"https://acme.example/order","tags":["money"],"holds":"after"}]}
  $ runvet rules | grep acme/; runvet rules --no-config | grep -c acme/
  acme/order                   error, found afterwards: it needs the result  an act names its order
  0
  [1]
  $ runvet explain --no-config acme/order
  error: there is no rule called `acme/order` (`runvet rules` lists all rules)
  [2]
  $ for format in $(formats); do runvet validate --format $format runs 2> /dev/null | grep -q acme/order || echo $format; done
  $ runvet validate --format sarif runs | json /runs/0/results/0 ruleId
  acme/order
  [1]
  $ runvet validate --format sarif runs | tr -d '\n' | grep -o '"id": *"acme/order".*' | grep -o -e 'https://acme.example/order' -e 'Pass the order on.' -e '"money"' | sort -u
  "money"
  Pass the order on.
  https://acme.example/order

# The template of a message is never shown.
  $ mkdir .git; cp -r "$CORPUS/demo" runs; printf "packs = ['pack.toml']\n[params]\nmost = 500\n" > runvet.toml; cat > pack.toml <<.
  > [params]
  > most = 9
  > [[rule]]
  > id = 'a/most'
  > at = '/payload/tool'
  > message = '{value} is above {params.most}'
  > each = { phase = 'act' }
  > check = 'has(event.phase) && params.most < 5'
  > .
  $ runvet explain a/most > page; grep -c 'VALUE is above 500. The rule is declared' page; grep 'params.most` is' page
  1
  - `params.most` is 500

It does not send its reader to itself.
  $ grep -c 'runvet explain' page
  0
  [1]
  $ runvet validate runs --output html=page.html --output sarif=page.sarif > out; runvet rules > rules; runvet rules --format json > rules.json
  $ grep -l 'VALUE is above 500' page.html page.sarif rules rules.json; grep -e '{value} is' -e '{params' page.html page.sarif rules rules.json
  page.html
  page.sarif
  rules
  rules.json
  [1]

# A key that a schema declares is no slip.
  $ repository good/terminal; cd runs/episodes/ep_answer; edit 's/"seed":7/"seed":7,"x":1/; s/"step_status":"done"/&,"actionid":"q"/; s/"action_id":"act-1",//' events.jsonl; edit 's/{/{"artifact":1,/' summary.json; cd ../../..
  $ slips() { report --select events/misspelled --select record/misspelled-field; }
  $ slips | json /episodes/*/findings/* rule
  events/misspelled
  $ printf "[[schema]]\nid = 'a/b'\nwhere = { phase = 'act' }\nat = '/payload'\nschema = { properties = { actionid = {} } }\n[[schema]]\nid = 'a/c'\nrecord = 'summary'\nschema = { properties = { artifact = {} } }\n" > runvet.toml
  $ slips | json /episodes/*/findings/* rule

# A schema of actions declares their keys, and none at the root of the state.
  $ repository good/terminal < /dev/null; edit 's/"memory":/"memry":/' runs/episodes/*/state.json
  $ printf "[[schema]]\nid = 'a/s'\nrecord = 'action'\nschema = { properties = { memry = { type = 'object' } } }\n" > runvet.toml; levels | grep record/
  ep_an warning record/misspelled-field

# A pack finds what the record format leaves open, and judges records of a declared version by their schema.
  $ cd "$CORPUS/team"; in_team() { runvet validate --format json --config $1/runvet.toml $1/runs; }
  $ code --no-config refunds/runs
  0
  $ in_team refunds | json /episodes/*/findings/* rule pointer
  acme/refund-input /payload/input
  team/vocabulary /payload/tool
  [1]
  $ runvet validate --no-config --format json archive/runs | json /episodes/*/findings/* rule help
  summary/version The record differs from version 1.3.0 in `adapter_result`, `outcome`, `verification`, `flags.mode`, `metrics.success`. Convert the record before you change its version, or give runvet the schema of its version with `[[version]]` in `runvet.toml`.
  [1]
  $ in_team archive | json /episodes/0 findings skipped
  [] []

# A version may be declared. The current one, and a newer one of its major, stay with the built-in schema.
  $ repository good/terminal; summary=runs/episodes/ep_answer/summary.json; cp $summary summary
  $ version() { printf "[[version]]\nrecord = 'summary'\nis = '$1'\nfile = 'old.json'\n" > runvet.toml; }
  $ version '1.*'; echo '{"properties":{"duration_sec":{"maximum":0.1},"flags":false}}' > old.json
  $ report | json /episodes/*/findings/* rule pointer
  $ sed s/1.3.0/1.9.0/ summary > $summary; report | json /episodes/*/findings/* rule pointer
  summary/newer-version /schema_version

An older one, and one that is no version, are judged by what is declared.
  $ sed 's/1.3.0/1.2.0/; s/"outcome"/"outcom"/' summary > $summary; report | json /episodes/*/findings/* rule pointer
  summary/schema /duration_sec
  summary/schema /flags
  [1]
  $ sed 's/1.3.0/1.x/; s/"outcome"/"outcom"/' summary > $summary; report | json /episodes/*/findings/* rule pointer
  summary/schema /duration_sec
  summary/schema /flags
  [1]
  $ version '2.*'; report | json /episodes/*/findings/* rule pointer
  summary/version /schema_version
  [1]

# The examples of a schema are judged.
  $ mkdir .git; example() { printf "[[schema]]\nid = 'a/b'\nat = '/payload'\nschema = { required = ['n'] }\n$1" > runvet.toml; runvet rules --test; }
  $ good='[[schema.example]]\nvalue = '\''{"n": 1}'\''\nvalid = ' bad='[[schema.example]]\nvalue = '\''{}'\''\nvalid = '
  $ example "${good}true\n${bad}false\n"
  a/b: 2 examples, all with the declared result
  $ example "${good}true\n"
  a/b: the schema has no example in which it finds something
  [1]
  $ example ''
  a/b: the schema has no example in which it finds something
  [1]
  $ example "${bad}false\n${bad}true\n"
  a/b: runvet.toml:9: the example is declared valid, but the schema refuses it: the value lacks the required field `n`
  [1]
  $ example "${good}false\n"
  a/b: runvet.toml:6: the example is declared invalid, but the schema allows it
  [1]
  $ example "[[schema.example]]\nvalue = '{'\nvalid = true\n"
  error: the value is not JSON: the text ends where a key is expected
     ╭─[runvet.toml:6:9]
   6 │ value = '{'
     ·         ───
     ╰────
  [2]
  $ example "${good}true\n${bad}false\n" > out; runvet rules --test --all | grep -o '^plan/projection: '
  plan/projection:

# A file besides the artifacts is judged.
  $ repository good/terminal; dir=runs/episodes/ep_answer
  $ of() { printf "[[schema]]\nid = 'a/b'\nrecord = '$1'\n$3\nat = '$2'\nschema = { properties = { score = { maximum = 1 } } }\n" > runvet.toml; }
  $ with() { cat > $dir/$1; report --select a/b; rm $dir/$1; }
  $ of scores.json ''; echo '{"score": 1}' | with scores.json | json /episodes/*/findings/* line pointer
  $ printf '{\n "score": 2}' | with scores.json | json /episodes/*/findings/* line pointer
  2 /score
  $ printf '{' | with scores.json | json /episodes/*/findings/* message
  scores.json can't be judged: the text is not JSON: not JSON: the text ends where a key is expected
  $ of scores.json /x; echo '{}' | with scores.json | json /episodes/*/findings/* message

Of several lines, each that is not blank; no link is followed.
  $ of trace.jsonl /a; printf '{"a":{"score":0}}\n\n{"a":{"score":3}}\n[\n{"a":{"score":4}}' | with trace.jsonl | json /episodes/*/findings/* line pointer
  3 /a/score
  4 -
  5 /a/score
  $ of scores.json ''; ln -s state.json $dir/scores.json; report --select a/b | json /episodes/*/findings/* message
  scores.json can't be judged: it can't be read: it is a symbolic link, and links are not followed
  [1]
  $ rm $dir/scores.json

It may have to be there.
  $ for expect in always ended optional; do of scores.json '' "expect = '$expect'"; echo $expect $(levels --select a/b | wc -l); done
  always 1
  ended 1
  optional 0
  $ rm -r $dir; dir=runs/episodes/ep_paused; cp -r "$CORPUS/good/paused/episodes/ep_paused" runs/episodes
  $ for expect in always ended; do of scores.json '' "expect = '$expect'"; echo $expect $(levels --select a/b | wc -l); done
  always 1
  ended 0

The end of a run in progress may still be written, and nobody may know whether a run has ended.
  $ of trace.jsonl /a; printf '{}\n{"a": ' > $dir/trace.jsonl; report --select a/b | json /episodes/*/findings/* message
  $ of scores.json '' "expect = 'ended'"; echo '{}' > $dir/state.json; report --select a/b | json /episodes/*/skipped/* rule kind
  a/b lifecycle

# An unfinished line of the learning timeline counts once the run has ended.
  $ repository good/terminal; cp -r "$CORPUS/good/paused/episodes/ep_paused" runs/episodes
  $ for run in answer paused; do printf '{}\n{"a": ' > runs/episodes/ep_$run/learn.jsonl; done
  $ printf "[[schema]]\nid = 'a/b'\nrecord = 'learn'\nschema = { type = 'object' }\n" > runvet.toml; runvet validate --select a/b --format concise runs
  runs/episodes/ep_answer/learn.jsonl:2:1: error a/b: learn.jsonl can't be judged: the line is not JSON
  2 episodes: 1 valid, 1 breaks a rule of the team, 1 not ended (1 error)
  [1]

# The page of a rule of a team has its examples.
  $ page() { runvet explain --config "$CORPUS/team/$1/runvet.toml" $2 | sed -n '/^## Examples/,/^## How/p'; }
  $ page refunds acme/refund-input
  ## Examples

  Valid:

  ```json
  {"order_id": "o-17", "amount": 20}
  ```

  Invalid:

  ```json
  {"order_id": "o-17"}
  ```

  ## How to fix it
  $ page escalations acme/escalate-first | cut -c1-80 | head -12
  ## Examples

  Findings: line 3:

  ```json
  {"payload": {"tool": "escalate", "input": {"order_id": "o-17"}}}
  {"payload": {"tool": "refund", "input": {"order_id": "o-17"}}}
  {"payload": {"tool": "refund", "input": {"order_id": "o-18"}}}
  ```

  ## How to fix it
  $ page escalations acme/refunds-settle | grep 'No finding'
  No finding, in a run that has not ended:
  $ page conduct acme/success-has-evidence | cut -c1-60 | grep -A 4 'whole run'
  Findings: the whole run:

  ```json
  {"goal": {"task": "Pay"}, "outcomes": {"artifacts": []}}
  ```
