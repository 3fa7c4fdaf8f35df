//! How authors look at their rules: what one does in a run, and the tests that follow its changes.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::process::let_interrupt;
use crate::support::project::Project;

/// What `rules --trace` prints of a rule in the run of refunds.
fn traced(config: &str, id: &str) -> String {
    let project = Project::new(config);
    let run = corpus().join("team/refunds/runs/episodes/ep_answer");
    let run = run.to_str().unwrap();
    let output = project.run(&["rules", "--trace", run, "--rule", id]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).replace(run, "RUN")
}

const CONFIG: &str = r#"
[params]
most = 500

[selector]
refunds = { tool = "refund" }

[[order]]
id = "acme/asked"
each = "refunds"
needs-earlier = { tool = "aks" }
same = "/payload/input/order_id"
message = "nobody was asked"

[[order]]
id = "acme/slip"
each = { phase = "act", tool = "refunds" }
never = true
message = "m"

[[rule]]
id = "acme/limit"
each = "refunds"
when = "has(event.payload.input)"
check = "earlier('refunds').size() == 0 && event.payload.input.order_id.size() <= params.most"
message = "m"

[[rule]]
id = "acme/counts"
each = "refunds"
check = "counts['act'] >= 1"
message = "m"

[[rule]]
id = "acme/run"
check = "summary.metrics.act_count > 1000"
message = "m"
level = "warning"

[[rule]]
id = "acme/off"
check = "false"
message = "m"
level = "off"

[[schema]]
id = "acme/input"
where = "refunds"
at = "/payload/input"
schema = { required = ["order_id"] }
"#;

#[test]
fn trace_shows_what_an_order_matches_and_compares() {
    let said = traced(CONFIG, "acme/asked");
    for part in [
        "acme/asked in RUN (terminal)\n",
        "`each` matches 1 of 14 events, at line 9\n",
        "    /payload/tool: other values are no value (9), ",
        "`other` matches 0 of 14 events\n",
        "\"refund\" (1)",
        "line 9: `each`\n    /payload/input/order_id = \"o-17\"\n",
        "    with these values before it: 0 events of `each`; the latest of `other`: none\n",
        "events.jsonl:9:1: error[acme/asked]: nobody was asked\n",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn trace_shows_why_nothing_is_found() {
    let said = traced(CONFIG, "acme/slip");
    for part in [
        "`each` matches 0 of 14 events\n",
        "    /payload/tool: other values are ",
        "\"refund\" (1)",
        "no finding: ",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let said = traced(CONFIG, "acme/input");
    assert!(
        said.contains("`where` matches 1 of 14 events, at line 9\n"),
        "{said}"
    );
    assert!(
        said.ends_with("no finding: all that was compared is as it should be\n"),
        "{said}"
    );
}

#[test]
fn trace_shows_the_values_of_an_expression() {
    let said = traced(CONFIG, "acme/limit");
    for part in [
        "line 9: `when` = true\n    has(event.payload.input) = true\n    `check` = true\n",
        "    earlier(\"refunds\") … .size() = 0\n",
        "    event.payload.input.order_id = \"o-17\"\n    params.most = 500\n",
        "no finding: all that was compared is as it should be\n",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let said = traced(CONFIG, "acme/counts");
    assert!(said.contains("    counts['act'] = "), "{said}");
    let said = traced(CONFIG, "acme/run");
    let expected = "the run: `check` = false\n    summary.metrics.act_count = ";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn trace_is_of_a_rule_of_the_team() {
    let project = Project::new(CONFIG);
    let said = |id: &str| {
        let output = project.run(&["rules", "--trace", "ep_01", "--rule", id]);
        assert_eq!(output.status.code(), Some(2));
        stderr(&output).to_owned()
    };
    assert!(said("acme/askd").contains("did you mean `acme/asked`?"));
    assert!(said("plan/projection").contains("is built in"));
    // A rule that is off is judged where it is asked for.
    assert!(traced(CONFIG, "acme/off").contains("the run: `check` = false\n"));
}

#[test]
fn examples_are_tested_again_when_their_file_changes() {
    let rule = |most: u8| {
        let example = "[[rule.example]]\nevents = ['{\"payload\":{\"n\":2}}']\nfires = [1]\n";
        let check = format!("check = 'event.payload.n < {most}'");
        format!("[[rule]]\nid = 'a/b'\neach = {{}}\n{check}\nmessage = 'm'\n{example}")
    };
    let project = Project::new("packs = ['gate/p.toml']\n");
    std::fs::create_dir(project.path("gate")).unwrap();
    project.write("gate/p.toml", &rule(1));
    let_interrupt();
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    let command = command.args(["rules", "--test", "--watch"]);
    let piped = command.current_dir(project.path("")).stdout(Stdio::piped());
    let mut child = piped.stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut until = |part: &str| {
        let mut lines = errors.by_ref().map(Result::unwrap);
        assert!(lines.any(|line| line.contains(part)), "{part}");
    };
    assert_eq!(
        out.next().unwrap().unwrap(),
        "a/b: 1 example, all with the declared result"
    );
    until("waiting");
    project.write("gate/p.toml", &rule(30));
    let said = out.next().unwrap().unwrap();
    assert!(said.contains("expected a finding at line 1"), "{said}");
    until("waiting");
    // A mistake is reported, and the watch goes on.
    project.write("gate/p.toml", "[[rul]]\n");
    until("did you mean `rule`?");
    until("waiting");
    project.write("gate/p.toml", &rule(1));
    assert!(
        out.next()
            .unwrap()
            .unwrap()
            .contains("all with the declared result")
    );
    until("waiting");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
