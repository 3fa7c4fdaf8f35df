//! Logs of agents -> runs: `runvet import` beside `jq`, which reads the same lines and writes them.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::goals::{Goal, Row};
use crate::measure::{Call, Contestant};
use crate::run_data::Random;
use crate::{Bench, LONG_ROUNDS, peers};

/// The number of sessions.
const SESSIONS: u64 = 100;

/// The size of a session, at least.
const SESSION_BYTES: usize = 1_000_000;

pub(crate) fn import(bench: &mut Bench) {
    let logs = bench.data.logs();
    let runs = bench.data.0.join("imported");
    let mut contestants = vec![importing(bench, &logs, &runs)];
    match peers::jq() {
        Ok(program) => {
            bench
                .peers
                .push(peers::with_version("jq", &program, "--version"));
            contestants.push(reformatting(bench, &program, &logs));
        }
        Err(why) => bench.leave_out("jq", &why),
    }

    let all = bench.run("import", LONG_ROUNDS, &contestants);
    let runvet = &all[0];
    let work = "100 sessions of a coding agent, 1 MB each";
    match all.get(1) {
        Some(jq) => {
            bench.row(Row::clock(work, runvet, jq, Goal::None));
            bench.row(Row::processor(runvet, jq, Goal::None));
        }
        None => bench.row(Row::plain(work, runvet.median(), "s", Goal::None)),
    }
    bench.row(Row::megabytes(
        "its memory",
        runvet.memory,
        Goal::AtMost(64.0),
    ));
}

/// An import of all logs, to where there are no runs.
fn importing(bench: &Bench, logs: &Path, runs: &Path) -> Contestant {
    let call = |program: &Path, args: Vec<OsString>| Call {
        program: program.into(),
        args,
        home: bench.data.0.clone(),
        status: 0,
    };
    let import = ["import", "--quiet"].map(OsString::from);
    let import = import
        .into_iter()
        .chain([logs.into(), "--into".into(), runs.into()]);
    Contestant {
        name: "runvet",
        calls: vec![
            call("rm".as_ref(), vec!["-rf".into(), runs.into()]),
            call(&bench.runvet, import.collect()),
        ],
    }
}

fn reformatting(bench: &Bench, jq: &Path, logs: &Path) -> Contestant {
    let files = (0..SESSIONS).map(|number| logs.join(name(number)).into());
    let args = ["-c", "."]
        .map(OsString::from)
        .into_iter();
    Contestant {
        name: "jq",
        calls: vec![Call {
            program: jq.into(),
            args: args.chain(files).collect(),
            home: bench.data.0.clone(),
            status: 0,
        }],
    }
}

fn name(number: u64) -> String {
    format!("{}.jsonl", id(number))
}

fn id(number: u64) -> String {
    format!("7a1e0c52-9d34-4f6b-8a70-{number:012}")
}

/// Writes sessions in the form of Claude Code: turns of an answer with a call, and its result.
pub(crate) fn write(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let mut random = Random(7);
    for number in 0..SESSIONS {
        let mut file = BufWriter::new(File::create(dir.join(name(number)))?);
        write_session(&mut file, &id(number), &mut random)?;
        file.flush()?;
    }
    Ok(())
}

fn write_session(out: &mut impl Write, id: &str, random: &mut Random) -> io::Result<()> {
    let mut bytes = 0;
    let mut turn = 0;
    while bytes < SESSION_BYTES {
        let text = turn_text(id, turn, random);
        out.write_all(text.as_bytes())?;
        bytes += text.len();
        turn += 1;
    }
    Ok(())
}

fn turn_text(id: &str, turn: u64, random: &mut Random) -> String {
    let (minute, hour) = (turn % 60, 8 + turn / 60 % 12);
    let common = |second: u64, kind: &str| {
        format!(
            "{{\"isSidechain\":false,\"cwd\":\"/home/mo/shop\",\"sessionId\":\"{id}\",\"version\":\
             \"2.1.40\",\"type\":\"{kind}\",\"uuid\":\"{turn:08}-0000-4000-8000-{second:012}\",\
             \"timestamp\":\"2026-03-02T{hour:02}:{minute:02}:{second:02}.000Z\""
        )
    };
    let words = |random: &mut Random, most: u64| {
        let words = (0..=random.below(most)).map(|_| format!("{:x} ", random.below(1 << 24)));
        words.collect::<String>()
    };
    let asked = match turn {
        0 => format!(
            "{},\"message\":{{\"role\":\"user\",\"content\":\"Mend the shop\"}}}}\n",
            common(0, "user")
        ),
        _ => String::new(),
    };
    let said = words(random, 60);
    let sought = words(random, 4);
    let found = words(random, 400).replace(' ', "\\n");
    let tokens = random.below(2_000);
    format!(
        "{asked}{},\"message\":{{\"model\":\"m-1\",\"id\":\"msg_{turn}\",\"type\":\"message\",\
         \"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{said}\"}},{{\"type\":\
         \"tool_use\",\"id\":\"toolu_{turn}\",\"name\":\"Grep\",\"input\":{{\"pattern\":\"{sought}\"\
         }}}}],\"stop_reason\":\"tool_use\",\"usage\":{{\"input_tokens\":{tokens},\
         \"output_tokens\":60}}}}}}\n{},\"message\":{{\"role\":\"user\",\"content\":[{{\
         \"tool_use_id\":\"toolu_{turn}\",\"type\":\"tool_result\",\"content\":\"{found}\"}}]}}}}\n",
        common(1, "assistant"),
        common(2, "user")
    )
}
