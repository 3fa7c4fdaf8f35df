//! Mistakes in what a team declares are told, each at its place.

use std::collections::BTreeSet;

use serde_json::Value;

use super::run::{DECLARED, PACK, repository, with_pack};
use crate::support::binary::{stderr, stdout};

/// What stands in `runvet.toml` (`⏎` for a new line), the place, and parts of the message and help.
const MISTAKES: &str = r#"[[schema]]⏎id = 'plan/x'⏎schema = {} | 2:6 | the group `plan` belongs to the built-in rules |
[[schema]]⏎id = 'coverage/x'⏎schema = {} | 2:6 | belongs to the built-in rules |
[[schema]]⏎id = 'Acme'⏎schema = {} | 2:6 | an id is a group and a subject |
[[schema]]⏎id = 'a/b'⏎schema = {}⏎[[schema]]⏎id = 'a/b'⏎schema = {} | 5:6 | the id `a/b` is taken by runvet.toml:2 |
[[schema]]⏎id = 'a/b' | 2:6 | the schema is missing |
[[schema]]⏎schema = {} | 1:1 | the key `id` is missing |
[[schema]]⏎id = 'a/b'⏎file = 'x.json'⏎schema = {} | 4:10 | exclude each other |
[[schema]]⏎id = 'a/b'⏎file = 'x.json' | 3:8 | "x.json" can't be read |
[[schema]]⏎id = 'a/b'⏎file = 'runs/episodes/ep_answer/state.json' | 3:8 | lies inside run data |
[[schema]]⏎id = 'a/b'⏎schema = { type = 'txt' } | 3:19 | can't be used |
[[schema]]⏎id = 'a/b'⏎schema = { '$ref' = 'https://x.example/y' } | 3:21 | "https://x.example/y" can't be read |
[[schema]]⏎id = 'a/b'⏎schema = { '$ref' = '../x.json' } | 3:21 | "x.json" can't be read: it is neither |
[[schema]]⏎id = 'a/b'⏎schema = { pattern = '(?=x)' } | 3:22 | can't be used |
[[schema]]⏎id = 'a/b'⏎schema = { format = 'emial' } | 3:21 | can't be used |
[[schema]]⏎id = 'a/b'⏎at = 'payload'⏎schema = {} | 3:6 | a JSON Pointer starts with `/` |
[[schema]]⏎id = 'a/b'⏎record = 'evnt'⏎schema = {} | 3:10 | unknown value "evnt" | did you mean `event`?
[[schema]]⏎id = 'a/b'⏎record = 'state.json'⏎schema = {} | 3:10 | unknown value "state.json" | did you mean `state`?
[[schema]]⏎id = 'a/b'⏎record = '../x.json'⏎schema = {} | 3:10 | unknown value "../x.json" |
[[schema]]⏎id = 'a/b'⏎record = 'x.json'⏎where = { tool = 'x' }⏎schema = {} | 4:9 | `where` is allowed only with the records |
[[schema]]⏎id = 'a/b'⏎record = 'state'⏎expect = 'always'⏎schema = {} | 4:10 | `expect` is allowed only with files |
[[schema]]⏎id = 'a/b'⏎record = 'state'⏎where = { tool = 'x' }⏎schema = {} | 4:9 | `where` is allowed only with the records |
[[schema]]⏎id = 'a/b'⏎where = { tol = 'x' }⏎schema = {} | 3:11 | unknown key "tol" of a selector | did you mean `tool`?
[[schema]]⏎id = 'a/b'⏎record = 'action'⏎where = { phase = 'x' }⏎schema = {} | 4:11 | unknown key "phase" |
[[schema]]⏎id = 'a/b'⏎where = { tool = [] }⏎schema = {} | 3:18 | expected a text, a number |
[[schema]]⏎id = 'a/b'⏎where = { tool = { nt = 'x' } }⏎schema = {} | 3:20 | unknown key "nt" | did you mean `not`?
[[schema]]⏎id = 'a/b'⏎where = { '/day' = { not = ['x', 2026-01-01] } }⏎schema = {} | 3:34 | expected a text, a number |
[[schema]]⏎id = 'a/b'⏎where = 'refund'⏎schema = {}⏎[selector]⏎refunds = {} | 3:9 | no selector called "refund" | did you mean `refunds`?
[[schema]]⏎id = 'a/b'⏎lvl = 'error'⏎schema = {} | 3:1 | unknown key "lvl" | did you mean `level`?
[[rule]]⏎id = 'a/b'⏎check = 'true'⏎message = 'm'⏎[[rule.example]]⏎state = 'x'⏎fires = [] | 6:9 | the record is not JSON |
[vocabulary]⏎tool = [] | 2:8 | expected a text, a number, a boolean, or a list |
[vocabulary]⏎tool = [2026-01-01] | 2:9 | expected a text, a number |
[params]⏎expires = 12:00:00 | 2:11 | expected a text, a number or a boolean |
[vocabulary]⏎tools = ['x'] | 2:1 | unknown key "tools" | did you mean `tool`?
packs = ['x.toml'] | 1:10 | the pack "x.toml" can't be read |
packs = ['runs/episodes/ep_answer/pack.toml'] | 1:10 | lies inside run data |
[[schema]]⏎id = 'a/b'⏎schema = {}⏎[rules]⏎'a/c' = 'off' | 5:1 | no rule called `a/c` | did you mean `a/b`?"#;

#[test]
fn mistake_is_refused_with_place_and_nearest_name() {
    let project = repository("");
    project.write("runs/episodes/ep_answer/pack.toml", "");
    for row in MISTAKES.lines() {
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let text = cells[0].replace('⏎', "\n");
        project.write("runvet.toml", &text);
        let output = project.run(&["validate", "runs"]);
        let shown = stderr(&output);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{text}"
        );
        assert!(
            shown.contains(&format!("[runvet.toml:{}]", cells[1])),
            "{text}\n{shown}"
        );
        let words = shown.split_whitespace().filter(|word| *word != "│");
        let words = words.collect::<Vec<_>>().join(" ");
        for part in &cells[2..] {
            assert!(words.contains(part), "{part}: {text}\n{shown}");
        }
    }
}

#[test]
fn mistakes_of_a_pack_and_its_schemas_are_all_told_at_once() {
    let project = with_pack("nonsense = 1\n");
    project.write(
        "gate/pack.toml",
        &format!(
            "{PACK}\n[[schema]]\nid = 'acme/order'\nfile = 'none.json'\n\n[[unknown]]\nx = 1\n\
             [[schema]]\nid = 'acme/same'\nfile = 'act.json'\n"
        ),
    );
    project.write("gate/act.json", "{\"type\": \"objekt\"}");
    let output = project.run(&["validate", "runs"]);
    assert_eq!(output.status.code(), Some(2));
    let shown = stderr(&output);
    for place in [
        "[runvet.toml:2:1]",
        "[gate/pack.toml:16:6]",
        "[gate/pack.toml:17:8]",
        "[gate/pack.toml:19:3]",
        "[gate/act.json:1:10]",
    ] {
        assert_eq!(shown.matches(place).count(), 1, "{place}: {shown}");
    }
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("named by gate/pack.toml:8"), "{shown}");

    project.write("runvet.toml", DECLARED);
    project.write("gate/act.json", "{\"type\": }");
    let shown = project.run(&["validate", "runs"]);
    assert!(
        stderr(&shown).contains("[gate/act.json:1:10]"),
        "{}",
        stderr(&shown)
    );
}

#[test]
fn mistake_is_told_in_the_file_that_has_it() {
    let project = with_pack("");
    project.write("gate/a.json", "{}");
    let said = |files: [&str; 2]| {
        project.write("gate/act.json", files[0]);
        project.write("gate/defs/n .json", files[1]);
        let output = project.run(&["validate", "runs"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(!stderr(&output).contains("file:"), "{}", stderr(&output));
        stderr(&output).to_owned()
    };
    let refers = "{\n\"items\": {\"$ref\": \"defs/n%20.json#/$defs/n\"}, \"minimum\": 1}";
    let defs = "{\"$defs\": {\"n\": 1}}";
    for (files, places) in [
        (
            [
                refers,
                "{\"$defs\": {\"n\":\n {\"type\": [\"a\"], \"pattern\": \"(\"}}}",
            ],
            &["defs/n .json:2:11"][..],
        ),
        (
            [refers, "{\"$defs\": {\"n\":\n {\"pattern\": \"(\"}}}"],
            &["defs/n .json:2:14"],
        ),
        (
            [
                "{\"type\": \"objct\", \"minimum\": \"x\", \"pattern\": \"(\"}",
                defs,
            ],
            &["act.json:1:10", "act.json:1:30", "act.json:1:46"],
        ),
        ([refers, "{\"$defs\": }"], &["defs/n .json:1:11"]),
        ([refers, "{\"$defs\": {}}"], &["act.json:2:19"]),
        ([refers, " "], &["act.json:2:19"]),
        (["{\"$ref\": \"none.json\"}", defs], &["act.json:1:10"]),
        (
            [
                "{\"items\": {\"$ref\": \"a.json\"},\n\"not\": {\"$ref\": \"data.json\"}}",
                defs,
            ],
            &["act.json:2:17"],
        ),
        (
            [
                "{\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n\"format\": \"emial\",\n\
                 \"not\": {\"$ref\": \"none.json\", \"format\": \"emial\"}}",
                defs,
            ],
            &["act.json:2:11", "act.json:3:17"],
        ),
        (["", defs], &["pack.toml:8:8"]),
    ] {
        let said = said(files);
        assert_eq!(said.matches("error: ").count(), places.len(), "{said}");
        for place in places {
            assert!(said.contains(&format!("[gate/{place}")), "{place}: {said}");
        }
        assert!(said.contains("gate/pack.toml:8"), "{said}");
    }
}

#[test]
fn rule_that_lacks_a_key_is_read_as_far_as_it_goes() {
    let project = repository(
        "[[order]]\nid = 'a/b'\nnever = false\nwithin = '0s'\n[[rule]]\nid = 'a/b'\ncheck = 'x'\n\
         mesage = 'm'\n[[rule]]\neach = 'none'\ncheck = 1\n",
    );
    let output = project.run(&["validate", "runs"]);
    let said = stderr(&output).lines();
    let places: Vec<&str> = said
        .filter_map(|line| line.split_once("[runvet.toml:")?.1.strip_suffix(']'))
        .collect();
    let expected = [
        "1:1", "1:1", "3:9", "4:10", "6:6", "7:10", "8:1", "9:1", "9:1", "10:8", "11:9",
    ];
    assert_eq!(places, expected, "{}", stderr(&output));
}

/// The author of run data could have written what a link leads to, wherever the link is.
#[test]
fn link_into_run_data_is_refused() {
    let is_refused = |link: &str, way: &[&str]| {
        let project = with_pack("");
        let way = [&[link], way].concat();
        std::fs::rename(project.path(link), project.path(way.last().unwrap())).unwrap();
        for link in way.windows(2) {
            std::os::unix::fs::symlink(project.path(link[1]), project.path(link[0])).unwrap();
        }
        let output = project.run(&["validate", "runs"]);
        let is_refused = stderr(&output).contains("inside run data");
        assert_eq!(output.status.code(), Some(if is_refused { 2 } else { 1 }));
        is_refused
    };
    let inside = "runs/episodes/ep_answer/x";
    for link in ["runvet.toml", "gate/pack.toml", "gate/act.json", "gate"] {
        assert!(is_refused(link, &[inside]), "{link}");
        assert!(is_refused(link, &["near", inside, "outside"]), "{link}");
        assert!(!is_refused(link, &["near", "outside"]), "{link}");
    }
}

#[test]
fn file_that_a_checkout_below_episodes_names_is_read() {
    let project = repository("");
    std::fs::create_dir_all(project.path("episodes/checkout/gate")).unwrap();
    project.write("episodes/checkout/ci.toml", "packs = ['gate/pack.toml']");
    project.write("episodes/checkout/gate/pack.toml", "nonsense = 1");
    let args = ["validate", "--config", "ci.toml", "../../runs"];
    let output = project.run_in("episodes/checkout", &[], &args);
    assert!(stderr(&output).contains("unknown key \"nonsense\""));
}

#[test]
fn pack_is_what_its_schema_says() {
    let schema: Value = serde_json::from_str(runvet::Schema::Pack.text()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let pack: Value = serde_json::to_value(toml::from_str::<toml::Table>(PACK).unwrap()).unwrap();
    assert!(validator.is_valid(&pack));
    let known = |schema: &Value| -> BTreeSet<String> {
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    let config: Value = serde_json::from_str(runvet::Schema::Config.text()).unwrap();
    assert!(
        known(&schema).is_subset(&known(&config)),
        "runvet.toml takes what a pack takes"
    );
}

/// A mistake is one error, with the key that was meant, and nothing that follows from it.
const SINGLE: &str = r#"[[rules]]⏎id = 'a/b'⏎check = 'true'⏎message = 'm' | 1:1 | expected a table | did you mean `[[rule]]`?
[[orders]]⏎id = 'a/b'⏎each = {}⏎never = true⏎message = 'm' | 1:3 | unknown key "orders" | did you mean `order`?
[[order]]⏎id = 'a/b'⏎each = 'x'⏎never = true⏎message = 'm'⏎[selectors]⏎x = {} | 6:2 | unknown key "selectors" | did you mean `selector`?
[[order]]⏎id = 'a/b'⏎each = {}⏎at-most = 'params.x'⏎message = 'm'⏎[param]⏎x = 2 | 6:2 | unknown key "param" | did you mean `params`?
[[schema]]⏎id = 'a/b'⏎scheme = {} | 3:1 | unknown key "scheme" | did you mean `schema`?
[[schema]]⏎ids = 'a/b'⏎schema = {} | 2:1 | unknown key "ids" | did you mean `id`?
[[order]]⏎id = 'a/b'⏎each = {}⏎at_most = 2⏎in-a-row = true⏎message = 'm' | 4:1 | unknown key "at_most" | did you mean `at-most`?
[[order]]⏎id = 'a/b'⏎each = {}⏎need-later = {}⏎within = '1s'⏎message = 'm' | 4:1 | unknown key "need-later" | did you mean `needs-later`?
[[order]]⏎id = 'a/b'⏎each = {}⏎check = 'true'⏎message = 'm' | 4:1 | unknown key "check" | `check` is a key of `[[rule]]`
[[rule]]⏎id = 'a/b'⏎each = {}⏎never = true⏎message = 'm' | 4:1 | unknown key "never" | `never` is a key of `[[order]]`
[[rule]]⏎id = 'a/b'⏎eech = {}⏎check = 'event.x'⏎message = 'm' | 3:1 | unknown key "eech" | did you mean `each`?
[[rule]]⏎id = 'a/b'⏎each = {}⏎sam = '/x'⏎check = 'earlier("s").size() < 2'⏎message = 'm'⏎[selector]⏎s = {} | 4:1 | unknown key "sam" | did you mean `same`?
[[rule]]⏎id = 'a/b'⏎check = 'true'⏎messages = 'm' | 4:1 | unknown key "messages" | did you mean `message`?"#;

#[test]
fn mistake_is_told_once_with_the_key_that_was_meant() {
    let project = repository("");
    for row in SINGLE.lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        project.write("runvet.toml", &cells[0].replace('⏎', "\n"));
        let output = project.run(&["validate", "runs"]);
        let shown = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{shown}");
        assert_eq!(shown.matches("error:").count(), 1, "{shown}");
        for part in [&*format!("runvet.toml:{}]", cells[1]), cells[2], cells[3]] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
    }
}
