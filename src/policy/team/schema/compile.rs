//! The file or the table of a schema -> the compiled schema, or all mistakes in it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use jsonschema::ReferencingError::{self, NoSuchAnchor, PointerToNowhere, Unretrievable};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;
use toml::Spanned;

use crate::ground::document::Tape;
use crate::ground::printable::{brief, in_address, quote};
use crate::ground::source::Pointer;
use crate::policy::config_file::{ConfigSource, MAX_MISTAKES, ROOT, Reached};
use crate::policy::team::data::TomlData;
use crate::policy::team::reader::FileReader;
use crate::reading::schema::{DeclaredSchema, parse_exactly};

impl FileReader<'_> {
    /// Returns the schema of a table, compiled.
    pub(in crate::policy::team) fn compiled(
        &mut self,
        named: Option<&Spanned<String>>,
        written: Option<&Spanned<TomlData>>,
        table: Range<usize>,
    ) -> Option<DeclaredSchema> {
        match (named, written) {
            (Some(named), None) => self.of_file(named),
            (None, Some(table)) => {
                let written = SchemaFile {
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

    /// Returns the schema that is written at an address below a directory, compiled.
    fn compile(
        &mut self,
        written: SchemaFile<'_>,
        dir: &Path,
        address: &str,
    ) -> Option<DeclaredSchema> {
        let reached = Reached {
            dir: dir.to_owned(),
            files: self.files.clone(),
            paths: Arc::default(),
        };

        let address = format!("{ROOT}{}", in_address(address.trim_start_matches("./")));
        DeclaredSchema::new(written.schema.clone(), &address, &reached)
            .map_err(|error| self.explain(written, &reached, &error))
            .ok()
    }

    /// Tells all mistakes of a schema that can't be used, and of the files that it reaches.
    fn explain(&mut self, root: SchemaFile<'_>, reached: &Reached, error: &ValidationError<'_>) {
        let paths = reached
            .paths
            .lock()
            .map(|paths| paths.clone())
            .unwrap_or_default();
        let texts: Vec<_> = paths
            .iter()
            .filter_map(|path| Some((path.to_string_lossy(), self.files.text(path).ok()?)))
            .collect();
        let (dir, from) = (root.file.dir, root.from);
        let mut all = vec![root];
        for (name, text) in &texts {
            all.extend(self.parsed(ConfigSource { name, dir, text }, from));
        }

        let mut found: Vec<_> = all
            .iter()
            .flat_map(|it| {
                mistakes_in(it.schema.clone(), reached)
                    .into_iter()
                    .map(move |(pointer, why)| (it, pointer, why))
            })
            .collect();
        // What is left is a reference, what one leads to, or the schema as a whole.
        let at = error.instance_path().as_str();
        let place = |it: &SchemaFile<'_>| match error.kind() {
            Kind::Referencing(error) => reference(&it.schema, "", error),
            _ => (it.schema.pointer(at) == Some(error.instance())).then(|| at.to_owned()),
        };

        let is_left = match error.kind() {
            // A reference to what is not JSON is right.
            Kind::Referencing(_) => all.len() > texts.len(),
            _ => found.is_empty(),
        };

        if is_left {
            let placed = all
                .iter()
                .rev()
                .find_map(|it| Some((it, place(it)?)))
                .or_else(|| Some((all.first()?, String::new())));
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

    /// Adds a mistake, unless there is one at its place: schemas share files.
    fn wrong_schema(&mut self, file: ConfigSource<'_>, span: Range<usize>, message: String) {
        let error = file.error(span, message, None);
        if self
            .mistakes
            .iter()
            .all(|it| it.location != error.location)
        {
            self.mistakes.push(error);
        }
    }

    fn parsed<'f>(&mut self, file: ConfigSource<'f>, from: &'f str) -> Option<SchemaFile<'f>> {
        let parsed = parse_exactly(file.text).map_err(|(at, why)| {
            let from = brief(from);
            let message = format!("the schema file can't be used: {why} (named by {from})");
            self.wrong_schema(file, at..at, message);
        });

        Some(SchemaFile {
            file,
            schema: parsed.ok()?,
            table: None,
            from,
        })
    }

    /// Returns the schema in a file that a table names.
    fn of_file(&mut self, named: &Spanned<String>) -> Option<DeclaredSchema> {
        let path = self.file.dir.join(named.get_ref());
        let text = match self.files.schema(&path) {
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
        let is_below = !below
            .split('/')
            .any(|part| part == "..")
            && !below.starts_with('/');
        let (dir, address) = if is_below {
            (self.file.dir, below.into())
        } else {
            let dir = path.parent().unwrap_or(Path::new(""));
            (
                dir,
                path.file_name()
                    .unwrap_or_default()
                    .to_string_lossy(),
            )
        };

        self.compile(written, dir, &address)
    }
}

/// A schema, and the file that it is written in.
struct SchemaFile<'f> {
    file: ConfigSource<'f>,
    schema: Value,
    /// The table that it is in TOML.
    table: Option<&'f Spanned<TomlData>>,
    /// The file and the line that declare it.
    from: &'f str,
}

impl SchemaFile<'_> {
    /// Returns the place of the value that a pointer leads to.
    fn place(&self, pointer: &str) -> Range<usize> {
        if let Some(table) = self.table {
            return place_in(table, pointer);
        }

        let mut tape = Tape::default();
        let document = tape
            .read(self.file.text.as_bytes())
            .ok();
        let pointer = Pointer::new(pointer);
        let found = document.and_then(|it| {
            it.resolve([&pointer])
                .into_iter()
                .next()?
        });

        found.map_or(0..0, |found| found.value.span())
    }
}

/// Returns what is wrong in a schema itself, whatever other files hold: pointers, each with the
/// reason.
fn mistakes_in(mut schema: Value, reached: &Reached) -> Vec<(String, String)> {
    cut_references(&mut schema);
    let mut found = Vec::new();
    while found.len() < MAX_MISTAKES {
        let compiled = DeclaredSchema::new(schema.clone(), ROOT, reached);
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
    let leads_out = |it: &Value| {
        it.as_str()
            .is_some_and(|it| !it.starts_with('#'))
    };

    match schema {
        Value::Array(items) => items
            .iter_mut()
            .for_each(cut_references),
        Value::Object(members)
            if members
                .get("$ref")
                .is_some_and(leads_out) =>
        {
            members.clear();
        }
        Value::Object(members) => members
            .values_mut()
            .for_each(cut_references),
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

/// Returns the pointer to the reference that an error is about.
fn reference(schema: &Value, at: &str, error: &ReferencingError) -> Option<String> {
    match schema {
        Value::String(text) => {
            let (file, fragment) = text
                .split_once('#')
                .unwrap_or((text, ""));
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
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| reference(item, &format!("{at}/{index}"), error)),
        Value::Object(members) => members.iter().find_map(|(key, value)| {
            let at = Pointer::new(at).field(key);
            reference(value, at.as_str(), error)
        }),
        _ => None,
    }
}

/// Returns why a schema is none.
fn why(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::Referencing(Unretrievable { uri, source }) => {
            let name = uri
                .strip_prefix(ROOT)
                .or(uri.strip_prefix("file:///"));
            format!("{} can't be read: {source}", quote(name.unwrap_or(uri)))
        }
        _ => brief(&error.to_string()),
    }
}

/// Returns the place of the value that a pointer leads to, or of the nearest value around it.
fn place_in(whole: &Spanned<TomlData>, pointer: &str) -> Range<usize> {
    let pointer = Pointer::new(pointer);
    let mut at = whole;
    for token in pointer.tokens() {
        let below = match at.get_ref() {
            TomlData::Table(members) => members
                .iter()
                .find(|(key, _)| *key.get_ref() == *token)
                .map(|(_, value)| value),
            TomlData::List(items) => token
                .parse()
                .ok()
                .and_then(|index: usize| items.get(index)),
            _ => None,
        };

        match below {
            Some(below) => at = below,
            None => break,
        }
    }

    at.span()
}
