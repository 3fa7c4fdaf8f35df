A baseline covers what it saw of a team's rules and no more; one of an earlier version covers what it covered.

# A baseline does not cover more than it saw.
  $ only() { printf "$1\n[rules]\n'*' = 'off'\n'a/*' = 'error'\n" > runvet.toml; }
  $ known() { code --write-baseline known.json runs; code --baseline known.json runs; }
  $ pay='{"tool":"pay","order":"o-1"}'
  $ only "[[order]]\nid = 'a/most'\neach = { tool = 'pay' }\nat-most = 1\nmessage = 'too many'"
  $ events ended "$pay" "$pay"; known; events ended "$pay" "$pay" "$pay"; code --baseline known.json runs
  0
  0
  1
  $ only "[[rule]]\nid = 'a/run'\nmessage = 'x'\ncheck = \"tools['pay'] == 1 ? 'paid once' : 'paid ' + string(tools['pay'])\""
  $ events ended "$pay"; known; events ended "$pay" "$pay"; code --baseline known.json runs
  0
  0
  1
  $ only "[[order]]\nid = 'a/least'\neach = { tool = 'pay' }\nat-least = 2\nsame = '/payload/order'\nmessage = 'too few'"
  $ events ended "$pay"; known; events ended '{"tool":"pay","order":"o-2"}'; code --baseline known.json runs
  0
  0
  1

What is the same stays known, whatever else the run has.
  $ only "[[rule]]\nid = 'a/text'\ncheck = \"event.payload.why\"\nmessage = 'x'\neach = { tool = 'pay' }"; x=$(printf 'x%.0s' $(seq 2000))
  $ events ended '{"tool":"pay"}' "{\"note\":\"${x}a\"}"; known; events ended '{"tool":"pay"}' "{\"note\":\"${x}b\"}"; code --baseline known.json runs
  0
  0
  0

# A baseline covers one unusable file, and no other.
  $ events ended '{"tool":"pay"}'; printf "[[schema]]\nid = 'a/scores'\nrecord = 'scores.json'\nexpect = 'always'\nschema = { required = ['score'] }\n[rules]\n'*' = 'off'\n'a/*' = 'error'\n" > runvet.toml
  $ known() { code --write-baseline known.json runs; code --baseline known.json runs; }
  $ known; for text in '{' '[1'; do printf "$text" > runs/episodes/ep_1/scores.json; code --baseline known.json runs; known; done
  0
  0
  1
  0
  0
  1
  0
  0

# A baseline of an earlier version covers what it covered.
  $ only() { printf "$1\n[rules]\n'*' = 'off'\n'a/*' = 'error'\n" > runvet.toml; }
  $ covers() { echo '{"version":2,"episodes":{"runs/episodes/ep_1":[{"rule":"'$1'","file":"'$2'","fingerprint":"'$3'"}]},"skips":{}}' > known.json; runvet validate --baseline known.json runs; }
  $ pay='{"tool":"pay","order":"o-1"}'; events ended "$pay" "$pay"
  $ only "[[order]]\nid = 'a/most'\neach = { tool = 'pay' }\nat-most = 1\nmessage = 'too many'"; covers a/most events.jsonl a10b68fbede2f3f9baa15407818b905d
  1 episode: no other errors; 1 finding in the baseline
  $ events ended "$pay"
  $ only "[[order]]\nid = 'a/least'\neach = { tool = 'pay' }\nat-least = 2\nsame = '/payload/order'\nmessage = 'too few'"; covers a/least events.jsonl d45bf0b982ed2e53675518a983e554d8
  1 episode: no other errors; 1 finding in the baseline
  $ only "[[rule]]\nid = 'a/run'\nmessage = 'x'\ncheck = \"tools['pay'] == 1 ? 'paid once' : 'paid ' + string(tools['pay'])\""; covers a/run events.jsonl e36e1a6602d0883ea10a177647d31329
  1 episode: no other errors; 1 finding in the baseline
  $ only "[[schema]]\nid = 'a/scores'\nrecord = 'scores.json'\nexpect = 'always'\nschema = { required = ['score'] }"; printf '{' > runs/episodes/ep_1/scores.json; covers a/scores scores.json 44d41983325ce9c94d941ad78d60fd9f
  1 episode: no other errors; 1 finding in the baseline
