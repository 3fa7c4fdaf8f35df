//! Writes into a watched directory -> rows: how soon the service tells of them.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::time::Instant;

use serde_json::json;

use crate::goals::{Goal, Row};
use crate::measure::median;
use crate::service::Service;
use crate::{Bench, ROUNDS};

pub(crate) fn follow(bench: &mut Bench) {
    match measured(bench) {
        Ok([event, list]) => {
            let work = "from a write to the event of the run, median";
            bench.row(Row::plain(work, event * 1e3, "ms", Goal::AtMost(1000.0)));
            let work = "from the last write of a new run to a list that has it, median";
            bench.row(Row::plain(work, list * 1e3, "ms", Goal::AtMost(600.0)));
        }
        Err(why) => bench.leave_out("what the service tells of writes", &why),
    }
}

/// The seconds from a write of a run in progress to its event, and from a new run to the list.
fn measured(bench: &mut Bench) -> Result<[f64; 2], String> {
    let source = bench
        .data
        .one()
        .join("episodes/ep_00000000");
    let dir = bench.data.0.join("followed");
    let _ = fs::remove_dir_all(&dir);
    let growing = dir.join("episodes/ep_growing");
    fs::create_dir_all(&growing).expect("a directory can be made");
    let timeline = fs::read_to_string(source.join("events.jsonl")).expect("a timeline");
    let mut lines = timeline.split_inclusive('\n');
    let events = growing.join("events.jsonl");
    let first: String = lines.by_ref().take(2).collect();
    fs::write(&events, first).expect("a timeline can be written");
    let service = Service::start(&bench.runvet, &dir);
    service.wait_for(1)?;
    let changes = service.open("api/v1/changes")?;
    let mut changes = BufReader::new(changes)
        .lines()
        .map_while(Result::ok);
    let mut told = |part: &str| {
        let named = changes.find(|line| line.starts_with("data:") && line.contains(part));
        named.ok_or_else(|| format!("the service does not tell of {part}"))
    };
    let (mut to_event, mut to_list) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let line = lines
            .next()
            .ok_or("the timeline is too short")?;
        let mut file = fs::OpenOptions::new()
            .append(true)
            .open(&events);
        let written = file
            .as_mut()
            .map(|file| file.write_all(line.as_bytes()));
        let begun = Instant::now();
        written
            .expect("a timeline can be opened")
            .expect("an event can be written");
        told("ep_growing")?;
        to_event.push(begun.elapsed().as_secs_f64());
        let name = format!("ep_new_{round}");
        copy(&source, &dir.join("episodes").join(&name));
        let begun = Instant::now();
        told(&name)?;
        if service.json("api/v1/runs?limit=100")?["total"] != round + 2 {
            return Err(format!("the list lacks {name}"));
        }
        to_list.push(begun.elapsed().as_secs_f64());
    }
    bench.keep(json!({"case": "follow", "event_seconds": to_event, "list_seconds": to_list}));
    Ok([median(&to_event), median(&to_list)])
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a directory can be made");
    for file in fs::read_dir(from).expect("a run") {
        let file = file.expect("a record");
        fs::copy(file.path(), to.join(file.file_name())).expect("a record can be copied");
    }
}
