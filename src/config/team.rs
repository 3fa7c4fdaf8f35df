//! `runvet.toml`, the packs that it names and their schema files -> what the team declares, its
//! rules, and all mistakes.

mod orders;
mod rules;
mod schemas;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use toml::Spanned;

use super::tables::{Data, Pack, Params, Said};
use super::{Config, ConfigError, ConfigSource, Files};
use crate::finding::{Level, RuleInfo};
use crate::printable::{brief, quote};
use crate::rule::{Check, Rule};
use crate::rules::{ALL, RuleSet};
use crate::select::{Glob, KeyPath, Selector, Values, Wanted, key_path, key_words};
use crate::spelling::nearest;
use crate::team::{Closed, Judged, Team, Version};

/// The number of rules that a team can declare.
const MAX_RULES: usize = 1_000;

/// What a team declares, while its files are read.
struct Reader<'m> {
    files: &'m Files,
    mistakes: &'m mut Vec<ConfigError>,
    team: Team,
    rules: Vec<Rule>,
    /// The ids that are taken, and by what.
    taken: BTreeMap<String, String>,
    /// The parameters of `runvet.toml`, which take precedence.
    set: BTreeMap<String, Value>,
}

/// Reads the tables of one file.
struct FileReader<'r, 'm> {
    all: &'r mut Reader<'m>,
    file: ConfigSource<'r>,
    params: BTreeMap<String, Value>,
    /// The selectors that have names, each as it is written, and read as one of events.
    named: BTreeMap<String, (Data, Option<Selector>)>,
}

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
    };
    reader.tables(file, &config.team());
    for pack in &config.packs {
        reader.pack(file, pack);
    }
    RuleSet::with(reader.rules, reader.team)
}

impl Reader<'_> {
    fn pack(&mut self, file: ConfigSource<'_>, named: &Spanned<PathBuf>) {
        let path = file.dir.join(named.get_ref());
        let text = match self.files.text(&path) {
            Ok(text) => text,
            Err(why) => {
                let name = quote(&named.get_ref().to_string_lossy());
                let message = format!("the pack {name} can't be read: {why}");
                return self.mistakes.push(file.error(named.span(), message, None));
            }
        };
        let name = path.to_string_lossy();
        let pack = ConfigSource {
            name: &name,
            dir: path.parent().unwrap_or(Path::new("")),
            text: &text,
        };
        let (tables, mut mistakes) = pack.read_pack();
        self.mistakes.append(&mut mistakes);
        self.tables(pack, &tables);
    }

    fn tables(&mut self, file: ConfigSource<'_>, tables: &Pack) {
        let mut params = values(&tables.params);
        params.extend(self.set.clone());
        let mut reader = FileReader {
            all: self,
            file,
            params,
            named: BTreeMap::new(),
        };
        reader.tables(tables);
    }
}

impl FileReader<'_, '_> {
    fn mistake(&mut self, span: Range<usize>, message: impl Into<String>, help: Option<String>) {
        // What is beyond the end stands for what is missing.
        if span.start <= self.file.text.len() {
            self.all.mistakes.push(self.file.error(span, message, help));
        }
    }

    fn tables(&mut self, tables: &Pack) {
        for (name, entries) in &tables.selector {
            let entries = entries.get_ref();
            let selector = self.entries(entries, Judged::Event);
            let named = (entries.clone(), selector);
            self.named.insert(name.get_ref().clone(), named);
        }
        for (key, values) in &tables.vocabulary {
            let path = self.key(key, Judged::Event);
            let values = values_of(values.get_ref());
            if let (Some(key), Some(values)) = (path, values) {
                let vocabulary = Arc::make_mut(&mut self.all.team.vocabulary);
                match vocabulary.iter_mut().find(|known| known.key == key) {
                    Some(known) => known.values.any_of.extend(values.any_of),
                    None => vocabulary.push(Closed { key, values }),
                }
            }
        }
        for table in &tables.versions {
            let span = table.is.span();
            let schema = self.compiled(table.file.as_ref(), table.schema.as_ref(), span);
            self.all.team.versions.extend(schema.map(|schema| Version {
                artifact: table.record.get_ref().artifact(),
                is: Glob::new(table.is.get_ref()),
                schema,
            }));
        }
        for table in &tables.schemas {
            self.schema(table);
        }
        for table in &tables.orders {
            self.order(table);
        }
        for table in &tables.rules {
            self.rule(table);
        }
    }

    /// Adds a rule with its texts.
    fn rule_of(&mut self, id: &Spanned<String>, texts: &RuleTexts<'_>, check: Check) {
        let (name, said) = (id.get_ref(), &texts.said);
        let title = said.title.unwrap_or(texts.title);
        let hint = said.help.unwrap_or(texts.help);
        let place = self.file.place(&id.span());
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
        self.all.rules.push(Rule::with_info(info, check));
    }

    /// Takes an id; returns whether it was free.
    fn take(&mut self, id: &Spanned<String>) -> bool {
        let name = id.get_ref();
        let group = name.split('/').next().unwrap_or_default();
        let has_group = |rule: &&Rule| rule.info.id.split('/').next() == Some(group);
        if ALL.iter().any(has_group) {
            let message = format!("the group `{group}` belongs to the built-in rules");
            let help = "Give it a group of your own, such as the name of the team.";
            self.mistake(id.span(), message, Some(help.into()));
            return false;
        }
        let place = self.file.place(&id.span());
        if let Some(before) = self.all.taken.get(name) {
            let message = format!("the id `{name}` is taken by {}", brief(before));
            self.mistake(id.span(), message, None);
            return false;
        }
        self.all.taken.insert(name.clone(), place);
        if self.all.taken.len() > MAX_RULES {
            let message = format!("the team declares more than {MAX_RULES} rules");
            self.mistake(id.span(), message, None);
            return false;
        }
        true
    }

    /// The path that a key of a selector stands for.
    fn key(&mut self, key: &Spanned<String>, judged: Judged) -> Option<KeyPath> {
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
            self.mistake(key.span(), message, Some(help));
        }
        path
    }

    fn selector(&mut self, selector: &Spanned<Data>, judged: Judged) -> Option<Selector> {
        let Data::Text(name) = selector.get_ref() else {
            return self.entries(selector.get_ref(), judged);
        };
        match self.named.get(name).cloned() {
            Some((entries, _)) if judged == Judged::Action => self.entries(&entries, judged),
            Some((_, of_events)) => of_events,
            None => {
                let message = format!("there is no selector called {}", quote(name));
                let help = nearest(name, self.named.keys().map(String::as_str));
                let help = help.map(|meant| format!("did you mean `{meant}`?"));
                self.mistake(selector.span(), message, help);
                None
            }
        }
    }

    fn entries(&mut self, entries: &Data, judged: Judged) -> Option<Selector> {
        let Data::Table(entries) = entries else {
            return None;
        };
        let mut tests = Vec::new();
        let mut is_whole = true;
        for (key, values) in entries {
            let path = self.key(key, judged);
            match path.zip(values_of(values.get_ref())) {
                Some(test) => tests.push(test),
                None => is_whole = false,
            }
        }
        is_whole.then_some(Selector(tests))
    }
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
