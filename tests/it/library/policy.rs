//! Policies are consulted through the library.

use runvet::read::RunReader;
use runvet::read::policy::{Advice, Change, Consulted, Policy, consult};
use runvet::record::State;
use serde_json::json;

use crate::support::runs::run_of;

/// A policy that always gives the same advice, and the states that it saw.
struct Fixed<'s> {
    name: &'static str,
    version: &'static str,
    advice: Advice,
    asked: &'s std::cell::RefCell<Vec<String>>,
}

impl Policy for Fixed<'_> {
    fn name(&self) -> &str {
        self.name
    }
    fn version(&self) -> &str {
        self.version
    }
    fn advise(&self, state: &State) -> Advice {
        self.asked.borrow_mut().push(format!(
            "{}@{}: {}",
            self.name, self.version, state.goal.task
        ));
        self.advice.clone()
    }
}

#[test]
fn policies_are_consulted_in_order_under_their_names() {
    let asked = std::cell::RefCell::default();
    let policy = |name, version, advice| Fixed {
        name,
        version,
        advice,
        asked: &asked,
    };
    let change = json!({"plan": {"steps": []}})
        .as_object()
        .unwrap()
        .clone();
    let policies = [
        policy("guard", "1.0.0", Advice::veto("too risky")),
        policy("coach", "2.1.0", Advice::hint("verify first")),
        policy("quiet", "0.1.0", Advice::Nothing),
        policy(
            "guard",
            "2.0.0",
            Advice::intervention(Change::Other(change)),
        ),
    ];
    let policies: Vec<&dyn Policy> = policies
        .iter()
        .map(|policy| policy as &dyn Policy)
        .collect();
    let state = RunReader::open(run_of("good/terminal"))
        .unwrap()
        .state()
        .unwrap()
        .record()
        .unwrap();
    let before = state.clone();
    let said: Vec<Consulted> = consult(&policies, &state);
    assert_eq!(state, before);
    assert_eq!(
        *asked.borrow(),
        [
            "guard@1.0.0: Summarize the open tickets",
            "coach@2.1.0: Summarize the open tickets",
            "quiet@0.1.0: Summarize the open tickets",
            "guard@2.0.0: Summarize the open tickets",
        ]
    );
    assert_eq!(
        serde_json::to_value(said).unwrap(),
        json!([
            {"policy": "guard", "version": "1.0.0", "advice": {"kind": "veto", "reason": "too risky", "scope": "step"}},
            {"policy": "coach", "version": "2.1.0", "advice": {"kind": "hint", "text": "verify first", "confidence": 1.0}},
            {"policy": "quiet", "version": "0.1.0", "advice": {"kind": "nothing"}},
            {"policy": "guard", "version": "2.0.0",
             "advice": {"kind": "intervention", "change": {"plan": {"steps": []}}, "confidence": 1.0}},
        ])
    );
    assert!(consult(&[], &state).is_empty());
}
