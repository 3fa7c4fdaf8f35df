Mistakes in what a team declares are told, each at its place; `tests/cases/mistakes.txt` has those of one file.

# The mistakes of a pack and its schemas are all told at once.
  $ pack; echo 'nonsense = 1' >> runvet.toml; cat >> gate/pack.toml <<.
  > 
  > [[schema]]
  > id = 'acme/order'
  > file = 'none.json'
  > 
  > [[unknown]]
  > x = 1
  > [[schema]]
  > id = 'acme/same'
  > file = 'act.json'
  > .
  $ echo '{"type": "objekt"}' > gate/act.json; runvet validate runs
  error: the schema can't be used: "objekt" is not valid under any of the schemas listed in the 'anyOf' keyword (named by gate/pack.toml:8)
     ╭─[gate/act.json:1:10]
   1 │ {"type": "objekt"}
     ·          ────────
     ╰────

  error: the id `acme/order` is taken by gate/pack.toml:5
      ╭─[gate/pack.toml:16:6]
   16 │ id = 'acme/order'
      ·      ────────────
      ╰────

  error: the schema file "none.json" can't be read: No such file or directory (os error 2)
      ╭─[gate/pack.toml:17:8]
   17 │ file = 'none.json'
      ·        ───────────
      ╰────

  error: unknown key "unknown"
      ╭─[gate/pack.toml:19:3]
   19 │ [[unknown]]
      ·   ───────
      ╰────
  help: expected one of: order, params, rule, schema, selector, version, vocabulary

  error: unknown key "nonsense"
     ╭─[runvet.toml:2:1]
   2 │ nonsense = 1
     · ────────
     ╰────
  help: expected one of: baseline, deny-unjudged, deny-warnings, exclude, format, ignore, jobs, max-findings, order, override, packs, params, profile, require, require-ended, rule, rules, schema, select, selector, verify-manifest, version, vocabulary
  [2]
  $ echo "packs = ['gate/pack.toml']" > runvet.toml; echo '{"type": }' > gate/act.json; runvet validate runs 2>&1 | grep -e error: -e '\[gate'
  error: the schema file can't be used: it is not JSON: expected value at line 1 column 10 (named by gate/pack.toml:8)
     ╭─[gate/act.json:1:10]
  error: the id `acme/order` is taken by gate/pack.toml:5
      ╭─[gate/pack.toml:16:6]
  error: the schema file "none.json" can't be read: No such file or directory (os error 2)
      ╭─[gate/pack.toml:17:8]
  error: unknown key "unknown"
      ╭─[gate/pack.toml:19:3]

# A mistake is told in the file that has it.
  $ pack; echo '{}' > gate/a.json; refers='{\n"items": {"$ref": "defs/n%%20.json#/$defs/n"}, "minimum": 1}'
  $ defs='{"$defs": {"n": 1}}'; told() { printf "$1" > gate/act.json; printf "${2:-$defs}" > 'gate/defs/n .json'; runvet validate runs 2>&1 | grep -o -e '^error: .*' -e '\[gate.*\]'; }
  $ told "$refers" '{"$defs": {"n":\n {"type": ["a"], "pattern": "("}}}'
  error: the schema can't be used: ["a"] is not valid under any of the schemas listed in the 'anyOf' keyword (named by gate/pack.toml:8)
  [gate/defs/n .json:2:11]
  $ told "$refers" '{"$defs": {"n":\n {"pattern": "("}}}'
  error: the schema can't be used: "(" is not a "regex" (named by gate/pack.toml:8)
  [gate/defs/n .json:2:14]
  $ told '{"type": "objct", "minimum": "x", "pattern": "("}'
  error: the schema can't be used: "objct" is not valid under any of the schemas listed in the 'anyOf' keyword (named by gate/pack.toml:8)
  [gate/act.json:1:10]
  error: the schema can't be used: "x" is not of type "number" (named by gate/pack.toml:8)
  [gate/act.json:1:30]
  error: the schema can't be used: "(" is not a "regex" (named by gate/pack.toml:8)
  [gate/act.json:1:46]
  $ told "$refers" '{"$defs": }'
  error: the schema file can't be used: it is not JSON: expected value at line 1 column 11 (named by gate/pack.toml:8)
  [gate/defs/n .json:1:11]
  $ told "$refers" '{"$defs": {}}'
  error: the schema can't be used: Pointer '/$defs/n' does not exist (named by gate/pack.toml:8)
  [gate/act.json:2:19]
  $ told "$refers" ' '
  error: the schema can't be used: "defs/n%20.json" can't be read: it is empty (named by gate/pack.toml:8)
  [gate/act.json:2:19]
  $ told '{"$ref": "none.json"}'
  error: the schema can't be used: "none.json" can't be read: No such file or directory (os error 2) (named by gate/pack.toml:8)
  [gate/act.json:1:10]
  $ told '{"items": {"$ref": "a.json"},\n"not": {"$ref": "data.json"}}'
  error: the schema can't be used: "data.json" can't be read: No such file or directory (os error 2) (named by gate/pack.toml:8)
  [gate/act.json:2:17]
  $ told '{"$schema": "http://json-schema.org/draft-07/schema#",\n"format": "emial",\n"not": {"$ref": "none.json", "format": "emial"}}'
  error: the schema can't be used: Unknown format: 'emial'. Adjust configuration to ignore unrecognized formats (named by gate/pack.toml:8)
  [gate/act.json:2:11]
  error: the schema can't be used: "none.json" can't be read: No such file or directory (os error 2) (named by gate/pack.toml:8)
  [gate/act.json:3:17]
  $ told ''
  error: the schema file "act.json" can't be read: it is empty
  [gate/pack.toml:8:8]

# A rule that lacks a key is read as far as it goes.
  $ repository good/terminal; cat > runvet.toml <<.
  > [[order]]
  > id = 'a/b'
  > never = false
  > within = '0s'
  > [[rule]]
  > id = 'a/b'
  > check = 'x'
  > mesage = 'm'
  > [[rule]]
  > each = 'none'
  > check = 1
  > .
  $ runvet validate runs 2>&1 | grep -o -e '^error: .*' -e '\[runvet.*\]'
  error: the key `each` is missing
  [runvet.toml:1:1]
  error: the key `message` is missing
  [runvet.toml:1:1]
  error: the value is not allowed
  [runvet.toml:3:9]
  error: expected a length of time above 0 and below 10^12 years, with at most 18 decimals of a second, such as `30s`, `1.5m` or `200ms`
  [runvet.toml:4:10]
  error: the id `a/b` is taken by runvet.toml:2
  [runvet.toml:6:6]
  error: unknown name `x`
  [runvet.toml:7:10]
  error: unknown key "mesage"
  [runvet.toml:8:1]
  error: the key `id` is missing
  [runvet.toml:9:1]
  error: the key `message` is missing
  [runvet.toml:9:1]
  error: there is no selector called "none"
  [runvet.toml:10:8]
  error: expected a string, in quotes
  [runvet.toml:11:9]

# A parameter that is set and that nothing names is a mistake.
  $ repository good/terminal; printf "[params]\nlimit = 1\n[[rule]]\nid = 'a/b'\nmessage = 'm'\ncheck = 'params.limit < params.most'\n" > p.toml
  $ printf "packs = ['p.toml']\n[params]\nlimt = 2\nmost = 3\nown = 'x'\n[[rule]]\nid = 'a/c'\nmessage = '{params.own}'\ncheck = 'true'\n" > runvet.toml
  $ runvet validate runs
  error: no rule and no pack names the parameter "limt"
     ╭─[runvet.toml:3:1]
   3 │ limt = 2
     · ────
     ╰────
  help: did you mean `limit`?
  [2]
  $ edit 's/limt/limit/' runvet.toml; runvet validate runs
  1 episode: valid

# A link into run data is refused, wherever the link is: the author of run data could have written what it leads to.
  $ linked() {
  >   link=$1 && shift && rm -rf runs gate runvet.toml near outside && pack
  >   for last; do :; done; mv $link $last; from=$link
  >   for way; do ln -s "$PWD/$way" $from; from=$way; done
  >   runvet validate runs 2>&1 | grep -o 'inside run data' | uniq; code runs
  > }
  $ for link in runvet.toml gate/pack.toml gate/act.json gate; do
  >   linked $link runs/episodes/ep_answer/x; linked $link near runs/episodes/ep_answer/x outside; linked $link near outside
  > done | paste -s
  inside run data	2	inside run data	2	1	inside run data	2	inside run data	2	1	inside run data	2	inside run data	2	1	inside run data	2	inside run data	2	1

# A file that a checkout below `episodes` names is read.
  $ repository good/terminal; mkdir -p episodes/checkout/gate; cd episodes/checkout; echo "packs = ['gate/pack.toml']" > ci.toml; echo 'nonsense = 1' > gate/pack.toml
  $ runvet validate --config ci.toml ../../runs 2>&1 | head -2
  error: unknown key "nonsense"
     ╭─[gate/pack.toml:1:1]
