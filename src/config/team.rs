//! `runvet.toml`, the packs that it names and their schema files -> what the team declares, its
//! rules, and all mistakes.

mod orders;
mod rules;
mod schemas;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::Spanned;

use super::tables::{Data, Pack, Params, Said, VersionedRecord};
use super::{Config, ConfigError, ConfigSource, Files};
use crate::finding::{Level, RuleInfo};
use crate::printable::{brief, quote};
use crate::rule::{Check, Rule};
use crate::rules::{ALL, RuleSet};
use crate::select::{Glob, KeyPath, Selector, Values, Wanted, key_path, key_words};
use crate::source::Artifact;
use crate::spelling::nearest;
use crate::team::{Closed, Judged, Team, Version};

/// The number of rules that a team can declare.
const MAX_RULES: usize = 1_000;

/// The groups of rules that are built in, besides those that have rules.
const RESERVED: [&str; 1] = ["coverage"];

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
        // What is beyond the end stands for what is missing.
        if span.start <= file.text.len() {
            self.mistakes.push(file.error(span, message, help));
        }
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
            dir: path.parent().unwrap_or(Path::new("")),
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
            let message = format!("the group `{group}` belongs to the built-in rules");
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
            let message = format!("the team declares more than {MAX_RULES} rules");
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
    ) -> Option<KeyPath> {
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
