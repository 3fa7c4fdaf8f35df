A hook asks about the files that it works by itself.

# A call that edits the configuration, a pack, the settings of the agent, or the run of the session; also through a link.
  $ session claude-code; runvet init --pack=coding >/dev/null 2>&1; cwd=$PWD; mkdir -p .claude src; ln -s .. src/up; ln -s runvet.toml other.toml
  $ edits() { n=$((n + 1)); echo "$1: $(before $n ${2:-Edit} "{\"file_path\":\"$1\"}" | answer | cut -c 1-3)"; }
  $ for file in runvet.toml ./src/../runvet.toml src/up/runvet.toml other.toml .claude/settings.json .claude/settings.local.json runs/episodes/s/events.jsonl '~/.claude/settings.json'; do edits $file; done
  runvet.toml: ask
  ./src/../runvet.toml: ask
  src/up/runvet.toml: ask
  other.toml: ask
  .claude/settings.json: ask
  .claude/settings.local.json: ask
  runs/episodes/s/events.jsonl: ask
  ~/.claude/settings.json: ask
  $ for file in src/main.rs runvet.toml.rs .claude/commands/x.md runs/episodes/other/events.jsonl; do edits $file; done; edits runvet.toml Read
  src/main.rs: 
  runvet.toml.rs: 
  .claude/commands/x.md: 
  runs/episodes/other/events.jsonl: 
  runvet.toml:
  $ before 1 Edit "{\"file_path\":\"$PWD/runvet.toml\"}" | answer | sed "s#$PWD#.#"
  ask the call changes \"./runvet.toml\", which the hook works by (hook/own-files): Let a person make the change, outside of the session.

# A command that names one, by path or by name.
  $ session claude-code; cwd=$PWD; mkdir -p .claude src; ln -s runvet.toml other.toml
  $ runs() { n=$((n + 1)); echo "$1: $(before $n Bash "{\"command\":\"$1\"}" | answer | cut -c 1-3)"; }
  $ runs "sed -i s/error/off/ $PWD/runvet.toml" | sed "s#$PWD#.#"; runs 'cd src; echo x >../runvet.toml'; runs 'python3 -c open(\u0027runvet.toml\u0027)'; runs 'rm -rf .claude'; runs 'rm -r runs'; runs 'cat other.toml'; runs 'rm -rf runs/episodes/s'; runs 'mv runvet\\\\.toml x'
  sed -i s/error/off/ ./runvet.toml: ask
  cd src; echo x >../runvet.toml: ask
  python3 -c open(\u0027runvet.toml\u0027): ask
  rm -rf .claude: ask
  rm -r runs: ask
  cat other.toml: ask
  rm -rf runs/episodes/s: ask
  mv runvet\\.toml x: ask
  $ runs 'ls -la'; runs 'cat src/main.rs'; runs 'cat .claude/commands/x.md'; runs 'cat runvet.toml.bak'
  ls -la: 
  cat src/main.rs: 
  cat .claude/commands/x.md: 
  cat runvet.toml.bak:

# Where nobody can ask, it is refused; a patch is an edit.
  $ cwd=$PWD; session codex; before 1 apply_patch '{"command":"*** Begin Patch\\n*** Update File: runvet.toml\\n*** End Patch"}' | answer
  deny ask a person: the call changes \"[DIR]/runvet.toml\", which the hook works by (hook/own-files): Let a person make the change, outside of the session.
  $ before 2 Bash '{"command":"tee ~/.codex/config.toml"}' | answer
  deny ask a person: the command names \"~/.codex/config.toml\", which the hook works by (hook/own-files): Let a person make the change, outside of the session.
  $ session gemini; hook BeforeTool '"tool_name":"write_file","tool_input":{"file_path":".gemini/settings.json"}'
  {"decision":"deny","reason":"ask a person: the call changes \"[DIR]/.gemini/settings.json\", which the hook works by (hook/own-files): Let a person make the change, outside of the session."}

# The level is that of the configuration or of --rule, and a yes is one for one call.
  $ cwd=$PWD; session claude-code --rule hook/own-files=error; before 1 Edit '{"file_path":"runvet.toml"}' | answer; kinds
  deny the call changes \"[DIR]/runvet.toml\", which the hook works by (hook/own-files): Let a person make the change, outside of the session.
  veto
  $ session claude-code --rule 'hook/*=off'; before 1 Edit '{"file_path":"runvet.toml"}'
  $ session claude-code; printf '[rules]\n"hook/own-files" = "error"\n' >> runvet.toml; before 1 Edit '{"file_path":"runvet.toml"}' | answer
  deny the call changes \"[DIR]/runvet.toml\", which the hook works by (hook/own-files): Let a person make the change, outside of the session.
  $ session claude-code; before 1 Edit '{"file_path":"runvet.toml"}' > asked; after 1 Edit '{"file_path":"runvet.toml"}' '"done"'; before 2 Edit '{"file_path":"runvet.toml"}' > asked; ends; kinds; grep -o '"answer":"[a-z]*"\|"rule":"[a-z/-]*"' runs/episodes/s/events.jsonl
  begun
  ask
  act ok
  begun
  ask
  "answer":"yes"
  "rule":"hook/own-files"
  "answer":"no"
  "rule":"hook/own-files"
  $ session claude-code; printf '[rules]\n"hook/own-files" = "warning"\n' >> runvet.toml; runvet config --config runvet.toml
  error: `hook/own-files` has no level `warning`: it asks (`ask`), refuses (`error`) or is `off`
      ╭─[runvet.toml:13:1]
   13 │ "hook/own-files" = "warning"
      · ────────────────
      ╰────
  [2]

# The rule is listed and explained, and no check judges it, so that it alone makes no gate green.
  $ runvet rules --no-config | grep hook/; runvet explain hook; runvet explain hook/own-files | head -1
  hook/own-files               ask, holds back            a call changes what the hook works by
  hook/own-files (ask, holds back): a call changes what the hook works by
  # hook/own-files (ask, holds back)
  $ session claude-code; before 1 Edit '{"file_path":"runvet.toml"}' > asked; ends; runvet validate runs --coverage --rule hook/own-files=error 2>&1 | grep -c own-files
  0
  [1]
  $ runvet validate runs --select hook/own-files
  1 episode: valid
  error: no rule is on that applies to 1 episode, so nothing was checked there
  [3]
