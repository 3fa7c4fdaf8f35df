A run that is redacted while it is recorded.

# No text reaches the disk, and the run is the one that it would be without redaction.
  $ commands | runvet record --run-data runs --task 'Refund Ada' --id s --tag 'customer=Ada L.' --redact --key key --max-output 60 | grep -o '"ok":[a-z]*' | sort | uniq -c
       15 "ok":true
  $ grep -rE 'Ada|letter|QWRh|away' runs; ls runs/episodes/s runs/episodes/s/attachments | sed 's/^[0-9a-f]*\././'
  runs/episodes/s/state.json:{"beliefs":[{"confidence":0.5,"provenance":"[redacted-d4b4d7784c1460c2f2fedaa2a1f6db3e]","statement":"[redacted-6cc6c288cf5987eaa3177ae5125dede0]","timestamp":"2026-11-29T11:19:35.323027+00:00"}],"episode":{"id":"s","intuition_mode":"advisory","started_at":"2026-11-29T11:19:35.224727+00:00","tags":{"customer":"[redacted-7d9bcd307dba4a220847efb473f0ca6f]"}},"goal":{"task":"[redacted-4be880289e7e466a0decd09dcc5e28c7]"},"links":{"events":"events.jsonl","learn":"learn.jsonl","manifest":"manifest.json","summary":"summary.json"},"memory":{"facts":[{"key":"customer","timestamp":"2026-11-29T11:19:35.323564+00:00","value":"[redacted-755751cea807cc3ae8b63380876e9bbd]"}],"scratchpad":"[redacted-51c066d916391b2c690fc96aeca9c8dd]"},"outcomes":{"actions":[{"duration_ms":3,"id":"act-1","input":{"name":{"attachment":"attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","bytes":43,"excerpt":"[redacted-755751cea807cc3ae8b63380876e9bbd]","sha256":"c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1"},"note":{"attachment":"attachments/1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91.txt","bytes":43,"excerpt":"[redacted-6ce6aa28324e5ab0cd880ee650240cb8]","sha256":"1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91"}},"kind":"tool","output":{"attachment":"attachments/895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04.json","bytes":91,"excerpt":"[redacted-5bc338032d169eb748912b2906f68d1a]","sha256":"895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04"},"result_status":"ok","step_id":"look","timestamp":"2026-11-29T11:19:35.311143+00:00","tool":"lookup","x-agent":{"attachment":"attachments/b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26.txt","bytes":43,"excerpt":"[redacted-5695e27393f31fc6b33b1be6b2fe613e]","sha256":"b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26"}}],"artifacts":["attachments/895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04.json","attachments/b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26.txt","attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","attachments/1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91.txt","attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.png","ada.md"],"error":"[redacted-ed91e719b0a56f81dc3d41ed9daa67ce]","metrics":{"score":0.5,"steps_completed":1,"steps_total":2},"status":"error"},"plan":{"source":"planner.external","steps":[{"description":"[redacted-5cdd2a7abbd784fa6aedada48e9e6095]","id":"look","inputs":{"name":"[redacted-755751cea807cc3ae8b63380876e9bbd]"},"kind":"act","outputs":{"found":{"attachment":"attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","bytes":43,"excerpt":"[redacted-755751cea807cc3ae8b63380876e9bbd]","sha256":"c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1"}},"rationale":"[redacted-4e1a57d09676d16b5ceca0855ca6b957]","status":"done"},{"description":"[redacted-29b59c8ccc5debaae2ad1445e1472324]","id":"step-2","kind":"act","status":"failed"}],"updated_at":"2026-11-29T11:19:35.282330+00:00"},"state_schema_version":"1.0.0","version":"1.0"}
  runs/episodes/s/summary.json:{"adapter_result":"error","duration_sec":0.110543,"episode_id":"s","flags":{"intuition":false,"mode":"minimal"},"metrics":{"act_count":1,"latencies":{"execution_ms":33.786,"first_action_ms":86.416,"total_ms":110.543},"learn_applied":0,"learn_proposals":1,"plan_count":1,"reflect_count":1,"success":0,"veto_count":0},"outcome":"error","schema_version":"1.3.0","started_at":"2026-11-29T11:19:35.224727+00:00","tags":{"customer":"[redacted-7d9bcd307dba4a220847efb473f0ca6f]"},"task":"[redacted-4be880289e7e466a0decd09dcc5e28c7]","verification":{"assertions":[],"error":null,"passed":null,"provided":false,"snapshots":null,"workspace_diff":null}}
  runs/episodes/s/events.jsonl:{"agent_id":"planner.external","episode_id":"s","id":"evt-000002","payload":{"source":"planner.external","step_records":[{"description":"[redacted-5cdd2a7abbd784fa6aedada48e9e6095]","id":"look","inputs":{"name":"[redacted-755751cea807cc3ae8b63380876e9bbd]"},"kind":"act","rationale":"[redacted-4e1a57d09676d16b5ceca0855ca6b957]","status":"pending"},{"description":"[redacted-29b59c8ccc5debaae2ad1445e1472324]","id":"step-2","kind":"act","status":"pending"}]},"phase":"plan","timestamp":"2026-11-29T11:19:35.282330+00:00"}
  runs/episodes/s/events.jsonl:{"agent_id":"system","episode_id":"s","id":"evt-000009","payload":{"ada":{"deep":["[redacted-755751cea807cc3ae8b63380876e9bbd]",1]},"text":"[redacted-0b673984b9c90a6543f64b9f49203157]"},"phase":"observe","timestamp":"2026-11-29T11:19:35.314889+00:00"}
  runs/episodes/s/events.jsonl:{"agent_id":"system","episode_id":"s","id":"evt-000020","payload":{"artifacts":["ada.md"],"error":"[redacted-ed91e719b0a56f81dc3d41ed9daa67ce]","metrics":{"score":0.5},"status":"error"},"phase":"terminate","timestamp":"2026-11-29T11:19:35.335270+00:00"}
  runs/episodes/s/events.jsonl:{"agent_id":"system","episode_id":"s","event_type":"run.state_projection","id":"evt-000021","payload":{"links":{"events":"events.jsonl","learn":"learn.jsonl","manifest":"manifest.json","summary":"summary.json"},"outcomes":{"actions":[{"duration_ms":3,"id":"act-1","input":{"name":{"attachment":"attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","bytes":43,"excerpt":"[redacted-755751cea807cc3ae8b63380876e9bbd]","sha256":"c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1"},"note":{"attachment":"attachments/1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91.txt","bytes":43,"excerpt":"[redacted-6ce6aa28324e5ab0cd880ee650240cb8]","sha256":"1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91"}},"kind":"tool","output":{"attachment":"attachments/895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04.json","bytes":91,"excerpt":"[redacted-5bc338032d169eb748912b2906f68d1a]","sha256":"895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04"},"result_status":"ok","step_id":"look","timestamp":"2026-11-29T11:19:35.311143+00:00","tool":"lookup","x-agent":{"attachment":"attachments/b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26.txt","bytes":43,"excerpt":"[redacted-5695e27393f31fc6b33b1be6b2fe613e]","sha256":"b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26"}}],"artifacts":["attachments/895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04.json","attachments/b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26.txt","attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","attachments/1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91.txt","attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.png","ada.md"],"error":"[redacted-ed91e719b0a56f81dc3d41ed9daa67ce]","metrics":{"score":0.5,"steps_completed":1,"steps_total":2},"status":"error"},"state_sha256":"a276b11c0184c27117bc62155ebbae7d57b386e00c30fe8e07eb7ce3b42673cf"},"phase":"runtime","timestamp":"2026-11-29T11:19:35.336578+00:00"}
  runs/episodes/s:
  attachments
  events.jsonl
  learn.jsonl
  manifest.json
  state.json
  summary.json

  runs/episodes/s/attachments:
  .txt
  .json
  .txt
  .png
  .txt
  $ commands | runvet record --run-data plain --task 'Refund Ada' --id s --tag 'customer=Ada L.' --max-output 60 > out; places plain > 1; places runs > 2; diff 1 2 && cat 1; runvet validate runs --rule 'strict/*=warning' --verify-manifest
  1 episode: valid
  $ runvet redact runs --to again --key key > out; for file in state.json summary.json learn.jsonl; do cmp runs/episodes/s/$file again/episodes/s/$file && echo same; done
  diff -r runs/episodes/s/events.jsonl again/episodes/s/events.jsonl
  19c19
  < {"agent_id":"system","episode_id":"s","event_type":"run.state_projection","id":"evt-000019","payload":{"links":{"events":"events.jsonl","learn":"learn.jsonl"},"outcomes":{"actions":[{"duration_ms":3,"id":"act-1","input":{"name":{"attachment":"attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","bytes":43,"excerpt":"[redacted-755751cea807cc3ae8b63380876e9bbd]","sha256":"c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1"},"note":{"attachment":"attachments/1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91.txt","bytes":43,"excerpt":"[redacted-6ce6aa28324e5ab0cd880ee650240cb8]","sha256":"1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91"}},"kind":"tool","output":{"attachment":"attachments/895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04.json","bytes":91,"excerpt":"[redacted-5bc338032d169eb748912b2906f68d1a]","sha256":"895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04"},"result_status":"ok","step_id":"look","timestamp":"2026-11-29T11:19:35.311143+00:00","tool":"lookup","x-agent":{"attachment":"attachments/b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26.txt","bytes":43,"excerpt":"[redacted-5695e27393f31fc6b33b1be6b2fe613e]","sha256":"b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26"}}],"artifacts":["attachments/895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04.json","attachments/b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26.txt","attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","attachments/1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91.txt","attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.png"],"error":null,"status":"pending"},"state_sha256":"c039935e10a9e557ff519cd239be4c56669a81ae178ffe0667c01ce75756a1ec"},"phase":"runtime","timestamp":"2026-11-29T11:19:35.326054+00:00"}
  ---
  > {"agent_id":"system","episode_id":"s","event_type":"run.state_projection","id":"evt-000019","payload":{"links":{"events":"events.jsonl","learn":"learn.jsonl"},"outcomes":{"actions":[{"duration_ms":3,"id":"act-1","input":{"name":{"attachment":"attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","bytes":43,"excerpt":"[redacted-755751cea807cc3ae8b63380876e9bbd]","sha256":"c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1"},"note":{"attachment":"attachments/1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91.txt","bytes":43,"excerpt":"[redacted-6ce6aa28324e5ab0cd880ee650240cb8]","sha256":"1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91"}},"kind":"tool","output":{"attachment":"attachments/895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04.json","bytes":91,"excerpt":"[redacted-5bc338032d169eb748912b2906f68d1a]","sha256":"895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04"},"result_status":"ok","step_id":"look","timestamp":"2026-11-29T11:19:35.311143+00:00","tool":"lookup","x-agent":{"attachment":"attachments/b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26.txt","bytes":43,"excerpt":"[redacted-5695e27393f31fc6b33b1be6b2fe613e]","sha256":"b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26"}}],"artifacts":["attachments/895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04.json","attachments/b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26.txt","attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","attachments/1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91.txt","attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.png"],"error":null,"status":"pending"},"state_sha256":"86cda4fc891b30ce74b619a6fedfa754e187ca0c2ac2b44d338b4b7e995a7d12"},"phase":"runtime","timestamp":"2026-11-29T11:19:35.326054+00:00"}
  diff -r runs/episodes/s/manifest.json again/episodes/s/manifest.json
  1c1
  < {"created_at":"2026-11-29T11:19:35.336578+00:00","episode_id":"s","files":[{"kind":"attachment","name":"attachments/1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91.txt","sha256":"sha256:1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91","size_bytes":43},{"kind":"attachment","name":"attachments/895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04.json","sha256":"sha256:895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04","size_bytes":91},{"kind":"attachment","name":"attachments/b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26.txt","sha256":"sha256:b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26","size_bytes":43},{"kind":"attachment","name":"attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.png","sha256":"sha256:c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1","size_bytes":43},{"kind":"attachment","name":"attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","sha256":"sha256:c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1","size_bytes":43},{"kind":"events","name":"events.jsonl","sha256":"sha256:16bf94423d6d6720331d6921e889091b7197c71c7c27a7dfd08b4bb49815d43a","size_bytes":10604},{"kind":"learn","name":"learn.jsonl","sha256":"sha256:59961414da3d11f7c1ea3689a8a2071fc821a19d01787a1a1d3c70106e910a3b","size_bytes":166},{"kind":"state","name":"state.json","sha256":"sha256:a276b11c0184c27117bc62155ebbae7d57b386e00c30fe8e07eb7ce3b42673cf","size_bytes":3214},{"kind":"summary","name":"summary.json","sha256":"sha256:fdc5fd1a7fb191bc4043ff957ec3a65ffb494c9f756d6500eb09a9ffcc7f4ca1","size_bytes":643}],"schema_version":"manifest/1.0","signer":null}
  ---
  > {"created_at":"[redacted-3d3d262a017ae853c8d6509d084794ce]","episode_id":"s","files":[{"kind":"[redacted-760ac6975d8bcd6e5dd2cad34458f074]","name":"attachments/1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91.txt","sha256":"sha256:1fc45e3c3abd3484368363aac6e61732349576c5bb20f694912d3aab87fd1e91","size_bytes":43},{"kind":"[redacted-760ac6975d8bcd6e5dd2cad34458f074]","name":"attachments/895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04.json","sha256":"sha256:895c40a914a8615fef055860751f1d53c0e2bcc0568680ef3395b4f222c66b04","size_bytes":91},{"kind":"[redacted-760ac6975d8bcd6e5dd2cad34458f074]","name":"attachments/b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26.txt","sha256":"sha256:b81b74747bc9b274653488fb9f1e61da5a72a246245b642f7f2fe5e18e216d26","size_bytes":43},{"kind":"[redacted-760ac6975d8bcd6e5dd2cad34458f074]","name":"attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.png","sha256":"sha256:c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1","size_bytes":43},{"kind":"[redacted-760ac6975d8bcd6e5dd2cad34458f074]","name":"attachments/c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1.txt","sha256":"sha256:c446aa989c5ce6f661ccdeb9744167531f127ac491ecd2db0c9700282380b8d1","size_bytes":43},{"kind":"[redacted-327d5d4bbc92a9caeb81de69756216f7]","name":"events.jsonl","sha256":"sha256:f36f37aa18bd30f4353d7e53f965e2cabedddaccfc9fd2e3e822223883cc6cd5","size_bytes":10604},{"kind":"[redacted-9008394ba04055752b4728461858cf65]","name":"learn.jsonl","sha256":"sha256:59961414da3d11f7c1ea3689a8a2071fc821a19d01787a1a1d3c70106e910a3b","size_bytes":166},{"kind":"[redacted-3724c4ea2f3467e4f5bfb37a15de7b21]","name":"state.json","sha256":"sha256:a276b11c0184c27117bc62155ebbae7d57b386e00c30fe8e07eb7ce3b42673cf","size_bytes":3214},{"kind":"[redacted-1c787a958ee1566bf38e28cef1597a3e]","name":"summary.json","sha256":"sha256:fdc5fd1a7fb191bc4043ff957ec3a65ffb494c9f756d6500eb09a9ffcc7f4ca1","size_bytes":643}],"schema_version":"manifest/1.0","signer":null}
  [1]

# Rules and `would` see the texts, from the first event to the last; what they find names no text on the disk.
  $ cat > runvet.toml <<'END'
  > [[order]]
  > id = "acme/pushed"
  > each = { kind = "execute", if = "event.payload['x-command'].startsWith('git push')" }
  > needs-earlier = { kind = "execute", if = "event.payload['x-command'] == 'pytest'" }
  > message = "a push without a test"
  > [[order]]
  > id = "acme/paid"
  > each = { tool = "pay" }
  > needs-later = { tool = "tell" }
  > same = "/payload/input/to"
  > message = "nobody told {same}"
  > [[rule]]
  > id = "acme/task"
  > each = { tool = "pay" }
  > check = "state.goal.task == 'Pay Bob' && size(event.payload.input.note) < 10"
  > message = "not the task"
  > END
  $ steps() { cat <<'END'
  > {"would":{"phase":"act","payload":{"tool":"Bash","input":{"command":"git push"}}}}
  > {"act":{"tool":"Bash","input":{"command":"pytest"},"output":"passed"}}
  > {"act":{"tool":"Bash","input":{"command":"git push"},"output":"pushed"}}
  > {"act":{"tool":"pay","input":{"to":"Ada","note":"a note that is longer than that"},"output":"paid"}}
  > {"finish":"ok"}
  > END
  > }
  $ found() { grep -o '"rule":"[^"]*"\|"message":"[^"]*"'; echo; }
  $ for redact in '' '--redact --key key'; do rm -rf runs; steps | runvet record --run-data runs --task 'Pay Ada' --config runvet.toml $redact | found > found.$(echo $redact | wc -w); done; diff found.0 found.3 && cat found.0; grep -rE 'Ada|pytest|git' runs
  error: unknown key "same" of a selector
     ╭─[runvet.toml:9:32]
   9 │ needs-later = { tool = "tell" }
  > same = "/payload/input/to"
     ·                                ────
     ╰────
  help: expected phase, event_type, agent_id, tool, kind, if, or a JSON Pointer such as `/payload/input`
  error: unknown key "same" of a selector
     ╭─[runvet.toml:9:32]
   9 │ needs-later = { tool = "tell" }
  > same = "/payload/input/to"
     ·                                ────
     ╰────
  help: expected phase, event_type, agent_id, tool, kind, if, or a JSON Pointer such as `/payload/input`

  grep: runs: No such file or directory
  [2]

# A secret in an id goes too, and its commands go on naming it.
  $ printf '%s\n' '{"plan":[{"id":"ghp_1","description":"x"}]}' '{"open":"ghp_1"}' '{"act":{"tool":"t","step_id":"ghp_1","output":1}}' '{"close":{"step_id":"ghp_1","status":"done"}}' '{"finish":"ok"}' | runvet record --run-data runs --task t --id ghp_2 --redact --key key | grep -oE '"(message|id)":"[^"]*"|"ok":[a-z]*'
  note: 3 commands refused; the first, on line 2: the event is refused: is a `act` event with a payload that the recorder does not write
  "ok":true
  "id":"redacted-072ebe24745909bc7d0c40201610eec6"
  "ok":true
  "ok":false
  "message":"the event is refused: is a `act` event with a payload that the recorder does not write"
  "ok":false
  "message":"the event is refused: is a `act` event with a payload that the recorder does not write"
  "ok":false
  "message":"the event is refused: is a `act` event with a payload that the recorder does not write"
  "ok":true
  "id":"redacted-072ebe24745909bc7d0c40201610eec6"
  $ grep -r ghp_ runs; find runs | grep ghp_; runvet validate runs --rule '*=warning' --rule 'summary/*=off'
  runs/episodes/redacted-072ebe24745909bc7d0c40201610eec6 (ended): 2 warnings

  warning[recorder/lost]: `payload.x-refused` is 1: that much was to be recorded and is not in the run
     ╭─[runs/episodes/redacted-072ebe24745909bc7d0c40201610eec6/events.jsonl:7:134]
   7 │ …00007","payload":{"status":"ok","x-refused":1},"phase":"terminate"…
     ·                                              ─
     ╰────
  help: Look at the answers of the recorder, or at its log: they say what was refused, and why.

  warning[recorder/lost]: `metrics.x-refused` is 1: that much was to be recorded and is not in the run
     ╭─[runs/episodes/redacted-072ebe24745909bc7d0c40201610eec6/summary.json:1:370]
   1 │ …t":0,"success":1,"veto_count":0,"x-refused":1},"outcome":"success_…
     ·                                              ─
     ╰────
  help: Look at the answers of the recorder, or at its log: they say what was refused, and why.

  1 episode: valid, with 2 warnings
  To learn more about a rule: runvet explain recorder/lost

# A run goes on under its key; steps that are planned again are the same.
  $ commands | head -n 4 | runvet record --run-data runs --id s --task 'Refund Ada' --redact --key key > out; printf '%s\n' '{"plan":["Look up Ada"]}' '{"open":"step-1"}' '{"close":"step-1"}' '{"pause":"Ada"}' | runvet record --run-data runs --id p --task t --redact --key key > out
  note: the input ended before the run: s stays pending, and --resume s goes on with it
  $ printf '%s\n' '{"plan":["Look up Ada"]}' '{"plan":["Look up Bob"]}' '{"act":{"tool":"t","output":"Ada"}}' '{"finish":"ok"}' | runvet record --run-data runs --resume p --redact --key key --keep-going | grep -oE '"(message|id)":"[^"]*"|"ok":[a-z]*'
  note: 1 command refused; the first, on line 2: the plan is refused: step 1 has no id, and the one that is called step-1 so far is done and another step: give each step an id
  "ok":true
  "id":"p"
  "ok":true
  "ok":false
  "message":"the plan is refused: step 1 has no id, and the one that is called step-1 so far is done and another step: give each step an id"
  "ok":true
  "id":"act-1"
  "ok":true
  "id":"p"
  $ printf '%s\n' '{"open":"look"}' '{"close":"look"}' '{"finish":{"status":"partial","reason":"Ada"}}' | runvet record --run-data runs --resume s --redact --key key | grep -oE '"(message|id)":"[^"]*"|"ok":[a-z]*'
  "ok":true
  "id":"s"
  "ok":true
  "ok":true
  "ok":true
  "id":"s"
  $ grep -rl Ada runs; runvet validate runs --verify-manifest --deny-warnings
  2 episodes: all valid

# A command that is executed is recorded without what it prints.
  $ runvet record --run-data runs --exec --redact --key key -- sh -c 'echo printed secret; exit 3'
  printed secret
  [3]
  $ grep -rE 'printed|secret|exit 3' runs; runvet validate runs
  1 episode: valid

# A team's marks and its closed sets hold.
  $ cat > runvet.toml <<'END'
  > [vocabulary]
  > "/payload/input/mood" = ["calm"]
  > [[schema]]
  > id = "acme/acts"
  > where = { phase = "act" }
  > at = "/payload"
  > schema.properties.tool = { x-runvet = "sensitive" }
  > END
  $ printf '%s\n' '{"act":{"tool":"secret","input":{"mood":"calm","to":"Ada"},"output":1}}' '{"finish":"ok"}' | runvet record --run-data runs --id s --task t --config runvet.toml --redact --key key > out; grep -rE 'secret|Ada' runs; grep -o '"mood":"[^"]*"' runs/episodes/s/state.json
  "mood":"calm"

# It needs a key, and has no workspace, whose files would be named.
  $ runvet record --run-data runs --task t --redact < /dev/null 2>&1 | head -2; runvet record --run-data runs --task t --key key < /dev/null 2>&1 | head -2; runvet record --run-data runs --task t --redact --key key --workspace . < /dev/null 2>&1 | head -1
  error: the following required arguments were not provided:
    --key <FILE>
  error: the following required arguments were not provided:
    --redact
  error: the argument '--redact' cannot be used with '--workspace <DIR>'
  $ (umask 077; echo short > key); runvet record --run-data runs --task t --redact --key key < /dev/null; ls runs
  error: the key key: it has 6 bytes; a key is 32 bytes or 64 hexadecimal digits
  ls: cannot access 'runs': No such file or directory
  [2]
