//! The baseline: what it accepts, what it no longer knows, and how it is written.

use serde_json::Value;

use crate::support::project::Project;

#[test]
fn suppressed_findings_keep_the_schemas() {
    let project = Project::new(
        "[[ignore]]\nrule = 'lifecycle/*'\nepisode = '*'\nreason = 'it [crashed](x)'\n\
         [[override]]\npaths = ['ep_05*']\nrules = { 'state/schema' = 'warning' }",
    );
    project.run(&[
        "validate",
        "--write-baseline",
        "known.json",
        "runs/demo/episodes/ep_03_edited",
    ]);
    let json = |format: &str| -> Value {
        let args = [
            "validate",
            "--baseline",
            "known.json",
            "--format",
            format,
            "runs",
        ];
        serde_json::from_slice(&project.run(&args).stdout).unwrap()
    };
    let report = json("json");
    let schema: Value = serde_json::from_str(runvet::Schema::Report.text()).unwrap();
    assert!(
        jsonschema::validator_for(&schema)
            .unwrap()
            .is_valid(&report)
    );
    assert_eq!(
        (&report["totals"]["ignored"], &report["totals"]["baselined"]),
        (&2.into(), &2.into())
    );
    let log = json("sarif");
    let results = log["runs"][0]["results"]
        .as_array()
        .unwrap();
    let suppressed = results
        .iter()
        .filter(|result| result["suppressions"][0]["kind"] == "external")
        .count();
    assert_eq!((results.len(), suppressed), (7, 4));
    assert!(
        results
            .iter()
            .all(|result| result["suppressions"].is_array()),
        "if one has it, all must"
    );
    crate::support::sarif::hold_to_the_sarif_schema(&log);
}
