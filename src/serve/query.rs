//! The query of a request, and the index -> one page of runs.

mod order;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Service;
use super::asker::Asker;
use super::problem::Problem;
use super::search::Searched;
use crate::ground::finding::{CallResult, NONE, RunEntry, Verdict};
use crate::ground::printable::{brief, escape};
use crate::ground::timestamp::Timestamp;
use crate::ground::words::Words as WordsOfEnum;
use crate::look::read::{FigureRange, RunFilter, Tallied, TextSearch, range, search_words};
use crate::report::page::{RunItem, serialize_items};
use order::{Cursor, OrderedPlace, SortQuery};

/// The number of runs of a page, unless the query says otherwise.
const DEFAULT_LIMIT: usize = 100;

/// The maximum number of runs of a page.
pub(super) const MAX_LIMIT: usize = 1_000;

/// The size of the texts of a page after which it ends.
const MAX_LIST_BYTES: usize = 4 << 20;

/// The forms of a time, as a regular expression. It takes some dates that there are not.
const TIME: &str = concat!(
    r"today|yesterday|-?[0-9]+[smhd]|[0-9]{4}-(0[1-9]|1[0-2])-([0-2][0-9]|3[01])",
    r"([Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?",
    r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?)?",
);

/// The usual forms of a number, as a regular expression.
const NUMBER: &str = r"-?[0-9]+(\.[0-9]+)?([eE]-?[0-9]+)?";

/// Returns the query of a request: its parameters, each of a known name.
pub(super) fn parse<Q: DeserializeOwned>(query: Option<&str>) -> Result<Q, Problem> {
    let query = query.unwrap_or_default();
    serde_html_form::from_str(query).map_err(|wrong| {
        let mut names = BTreeSet::new();
        // The error does not name a parameter that may be given once.
        let once = query
            .split('&')
            .filter_map(|parameter| parameter.split('=').next())
            .filter(|name| !names.insert(*name))
            .find(|name| {
                let twice = format!("{name}=&{name}=");
                serde_html_form::from_str::<Q>(&twice).is_err()
            });
        Problem::bad(match once {
            Some(name) => format!("the query has `{}` more than once", brief(name)),
            None => escape(&format!("the query is wrong: {wrong}")).into_owned(),
        })
    })
}

/// The query of a request that has no parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoQuery {}

/// Returns the number of items of a page.
pub(super) fn limit(text: Option<&str>, default: usize) -> Result<usize, String> {
    text.map_or(Some(default), |text| text.parse().ok())
        .filter(|number| (1..=MAX_LIMIT).contains(number))
        .ok_or_else(|| format!("`limit` is a number from 1 to {MAX_LIMIT}"))
}

/// The number of words that are searched for, at most: each text is searched for each of them.
const MAX_WORDS: usize = 32;

/// Returns the words to search for.
pub(super) fn searched<'w>(name: &str, words: Option<&'w str>) -> Result<&'w str, String> {
    let words = words.unwrap_or_default();
    match words.split_whitespace().nth(MAX_WORDS) {
        None => Ok(words),
        Some(_) => Err(format!("`{name}` has more than {MAX_WORDS} words")),
    }
}

/// The runs to list, and their order. All filters must match; of one that is repeated, one of its
/// values.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunQuery {
    /// The maximum number of runs of the page, from 1 to 1000 [default: 100].
    #[schemars(with = "Option<usize>", range(min = 1, max = 1_000))]
    pub(super) limit: Option<String>,
    /// `next` of the page before.
    pub(super) cursor: Option<String>,
    /// The status; `(none)` for runs without one, as in the other filters.
    #[serde(default)]
    pub(super) status: Vec<String>,
    /// The outcome.
    #[serde(default)]
    pub(super) outcome: Vec<String>,
    /// The end of the run: its outcome, or else its status.
    #[serde(default)]
    pub(super) ended: Vec<String>,
    /// A rule that has a finding, or a group of rules such as `plan/*`.
    #[serde(default)]
    pub(super) rule: Vec<String>,
    /// The task, all of it.
    #[serde(default)]
    pub(super) task: Vec<String>,
    /// The adapter.
    #[serde(default)]
    pub(super) adapter: Vec<String>,
    /// The mode.
    #[serde(default)]
    pub(super) mode: Vec<String>,
    /// A tag, as `key:value`.
    #[serde(default)]
    pub(super) tag: Vec<String>,
    /// Runs that started at this time or later: an RFC 3339 date-time, a date, `today`,
    /// `yesterday`, or a length before now such as `1h`; in UTC without an offset. `(none)` for
    /// runs whose start is not known.
    #[schemars(extend("pattern" = format!(r"^(\(none\)|{TIME})$")))]
    pub(super) since: Option<String>,
    /// Runs that started before this time.
    #[schemars(extend("pattern" = format!("^({TIME})$")))]
    pub(super) until: Option<String>,
    /// `true`, `false` or `undecided`.
    #[schemars(schema_with = "valid_words")]
    #[serde(default)]
    pub(super) valid: Vec<String>,
    /// A verdict; of the runs that are not valid, it tells those that break a rule of the team.
    #[schemars(schema_with = "words_of::<Verdict>")]
    #[serde(default)]
    pub(super) verdict: Vec<Verdict>,
    /// A tool that the run called or wanted to call.
    #[serde(default)]
    pub(super) tool: Vec<String>,
    /// `error` or `denied`: runs with a call, of `tool` where that is given, that returned an
    /// error, or that a rule or a person denied.
    #[schemars(schema_with = "words_of::<CallResult>")]
    #[serde(default)]
    pub(super) call: Vec<String>,
    /// Words that the id, the directory or the task contain, in upper or lower case.
    pub(super) q: Option<String>,
    /// Words that are all in one text, key or number of the events, the state, the summary or
    /// `learn.jsonl`, in upper or lower case, as a reader sees them. A page ends after 64 MiB too,
    /// and may then have fewer runs than the limit, or none: `next` goes on.
    pub(super) text: Option<String>,
    /// A length of time such as `15m`: runs in progress that are not paused, and of which no file
    /// was written for so long.
    #[schemars(extend("pattern" = "^[0-9]+[smhd]$"))]
    pub(super) silent_for: Option<String>,
    /// The duration in seconds, as `LOW..HIGH`; the end is not included, and either may be left
    /// out.
    #[schemars(extend("pattern" = format!(r"^({NUMBER})?\.\.({NUMBER})?$")))]
    pub(super) duration: Option<String>,
    /// A latency in milliseconds, as `NAME` or as `NAME..LOW..HIGH`; the end is not included.
    pub(super) latency: Option<String>,
    /// A metric of the outcomes, as `NAME` or as `NAME..LOW..HIGH`; the end is not included.
    pub(super) metric: Option<String>,
    /// `errors`, `warnings`, `unjudged` or `suppressed`: runs with at least one.
    #[schemars(schema_with = "words_of::<Tallied>")]
    #[serde(default)]
    pub(super) has: Vec<String>,
    /// The order: `started`, `duration`, `id`, `dir`, `task`, `status`, `outcome`, `adapter`,
    /// `mode`, `valid` or `metric:NAME`, from the highest with a `-` before it [default: -started].
    #[schemars(extend("pattern" = SortQuery::pattern()))]
    pub(super) sort: Option<String>,
}

/// One page of runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct RunList {
    /// The runs.
    #[schemars(with = "Vec<RunItem<'static>>")]
    #[serde(serialize_with = "serialize_items")]
    pub(super) items: Vec<Arc<RunEntry>>,
    /// The number of runs that match, on all pages; with `text`, of those that match without it.
    pub(super) total: usize,
    /// What was searched for `text`; absent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) searched: Option<Searched>,
    /// The number of runs that were judged so far, whether or not they match.
    pub(super) judged: usize,
    /// The number of runs that were found, judged or not; null while they are searched for the
    /// first time.
    #[schemars(required, schema_with = "crate::ground::record::nullable::<usize>")]
    pub(super) found: Option<usize>,
    /// `true` if all runs were looked at, and there are no faults.
    pub(super) complete: bool,
    /// The instant that `since` of the query means, in UTC; null without one.
    #[schemars(required, schema_with = "crate::ground::record::nullable::<String>")]
    pub(super) since: Option<String>,
    /// The instant that `until` means.
    #[schemars(required, schema_with = "crate::ground::record::nullable::<String>")]
    pub(super) until: Option<String>,
    /// The `cursor` of the query for the next page; null on the last page.
    #[schemars(required, schema_with = "crate::ground::record::nullable::<String>")]
    pub(super) next: Option<String>,
}

/// A run that matches.
struct Match<'e> {
    place: OrderedPlace<'e>,
    path: &'e Path,
    run: &'e RunEntry,
}

impl RunQuery {
    /// Returns the word of the order.
    fn sort_word(&self) -> &str {
        self.sort
            .as_deref()
            .unwrap_or("-started")
    }

    /// Returns the place in the order after which the page begins.
    fn after(&self) -> Result<Option<Cursor>, Problem> {
        self.cursor
            .as_deref()
            .map(|text| Cursor::read(text, self.sort_word()))
            .transpose()
            .map_err(Problem::bad)
    }

    /// Returns the page of runs that the query asks for.
    pub(super) fn page(&self, service: &Service, asker: &Asker) -> Result<RunList, Problem> {
        let limit = limit(self.limit.as_deref(), DEFAULT_LIMIT).map_err(Problem::bad)?;
        let sort = SortQuery::read(self.sort_word()).map_err(Problem::bad)?;
        let cursor = self.after()?;
        let filter = self.filter().map_err(Problem::bad)?;
        let (is_complete, found_so_far) = {
            let index = service.index();
            (index.is_complete(), index.found())
        };

        let runs = known(service);
        let mut total = 0;
        let mut found: Vec<Match<'_>> = Vec::new();

        for (path, run) in &runs {
            let path = Path::new(path);
            if !filter.admits_cut(run, || whole(service, path, run)) {
                asker.check()?;
                continue;
            }

            total += 1;
            let place = sort.place(run);
            if sort.is_after(place, cursor.as_ref()) {
                found.push(Match { place, path, run });
            }
        }

        let is_cut = filter.text.is_empty() && found.len() > limit;
        let order = |one: &Match<'_>, other: &Match<'_>| sort.compare(one.place, other.place);
        if is_cut {
            // Only what is on the page is sorted.
            found.select_nth_unstable_by(limit, order);
            found.truncate(limit);
        }

        found.sort_unstable_by(order);
        let (items, searched) = shown(service, &found, &filter, limit, asker)?;
        let done = searched
            .as_ref()
            .map_or(items.len(), |it| it.runs);
        let last = done
            .checked_sub(1)
            .and_then(|last| found.get(last))
            .filter(|_| is_cut || done < found.len());

        Ok(RunList {
            next: last.map(|last| Cursor::after(self.sort_word(), last.place)),
            items,
            total,
            searched,
            judged: runs.len(),
            found: found_so_far,
            complete: is_complete,
            since: filter
                .since
                .as_ref()
                .map(Timestamp::utc),
            until: filter
                .until
                .as_ref()
                .map(Timestamp::utc),
        })
    }

    fn filter(&self) -> Result<RunFilter, String> {
        let is_undated = self.since.as_deref() == Some(NONE);
        let since = self
            .since
            .as_deref()
            .filter(|_| !is_undated);

        Ok(RunFilter {
            statuses: self.status.clone(),
            outcomes: self.outcome.clone(),
            since: since
                .map(|text| instant("since", text))
                .transpose()?,
            until: (self.until.as_deref())
                .map(|text| instant("until", text))
                .transpose()?,
            is_undated,
            ended: self.ended.clone(),
            tasks: self.task.clone(),
            adapters: self.adapter.clone(),
            modes: self.mode.clone(),
            tags: self.tag.clone(),
            rules: self.rule.clone(),
            valid: each(&self.valid, validity)?,
            verdicts: self
                .verdict
                .iter()
                .map(ToString::to_string)
                .collect(),
            has: each(&self.has, |word| {
                Tallied::of_word(word)
                    .ok_or("`has` is `errors`, `warnings`, `unjudged` or `suppressed`")
            })?,
            duration: self
                .duration
                .as_deref()
                .map(range)
                .transpose()?,
            latencies: figures(self.latency.as_deref())?,
            metrics: figures(self.metric.as_deref())?,
            tools: self.tool.clone(),
            calls: each(&self.call, |word| {
                CallResult::of_word(word).ok_or("`call` is `error` or `denied`")
            })?,
            words: search_words(searched("q", self.q.as_deref())?),
            text: TextSearch::new(searched("text", self.text.as_deref())?),
            silent_for: (self.silent_for.as_deref())
                .map(|text| {
                    RunFilter::silence(text).map_err(|wrong| format!("`silent_for`: {wrong}"))
                })
                .transpose()?,
        })
    }
}

fn each<T>(
    words: &[String],
    read: impl Fn(&str) -> Result<T, &'static str>,
) -> Result<Vec<T>, &'static str> {
    words
        .iter()
        .map(|word| read(word))
        .collect()
}

fn validity(word: &str) -> Result<Option<bool>, &'static str> {
    match word {
        "true" | "yes" => Ok(Some(true)),
        "false" | "no" => Ok(Some(false)),
        "undecided" => Ok(None),
        _ => Err("`valid` is `true`, `false` or `undecided`"),
    }
}

/// Returns the runs to show of those that match, and what was searched for it.
fn shown(
    service: &Service,
    found: &[Match<'_>],
    filter: &RunFilter,
    limit: usize,
    asker: &Asker,
) -> Result<(Vec<Arc<RunEntry>>, Option<Searched>), Problem> {
    if filter.text.is_empty() {
        return Ok((items(service, found, filter), None));
    }

    let runs: Vec<_> = found
        .iter()
        .map(|found| (found.path, found.run))
        .collect();
    let found = service.search(&runs, filter, limit, asker)?;
    Ok((found.items, Some(found.searched)))
}

/// Returns all runs by their paths. What is read of them keeps nobody from adding others.
fn known(service: &Service) -> Vec<(Arc<OsStr>, Arc<RunEntry>)> {
    service
        .index()
        .entries()
        .iter()
        .map(|(path, run)| (Arc::clone(path), Arc::clone(run)))
        .collect()
}

/// Returns the runs of a page, whole, as many as there is room for, with the places of the calls
/// that are asked for.
fn items(service: &Service, found: &[Match<'_>], filter: &RunFilter) -> Vec<Arc<RunEntry>> {
    let mut bytes = 0;
    found
        .iter()
        .map_while(|found| {
            let mut run = found
                .run
                .is_cut
                .then(|| whole(service, found.path, found.run))
                .flatten()
                .unwrap_or_else(|| found.run.clone());
            filter.add_calls(&mut run);
            let has_room = bytes <= MAX_LIST_BYTES;
            bytes += run.bytes();
            has_room.then(|| Arc::new(run))
        })
        .collect()
}

/// Returns a run of which something was cut as its records have it, if they can be read.
fn whole(service: &Service, path: &Path, run: &RunEntry) -> Option<RunEntry> {
    let records = service.open(path).ok()?.entry();
    Some(run.clone().whole(records))
}

fn figures(text: Option<&str>) -> Result<Vec<FigureRange>, &'static str> {
    text.into_iter()
        .map(FigureRange::read)
        .collect()
}

fn valid_words(_: &mut SchemaGenerator) -> Schema {
    words(&["true", "false", "undecided"])
}

fn words_of<W: WordsOfEnum>(_: &mut SchemaGenerator) -> Schema {
    words(
        &W::ALL
            .iter()
            .map(|it| it.word())
            .collect::<Vec<_>>(),
    )
}

fn words(words: &[&str]) -> Schema {
    json_schema!({"type": "array", "items": {"type": "string", "enum": words}})
}

fn instant(name: &str, text: &str) -> Result<Timestamp, String> {
    RunFilter::time(text).map_err(|expected| format!("`{name}` is {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn described_times_are_those_that_are_understood() {
        let described = regex::Regex::new(&format!("^({TIME})$")).unwrap();
        for text in [
            "today",
            "-7d",
            "90s",
            "1w",
            "2026-03-01",
            "2026-3-1",
            "2026-03-01T12",
            "2026-03-01T12:00",
            "2026-03-01T12:00Z",
            "2026-03-01 12:00:00",
            "2026-03-01t12:00:00z",
            "2026-03-01T12:00:00.5",
            "2026-03-01T12:00:00.",
            "2026-03-01T12:00:00+02:00",
            "2026-03-01T12:00:00+24:00",
            "2026-03-01T12:00:61Z",
            "2016-12-31T23:59:60",
        ] {
            assert_eq!(
                described.is_match(text),
                instant("since", text).is_ok(),
                "{text}"
            );
        }
    }
}
