What changed between two reports.

# A report against itself is empty, in any format.
  $ reports() { (cd "$CORPUS"; runvet validate bad broken demo "$@" 2> /dev/null); }
  $ reports --format json > json; reports --format ndjson > ndjson
  [1]
  $ for before in json ndjson; do for after in json ndjson; do runvet impact $before $after; done; done | uniq -c
        4 0 of [..] runs affected; verdicts changed: 0; not compared: 0

# A change of levels and rules is counted by rule, and the way back mirrors it.
  $ reports() { (cd "$CORPUS"; runvet validate bad broken demo "$@" 2> /dev/null); }
  $ reports --format ndjson --rule summary/counts=off > before; reports --format json --rule summary/counts=error --rule state/schema=warning > after
  [1]
  $ runvet impact before after | grep ': .* of another level'
  state/schema: 0 new, 0 gone, [..] of another level, in [..] runs
  summary/counts: [..] new, 0 gone, 0 of another level, in [..] runs
  $ runvet impact before after --format json | json /rules/state~1schema new gone
  0 0
  $ runvet impact before after --format json | json /rules/state~1schema/examples/* before after
  error warning
  error warning
  error warning
  error warning
  error warning
  $ runvet impact before after --format json | json /rules/summary~1counts gone changed_level
  0 0
  $ runvet impact after before --format json | json /rules/summary~1counts new changed_level
  0 0
  $ runvet impact before after --format markdown | grep -o '| summary/counts |'
  | summary/counts |

# One pass says what two reports say.
  $ here=$PWD; cd "$CORPUS"; checked() { runvet validate bad broken demo "$@" 2> /dev/null; }
  $ checked --format ndjson > "$here/before"; checked --format ndjson --rule state/schema=warning --rule 'events/*=off' > "$here/after"
  [1]
  $ for format in human json markdown; do
  >   runvet impact "$here/before" "$here/after" --format $format > "$here/expected"
  >   for jobs in 1 8; do checked --jobs $jobs --against "$here/before" --format $format --rule state/schema=warning --rule 'events/*=off' | cmp - "$here/expected"; done
  > done; wc -l < "$here/expected" | grep -c '^[0-9][0-9]'
  1

# Limits decide the exit code.
  $ cp -r "$CORPUS/demo" .; off=--rule=projection/outcomes=off
  $ runvet validate demo --format ndjson > a 2> err; runvet validate demo --format ndjson $off > b 2> err
  [1]
  $ exits() { "$@" > out 2>&1; echo $?; }
  $ for limit in 0 1 19% 20%; do echo $limit $(exits runvet impact a b --fail-above $limit) $(exits runvet validate demo --against a $off --fail-above $limit); done
  0 1 1
  1 0 0
  19% 1 1
  20% 0 0

Without a limit the findings decide.
  $ exits runvet validate demo --against a
  1
  $ tail -n +2 a > fewer; for it in '--fail-above 0' '' '--max-incomparable 0' '--max-incomparable 19%' '--fail-above 0 --max-incomparable 20%'; do
  >   echo $(exits runvet impact a fewer $it) $it
  > done
  2 --fail-above 0
  0
  2 --max-incomparable 0
  2 --max-incomparable 19%
  0 --fail-above 0 --max-incomparable 20%
  $ for it in 'impact a b --fail-above 101%' 'impact a b --fail-above -1' 'impact a b --fail-above many' 'validate demo --fail-above 1' 'validate demo --against a --format sarif'; do
  >   exits runvet $it; done | uniq -c
        5 2

Runs that were not checked are not compared, also where there was nothing to check.
  $ mkdir none; for it in '' --allow-empty '--allow-empty --max-incomparable 4' '--allow-empty --max-incomparable 5'; do echo $(exits runvet validate none --against a --fail-above 0 $it) $it; done
  2
  2 --allow-empty
  2 --allow-empty --max-incomparable 4
  0 --allow-empty --max-incomparable 5
  $ runvet validate none --against a --fail-above 0 | tail -1
  error: no episode found; [..]
  more incomparable than the limit of 0

# What is not judged is not gone.
  $ run() { printf '{"dir":"%s","valid":%s,"findings":[%s],"skipped":[%s]}\n' "$@"; }
  $ { run a false '{"rule":"a/b","severity":"error","message":"x","fingerprint":"1"}'; run b true; echo '{"totals":{},"complete":true,"faults":[]}'; } > before
  $ { run a null '' '{"rule":"a/b"}'; run c true; echo '{"totals":{},"faults":[{"path":"a","message":"m"},{"path":"z","message":"m"}]}'; } > after
  $ runvet impact before after --format json | json /not_compared/* dir why
  a undecided
  b only_before
  c only_after
  z fault
  $ runvet impact before after --format json | json . affected incomparable
  0 4

# A report that is none is refused, with its place.
  $ run() { printf '{"dir":"%s","valid":true,"findings":[],"skipped":[]}\n' $1; }; end='{"totals":{},"complete":true,"faults":[]}'
  $ { run a; echo "$end"; } > good
  $ wrong() { cat > wrong; runvet impact good wrong; runvet impact wrong good > out 2>&1; echo $?; runvet validate "$CORPUS/demo" --against wrong > out 2>&1; echo $?; }
  $ wrong < /dev/null
  error: wrong is cut off: a report ends with its totals; write it again
  2
  2
  $ run a | wrong
  error: wrong is cut off: a report ends with its totals; write it again
  2
  2
  $ { run a; printf '{"dir":"b","fin'; } | wrong
  error: wrong is cut off: a report ends with its totals; write it again
  2
  2
  $ printf '{"episodes":[{"dir":"a"}' | wrong
  error: wrong is cut off: a report ends with its totals; write it again
  2
  2
  $ { run b; run a; echo "$end"; } | wrong
  error: wrong is not sorted by directory: a comes after b
  2
  2
  $ { run a; run a; echo "$end"; } | wrong
  error: wrong has two episodes with the directory a
  2
  2
  $ { run a; echo nonsense; } | wrong
  error: wrong is not a report that can be compared: expected ident at line 2 column 2
  2
  2
  $ printf '{"x":1}' | wrong
  error: wrong is not a report that can be compared: it is not a report of runvet at line 1 column 7
  2
  2
  $ printf '{"schema_version":"3.0.0","episodes":[],"totals":{}}' | wrong
  error: wrong is not a report that can be compared: its format has the version "3.0.0", but this runvet reads 2.2.0 at line 1 column 26
  2
  2
  $ { echo '{"dir":"a","findings":[{}]}'; echo "$end"; } | wrong
  error: wrong is not a report that can be compared: missing field `rule` at line 1 column 25
  2
  2
  $ runvet impact good none
  error: can't read none: No such file or directory (os error 2)
  [2]

# The text of a report is harmless.
  $ end='{"totals":{},"complete":true,"faults":[]}' evil='\u001b[2J|<b>::error::\u202e'
  $ printf '%s\n' '{"dir":"a","valid":true,"findings":[],"skipped":[]}' "$end" > before
  $ printf '%s\n' '{"dir":"a","valid":false,"findings":[{"rule":"'$evil'","severity":"error","message":"'$evil'","fingerprint":"1"}],"skipped":[]}' '{"dir":"a-\u001b[2J|<b>","valid":true,"findings":[],"skipped":[]}' "$end" > after
  $ runvet impact before after
  1 of 1 run affected; verdicts changed: 1; not compared: 1

  \u{1b}[2J|<b>::error::\u{202e}: 1 new, 0 gone, 0 of another level, in 1 run
    new error: a: \u{1b}[2J|<b>::error::\u{202e}

  valid -> invalid: a
  not compared: a-\u{1b}[2J|<b>: only the second report has it
  $ runvet impact before after --format markdown
  1 of 1 run affected; verdicts changed: 1; not compared: 1


  | rule | new | gone | other level | runs | for example |
  |---|--:|--:|--:|--:|---|
  | &#92;u{1b}&#91;2J&#124;&lt;b>&#58;&#58;error&#58;&#58;&#92;u{202e} | 1 | 0 | 0 | 1 | new error: a: &#92;u{1b}&#91;2J&#124;&lt;b>&#58;&#58;error&#58;&#58;&#92;u{202e} |

  | run | |
  |---|---|
  | a | valid -> invalid |
  | a-&#92;u{1b}&#91;2J&#124;&lt;b> | not compared: only the second report has it |
  $ runvet impact before after --format json | grep -c -e "$(printf '\033')" -e "$(printf '\342\200\256')"
  0
  [1]

# A share of many runs is that of all.
  $ runs() { seq -w 3000 | sed 's/.*/{"dir":"ep_&","valid":'$1',"findings":[],"skipped":[]}/'; echo '{"totals":{},"complete":true,"faults":[]}'; }
  $ runs true > before; runs null > after
  $ runvet impact before after --max-incomparable 99% > out 2>&1
  [2]
  $ runvet impact before after --max-incomparable 100% > out 2>&1

# Runs whose names are not UTF-8 are compared.
  $ for name in 'ep_\361' 'ep_\377' 'ep_\377a' 'ep_\360\237\230\200' ep_a; do copy demo/episodes/ep_01_answer "$(printf $name)"; done
  $ runvet validate --format ndjson > before; runvet impact before before --format json --max-incomparable 0 | json . runs affected
  5 0
  $ runvet validate --format ndjson --against before --fail-above 0 2>&1 | grep sorted
  [1]
  $ rm -r "episodes/$(printf 'ep_\377')"; runvet validate --format ndjson > after; runvet impact before after --format json | json . incomparable
  1
