//! `runvet.toml`, the packs that it names and their schema files -> what the team declares, its
//! rules, and all mistakes.

mod orders;
mod rules;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Retrieve, Uri, ValidationError};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use toml::Spanned;

use super::tables::{
    Data, ExampleTable, ExpectWord, Pack, Params, Said, SchemaTable, VersionedRecord,
};
use super::{Config, ConfigError, ConfigSource};
use crate::document::Tape;
use crate::finding::{Level, RuleInfo};
use crate::printable::{brief, in_address, quote};
use crate::rule::{Check, Rule, TeamCheck};
use crate::rules::{ALL, RuleSet};
use crate::schema::{self, DeclaredSchema};
use crate::select::{Glob, Path, Selector, Values, Wanted, key_path, key_words};
use crate::source::{Artifact, Pointer};
use crate::spelling::nearest;
use crate::store;
use crate::team::{Closed, Example, Expect, Judged, OtherFile, Team, TeamSchema, Version};

/// The number of rules that a team can declare.
const MAX_RULES: usize = 1_000;

/// The number of bytes of a pack or a schema file.
const MAX_BYTES: usize = 1 << 20;

/// The groups of rules that are built in, besides those that have rules.
const RESERVED: [&str; 1] = ["coverage"];

/// The records that a schema can judge.
const RECORDS: [&str; 6] = ["event", "action", "state", "summary", "learn", "manifest"];

/// Where the schemas of a directory are, as their references see it.
const ROOT: &str = "file:///runvet-configuration/";

/// The texts of the files that a configuration names, by their paths.
pub(crate) type Texts = BTreeMap<PathBuf, String>;

/// The files that a configuration names: as they were given, or else as they were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files(Arc<Mutex<KnownFiles>>);

#[derive(Debug, Default)]
struct KnownFiles {
    /// Those that were given, and that no configuration has named yet.
    given: Texts,
    named: Texts,
}

impl Files {
    pub(crate) fn given(texts: Texts) -> Self {
        let known = KnownFiles {
            given: texts,
            named: Texts::new(),
        };
        Self(Arc::new(Mutex::new(known)))
    }

    fn text(&self, path: &FilePath) -> Result<String, String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = known.named.get(path) {
            return Ok(text.clone());
        }
        let text = match known.given.remove(path) {
            Some(text) => text,
            None => read(path)?,
        };
        known.named.insert(path.to_owned(), text.clone());
        Ok(text)
    }

    /// All that a configuration named.
    pub(crate) fn texts(&self) -> Texts {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.named.clone()
    }
}

fn read(path: &FilePath) -> Result<String, String> {
    let text = store::read_trusted(path).map_err(|error| error.to_string())?;
    if text.len() > MAX_BYTES {
        return Err(format!("it is longer than {} MiB", MAX_BYTES >> 20));
    }
    Ok(text)
}

/// What references of a schema reach: files below a directory, and the built-in schemas.
struct Reached {
    dir: PathBuf,
    files: Files,
}

impl Retrieve for Reached {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let uri = uri.as_str();
        let built_in = match uri.strip_prefix("urn:runvet:schema:") {
            Some("state") => Some(&schema::STATE),
            Some("summary") => Some(&schema::SUMMARY),
            Some("event") => Some(&schema::EVENT),
            _ => None,
        };
        if let Some(built_in) = built_in {
            return Ok(serde_json::from_str(built_in.text())?);
        }
        let below = uri.strip_prefix(ROOT).map(percent_decode_str);
        let path = below.ok_or("it is neither a file below the directory of the configuration nor `urn:runvet:schema:state`, `summary` or `event`")?;
        let path = path.decode_utf8()?;
        let text = self.files.text(&self.dir.join(&*path))?;
        Ok(serde_json::from_str(&text)?)
    }
}

/// What a team declares, while it is read.
pub(super) struct Reader<'m> {
    files: &'m Files,
    mistakes: &'m mut Vec<ConfigError>,
    team: Team,
    rules: Vec<Rule>,
    /// The ids that are taken, and by what.
    taken: BTreeMap<String, String>,
    /// The parameters of `runvet.toml`, which take precedence.
    set: BTreeMap<String, Value>,
    /// Those of the file that is read.
    params: BTreeMap<String, Value>,
}

/// The selectors that have names, each as it is written, and read as one of events.
type Named = BTreeMap<String, (Data, Option<Selector>)>;

/// What is said of a rule: by its author, and in place of what they leave out.
struct RuleTexts<'t> {
    said: Said<'t>,
    title: &'t str,
    help: &'t str,
    /// A part of its page.
    details: &'t str,
}

/// The values of parameters.
fn values(params: &Params) -> BTreeMap<String, Value> {
    let params = params.iter();
    params
        .map(|(name, value)| (name.get_ref().clone(), value.get_ref().to_json()))
        .collect()
}

/// Reads all that a configuration declares of a team, its packs included.
pub(crate) fn read_team(
    file: ConfigSource<'_>,
    config: &Config,
    files: &Files,
    mistakes: &mut Vec<ConfigError>,
) -> RuleSet {
    let mut reader = Reader {
        files,
        mistakes,
        team: Team::default(),
        rules: Vec::new(),
        taken: BTreeMap::new(),
        set: values(&config.params),
        params: BTreeMap::new(),
    };
    reader.tables(file, &config.team());
    for pack in &config.packs {
        reader.pack(file, pack);
    }
    RuleSet::with(reader.rules, reader.team)
}

impl Reader<'_> {
    fn mistake(
        &mut self,
        file: ConfigSource<'_>,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.mistakes.push(file.error(span, message, help));
    }

    fn pack(&mut self, file: ConfigSource<'_>, named: &Spanned<PathBuf>) {
        let path = file.dir.join(named.get_ref());
        let text = match self.files.text(&path) {
            Ok(text) => text,
            Err(why) => {
                let name = quote(&named.get_ref().to_string_lossy());
                let message = format!("the pack {name} can't be read: {why}");
                return self.mistake(file, named.span(), message, None);
            }
        };
        let name = path.to_string_lossy();
        let pack = ConfigSource {
            name: &name,
            dir: path.parent().unwrap_or(FilePath::new("")),
            text: &text,
        };
        let (tables, mut mistakes) = pack.read_pack();
        self.mistakes.append(&mut mistakes);
        self.tables(pack, &tables);
    }

    /// Reads the tables of one file.
    fn tables(&mut self, file: ConfigSource<'_>, tables: &Pack) {
        self.params = values(&tables.params);
        self.params.extend(self.set.clone());
        let mut named = BTreeMap::new();
        for (name, entries) in &tables.selector {
            let selector = self.entries(file, entries.get_ref(), Judged::Event);
            named.insert(
                name.get_ref().clone(),
                (entries.get_ref().clone(), selector),
            );
        }
        for (key, values) in &tables.vocabulary {
            let path = self.key(file, key, Judged::Event);
            let values = values_of(values.get_ref());
            if let (Some(key), Some(values)) = (path, values) {
                let known = self
                    .team
                    .vocabulary
                    .iter_mut()
                    .find(|known| known.key == key);
                match known {
                    Some(known) => known.values.any_of.extend(values.any_of),
                    None => self.team.vocabulary.push(Closed { key, values }),
                }
            }
        }
        for table in &tables.versions {
            let span = table.is.span();
            let schema = self.compiled(file, table.file.as_ref(), table.schema.as_ref(), span);
            let artifact = match table.record.get_ref() {
                VersionedRecord::State => Artifact::State,
                VersionedRecord::Summary => Artifact::Summary,
            };
            self.team.versions.extend(schema.map(|schema| Version {
                artifact,
                is: Glob::new(table.is.get_ref()),
                schema,
            }));
        }
        for table in &tables.schemas {
            self.schema(file, table, &named);
        }
        for table in &tables.orders {
            self.order(file, table, &named);
        }
        for table in &tables.rules {
            self.rule(file, table, &named);
        }
    }

    fn schema(&mut self, file: ConfigSource<'_>, table: &SchemaTable, named: &Named) {
        let is_free = self.take(file, &table.id);
        let judged = self.record(file, table);
        let selector = match &table.selector {
            Some(selector) if matches!(judged, Some(Judged::Whole(_) | Judged::Other(_))) => {
                let message = "`where` goes with the records `event` and `action`";
                self.mistake(file, selector.span(), message, None);
                None
            }
            Some(selector) => self.selector(file, selector, judged.unwrap_or(Judged::Event), named),
            None => Some(Selector::default()),
        };
        let at = table.at.as_ref().map_or("", |at| at.get_ref());
        let schema = self.compiled(
            file,
            table.file.as_ref(),
            table.schema.as_ref(),
            table.id.span(),
        );
        let (Some(selector), Some(at), Some(schema)) = (selector, Path::parse(at), schema) else {
            return;
        };
        let Some(judged) = judged else { return };
        if !is_free {
            return;
        }
        let examples = self.examples(file, table);
        let check = Check::Team(TeamCheck::Schema {
            index: self.team.schemas.len(),
            judged,
            has_help: table.help.is_some(),
        });
        let id = table.id.get_ref();
        let text = serde_json::to_string_pretty(schema.text()).unwrap_or_default();
        let texts = RuleTexts {
            said: table.said(),
            title: &format!("a value violates the schema of `{id}`"),
            help: &format!(
                "Correct the program that writes it; `runvet explain {id}` shows the schema."
            ),
            details: &format!("## The schema\n\n```json\n{text}\n```\n\n"),
        };
        self.rule_of(file, &table.id, &texts, check);
        self.team.schemas.push(TeamSchema {
            record: judged,
            selector,
            at,
            schema,
            examples,
            expect: match table.expect.as_ref().map(|expect| *expect.get_ref()) {
                Some(ExpectWord::Always) => Expect::Always,
                Some(ExpectWord::Ended) => Expect::Ended,
                Some(ExpectWord::Optional) | None => Expect::Never,
            },
        });
    }

    /// What a table judges.
    fn record(&mut self, file: ConfigSource<'_>, table: &SchemaTable) -> Option<Judged> {
        let Some(record) = &table.record else {
            self.refuse_expect(file, table);
            return Some(Judged::Event);
        };
        let judged = match &**record.get_ref() {
            "event" => Judged::Event,
            "action" => Judged::Action,
            "state" => Judged::Whole(Artifact::State),
            "summary" => Judged::Whole(Artifact::Summary),
            "learn" => Judged::Whole(Artifact::Learn),
            "manifest" => Judged::Whole(Artifact::Manifest),
            name => {
                let file_at = self.other_file(file, record.span(), name)?;
                return Some(Judged::Other(file_at));
            }
        };
        self.refuse_expect(file, table);
        Some(judged)
    }

    fn refuse_expect(&mut self, file: ConfigSource<'_>, table: &SchemaTable) {
        if let Some(expect) = &table.expect {
            let message = "`expect` goes with files besides the artifacts";
            self.mistake(file, expect.span(), message, None);
        }
    }

    /// The place of another file among those that are named.
    fn other_file(
        &mut self,
        file: ConfigSource<'_>,
        span: Range<usize>,
        name: &str,
    ) -> Option<usize> {
        let own = Artifact::ALL.into_iter().find(|it| it.file_name() == name);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let has_ending = matches!(ending, Some("json" | "jsonl"));
        if own.is_some() || !has_ending || name.contains(['/', '\\', '\0']) {
            let meant = own.map(|own| match own {
                Artifact::Events => "event",
                other => other.name(),
            });
            let help = match meant.or_else(|| nearest(name, RECORDS)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!(
                    "expected one of: {}, or the name of a file that ends with `.json` or `.jsonl`",
                    RECORDS.join(", ")
                ),
            };
            self.mistake(
                file,
                span,
                format!("unknown value {}", quote(name)),
                Some(help),
            );
            return None;
        }
        let files = &mut self.team.files;
        let known = files.iter().position(|known| *known.name == *name);
        Some(known.unwrap_or_else(|| {
            files.push(OtherFile { name: name.into() });
            files.len() - 1
        }))
    }

    fn examples(&mut self, file: ConfigSource<'_>, table: &SchemaTable) -> Vec<Example> {
        let mut examples = Vec::new();
        for ExampleTable { value, valid } in &table.examples {
            if let Err(error) = Tape::default().read(value.get_ref().as_bytes()) {
                self.mistake(file, value.span(), format!("it is no JSON: {error}"), None);
            }
            examples.push(Example {
                value: value.get_ref().clone(),
                valid: *valid,
                place: format!("{}:{}", file.name, file.line(&value.span())),
            });
        }
        examples
    }

    /// Adds a rule with its texts.
    fn rule_of(
        &mut self,
        file: ConfigSource<'_>,
        id: &Spanned<String>,
        texts: &RuleTexts<'_>,
        check: Check,
    ) {
        let (name, said) = (id.get_ref(), &texts.said);
        let title = said.title.unwrap_or(texts.title);
        let hint = said.help.unwrap_or(texts.help);
        let place = format!("{}:{}", file.name, file.line(&id.span()));
        let why = said
            .why
            .map(|why| format!("## Why it matters\n\n{why}\n\n"));
        let url = said.url.map(|url| format!("\nMore: <{url}>\n"));
        let page = format!(
            "{title}. The rule is declared in `{}`.\n\n{}{}## How to fix it\n\n{hint}\n{}",
            brief(&place),
            why.unwrap_or_default(),
            texts.details,
            url.unwrap_or_default()
        );
        let info = RuleInfo {
            id: name.clone().into(),
            level: said.level.unwrap_or(Level::Error),
            title: title.to_owned().into(),
            hint: hint.to_owned().into(),
            page: page.into(),
            url: said.url.map(str::to_owned),
            tags: said.tags.to_vec(),
        };
        self.rules.push(Rule::with_info(info, check));
    }

    /// Takes an id; returns whether it was free.
    fn take(&mut self, file: ConfigSource<'_>, id: &Spanned<String>) -> bool {
        let name = id.get_ref();
        let group = name.split('/').next().unwrap_or_default();
        let has_group = |rule: &&&Rule| rule.info.id.split('/').next() == Some(group);
        if RESERVED.contains(&group) || ALL.iter().any(|rule| has_group(&rule)) {
            let message = format!("the group `{group}` is one of built-in rules");
            let help = "Give it a group of your own, such as the name of the team.";
            self.mistake(file, id.span(), message, Some(help.into()));
            return false;
        }
        let place = format!("{}:{}", file.name, file.line(&id.span()));
        if let Some(before) = self.taken.get(name) {
            let message = format!("the id `{name}` is taken by {}", brief(before));
            self.mistake(file, id.span(), message, None);
            return false;
        }
        self.taken.insert(name.clone(), place);
        if self.taken.len() > MAX_RULES {
            let message = format!("there are more than {MAX_RULES} rules of the team");
            self.mistake(file, id.span(), message, None);
            return false;
        }
        true
    }

    /// The path that a key of a selector stands for.
    fn key(
        &mut self,
        file: ConfigSource<'_>,
        key: &Spanned<String>,
        judged: Judged,
    ) -> Option<Path> {
        let name = key.get_ref();
        let of_action = judged == Judged::Action;
        let path = key_path(name, of_action);
        if path.is_none() {
            let words: Vec<&str> = key_words(of_action).map(|(word, _)| word).collect();
            let help = match nearest(name, words.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("expected {}, or a JSON Pointer", words.join(", ")),
            };
            let message = format!("unknown key {} of a selector", quote(name));
            self.mistake(file, key.span(), message, Some(help));
        }
        path
    }

    fn selector(
        &mut self,
        file: ConfigSource<'_>,
        selector: &Spanned<Data>,
        judged: Judged,
        named: &Named,
    ) -> Option<Selector> {
        let Data::Text(name) = selector.get_ref() else {
            return self.entries(file, selector.get_ref(), judged);
        };
        match named.get(name) {
            Some((entries, _)) if judged == Judged::Action => self.entries(file, entries, judged),
            Some((_, of_events)) => of_events.clone(),
            None => {
                let message = format!("there is no selector called {}", quote(name));
                let help = nearest(name, named.keys().map(String::as_str));
                let help = help.map(|meant| format!("did you mean `{meant}`?"));
                self.mistake(file, selector.span(), message, help);
                None
            }
        }
    }

    fn entries(
        &mut self,
        file: ConfigSource<'_>,
        entries: &Data,
        judged: Judged,
    ) -> Option<Selector> {
        let Data::Table(entries) = entries else {
            return None;
        };
        let mut tests = Vec::new();
        let mut is_whole = true;
        for (key, values) in entries {
            let path = self.key(file, key, judged);
            match path.zip(values_of(values.get_ref())) {
                Some(test) => tests.push(test),
                None => is_whole = false,
            }
        }
        is_whole.then_some(Selector(tests))
    }

    /// The schema of a table, compiled.
    fn compiled(
        &mut self,
        file: ConfigSource<'_>,
        named: Option<&Spanned<String>>,
        written: Option<&Spanned<Data>>,
        table: Range<usize>,
    ) -> Option<DeclaredSchema> {
        match (named, written) {
            (Some(named), None) => self.of_file(file, named),
            (None, Some(schema)) => {
                let text = schema.get_ref().to_json();
                let address = format!("{ROOT}{}", in_address("runvet.toml"));
                let compiled = DeclaredSchema::new(text, address, self.reached(file.dir));
                compiled
                    .map_err(|error| {
                        let span = place_in(schema, error.instance_path().as_str());
                        self.mistake(file, span, wrong(&error), None);
                    })
                    .ok()
            }
            (Some(_), Some(schema)) => {
                let message = "`file` and `schema` exclude each other";
                self.mistake(file, schema.span(), message, None);
                None
            }
            (None, None) => {
                let message = "the schema is missing: neither `file` nor `schema` is there";
                self.mistake(file, table, message, None);
                None
            }
        }
    }

    fn reached(&self, dir: &FilePath) -> Reached {
        Reached {
            dir: dir.to_owned(),
            files: self.files.clone(),
        }
    }

    /// The schema in a file that a table names.
    fn of_file(
        &mut self,
        file: ConfigSource<'_>,
        named: &Spanned<String>,
    ) -> Option<DeclaredSchema> {
        let path = file.dir.join(named.get_ref());
        let text = match self.files.text(&path) {
            Ok(text) => text,
            Err(why) => {
                let name = quote(named.get_ref());
                let message = format!("the schema file {name} can't be read: {why}");
                self.mistake(file, named.span(), message, None);
                return None;
            }
        };
        let name = path.to_string_lossy();
        let schema = ConfigSource {
            name: &name,
            dir: file.dir,
            text: &text,
        };
        let from = format!("{}:{}", file.name, file.line(&named.span()));
        let from = format!("(named by {})", brief(&from));
        let parsed = match serde_json::from_str::<Value>(&text) {
            Ok(parsed) => parsed,
            Err(error) => {
                let at = offset_of(&text, error.line(), error.column());
                self.mistake(
                    schema,
                    at..at,
                    format!("it is no JSON: {error} {from}"),
                    None,
                );
                return None;
            }
        };
        let below = named.get_ref();
        let is_below = !below.split('/').any(|part| part == "..") && !below.starts_with('/');
        let (dir, address) = if is_below {
            (file.dir.to_owned(), below.clone())
        } else {
            let dir = path.parent().unwrap_or(FilePath::new(""));
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (dir.to_owned(), name.into_owned())
        };
        let address = format!("{ROOT}{}", in_address(address.trim_start_matches("./")));
        let compiled = DeclaredSchema::new(parsed, address, self.reached(&dir));
        compiled
            .map_err(|error| {
                let pointer = Pointer::new(error.instance_path().as_str());
                let mut tape = Tape::default();
                let document = tape.read(text.as_bytes()).ok();
                let found = document.and_then(|it| it.resolve([&pointer]).into_iter().next()?);
                let span = found.map_or(0..0, |found| found.value.span());
                self.mistake(schema, span, format!("{} {from}", wrong(&error)), None);
            })
            .ok()
    }
}

/// Why a schema is none, as a sentence.
fn wrong(error: &ValidationError<'_>) -> String {
    format!("the schema can't be used: {}", brief(&error.to_string()))
}

/// The place of the value that a pointer leads to, or of the nearest value around it.
fn place_in(whole: &Spanned<Data>, pointer: &str) -> Range<usize> {
    let pointer = Pointer::new(pointer);
    let mut at = whole;
    for token in pointer.tokens() {
        let below = match at.get_ref() {
            Data::Table(members) => {
                let mut members = members.iter();
                members
                    .find(|(key, _)| *key.get_ref() == *token)
                    .map(|(_, value)| value)
            }
            Data::List(items) => token.parse().ok().and_then(|index: usize| items.get(index)),
            _ => None,
        };
        match below {
            Some(below) => at = below,
            None => break,
        }
    }
    at.span()
}

fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    before.map(str::len).sum::<usize>() + column.saturating_sub(1)
}

/// The values that a selector or a vocabulary names; `None` where they have another form, which the
/// schema of the file says.
fn values_of(data: &Data) -> Option<Values> {
    let (data, negated) = match data {
        Data::Table(members) => match &**members {
            [(key, values)] if key.get_ref() == "not" => (values.get_ref(), true),
            _ => return None,
        },
        other => (other, false),
    };
    let any_of: Option<Vec<Wanted>> = match data {
        Data::List(items) => items.iter().map(|item| wanted(item.get_ref())).collect(),
        one => Some(vec![wanted(one)?]),
    };
    Some(Values {
        any_of: any_of.filter(|values| !values.is_empty())?,
        negated,
    })
}

fn wanted(data: &Data) -> Option<Wanted> {
    Some(match data {
        Data::Text(text) => Wanted::Text(Glob::new(text)),
        Data::Scalar(Value::Bool(value)) => Wanted::Boolean(*value),
        Data::Scalar(Value::Number(number)) => Wanted::Number(number.to_string()),
        _ => return None,
    })
}
