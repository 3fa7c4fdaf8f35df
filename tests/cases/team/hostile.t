Packs that would take for ever, or all memory, end in an error of the configuration, or are judged.

# A hostile schema is judged or refused.
  $ project; printf "[[schema]]\nid = 'a/b'\nat = '/payload'\nfile = 'a.json'\n" > runvet.toml
  $ judge() { cat > a.json; runvet validate --select a/b --quiet runs > out 2>&1; echo $? $(grep '^error: ' out | grep -o -e 'subschemas to one value' -e '"regex"' -e 'recursion limit' -e 'longer than 1 MiB' | head -1); }
  $ chain() {
  >   awk -v n=$1 -v part="$2" -v last="$3" 'BEGIN {
  >     printf "{\"$ref\":\"#/$defs/0\",\"$defs\":{"
  >     for (i = 0; i < n; i++) { it = part; gsub("NEXT", "{\"$ref\":\"#/$defs/" (i + 1) "\"}", it); printf "\"%d\":%s,", i, it }
  >     printf "\"%d\":%s}}", n, last }'
  > }
  $ chain 900 NEXT '{"type":"object"}' | judge
  0
  $ chain 20000 NEXT '{}' | judge
  2 subschemas to one value
  $ chain 40 '{"anyOf":[NEXT,NEXT]}' false | judge
  2 subschemas to one value
  $ chain 40 '{"allOf":[NEXT,NEXT]}' true | judge
  2 subschemas to one value
  $ echo '{"$ref":"#"}' | judge
  0
  $ echo '{"additionalProperties":{"$ref":"#"},"items":{"$ref":"#"}}' | judge
  0
  $ { printf '{"enum":[0'; seq 90000 | sed 's/.*/,"v&"/' | tr -d '\n'; printf ']}'; } | judge
  1
  $ for pattern in '^(a+)+$' '(a{1000}){1000}' '(a)\\1'; do printf '{"additionalProperties":{"pattern":"%s"}}' "$pattern" | judge; done
  1
  2 "regex"
  2 "regex"
  $ nested() { head -c $1 /dev/zero | sed 's/\x00/{"not":/g'; printf '{}'; head -c $1 /dev/zero | tr '\0' '}'; }
  $ nested 100 | judge; nested 50000 | judge; head -c 1048576 /dev/zero | tr '\0' '[' | judge; head -c 1048577 /dev/zero | tr '\0' ' ' | judge
  0
  2 recursion limit
  2 recursion limit
  2 longer than 1 MiB

References to files multiply as those within one do.
  $ link() { printf '{"allOf":[{"$ref":"f%d.json"},{"$ref":"f%d.json"}]}' $1 $1; }; for n in $(seq 30); do link $((n + 1)) > f$n.json; done; echo '{"type":"object"}' > f31.json
  $ link 1 | judge; echo '{"$ref":"f31.json"}' | judge
  2 subschemas to one value
  0

A reference leads to no file outside of the directory, however it is written.
  $ mkdir -p gate && echo '{"type":"object"}' | tee gate/b.json > secret.json
  $ reach() { printf "packs = ['gate/p.toml']\n" > runvet.toml; printf "[[schema]]\nid = 'a/b'\nat = '/payload'\nschema = { '\$ref' = '%s' }\n" "$1" > gate/p.toml; code --select a/b runs; }
  $ reach b.json; reach ..%2fsecret.json; reach "$(pwd | sed 's#/#%2F#g')%2Fsecret.json"; reach %2e%2e/secret.json
  0
  2
  2
  2
  $ printf "[[schema]]\nid = 'a/b'\nat = '/payload'\nfile = 'a.json'\n" > runvet.toml

# A schema that applies itself twice ends on deep values.
  $ printf "[[schema]]\nid = 'a/b'\nat = '/payload/deep'\nfile = 'a.json'\n" > runvet.toml; again='{"type":"object","required":["x"],"properties":{"x":{"$ref":"#"}}}'
  $ events ended "{\"deep\":$(printf '{"k":"a","x":%.0s' $(seq 60))1$(printf '}%.0s' $(seq 60))}"
  $ echo "{\"anyOf\":[$again,$again]}" > a.json; code --select a/b runs
  1
  $ echo '{"type":"object","properties":{"x":{"$ref":"#"}},"allOf":[{"if":{"properties":{"k":{"const":"a"}},"required":["k"]},"then":{"properties":{"x":{"$ref":"#"}}}}]}' > a.json; code --select a/b runs
  1

# A pack may have a thousand rules.
  $ project; for number in 1000 1001; do seq $number | sed "s/.*/[[schema]]\nid = 'a\/b&'\nschema = { type = 'object' }/" > runvet.toml; code --select 'a/*' runs; done
  0
  2

# Numbers are compared as they are written.
  $ printf "[[schema]]\nid = 'a/b'\nat = '/payload/x'\nfile = 'a.json'\n" > runvet.toml
  $ compared() { printf '%s' "$1" > a.json; events ended "{\"x\":$2}"; judged | grep -o '"errors":[0-9]*' | head -1; }
  $ compared '{"maximum":1000000000000000000}' 1000000000000000001; compared '{"maximum":1000000000000000000}' 1000000000000000000; compared '{"minimum":-9007199254740993}' -9007199254740994
  "errors":1
  "errors":0
  "errors":1
  $ compared '{"enum":[null,0.5,[1]]}' 1e400; compared '{"enum":[[null],{"a":null}]}' '[1e400]'; compared '{"enum":[[null],{"a":null}]}' '{"a":1e400}'
  "errors":1
  "errors":1
  "errors":1
  $ compared '{"enum":[[1.0],{"a":"b"}]}' '[10e-1]'; compared '{"enum":[[1.0],{"a":"b"}]}' '{"a":"\u0062"}'; compared '{"enum":[[1.0],{"a":"b"}]}' '{"a":"b","c":1}'
  "errors":0
  "errors":0
  "errors":1
  $ compared '{"uniqueItems":true}' '[1e400,1e401]'; compared '{"uniqueItems":true}' '[9007199254740992.0,9007199254740993.0]'; compared '{"uniqueItems":true}' '[1,[2],1.0]'
  "errors":0
  "errors":0
  "errors":1
  $ compared '{"maximum":9007199254740992}' 9007199254740993.0; compared '{"maximum":18446744073709551615}' 18446744073709551615.0; compared '{"exclusiveMinimum":0.1}' 0.10000000000000000000000001
  "errors":1
  "errors":0
  "errors":0
  $ compared '{"maximum":123456789012345678901234567890}' 123456789012345678901234567891; compared '{"minimum":123456789012345678901234567890}' 123456789012345678901234567890.0
  "errors":1
  "errors":0
  $ compared '{"multipleOf":3}' 3e50; compared '{"multipleOf":500}' 1e23; compared '{"multipleOf":0.1}' 0.10000000000000000000000001; compared '{"multipleOf":0.1}' 0.3
  "errors":0
  "errors":0
  "errors":1
  "errors":0
  $ compared '{"$schema":"http://json-schema.org/draft-04/schema#","maximum":5,"exclusiveMaximum":true}' 5; compared '{"$schema":"http://json-schema.org/draft-04/schema#","maximum":5,"exclusiveMaximum":true}' 4
  "errors":1
  "errors":0

The numbers stand in messages as the schema has them, and a constant that a double can't hold is refused.
  $ printf '{"maximum":123456789012345678901234567890}' > a.json; events ended '{"x":1e40}'; judged | json /episodes/*/findings/* message
  `payload.x` is 1e40, above the maximum of 123456789012345678901234567890
  $ printf '{"exclusiveMaximum":0.5}' > a.json; judged | json /episodes/*/findings/* message
  `payload.x` is 1e40, which `exclusiveMaximum: 0.5` in its schema does not allow
  $ printf '{"enum":[1,\n123456789012345678901234567890]}' > a.json; runvet validate runs 2>&1 | grep error:
  error: the schema file can't be used: the number 123456789012345678901234567890 has too many digits for a constant; bound it with `minimum` and `maximum` (named by runvet.toml:4)

A text that is too long for a pattern is none.
  $ regex='{"properties":{"v":{"format":"regex"}}}'; compared "$regex" '{"v":"a+"}'; compared "$regex" '{"v":"("}'; compared "$regex" "{\"v\":\"$(head -c 70000 /dev/zero | tr '\0' a)\"}"
  "errors":0
  "errors":1
  "errors":1

# Places below a long key are short and few.
  $ printf "[[schema]]\nid = 'a/b'\nat = '/payload/x'\nfile = 'a.json'\n" > runvet.toml; echo '{"additionalProperties":{"items":{"type":"integer"}}}' > a.json
  $ items() { events ended "{\"x\":{\"$(head -c $1 /dev/zero | tr '\0' k)\":[$(printf '"x",%.0s' $(seq $2))\"x\"]}}"; judged; }
  $ items 1000 2 | json /episodes/*/findings/* pointer
  /payload/x
  /payload/x
  /payload/x
  $ items 10000 999 > out; grep -o 'in more places than are listed' out; grep -o '"rule":"a/b"' out | wc -l
  in more places than are listed
  1

# Lines of another file are kept up to a limit, and a file of holes is not read.
  $ printf "[[schema]]\nid = 'a/b'\nrecord = 'trace.jsonl'\nschema = { type = 'object' }\n" > runvet.toml; events ended; x=$(head -c 100000 /dev/zero | tr '\0' x)
  $ for at in $(seq 20); do printf '"%s%s%s%s%s%s%s%s%s%s"\n' $x $x $x $x $x $x $x $x $x $x; done > runs/episodes/ep_1/trace.jsonl; report --select a/b > out; grep -o '"rule":"a/b"' out | wc -l; grep -o '"length":[1-9]' out | wc -l
  20
  16
  $ truncate -s 1T runs/episodes/ep_1/trace.jsonl; report --select a/b | json /episodes/*/findings/* message
  trace.jsonl can't be judged: it can't be read: it is larger than the limit of 16384 MiB
  [1]

# A pattern that multiplies meets a limit, and others do not.
  $ random=$(seq 1 400000 | awk '{ x = int($1 * 2654435761 % 4294967296 / 1073741824); printf "%s", x == 0 ? "foo" : x == 1 ? "b" : x == 2 ? "x" : "bar" }')
  $ matched() {
  >   printf "[[rule]]\nid = 'a/rule'\nmessage = 'm'\neach = { phase = 'act' }\ncheck = \"event.payload.v.matches('%s')\"\n[[schema]]\nid = 'a/schema'\nat = '/payload/v'\nschema = { pattern = '%s' }\n" "$1" "$1" > runvet.toml
  >   report --select 'a/*' > out; echo $(grep -o '"rule":"a/[a-z]*","severity"' out | wc -l) $(grep -o '"kind":"limit"' out | wc -l)
  > }
  $ events ended x; printf '{"phase":"act","timestamp":"2026-03-01T12:00:00Z","payload":{"v":"%s"}}\n' "$random" > runs/episodes/ep_1/events.jsonl
  $ for pattern in '(foo|bar).{1,300}(baz|qux)[0-9]' 'key.{0,100}[0-9]{6}' '(?:foo|bar)[^z]{200}z'; do matched "$pattern"; done
  0 2
  0 2
  0 2
  $ for pattern in '^[0-9]{4}-[0-9]{2}-[0-9]{2}T' '(?i)(error|warning|traceback):' '[a-z]+@[a-z]+[.]com' '^[^/]*/secret/.*key'; do matched "$pattern"; done
  2 0
  2 0
  2 0
  2 0

A short text is judged.
  $ events ended '{"v":"foo"}'; for pattern in '(foo|bar).{1,300}(baz|qux)[0-9]' 'key.{0,100}[0-9]{6}' '(?:foo|bar)[^z]{200}z'; do matched "$pattern"; done
  2 0
  2 0
  2 0

# Digits of instants have a limit in all groups, and the groups of all orders have one together.
  $ printf "[[order]]\nid = 'a/order'\nmessage = 'm'\neach = { tool = 'pay' }\nneeds-earlier = { tool = 'ask' }\nsame = '/payload/o'\nwithin = '1h'\n" > runvet.toml; events ended x
  $ skips() { digits=$(head -c $2 /dev/zero | tr '\0' 1); for at in $(seq $1); do printf '{"phase":"act","timestamp":"2026-03-01T12:00:00.%sZ","payload":{"tool":"ask","o":%s}}\n' $digits $at; done > runs/episodes/ep_1/events.jsonl; report --select 'a/*'; }
  $ skips 20 400000 | json /episodes/*/skipped/* kind
  limit
  [2]
  $ skips 200 40 | json /episodes/*/skipped/* kind
  $ for at in $(seq 0 7); do printf "[[order]]\nid = 'a/b$at'\neach = { phase = 'x' }\nsame = '/payload/v'\nneeds-later = { phase = 'y' }\nmessage = 'm'\n"; done > runvet.toml
  $ for phase in x y; do seq 20000 | sed 's/.*/{"phase":"'$phase'","timestamp":"2026-03-01T12:00:00Z","payload":{"v":&}}/'; done > runs/episodes/ep_1/events.jsonl

Each needs the events at the end, which those that are stopped have not seen: none is accused.
  $ report --select 'a/*' > out; grep -o '"findings":\[\]' out
  "findings":[]
  $ report --select 'a/*' | json /episodes/*/skipped/* rule kind
  a/b0 limit
  a/b6 limit
  [2]

# Texts of expressions are kept up to a limit.
  $ printf "[[rule]]\nid = 'a/rule'\nmessage = 'm'\neach = { phase = 'act' }\ncheck = 'event.payload.v'\n" > runvet.toml; events ended x; x=$(head -c 1000 /dev/zero | tr '\0' x)
  $ seq 4000 | sed 's/.*/{"phase":"act","timestamp":"2026-03-01T12:00:00Z","payload":{"v":"'$x'"}}/' > runs/episodes/ep_1/events.jsonl
  $ report > out; found=$(grep -o '"rule":"a/rule","severity"' out | wc -l); echo $((found / 1000)); grep -c "$((4001 - found)) more findings of this rule not listed" out
  2
  1
