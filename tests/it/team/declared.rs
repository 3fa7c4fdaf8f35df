//! What a team declares is judged as built-in rules are: at its place, from every entry point.

use std::path::Path;

use runvet::gate::Gate;

use super::run::{DECLARED, repository, with_pack};

#[test]
fn threads_and_a_strict_rule_change_nothing() {
    let config = "[[schema]]\nid = 'a/b'\nwhere = { tool = 'u' }\nat = '/payload/input'\nschema = { properties = { n = { maximum = 3 } } }\n[vocabulary]\n'/payload/team' = ['x', 'y']\n[[order]]\nid = 'a/o'\neach = { tool = 'u' }\nat-most = 15000\nsame = '/payload/team'\nmessage = '{count} calls of {same}'";
    let project = repository(config);
    let line = |index: usize| {
        let (tool, team) = (
            [b'u', b't'][index % 2],
            [b'x', b'y', b'z'][usize::from(index % 5_000 == 7) * 2],
        );
        let n = if index % 9_000 == 42 { 4 } else { index % 4 };
        format!(
            "{{\"phase\":\"observe\",\"timestamp\":\"2026-03-01T12:00:00Z\",\"payload\":{{\"tool\":\"{}\",\"team\":\"{}\",\"input\":{{\"n\":{n}}}}}}}\n",
            char::from(tool),
            char::from(team)
        )
    };
    let lines: String = (0..40_000).map(line).collect();
    let file = "runs/episodes/ep_answer/events.jsonl";
    let before = std::fs::read_to_string(project.path(file)).unwrap();
    let (start, rest) = before.split_once('\n').unwrap();
    project.write(file, &format!("{start}\n{lines}{rest}"));
    let team = |args: &[&str]| {
        let report = project.report(&[], args);
        let findings = report.episodes[0].findings.iter();
        let of_team =
            findings.filter(|it| it.rule.starts_with("a/") || it.rule == "team/vocabulary");
        let shown = of_team.map(|it| format!("{} {:?} {}", it.rule, it.location.line, it.message));
        shown.collect::<Vec<_>>()
    };
    let one = team(&["--jobs", "1"]);
    assert_eq!(one.len(), 7, "{one:?}");
    let order = one
        .iter()
        .find(|it| it.starts_with("a/o"));
    assert!(
        order.is_some_and(|it| it.contains("15001 calls of \"x\"")),
        "{one:?}"
    );
    assert!(
        one[6].contains("and 7 more events have this value")
            || one
                .iter()
                .any(|it| it.contains("7 more")),
        "{one:?}"
    );
    assert_eq!(one, team(&["--jobs", "4"]));
    assert_eq!(one, team(&["--rule", "strict/*=warning"]));
}

/// Events that are read by skeletons, which many share, are judged as those that are read whole.
#[test]
fn known_skeleton_changes_nothing() {
    const TEAM: &str = "
        [vocabulary]
        '/payload/n' = [1, 2]
        tool = ['u', 'v*']
        [[schema]]
        id = 'a/b'
        where = { tool = ['u', 'w'], '/payload/n' = { not = 3 } }
        at = '/payload/input'
        schema = { properties = { n = { type = 'integer', maximum = 3 }, s = { minLength = 2, enum = ['ab', 'a'] } } }
        [[schema]]
        id = 'a/c'
        where = { '/payload/n' = { not = 2 } }
        schema = { properties = { payload = { properties = { tool = { pattern = '^u' } } } } }
        [[order]]
        id = 'a/d'
        each = { tool = 'u' }
        none-earlier = { tool = 'v*' }
        same = '/payload/n'
        within = '5s'
        message = 'm {same} {count}'
        [[order]]
        id = 'a/e'
        each = { tool = { not = 'u' } }
        at-most = 2
        same = '/payload/input'
        message = 'm {same} {count}'
        [[rule]]
        id = 'a/f'
        each = { '/payload/input/s' = 'a*' }
        check = 'event.payload.n != 3'
        message = 'm'";
    let project = repository(TEAM);
    let line = |index: usize| {
        let tool = ["u", "v", "w", "u\\u0076", "vv"][index % 5];
        let input = [
            "{\"n\":N}",
            "{\"s\":\"ab\"}",
            "{\"s\":\"b\",\"n\":2}",
            "{\"n\":\"N\"}",
            "[N]",
            "true",
        ][index % 6]
            .replace('N', &(index % 7).to_string());
        let n = ["1", "1.0", "2", "3", "\"1\"", "null"][index / 5 % 6];
        let time = format!(
            "2026-03-01T12:{:02}:{:02}Z",
            index / 60 % 60,
            index * 7 % 60
        );
        format!(
            "{{\"phase\":\"observe\",\"timestamp\":\"{time}\",\"payload\":{{\"tool\":\"{tool}\",\"n\":{n},\"input\":{input}}}}}\n"
        )
    };
    let file = "runs/episodes/ep_answer/events.jsonl";
    let before = std::fs::read_to_string(project.path(file)).unwrap();
    let (start, rest) = before.split_once('\n').unwrap();
    let lines: String = (0..1_000).map(line).collect();
    project.write(file, &format!("{start}\n{lines}{rest}"));
    let team = |args: &[&str]| {
        let report = project.report(&[], args);
        let findings = report.episodes[0].findings.iter();
        let of_team =
            findings.filter(|it| it.rule.starts_with("a/") || it.rule == "team/vocabulary");
        let shown = of_team.map(|it| format!("{} {:?} {}", it.rule, it.location.line, it.message));
        shown.collect::<Vec<_>>()
    };
    let by_skeletons = team(&[]);
    for rule in ["a/b", "a/c", "a/d", "a/e", "a/f", "team/vocabulary"] {
        assert!(
            by_skeletons
                .iter()
                .any(|it| it.starts_with(rule)),
            "{rule}"
        );
    }
    assert_eq!(by_skeletons, team(&["--rule", "strict/*=warning"]));
}

#[test]
fn gate_of_the_library_knows_the_rules_of_a_team() {
    let project = with_pack("");
    let path = project.path("runvet.toml");
    let gate = Gate::default()
        .with_config(&path, DECLARED, None)
        .unwrap();
    assert!(gate.find_rule("acme/order").is_ok());
    let mut gate = gate
        .level("acme/order", runvet::finding::Level::Warning)
        .unwrap();
    let report = gate
        .run([project.path("runs")])
        .unwrap();
    assert_eq!((report.totals.errors, report.totals.warnings), (0, 2));
    assert!(
        Gate::default()
            .with_config(Path::new("runvet.toml"), DECLARED, None)
            .is_err()
    );
}
