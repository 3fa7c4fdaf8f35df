//! A baseline covers what it saw of a team's rules and no more; one of an earlier version covers
//! what it covered.

use super::run::project;
use crate::support::project::Project;

const TEXT: &str = "[[rule]]\nid = 'a/text'\ncheck = \"event.payload.why\"\nmessage = 'x'\n\
                    each = { tool = 'pay' }\n";
const MOST: &str = "[[order]]\nid = 'a/most'\neach = { tool = 'pay' }\nat-most = 1\n\
                    message = 'too many'\n";
const LEAST: &str = "[[order]]\nid = 'a/least'\neach = { tool = 'pay' }\nat-least = 2\n\
                     same = '/payload/order'\nmessage = 'too few'\n";
const RUN: &str = "[[rule]]\nid = 'a/run'\nmessage = 'x'\n\
                   check = \"tools['pay'] == 1 ? 'paid once' : 'paid ' + string(tools['pay'])\"\n";
const SCORES: &str = "[[schema]]\nid = 'a/scores'\nrecord = 'scores.json'\nexpect = 'always'\n\
                      schema = { required = ['score'] }\n";

fn pays(number: usize) -> Vec<String> {
    vec![r#"{"tool":"pay","order":"o-1"}"#.to_owned(); number]
}

fn run(config: &str, payloads: &[String]) -> Project {
    let rules = "[rules]\n'*' = 'off'\n'a/*' = 'error'\n";
    let payloads: Vec<&str> = payloads.iter().map(String::as_str).collect();
    project(&format!("{config}{rules}"), &payloads, true)
}

fn code(project: &Project, option: &str) -> Option<i32> {
    let run = project.run(&["validate", "--quiet", option, "known.json", "runs"]);
    run.status.code()
}

/// Whether a baseline of a run covers another run.
fn covers(config: &str, [known, other]: [&[String]; 2]) -> bool {
    let before = run(config, known);
    assert_eq!(code(&before, "--write-baseline"), Some(0), "{config}");
    assert_eq!(code(&before, "--baseline"), Some(0), "{config}");
    let after = run(config, other);
    let written = std::fs::read_to_string(before.path("known.json")).unwrap();
    after.write("known.json", &written);
    code(&after, "--baseline") == Some(0)
}

#[test]
fn baseline_does_not_cover_more_than_it_saw() {
    assert!(
        !covers(MOST, [&pays(2), &pays(3)]),
        "one call too many, and two"
    );
    assert!(!covers(RUN, [&pays(1), &pays(2)]), "two texts of a run");
    let groups = ["o-1", "o-2"].map(|order| vec![format!(r#"{{"tool":"pay","order":"{order}"}}"#)]);
    let [one, other] = &groups;
    assert!(!covers(LEAST, [one, other]), "two groups");
    let long = ["a", "b"].map(|end| {
        let text = format!("{}{end}", "x".repeat(2_000));
        vec![
            r#"{"tool":"pay"}"#.to_owned(),
            format!(r#"{{"note":"{text}"}}"#),
        ]
    });
    let [one, other] = &long;
    assert!(covers(TEXT, [one, other]), "what is the same stays known");
}

#[test]
fn baseline_covers_one_unusable_file_and_no_other() {
    let project = run(SCORES, &pays(1));
    let scores = "runs/episodes/ep_1/scores.json";
    assert_eq!(code(&project, "--write-baseline"), Some(0));
    assert_eq!(code(&project, "--baseline"), Some(0), "absent");
    for text in ["{", "[1"] {
        project.write(scores, text);
        assert_eq!(code(&project, "--baseline"), Some(1), "{text}");
        assert_eq!(code(&project, "--write-baseline"), Some(0), "{text}");
        assert_eq!(code(&project, "--baseline"), Some(0), "{text}");
    }
}

#[test]
fn baseline_of_an_earlier_version_covers_what_it_covered() {
    for (config, rule, fingerprint) in [
        (MOST, "a/most", "a10b68fbede2f3f9baa15407818b905d"),
        (LEAST, "a/least", "d45bf0b982ed2e53675518a983e554d8"),
        (RUN, "a/run", "e36e1a6602d0883ea10a177647d31329"),
        (SCORES, "a/scores", "44d41983325ce9c94d941ad78d60fd9f"),
    ] {
        let number = if config == MOST { 2 } else { 1 };
        let project = run(config, &pays(number));
        let file = if config == SCORES {
            "scores.json"
        } else {
            "events.jsonl"
        };
        if config == SCORES {
            project.write("runs/episodes/ep_1/scores.json", "{");
        }
        let known = format!(
            r#"{{"version":2,"episodes":{{"runs/episodes/ep_1":[{{"rule":"{rule}","file":"{file}","fingerprint":"{fingerprint}"}}]}},"skips":{{}}}}"#
        );
        project.write("known.json", &known);
        let output = project.run(&["validate", "--baseline", "known.json", "runs"]);
        let notes = crate::support::binary::stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{rule}: {notes}");
        assert!(!notes.contains("no longer found"), "{notes}");
    }
}
