//! The tables of a team's schemas -> compiled schemas, and their mistakes.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use jsonschema::ReferencingError::{self, NoSuchAnchor, PointerToNowhere, Unretrievable};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;
use toml::Spanned;

use super::{FileReader, RuleTexts};
use crate::config::ConfigSource;
use crate::config::files::{ROOT, Reached};
use crate::config::reading::MAX_MISTAKES;
use crate::config::tables::{Data, ExampleTable, SchemaTable};
use crate::document::Tape;
use crate::printable::{brief, in_address, quote};
use crate::rule::{Check, TeamCheck};
use crate::schema::DeclaredSchema;
use crate::select::{KeyPath, Selector};
use crate::source::{Artifact, Pointer};
use crate::spelling::nearest;
use crate::team::{Example, Expect, Judged, OtherFile, TeamSchema};

/// The records that a schema can judge.
const RECORDS: [&str; 6] = ["event", "action", "state", "summary", "learn", "manifest"];

impl FileReader<'_, '_> {
    pub(super) fn schema(&mut self, table: &SchemaTable) {
        let is_free = self.take(&table.id);
        let judged = self.record(table);
        let selector = match &table.selector {
            Some(selector) if matches!(judged, Some(Judged::Whole(_) | Judged::Other(_))) => {
                let message = "`where` is allowed only with the records `event` and `action`";
                self.mistake(selector.span(), message, None);
                None
            }
            Some(selector) => self.selector(selector, judged.unwrap_or(Judged::Event)),
            None => Some(Selector::default()),
        };
        let at = table.at.as_ref().map_or("", |at| at.get_ref());
        let schema = self.compiled(table.file.as_ref(), table.schema.as_ref(), table.id.span());
        let (Some(judged), Some(selector), Some(at), Some(schema), true) =
            (judged, selector, KeyPath::parse(at), schema, is_free)
        else {
            return;
        };
        let examples = self.examples(table);
        let check = Check::Team(TeamCheck::Schema(self.all.team.schemas.len()));
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
        self.rule_of(&table.id, &texts, check);
        self.all.team.schemas.push(Arc::new(TeamSchema {
            record: judged,
            selector,
            at,
            schema,
            examples,
            expect: (table.expect.as_ref()).map_or(Expect::Optional, |it| *it.get_ref()),
            has_help: table.help.is_some(),
        }));
    }

    /// What a table judges.
    fn record(&mut self, table: &SchemaTable) -> Option<Judged> {
        let record = table.record.as_ref();
        let judged = match record.map_or("event", |record| record.get_ref()) {
            "event" => Judged::Event,
            "action" => Judged::Action,
            "state" => Judged::Whole(Artifact::State),
            "summary" => Judged::Whole(Artifact::Summary),
            "learn" => Judged::Whole(Artifact::Learn),
            "manifest" => Judged::Whole(Artifact::Manifest),
            name => return self.other_file(record?.span(), name).map(Judged::Other),
        };
        if let Some(expect) = &table.expect {
            let message = "`expect` is allowed only with files that are not artifacts";
            self.mistake(expect.span(), message, None);
        }
        Some(judged)
    }

    /// The place of another file among those that are named.
    fn other_file(&mut self, span: Range<usize>, name: &str) -> Option<usize> {
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
            self.mistake(span, format!("unknown value {}", quote(name)), Some(help));
            return None;
        }
        let files = &mut self.all.team.files;
        let known = files.iter().position(|known| *known.name == *name);
        Some(known.unwrap_or_else(|| {
            files.push(OtherFile { name: name.into() });
            files.len() - 1
        }))
    }

    fn examples(&mut self, table: &SchemaTable) -> Vec<Example> {
        let mut examples = Vec::new();
        for ExampleTable { value, valid } in &table.examples {
            if let Err(error) = Tape::default().read(value.get_ref().as_bytes()) {
                let message = format!("the value is not JSON: {error}");
                self.mistake(value.span(), message, None);
            }
            examples.push(Example {
                value: value.get_ref().clone(),
                valid: *valid,
                place: self.file.place(&value.span()),
            });
        }
        examples
    }

    /// The schema of a table, compiled.
    pub(super) fn compiled(
        &mut self,
        named: Option<&Spanned<String>>,
        written: Option<&Spanned<Data>>,
        table: Range<usize>,
    ) -> Option<DeclaredSchema> {
        match (named, written) {
            (Some(named), None) => self.of_file(named),
            (None, Some(table)) => {
                let written = Written {
                    file: self.file,
                    schema: table.get_ref().to_json(),
                    table: Some(table),
                    from: &self.file.place(&table.span()),
                };
                self.compile(written, self.file.dir, "runvet.toml")
            }
            (Some(_), Some(schema)) => {
                let message = "`file` and `schema` exclude each other";
                self.mistake(schema.span(), message, None);
                None
            }
            (None, None) => {
                let message = "the schema is missing: neither `file` nor `schema` is there";
                self.mistake(table, message, None);
                None
            }
        }
    }

    /// The schema that is written at an address below a directory, compiled.
    fn compile(
        &mut self,
        written: Written<'_>,
        dir: &Path,
        address: &str,
    ) -> Option<DeclaredSchema> {
        let reached = Reached {
            dir: dir.to_owned(),
            files: self.all.files.clone(),
            paths: Arc::default(),
        };
        let address = format!("{ROOT}{}", in_address(address.trim_start_matches("./")));
        DeclaredSchema::new(written.schema.clone(), address, reached.clone())
            .map_err(|error| self.explain(written, &reached, &error))
            .ok()
    }

    /// Tells all mistakes of a schema that can't be used, and of the files that it reaches.
    fn explain(&mut self, root: Written<'_>, reached: &Reached, error: &ValidationError<'_>) {
        let paths = reached.paths.lock().map(|paths| paths.clone());
        let paths = paths.unwrap_or_default();
        let texts = paths
            .iter()
            .filter_map(|path| Some((path.to_string_lossy(), self.all.files.text(path).ok()?)));
        let texts: Vec<_> = texts.collect();
        let (dir, from) = (root.file.dir, root.from);
        let mut all = vec![root];
        for (name, text) in &texts {
            all.extend(self.parsed(ConfigSource { name, dir, text }, from));
        }
        let found = all.iter().flat_map(|it| {
            let found = mistakes_in(it.schema.clone(), reached).into_iter();
            found.map(move |(pointer, why)| (it, pointer, why))
        });
        let mut found: Vec<_> = found.collect();
        // What is left is a reference, what one leads to, or the schema as a whole.
        let at = error.instance_path().as_str();
        let place = |it: &Written<'_>| match error.kind() {
            Kind::Referencing(error) => reference(&it.schema, "", error),
            _ => (it.schema.pointer(at) == Some(error.instance())).then(|| at.to_owned()),
        };
        let is_left = match error.kind() {
            // A reference to what is not JSON is right.
            Kind::Referencing(_) => all.len() > texts.len(),
            _ => found.is_empty(),
        };
        if is_left {
            let placed = all.iter().rev().find_map(|it| Some((it, place(it)?)));
            let placed = placed.or_else(|| Some((all.first()?, String::new())));
            found.extend(placed.map(|(it, pointer)| (it, pointer, why(error))));
        }
        for (written, pointer, why) in found {
            let message = match written.table {
                Some(_) => format!("the schema can't be used: {why}"),
                None => format!("the schema can't be used: {why} (named by {})", brief(from)),
            };
            self.wrong_schema(written.file, written.place(&pointer), message);
        }
    }

    /// Tells a mistake, unless one was told at its place: schemas share files.
    fn wrong_schema(&mut self, file: ConfigSource<'_>, span: Range<usize>, message: String) {
        let error = file.error(span, message, None);
        if self
            .all
            .mistakes
            .iter()
            .all(|it| it.location != error.location)
        {
            self.all.mistakes.push(error);
        }
    }

    fn parsed<'f>(&mut self, file: ConfigSource<'f>, from: &'f str) -> Option<Written<'f>> {
        let parsed = serde_json::from_str(file.text).map_err(|error| {
            let at = offset_of(file.text, error.line(), error.column());
            let from = brief(from);
            let message = format!("the schema file is not JSON: {error} (named by {from})");
            self.wrong_schema(file, at..at, message);
        });
        Some(Written {
            file,
            schema: parsed.ok()?,
            table: None,
            from,
        })
    }

    /// The schema in a file that a table names.
    fn of_file(&mut self, named: &Spanned<String>) -> Option<DeclaredSchema> {
        let path = self.file.dir.join(named.get_ref());
        let text = match self.all.files.schema(&path) {
            Ok(text) => text,
            Err(why) => {
                let name = quote(named.get_ref());
                let message = format!("the schema file {name} can't be read: {why}");
                self.mistake(named.span(), message, None);
                return None;
            }
        };
        let name = path.to_string_lossy();
        let schema = ConfigSource {
            name: &name,
            dir: self.file.dir,
            text: &text,
        };
        let from = self.file.place(&named.span());
        let written = self.parsed(schema, &from)?;
        let below = named.get_ref();
        let is_below = !below.split('/').any(|part| part == "..") && !below.starts_with('/');
        let (dir, address) = if is_below {
            (self.file.dir, below.into())
        } else {
            let dir = path.parent().unwrap_or(Path::new(""));
            (dir, path.file_name().unwrap_or_default().to_string_lossy())
        };
        self.compile(written, dir, &address)
    }
}

/// A schema, and the file that it is written in.
struct Written<'f> {
    file: ConfigSource<'f>,
    schema: Value,
    /// The table that it is in TOML.
    table: Option<&'f Spanned<Data>>,
    /// The file and the line that declare it.
    from: &'f str,
}

impl Written<'_> {
    /// The place of the value that a pointer leads to.
    fn place(&self, pointer: &str) -> Range<usize> {
        if let Some(table) = self.table {
            return place_in(table, pointer);
        }
        let mut tape = Tape::default();
        let document = tape.read(self.file.text.as_bytes()).ok();
        let pointer = Pointer::new(pointer);
        let found = document.and_then(|it| it.resolve([&pointer]).into_iter().next()?);
        found.map_or(0..0, |found| found.value.span())
    }
}

/// What is wrong in a schema itself, whatever other files hold: pointers, each with the reason.
fn mistakes_in(mut schema: Value, reached: &Reached) -> Vec<(String, String)> {
    cut_references(&mut schema);
    let mut found = Vec::new();
    while found.len() < MAX_MISTAKES {
        let compiled = DeclaredSchema::new(schema.clone(), ROOT.to_owned(), reached.clone());
        let Err(error) = compiled else { break };
        if matches!(error.kind(), Kind::Referencing(_)) {
            break;
        }
        let pointer = error.instance_path().as_str();
        found.push((pointer.to_owned(), why(&error)));
        if !take_out(&mut schema, pointer) {
            break;
        }
    }
    found
}

/// Empties what refers to other files: in some drafts what stands beside a reference says nothing.
fn cut_references(schema: &mut Value) {
    let leads_out = |it: &Value| it.as_str().is_some_and(|it| !it.starts_with('#'));
    match schema {
        Value::Array(items) => items.iter_mut().for_each(cut_references),
        Value::Object(members) if members.get("$ref").is_some_and(leads_out) => members.clear(),
        Value::Object(members) => members.values_mut().for_each(cut_references),
        _ => {}
    }
}

/// Takes out the innermost member of an object on the way to a value; returns whether there is one.
fn take_out(schema: &mut Value, pointer: &str) -> bool {
    let Some((above, _)) = pointer.rsplit_once('/') else {
        return false;
    };
    let key = Pointer::new(pointer)
        .tokens()
        .last()
        .unwrap_or_default()
        .into_owned();
    match schema.pointer_mut(above) {
        Some(Value::Object(members)) => members.remove(&key).is_some(),
        _ => take_out(schema, above),
    }
}

/// The pointer to the reference that an error is about.
fn reference(schema: &Value, at: &str, error: &ReferencingError) -> Option<String> {
    match schema {
        Value::String(text) => {
            let (file, fragment) = text.split_once('#').unwrap_or((text, ""));
            let is_meant = match error {
                Unretrievable { uri, .. } => {
                    let file = file.trim_start_matches(['.', '/']);
                    let before = uri.strip_suffix(file);
                    !file.is_empty() && before.is_some_and(|it| it.is_empty() || it.ends_with('/'))
                }
                PointerToNowhere { pointer } => fragment == pointer,
                NoSuchAnchor { anchor } => fragment == anchor,
                _ => false,
            };
            (is_meant && at.ends_with("/$ref")).then(|| at.to_owned())
        }
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| reference(item, &format!("{at}/{index}"), error))
        }
        Value::Object(members) => members.iter().find_map(|(key, value)| {
            let at = Pointer::new(at).field(key);
            reference(value, at.as_str(), error)
        }),
        _ => None,
    }
}

/// Why a schema is none.
fn why(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::Referencing(Unretrievable { uri, source }) => {
            let name = uri.strip_prefix(ROOT).or(uri.strip_prefix("file:///"));
            format!("{} can't be read: {source}", quote(name.unwrap_or(uri)))
        }
        _ => brief(&error.to_string()),
    }
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
