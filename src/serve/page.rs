//! The index and the runs -> a page for a browser, and the parts that it asks for.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::middleware::from_fn;
use axum::routing::get;
use serde::Deserialize;
use serde_json::json;

use super::api::{Answer, GroupQuery, in_thread, in_turn, without_query};
use super::problem::Problem;
use super::query::parse;
use super::{Service, json, of_type};
use crate::ground::finding::RuleInfo;
use crate::ground::parallel::locked;
use crate::look::compare;
use crate::look::view::run_page;
use crate::report::json_bytes;
use crate::report::page::{self, RunItem, RunSums};

/// The sums over all runs, as pages show them and as the service gives them.
#[derive(Debug)]
pub(super) struct PageSums {
    pub(super) overview: RunSums,
    /// The answer with all sums, as JSON.
    pub(super) statistics: Bytes,
    rules: Vec<RuleInfo>,
}

/// The query of a part of a page.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PageQuery {
    /// The code that let the browser in, where one was needed.
    #[serde(rename = "code")]
    _code: Option<String>,
    /// The directory of a run, or its id.
    dir: String,
    /// The name of a rule.
    name: String,
}

/// `GET /page/groups`: groups side by side, or the problem that there are none. Its status is 200
/// then too, as that of a run.
async fn groups(State(service): State<Arc<Service>>, RawQuery(query): RawQuery) -> Answer {
    let query: GroupQuery = parse(query.as_deref())?;
    in_thread(move || match service.grouped(&query) {
        Ok(groups) => json(&json!({ "text": compare::page::groups(&groups).into_string() })),
        Err(problem) => json(&problem),
    })
    .await
}

pub(super) fn routes() -> Router<Arc<Service>> {
    let (style, script) = ("text/css; charset=utf-8", "text/javascript; charset=utf-8");
    let file = |kind, text: &'static str| get(move || async move { of_type(kind, text) });
    Router::new()
        .route("/static/style.css", file(style, page::STYLE))
        .route("/static/script.js", file(script, page::SCRIPT))
        .route("/static/live.js", file(script, page::LIVE))
        .route("/static/changes.js", file(script, page::CHANGES))
        .route("/page/overview", get(overview))
        .route_layer(from_fn(without_query))
        .route("/", get(whole))
        .route("/page/run", get(run))
        .route("/page/rule", get(rule))
        .route("/page/groups", get(groups))
}

/// `GET /`
async fn whole(State(service): State<Arc<Service>>, RawQuery(query): RawQuery) -> Answer {
    let _: PageQuery = parse(query.as_deref())?;
    let text = in_thread(move || {
        let sums = service.sums();
        page::whole(&sums.overview, &sums.rules)
    });

    Ok(of_type("text/html; charset=utf-8", text.await?))
}

/// `GET /page/overview`
async fn overview(State(service): State<Arc<Service>>) -> Answer {
    in_thread(move || {
        let sums = service.sums();
        let text = page::overview(&sums.overview, &sums.rules).into_string();
        let (judged, found) = (sums.overview.all.episodes, service.index().found());
        json(&json!({ "text": text, "runs": judged, "judged": judged, "found": found }))
    })
    .await
}

/// `GET /page/run`: the page of a run, or the problem that there is none. Its status is 200 then
/// too: a run may go while its page follows it, which is nothing to complain of in the browser's
/// console.
async fn run(State(service): State<Arc<Service>>, RawQuery(query): RawQuery) -> Answer {
    let query: PageQuery = parse(query.as_deref())?;
    let found = service.find(&query.dir);
    in_turn(service, move |service| {
        found
            .and_then(|(path, entry)| {
                let run = service.open(path)?;
                let mut page = run_page(&run, &mut service.gate.clone())?;
                let seal = service.seal.as_ref();
                page.seal = seal.map(|seal| seal.of_run(run.path(), &service.gate));
                let text = page::run_text(&page, "r-", page::Bodies::AtService);
                Ok(json(
                    &json!({ "text": text, "row": RunItem::from(&*entry) }),
                ))
            })
            .unwrap_or_else(|problem| json(&problem))
    })
    .await
}

/// `GET /page/rule`
async fn rule(State(service): State<Arc<Service>>, RawQuery(query): RawQuery) -> Answer {
    let query: PageQuery = parse(query.as_deref())?;
    let rule = service
        .gate
        .find_rule(&query.name)
        .map_err(|unknown| Problem::missing(unknown.to_string()))?;
    let text = page::rule(rule).into_string();
    Ok(json(&json!({ "text": text })))
}

impl Service {
    /// Returns all sums, made again where the index has changed.
    pub(super) fn sums(&self) -> Arc<PageSums> {
        let mut kept = locked(&self.overview);
        let index = self.index();
        if let Some((version, sums)) = &*kept
            && *version == index.version()
        {
            return Arc::clone(sums);
        }

        let overview = index.overview(&self.settings);
        let sums = Arc::new(PageSums {
            statistics: json_bytes(&index.sums(overview.clone())).into(),
            overview,
            rules: self.gate.rules().cloned().collect(),
        });
        *kept = Some((index.version(), Arc::clone(&sums)));

        sums
    }
}
