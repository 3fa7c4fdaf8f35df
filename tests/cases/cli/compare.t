Two sets of runs: pairs, what changed in them, the test of signs, gates and errors.

# A gate fails for eight flips of forty, and not for two.
  $ sets 8; compare --fail-if 'success: worse, p < 0.05' > out
  [1]
  $ head -8 out
  base -> new
  fails: success: worse, p < 0.05
  40 pairs of 40 tasks compared; not compared: 0 runs
  success 1 -> 0.8: 8 of 40 pairs flipped, 8 to worse, 0 to better
  over tasks (sign test; tasks are independent): p = 0.0039

  MEASURE                 BASE  CANDIDATE  DIFFERENCE       95 % INTERVAL  LOWER  SAME  HIGHER       P   CMH_P
  success                    1        0.8        -0.2  -0.3296 to -0.0704      8    32       0  0.0039  0.0078
  $ compare --format json > json; grep -o '"name":"success".*' json | grep -o -e '"lower":[0-9]*' -e '"same":[0-9]*' -e '"p":[0-9.]*' | head -3
  "lower":8
  "same":32
  "p":0.00390625
  $ compare --format json | json . pairs worse better
  40 8 -
  $ compare --fail-if 'success: better' > out
  $ compare --fail-if 'sucess: worse' > out
  error: no pair has the measure "sucess"; expected one of "success", "duration_sec", "first_action_ms", "total_ms", "planning_ms", "execution_ms", "plan_count", "act_count", "reflect_count", "veto_count", "metric:steps_completed", "metric:steps_total", "metric:task_score"
  [2]
  $ compare --format html | tr -d '\n' | grep -o -e Measures -e 'worse: task 00, 7' -e /summary/outcome | uniq | head -3
  Measures
  worse: task 00, 7
  /summary/outcome
  $ compare --format markdown | grep 'worse | task 00, 7 |'
  | worse | task 00, 7 | success -> goal&#95;not&#95;achieved |

The difference has an interval over tasks: its standard error is the root of 0.16 / 39, and t is 2.0227.
  $ grep -o '"name":"success".*' json | grep -o '"difference":[^]]*]' | head -1
  "difference":-0.19999999999999998,"difference_ci":[-0.32955590509751975,-0.07044409490248021]
  $ rm -r base new; sets 2; compare --fail-if 'success: worse, p < 0.05' > out
  $ head -5 out
  base -> new
  passes: success: worse, p < 0.05
  40 pairs of 40 tasks compared; not compared: 0 runs
  success 1 -> 0.95: 2 of 40 pairs flipped, 2 to worse, 0 to better
  over tasks (sign test; tasks are independent): p = 0.2500

# Swapped sets give the mirrored comparison.
  $ sets 3; both() { compare | grep -e ^MEASURE -e ^success -e worse -e better; }; both
  success 1 -> 0.925: 3 of 40 pairs flipped, 3 to worse, 0 to better
  MEASURE                 BASE  CANDIDATE  DIFFERENCE      95 % INTERVAL  LOWER  SAME  HIGHER       P   CMH_P
  success                    1      0.925      -0.075  -0.1603 to 0.0103      3    37       0  0.1250  0.2500
    worse  task 00, 7 (success -> goal_not_achieved)
    worse  task 01, 7 (success -> goal_not_achieved)
    worse  task 02, 7 (success -> goal_not_achieved)
  $ mv base other; mv new base; mv other new; both
  success 0.925 -> 1: 3 of 40 pairs flipped, 0 to worse, 3 to better
  MEASURE                  BASE  CANDIDATE  DIFFERENCE      95 % INTERVAL  LOWER  SAME  HIGHER       P   CMH_P
  success                 0.925          1       0.075  -0.0103 to 0.1603      0    37       3  0.1250  0.2500
    better task 00, 7 (goal_not_achieved -> success)
    better task 01, 7 (goal_not_achieved -> success)
    better task 02, 7 (goal_not_achieved -> success)

# Repeats of a task count as one, and runs that are not valid stand apart.
  $ for seed in 0 1 2 3 4 5; do member base ep_$seed 'the only task' "s/\"seed\":7/\"seed\":$seed/"; member new ep_$seed 'the only task' "s/\"seed\":7/\"seed\":$seed/" "$fails"; done
  $ member base ep_9 another; member new ep_9 another "$invalid"
  $ compare --format json > json; tr '{' '\n' < json | grep '^"name":"success"' | grep -o -e '"lower":[0-9]*' -e '"p":[0-9.]*'
  "lower":1
  "p":0.5
  $ compare --format json | json . pairs tasks
  6 1
  $ compare --format json | json /apart/* set why
  candidate invalid
  base unpaired
  $ compare --pair task
  error: several runs of one set have the same key, so it is open which to compare: the only task in base/episodes/ep_0 and base/episodes/ep_1; the only task in base/episodes/ep_0 and base/episodes/ep_2; the only task in base/episodes/ep_0 and base/episodes/ep_3; the only task in base/episodes/ep_0 and base/episodes/ep_4; the only task in base/episodes/ep_0 and base/episodes/ep_5; pair by more keys, such as task,seed or tag:NAME
  [2]
  $ compare --pair tag:team 2>&1 | grep -o 'support in' | uniq -c
        6 support in
  $ compare --pair tag:absent --fail-if 'success: worse' 2>&1 > out
  error: there are no pairs to compare; `--pair` names the parts of their key, and without `--fail-if` each run is listed with the reason
  [2]
  $ compare --pair tasks 2>&1 | head -1
  error: invalid value 'tasks' for '--pair <KEYS>': expected task, seed or tag:NAME, not "tasks"

# The means of a task are compared exactly.
  $ means() {
  >   rm -rf base new; seed=0
  >   for value; do
  >     if [ $seed -lt 3 ]; then set=base; else set=new; fi
  >     member $set ep_$seed 'the task' "s/\"seed\":7/\"seed\":$((seed % 3))/" "s/\"task_score\":0.75/\"task_score\":$value/"; seed=$((seed + 1))
  >   done
  >   compare --format json | tr '{' '\n' | grep metric:task_score | grep -o -e '"lower":1' -e '"same":1' -e '"higher":1'
  > }
  $ means 0.1 0.2 0.3 0.3 0.2 0.1
  "same":1
  $ means 0.1 0.2 0 0.3 0e0 -0
  "same":1
  $ means 0.1 0.1 0.1 0.3 1e-400 0
  "higher":1
  $ means 9007199254740993 1 1 9007199254740992 1.0 1
  "lower":1
  $ means 1e400 1e400 0 2e400 0 0
  "same":1
  $ means 1e400 0 0 1e400 0 1
  "higher":1
  $ means 1e9999999999999999999 5 0 1e9999999999999999999 6 0
  "higher":1

# A metric that is no number in one run is an error that names both.
  $ sets 0; sed -i 's/"task_score":0.75/"task_score":"high"/' new/episodes/ep_07/*.json*
  $ compare
  error: the metric "metric:task_score" is a number in base/episodes/ep_00 and not in new/episodes/ep_07: runs that are compared measure it in the same way
  [2]

# The text of the runs is harmless.
  $ task='a|b <img src=x onerror=alert(1)> \\u001b[2J \\u202e ::error:: @all'; member base ep_1 "$task"; member new ep_1 "$task" "$fails"
  $ for format in human markdown html json; do
  >   compare --format $format > out; grep -q onerror out || echo $format lacks it
  >   grep -e "$(printf '\033')" -e "$(printf '\342\200\256')" out; case $format in markdown | html) grep '<img' out; grep ^::error out ;; esac
  > done

# A run that is left out counts against a gate.
  $ for at in 0 1 2 3; do member base ep_$at "task $at"; member new ep_$at "task $at"; done; sed -i "$invalid" new/episodes/ep_0/summary.json
  $ compare --fail-if 'success: worse' 2>&1 | grep -e error: -e passes
  passes: success: worse
  error: new: not compared: 2 runs; that is more than `--max-left-out 0` allows: repair or repeat these runs, or allow that many
  $ for limit in 1 2 24% 25%; do compare --fail-if 'success: worse' --max-left-out $limit > out 2>&1; echo $limit $?; done
  1 2
  2 0
  24% 2
  25% 0
  $ compare > out; echo $?; compare --max-left-out 1 > out 2>&1; echo $?
  0
  2
  $ compare --format html | grep -c 'Not compared'; runvet compare base base --format html | grep -c 'Not compared'
  1
  0
  [1]

# A value that is no number is missing in its pair.
  $ for value in '"nan"' '"NaN"' '"inf"' '"-inf"' null; do
  >   rm -rf base new; for at in 0 1 2 3; do member base ep_$at "task $at"; member new ep_$at "task $at"; done
  >   sed -i "s/\"task_score\":0.75/\"task_score\":$value/" new/episodes/ep_0/*.json*
  >   compare --format json | tr '{' '\n' | grep metric:task_score | grep -o -e '"pairs":[0-9]*' -e '"missing":[0-9]*' -e '"one_sided":[0-9]*' | paste -s; compare | grep 'is missing'
  >   compare --fail-if 'metric:task_score: lower' 2>&1 > out; echo $?; compare --fail-if 'success: worse' > out; echo $?
  > done | sort | uniq -c
        5 "pairs":3	"missing":1	"one_sided":1
        5 0
        5 2
        5 error: new: not compared: 0 runs, and a value is missing in 1 pair; that is more than `--max-left-out 0` allows: repair or repeat these runs, or allow that many
        5 metric:task_score is missing in 1 of 4 pairs

# A gate that can't fail is refused.
  $ one_task 20 18 4; compare --fail-if 'success: worse, p < 0.05' 2> said | head -6; cat said
  base -> new
  can't fail: success: worse, p < 0.05
  20 pairs of 1 task compared; not compared: 0 runs
  success 0.9 -> 0.2: 14 of 20 pairs flipped, 14 to worse, 0 to better
  over tasks (sign test; tasks are independent): p = 0.5000; 1 task can't give a p-value below 0.5000, so this says nothing
  within tasks (exact Cochran-Mantel-Haenszel test; runs of a task are independent): cmh_p < 0.0001; that says nothing about other tasks
  error: new: "success: worse, p < 0.05" can't fail: 1 task can't give a p-value below 0.5000: at least 5 tasks are needed; `cmh_p < 0.05` compares the runs within each task
  $ for condition in 'success: worse, cmh_p < 0.05' 'success: better, cmh_p < 0.05' 'success: worse' 'success: worse, p < 0.51' 'success: better, p < 0.5' 'act_count: lower, cmh_p < 0.05'; do
  >   compare --fail-if "$condition" > out 2>&1; echo $? "$condition"
  > done
  1 success: worse, cmh_p < 0.05
  0 success: better, cmh_p < 0.05
  1 success: worse
  1 success: worse, p < 0.51
  2 success: better, p < 0.5
  2 act_count: lower, cmh_p < 0.05

The value for tasks that are repeated is that of Fisher's exact test of 18 and 2 against 4 and 16.
  $ compare --format json | tr '{' '\n' | grep '^"name":"success"' | grep -o -e '"cmh_p":[^,}]*' -e '"p_min":[^,}]*' -e '"difference[a-z_]*":[^,}]*'
  "difference":-0.7
  "difference_ci":null
  "p_min":0.5
  "cmh_p":0.00001664381409992476
  $ rm -r base new; one_task 2 2 0; compare --fail-if 'success: worse, cmh_p < 0.05' 2>&1 | grep error:
  error: new: "success: worse, cmh_p < 0.05" can't fail: 2 pairs of 1 task can't give a p-value below 0.3333: at least 4 pairs of one task, or of 6 tasks, are needed

# Seeds are sorted as numbers, and an invalid run names its rule.
  $ one_task 12 12 0; member new ep_x 'the task' 's/"seed":7/"seed":100/' "$invalid"
  $ compare --format json > json; compare --format json | json /flipped/* key/1
  0
  1
  2
  3
  4
  5
  6
  7
  8
  9
  10
  11
  $ compare --format json | json . apart/0/rule apart_by
  summary/schema {"invalid":1}
  $ compare | grep -e ^MEASURE -e ^flipped: -e '^not compared:' -e summary/schema
  MEASURE                 BASE  CANDIDATE  DIFFERENCE  95 % INTERVAL  LOWER  SAME  HIGHER       P     CMH_P
  flipped:
  not compared:
    invalid (summary/schema): candidate new/episodes/ep_x

# Runs without a key are compared by what they have.
  $ one_task 2 2 2; compare --pair tag:none | grep -o -e '--pair task'; compare | grep -e --pair
  --pair task
  [1]

# Booleans are numbers, metrics in metrics have paths, and what is left out is named.
  $ sets 0; sed -i 's/"task_score":0.75/"task_score":0.75,"safe":true,"judge":{"a":{"x":1},"b":0.5},"note":"fine","curve":[1]/' base/episodes/*/*.json* new/episodes/*/*.json*
  $ sed -i 's/"safe":true/"safe":false/; s/"x":1/"x":2/' new/episodes/*/*.json*
  $ compare | grep -e metric:
  metric:judge/a/x           1          2           1              -      0     0      40  < 0.0001         -
  metric:judge/b           0.5        0.5           0              -      0    40       0    1.0000         -
  metric:safe                1          0          -1              -     40     0       0  < 0.0001  < 0.0001
  metric:steps_completed     2          2           0              -      0    40       0    1.0000         -
  metric:steps_total         3          3           0              -      0    40       0    1.0000         -
  metric:task_score       0.75       0.75           0              -      0    40       0    1.0000         -
  metric:curve is not compared: it is no number but an array in base/episodes/ep_00
  metric:note is not compared: it is no number but a string in base/episodes/ep_00
  $ compare --format json | json /left_out/* name kind dir
  metric:curve an array base/episodes/ep_00
  metric:note a string base/episodes/ep_00
  $ compare --fail-if 'metric:safe: lower, p < 0.05' > out
  [1]
  $ compare --format markdown | grep 'is not compared'
  metric&#58;curve is not compared: it is no number but an array in base/episodes/ep&#95;0…
  metric&#58;note is not compared: it is no number but a string in base/episodes/ep&#95;00

# Differences of integers are exact, beyond those that a double has.
  $ member base ep_1 a 's/"task_score":0.75/"task_score":9007199254740992/'; member new ep_1 a 's/"task_score":0.75/"task_score":9007199254740993/'
  $ compare --format json | tr '{' '\n' | grep '"name":"metric:task_score"' | grep -o '"difference":[^,]*'
  "difference":1.0

# The runs of one path are compared by the values of a tag: means and differences over tasks, with their intervals. Repeats of a
# task count as one.
  $ runs_of() { for task in 1 2 3; do id=ep_$1_$task; copy good/terminal/episodes/ep_answer $id; edit "s/ep_answer/$id/g; s/Summarize the open tickets/task $task/g; s/\"team\": *\"support\"/\"model\":\"$1\"/; s/\"task_score\": *0.75/\"task_score\":$2$task/" episodes/$id/*.json*; done > said; }
  $ runs_of v1 0.1; runs_of v2 0.3; copy good/paused/episodes/ep_paused; runvet compare . --by model
  v1: 3 runs of 3 tasks; v2: 3 runs of 3 tasks
  differences are to v1, over the tasks of both; repeats of a task count as one
  runs that are not compared: 1 unfinished

  MEASURE                 MODEL  RUNS  MEAN     95 % INTERVAL  DIFFERENCE  95 % INTERVAL  TASKS       P
  success                 v1        3     1                 -           -              -      0       -
  success                 v2        3     1                 -           0              -      3  1.0000
  duration_sec            v1        3  0.15                 -           -              -      0       -
  duration_sec            v2        3  0.15                 -           0              -      3  1.0000
  metric:steps_completed  v1        3     2                 -           -              -      0       -
  metric:steps_completed  v2        3     2                 -           0              -      3  1.0000
  metric:steps_total      v1        3     3                 -           -              -      0       -
  metric:steps_total      v2        3     3                 -           0              -      3  1.0000
  metric:task_score       v1        3  0.12  0.0952 to 0.1448           -              -      0       -
  metric:task_score       v2        3  0.32  0.2952 to 0.3448         0.2              -      3  0.1250
  $ runvet compare . --by model --base v2 --format markdown | grep task
  - v2: 3 runs of 3 tasks; v1: 3 runs of 3 tasks
  - differences are to v2, over the tasks of both; repeats of a task count as one
  | measure | model | runs | mean | 95 % interval | difference | 95 % interval | tasks | p |
  | metric:task&#95;score | v2 | 3 | 0.32 | 0.2952 to 0.3448 | - | - | 0 | - |
  | metric:task&#95;score | v1 | 3 | 0.12 | 0.0952 to 0.1448 | -0.2 | - | 3 | 0.1250 |
  $ runvet compare . --by model --format json | json . command groups/1/value groups/1/runs groups/1/tasks
  runvet compare . --by model --base v1 v2 3 3
  $ runvet compare . --by team; runvet compare . --by model --base v3; runvet compare . --by model --pair task; runvet compare .; runvet compare . --by model --format html
  error: no run that can be compared has the tag "team": 1 unfinished, 6 untagged
  error: no run that can be compared has the tag "model" with the value "v3"; expected one of "v1", "v2"
  error: the argument '--by <TAG>' cannot be used with '--pair <KEYS>'

  Usage: runvet compare --by <TAG> <BASE> [CANDIDATE]

  For more information, try '--help'.
  error: the following required arguments were not provided:
    <CANDIDATE>

  Usage: runvet compare <BASE> <CANDIDATE>

  For more information, try '--help'.
  error: groups have no page in one file: `runvet serve` shows them
  [2]
