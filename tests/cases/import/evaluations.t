Logs of evaluations become runs with their verdicts: Inspect, ATIF, mini-swe-agent, OpenHands.

# Inspect: a run for each sample and epoch, out of the archive. A score of several parts is several assertions, what is
# no number is counted, and a limit stays one.
  $ runvet import "$CORPUS/logs/inspect" --into runs
  uopen1: new
  uopen2: new
  note: left out: 1 score that is no number
  note: no working directory is in a log of inspect: `--tag cwd=DIR` names it
  note: 2 runs in runs
  $ cat runs/episodes/uopen1/state.json | json /episode/tags sample epoch task model version
  open 1 tickets openai/gpt-5.2 0.3.285
  $ cat runs/episodes/uopen1/state.json | json /outcomes status metrics
  ok {"cache_read_tokens":20,"cache_write_tokens":0,"input_tokens":130,"match":1.0,"output_tokens":12,"steps_completed":0,"steps_total":0,"tokens":142,"words/short":1.0,"words/tone":0.25}
  $ cat runs/episodes/uopen1/summary.json | json /verification/assertions/* name passed
  match true
  words/short true
  words/tone false
  $ cat runs/episodes/uopen2/state.json | json /outcomes status metrics
  aborted {"cache_read_tokens":20,"cache_write_tokens":0,"input_tokens":130,"match":0.0,"output_tokens":12,"steps_completed":0,"steps_total":0,"tokens":142,"words/short":1.0}
  $ grep -o 'limit: message 5' runs/episodes/uopen2/events.jsonl
  limit: message 5
  $ cat runs/episodes/uopen1/state.json | json /outcomes/actions/* tool kind result_status duration_ms input output
  bash execute ok 1500.0 {"command":"ls -A | wc -l"} 3

Epochs pair.
  $ runvet table runs runs --format ndjson | grep -o '"tags":"[^}]*}'
  "tags":"{\"epoch\":\"1\",\"model\":\"openai/gpt-5.2\",\"sample\":\"open\",\"task\":\"tickets\",\"version\":\"0.3.285\"}
  "tags":"{\"epoch\":\"2\",\"model\":\"openai/gpt-5.2\",\"sample\":\"open\",\"task\":\"tickets\",\"version\":\"0.3.285\"}
  $ runvet compare runs runs --pair tag:sample,tag:epoch 2>&1 | head -4
  runs -> runs
  2 pairs of 1 task compared; not compared: 0 runs
  success 0 -> 0: 0 of 2 pairs flipped, 0 to worse, 0 to better
  over tasks (sign test; tasks are independent): p = 1.0000; 1 task can't give a p-value below 0.5000, so this says nothing

# What an archive of Inspect may bring.
  $ log=$(ls "$CORPUS"/logs/inspect/*.eval)
  $ mkdir bad && head -c 2000 "$log" > bad/cut.eval && runvet import bad --into other
  error: bad/cut.eval: it is a ZIP file that can't be read: invalid Zip archive: Could not find EOCD
  note: 0 runs in other
  [1]
  $ cp "$log" bad/whole.eval && runvet import bad --into other --quiet
  uopen1: new
  uopen2: new
  error: bad/cut.eval: it is a ZIP file that can't be read: invalid Zip archive: Could not find EOCD
  [1]
  $ sed 's/samples\//simples\//g' "$log" > bad/cut.eval && runvet import bad/cut.eval --into third
  error: bad/cut.eval: it looks like a log of inspect, and nothing is said or done in it
  note: 0 runs in third
  [1]
  $ printf '{"status": "started", "eval": {"task": "t", "model": "m", "created": "2026-03-02T10:00:00Z"}}' > started.json
  $ runvet import started.json --into other
  note: ./started.json: the evaluation runs still, and has no sample yet
  note: 0 runs in other

# A score that is not 1 is not achieved, whatever word it is; a sample without any is not a success.
  $ printf '{"status": "success", "eval": {"task": "t", "model": "m", "run_id": "RUN", "created": "2026-03-02T10:00:00Z"}, "samples": [{"id": 1, "epoch": 1, "input": "How many?", "messages": [{"role": "user", "content": "How many?"}], "scores": {"match": {"value": SCORE}}}]}' > form
  $ for value in '"C"' '"I"' '"N"' '"P"' 0 1 false true '"yes"' '"0.0"' NaN '"fine"'; do n=$((n + 1)); sed "s/SCORE/$value/; s/RUN/v$n/" form > log.json; runvet import log.json --into scored --quiet > out; done
  $ for n in 1 2 3 4 5 6 7 8 9 10 11 12; do grep -o '"outcome":"[a-z_]*"' scored/episodes/v$n-t-1-1/summary.json; done
  "outcome":"success"
  "outcome":"goal_not_achieved"
  "outcome":"goal_not_achieved"
  "outcome":"goal_not_achieved"
  "outcome":"goal_not_achieved"
  "outcome":"success"
  "outcome":"goal_not_achieved"
  "outcome":"success"
  "outcome":"success"
  "outcome":"goal_not_achieved"
  "outcome":"goal_not_achieved"
  "outcome":"goal_not_achieved"

# ATIF: a trial of Harbor, with the time-out that it ran into. One result is that of the last call.
  $ runvet import "$CORPUS/logs/harbor" --into runs
  5b0e-close-old: new
  note: no working directory is in a log of atif: `--tag cwd=DIR` names it
  note: 1 run in runs
  $ cat runs/episodes/5*/state.json | json /outcomes status metrics
  aborted {"cache_read_tokens":650,"cache_write_tokens":0,"cost_usd":0.03,"input_tokens":1050,"output_tokens":50,"reward":0.0,"steps_completed":0,"steps_total":0,"tokens":1100}
  $ grep -o 'AgentTimeoutError' runs/episodes/5*/events.jsonl
  AgentTimeoutError
  $ cat runs/episodes/5*/state.json | json /outcomes/actions/* tool kind result_status x-command output
  bash_command execute ok ls /data -
  bash_command execute ok cat /data/7 7 8
  opened 2024-01-03
  bash_command execute error close 7 close: not found
  [exit_code] 127
  bash_command execute cancelled find / -name close -
  $ cat runs/episodes/5*/summary.json | json . outcome
  error
  $ cat runs/episodes/5*/state.json | json /episode/tags agent model trial version
  terminus-2 gpt-5.2 close-old__k7 2.0.0

Without its verdict the trial goes on; the verdict of a trial without a trajectory is no log.
  $ mkdir job && cp -r "$CORPUS"/logs/harbor/close* job/a && mv job/a/result.json . && runvet import job --into waiting --quiet
  5b0e-close-old: new
  $ cat waiting/episodes/*/state.json | json /outcomes status
  pending
  $ mkdir job/b && mv result.json job/b && runvet import job --into waiting
  5b0e-close-old: unchanged
  note: job/b/result.json: its trial has no trajectory
  note: no working directory is in a log of atif: `--tag cwd=DIR` names it
  note: 1 run in waiting

# mini-swe-agent: what was submitted is the output of the last call.
  $ runvet import "$CORPUS/logs/mini-swe-agent" --into runs
  dates-3-dates-3: new
  note: 1 run in runs
  $ cat runs/episodes/dates*/state.json | json /outcomes/actions/* tool kind result_status x-command output
  bash execute ok cat dates.py split('-')
  bash execute error sed -i s/-/./ dates.py && pytest -q 1 failed
  bash execute ok echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff diff --git a/dates.py b/dates.py
  $ cat runs/episodes/dates*/state.json | json /outcomes/metrics tokens cost_usd
  785 0.02
  $ cat runs/episodes/dates*/events.jsonl | grep -o '"kind":"retry"'
  "kind":"retry"

# OpenHands: what the evaluation says is an assertion, and an error ends the run.
  $ runvet import "$CORPUS/logs/openhands" --into runs
  output-api-4: new
  output-api-5: new
  note: no working directory is in a log of openhands: `--tag cwd=DIR` names it
  note: 2 runs in runs
  $ cat runs/episodes/output-api-4/state.json | json /outcomes/actions/* tool kind result_status duration_ms x-command
  execute_bash execute error 4000.0 npm test
  execute_bash execute denied 3000.0 rm -rf db
  finish tool ok - -
  $ cat runs/episodes/output-api-4/summary.json | json . outcome
  success
  $ cat runs/episodes/output-api-4/state.json | json /outcomes status error metrics
  ok null {"cache_read_tokens":0,"cache_write_tokens":0,"cost_usd":0.03,"input_tokens":300,"output_tokens":30,"steps_completed":0,"steps_total":0,"tokens":330}
  $ cat runs/episodes/output-api-5/state.json | json /outcomes status error metrics
  error the agent is stuck in a loop {"cache_read_tokens":50,"cache_write_tokens":0,"cost_usd":0.01,"input_tokens":160,"output_tokens":15,"steps_completed":0,"steps_total":0,"tokens":175}
  $ runvet validate --deny-warnings --deny-unjudged --verify-manifest runs
  2 episodes: all valid
