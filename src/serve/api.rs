//! Requests of other programs -> answers in JSON.

mod check;
pub(super) mod events;

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::try_unfold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::asker::Asker;
use super::connections::PIECE;
use super::problem::Problem;
use super::query::{self, NoQuery, RunQuery};
use super::{Service, json, of_type};
use crate::ground::finding::{Level, RunEntry};
use crate::ground::printable::{escape, quote};
use crate::ground::source::Artifact;
use crate::look::compare::{GroupComparison, Grouping};
use crate::look::diff;
use crate::look::read::{Error, RunReader};
use crate::look::schemas::Schema;
use crate::look::view;
use crate::store::Opened;
pub(super) use check::check;
pub(super) use events::{events, events_in};

/// The maximum number of bytes of a body.
pub(super) const MAX_BODY: usize = 8 << 20;

/// The unit in which memory for bodies is given out.
pub(super) const BODY_UNIT: usize = 1 << 10;

/// The maximum number of bytes of all bodies that are held at a time, without small ones.
pub(super) const MAX_BODIES: usize = 64 << 20;

/// The maximum number of bytes of bodies that are judged at a time, without small ones: judging
/// takes many times the memory of a body.
pub(super) const MAX_JUDGED: usize = 8 << 20;

/// The maximum number of bytes of all answers that wait for their clients, without small ones.
pub(super) const MAX_ANSWERS: usize = 128 << 20;

/// The number of directories that an answer names where several runs have an id.
const MAX_KEYS: usize = 100;

pub(super) type Answer = Result<Response, Problem>;

/// Refuses parameters at an address that has none.
pub(super) async fn without_query(request: Request, next: Next) -> Response {
    match query::parse::<NoQuery>(request.uri().query()) {
        Ok(NoQuery {}) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// `GET /api/v1/runs`
pub(super) async fn runs(State(service): State<Arc<Service>>, RawQuery(query): RawQuery) -> Answer {
    let query: RunQuery = query::parse(query.as_deref())?;
    let (connected, asker) = Asker::new();
    let page = if query.text.is_some() {
        let turns = Arc::clone(&service.turns.searches);
        in_turn_of(turns, service, move |service| query.page(service, &asker)).await
    } else {
        in_thread(move || query.page(&service, &asker)).await
    };

    drop(connected);
    Ok(json(&page??))
}

/// `GET /api/v1/runs/{id}`
pub(super) async fn run(
    State(service): State<Arc<Service>>,
    id: Result<Path<String>, PathRejection>,
) -> Answer {
    shown(service, &part(id)?).await
}

/// The run of a request whose address a proxy may decode: a directory has slashes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DirQuery {
    /// The directory of a run, or its id.
    pub(super) dir: String,
}

/// `GET /api/v1/run`
pub(super) async fn run_in(
    State(service): State<Arc<Service>>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query: DirQuery = query::parse(query.as_deref())?;
    shown(service, &query.dir).await
}

/// Answers with a run.
async fn shown(service: Arc<Service>, name: &str) -> Answer {
    let path = service.path_of(name)?;
    in_turn(service, move |service| {
        let run = service.open(path)?;
        Ok(json(&view::RunPage::new(&run, &mut service.gate.clone())?))
    })
    .await?
}

/// `GET /api/v1/runs/{id}/records/{name}`: the bytes of an artifact, as they are stored.
pub(super) async fn record(
    State(service): State<Arc<Service>>,
    parts: Result<Path<(String, String)>, PathRejection>,
) -> Answer {
    let (id, name) = part(parts)?;
    stored(service, &id, &name).await
}

/// The query for a record of the run with a directory.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordQuery {
    /// The directory of a run, or its id.
    pub(super) dir: String,
    /// The file name of the record, or the name of the attachment as the run has it.
    pub(super) name: String,
}

/// `GET /api/v1/record`
pub(super) async fn record_in(
    State(service): State<Arc<Service>>,
    RawQuery(query): RawQuery,
) -> Answer {
    let RecordQuery { dir, name } = query::parse(query.as_deref())?;
    stored(service, &dir, &name).await
}

/// Answers with a record of a run.
async fn stored(service: Arc<Service>, id: &str, name: &str) -> Answer {
    let artifact = Artifact::from_file_name(name).ok_or_else(|| {
        let (name, names) = (quote(name), Artifact::ALL.map(Artifact::file_name));
        Problem::missing(format!(
            "{name} is not a record; expected one of {}",
            names.join(", ")
        ))
    })?;
    let path = service.path_of(id)?;
    let opened = in_thread(move || service.open(path)?.stream(artifact)).await??;
    let kind = match artifact {
        Artifact::Events | Artifact::Learn => "application/jsonl",
        _ => "application/json",
    };

    Ok(of_type(kind, streamed(opened)))
}

/// `GET /api/v1/attachment`: a file that was attached to a run, and is as it was then.
pub(super) async fn attachment(
    State(service): State<Arc<Service>>,
    RawQuery(query): RawQuery,
) -> Answer {
    let RecordQuery { dir, name } = query::parse(query.as_deref())?;
    let path = service.path_of(&dir)?;
    let kind = match name.rsplit_once('.') {
        Some((_, "png")) => "image/png",
        Some((_, "jpg" | "jpeg")) => "image/jpeg",
        Some((_, "gif")) => "image/gif",
        Some((_, "webp")) => "image/webp",
        _ => "application/octet-stream",
    };

    let content = in_turn(service, move |service| {
        service
            .open(path)?
            .attachment(&name)
            .ok_or_else(|| {
                let name = quote(&name);
                Problem::missing(format!("there is no attachment {name} with this digest"))
            })
    });

    Ok(of_type(kind, content.await??))
}

/// Returns an artifact, read piece by piece as the client takes it.
fn streamed(artifact: Opened<'static>) -> Body {
    let pieces = try_unfold(artifact, async |mut artifact| {
        tokio::task::spawn_blocking(move || {
            let mut piece = Vec::new();
            artifact
                .by_ref()
                .take(PIECE as u64)
                .read_to_end(&mut piece)?;
            Ok::<_, io::Error>((!piece.is_empty()).then_some((piece, artifact)))
        })
        .await
        .map_err(io::Error::other)?
    });

    Body::from_stream(pieces)
}

/// The runs to compare.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DiffQuery {
    /// The id of a run, or its directory.
    pub(super) left: String,
    /// The id of another run, or its directory.
    pub(super) right: String,
}

/// `GET /api/v1/diff`
pub(super) async fn diff(State(service): State<Arc<Service>>, RawQuery(query): RawQuery) -> Answer {
    let query: DiffQuery = query::parse(query.as_deref())?;
    let left = service.path_of(&query.left)?;
    let right = service.path_of(&query.right)?;
    in_turn(service, move |service| {
        let (left, right) = (service.open(left)?, service.open(right)?);
        let text = diff::json(&left, &right, &mut service.gate.clone())?;
        Ok(of_type("application/json", text))
    })
    .await?
}

/// The tag by whose values runs are compared.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupQuery {
    /// The tag.
    pub(super) by: String,
    /// The value with whose runs the others are compared [default: the first one].
    pub(super) base: Option<String>,
}

/// `GET /api/v1/groups`
pub(super) async fn groups(
    State(service): State<Arc<Service>>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query: GroupQuery = query::parse(query.as_deref())?;
    let groups = in_thread(move || service.grouped(&query)).await?;
    Ok(json(&groups?))
}

/// `GET /api/v1/statistics`
pub(super) async fn statistics(State(service): State<Arc<Service>>) -> Answer {
    let sums = in_thread(move || service.sums()).await?;
    Ok(of_type("application/json", sums.statistics.clone()))
}

/// All rules.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RuleList {
    /// The rules, in the order of `runvet rules`.
    pub(super) items: Vec<RuleItem>,
}

/// A rule.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RuleItem {
    /// Its group and its subject.
    #[schemars(extend("examples" = ["lifecycle/links"]))]
    pub(super) id: String,
    /// Its level, unless the configuration sets another one.
    #[schemars(with = "Level")]
    pub(super) level: &'static str,
    /// The defect, in one line.
    pub(super) title: String,
    /// The remedy for a finding.
    pub(super) hint: String,
    /// The rule's page, in Markdown.
    pub(super) page: String,
}

/// `GET /api/v1/rules`
pub(super) async fn rules(State(service): State<Arc<Service>>) -> Response {
    let items = service
        .gate
        .rules()
        .map(|rule| RuleItem {
            id: rule.id.to_string(),
            level: rule.level.word(),
            title: rule.title.to_string(),
            hint: rule.hint.to_string(),
            page: rule.page.to_string(),
        });

    json(&RuleList {
        items: items.collect(),
    })
}

/// `GET /api/v1/schemas/{name}`
pub(super) async fn schema(name: Result<Path<String>, PathRejection>) -> Answer {
    let schema: Schema = part(name)?
        .parse()
        .map_err(|unknown| Problem::missing(format!("there is no such schema: {unknown}")))?;
    Ok(of_type("application/schema+json", schema.text()))
}

impl Service {
    /// Compares the runs that were judged by the values of a tag.
    pub(super) fn grouped(&self, query: &GroupQuery) -> Result<GroupComparison, Problem> {
        let runs: Vec<_> = self
            .index()
            .entries()
            .values()
            .cloned()
            .collect();
        let mut grouping = Grouping::by(&query.by);
        for run in &runs {
            grouping.add(run);
        }

        let dirs: Vec<_> = self
            .dirs
            .iter()
            .map(|dir| dir.to_string_lossy())
            .collect();
        let mut groups = grouping
            .finish(query.base.as_deref(), &dirs)
            .map_err(|wrong| Problem::missing(wrong.to_string()))?;
        groups.faults = self.index().faults();

        Ok(groups)
    }

    /// Returns the directory of the run with an id.
    pub(super) fn path_of(&self, id: &str) -> Result<PathBuf, Problem> {
        let (path, _) = self.find(id)?;
        Ok(path)
    }

    /// Opens the run at a path below a directory of the service, with the links followed that its
    /// check follows.
    pub(super) fn open(&self, path: impl AsRef<std::path::Path>) -> Result<RunReader, Error> {
        let path = path.as_ref();
        let run = RunReader::open(path)?.following(&self.gate);
        let dir = self
            .dirs
            .iter()
            .find(|dir| path.starts_with(dir));

        Ok(run.beneath(dir.map_or(std::path::Path::new("."), |dir| dir)))
    }

    /// Returns the run with an id, or with a directory.
    pub(super) fn find(&self, id: &str) -> Result<(PathBuf, Arc<RunEntry>), Problem> {
        let index = self.index();
        match &*index.find(id) {
            [] => Err(Problem::no_run(id, index.is_under_way())),
            [(path, run)] => Ok((PathBuf::from(&***path), Arc::clone(run))),
            several => {
                let detail = "several runs have this id; give one of `keys` in its place, with \
                    each `/` written as %2F";
                let keys = several.iter().take(MAX_KEYS);
                Err(Problem {
                    keys: keys
                        .map(|(_, run)| run.dir.clone())
                        .collect(),
                    ..Problem::new(StatusCode::CONFLICT, detail)
                })
            }
        }
    }
}

/// Returns the parts of a path that vary.
fn part<P>(parts: Result<Path<P>, PathRejection>) -> Result<P, Problem> {
    parts
        .map(|Path(parts)| parts)
        .map_err(|wrong| Problem::bad(escape(&wrong.body_text())))
}

/// Does what may take long without keeping other requests from being answered.
pub(super) async fn in_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| failed(&"the answer could not be made"))
}

/// Does what reads runs when it has a turn.
pub(super) async fn in_turn<T: Send + 'static>(
    service: Arc<Service>,
    work: impl FnOnce(&Service) -> T + Send + 'static,
) -> Result<T, Problem> {
    in_turn_of(Arc::clone(&service.turns.readers), service, work).await
}

async fn in_turn_of<T: Send + 'static>(
    turns: Arc<Semaphore>,
    service: Arc<Service>,
    work: impl FnOnce(&Service) -> T + Send + 'static,
) -> Result<T, Problem> {
    let turn = turns.acquire_owned().await;
    in_thread(move || {
        let _turn = turn;
        work(&service)
    })
    .await
}

fn failed(error: &dyn std::fmt::Display) -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

/// `GET /api/v1/openapi.json`
pub(super) async fn description() -> Response {
    let kind = "application/vnd.oai.openapi+json;version=3.1";
    of_type(kind, include_str!("../../schemas/openapi.json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::ground::finding::Lifecycle;
    use crate::serve::guard::Guard;

    const RUN: &str = "corpus/demo/episodes/ep_01_answer";

    #[tokio::test]
    async fn searches_and_readers_do_not_wait_for_each_other() {
        let (_stop, stopped) = tokio::sync::watch::channel(false);
        let guard = Guard::new(([127, 0, 0, 1], 8123).into(), None, Vec::new()).unwrap();
        let gate = Gate::default();
        let service = Arc::new(Service::new(
            guard,
            Vec::new(),
            &gate,
            String::new(),
            None,
            stopped,
        ));
        let run = RunEntry::named("ep_01_answer", RUN, Lifecycle::Terminal);
        service
            .index_mut()
            .put(std::path::Path::new(RUN), run);
        for (busy, query) in [
            (&service.turns.searches, None),
            (&service.turns.readers, Some("q=act")),
        ] {
            let all = u32::try_from(busy.available_permits()).unwrap();
            let turns = busy.acquire_many(all).await.unwrap();
            let query = RawQuery(query.map(str::to_owned));
            let id = Ok(Path("ep_01_answer".to_owned()));
            let answer = events(State(Arc::clone(&service)), id, query).await;
            assert_eq!(answer.unwrap().status(), StatusCode::OK);
            drop(turns);
        }
    }
}
