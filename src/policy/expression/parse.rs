//! The text of an expression -> its parts; this folder alone knows the crate `cel`.
//!
//! The parser expands no macros: `all` and the like stay calls, which become parts of our own. It
//! recurses deeply even where parts stand side by side, so it has a thread with a large stack.

mod earlier;
mod literals;
mod mistakes;

use literals::{balanced, constant, matcher, of_literal, qualified};
use std::ops::Range;
use std::thread;

use cel::Env;
use cel::common::ast::{EntryExpr, Expr, IdedExpr, SelectExpr, SourceInfo};
use mistakes::{mistake, optional, syntax};

use super::fold::Fold;
use super::functions::{FUNCTIONS, Function};
use super::part::{Each, ExpressionPart, Macro, Operator, PartKind};
use super::value::{Type, Value};
use super::{Expression, ExpressionMistake, MAX_BYTES, MAX_LEVELS, code};
use crate::ground::Own;
use crate::ground::spelling::did_you_mean;

/// The bytes of the parser's stack: four times the most that an expression of [`MAX_BYTES`] was
/// seen to need.
const STACK: usize = 256 << 20;

/// The macros, each with the least and the largest number of its arguments.
const MACROS: [(&str, Macro, usize, usize); 6] = [
    ("all", Macro::All, 2, 2),
    ("exists", Macro::Exists, 2, 2),
    ("exists_one", Macro::ExistsOne, 2, 2),
    ("existsOne", Macro::ExistsOne, 2, 2),
    ("filter", Macro::Filter, 2, 2),
    ("map", Macro::Map, 2, 3),
];

pub(super) fn parse(text: &str, names: &[&str]) -> Result<Expression, ExpressionMistake> {
    if text.len() > MAX_BYTES {
        let message = format!("the expression is longer than {} KiB", MAX_BYTES >> 10);
        return Err(mistake(0..text.len(), message));
    }

    thread::scope(|scope| {
        let parsed = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || read(text, names))
            .map(thread::ScopedJoinHandle::join);
        // The parser is another's, and panics are not part of its promises.
        let failed = || Err(mistake(0..text.len(), "the expression can't be parsed"));
        parsed.map_or_else(|_| failed(), |parsed| parsed.unwrap_or_else(|_| failed()))
    })
}

fn read(text: &str, names: &[&str]) -> Result<Expression, ExpressionMistake> {
    let parsed = Env::default()
        .parser()
        .max_recursion_depth(400)
        .parse_with_source_info(text);
    let (tree, places) = parsed.map_err(|errors| syntax(text, &errors))?;
    let mut reader = ExpressionReader {
        text,
        places,
        names,
        named: vec![false; names.len()],
        items: Vec::new(),
        folds: Vec::new(),
        is_in_fold: false,
        level: 0,
    };

    let root = reader.part(&tree)?;
    Ok(Expression {
        text: text.into(),
        root,
        named: reader.named.into(),
        folds: reader.folds.into(),
    })
}

struct ExpressionReader<'t> {
    text: &'t str,
    places: SourceInfo,
    names: &'t [&'t str],
    named: Vec<bool>,
    /// The names of the items of the macros around a part.
    items: Vec<String>,
    /// The questions about earlier events.
    folds: Vec<Fold>,
    is_in_fold: bool,
    level: usize,
}

impl ExpressionReader<'_> {
    /// Returns the place of a part by the parser: that of a name, a constant, an operator or a
    /// bracket.
    fn place(&self, part: &IdedExpr) -> Range<usize> {
        self.places
            .offset_for(part.id)
            .map_or(0..0, |(start, end)| start as usize..end as usize + 1)
    }

    fn part(&mut self, tree: &IdedExpr) -> Result<ExpressionPart, ExpressionMistake> {
        let place = self.place(tree);
        self.level += 1;
        if self.level > MAX_LEVELS {
            let message = format!("the expression has more than {MAX_LEVELS} levels");
            return Err(mistake(place, message));
        }

        let part = match &tree.expr {
            Expr::Literal(literal) => constant(place, of_literal(literal)),
            Expr::Ident(name) => self.name(place, name)?,
            Expr::Select(select) => self.member(place, select)?,
            Expr::List(list) => {
                if let Some(item) = list.optional_indices.first() {
                    return Err(optional(
                        list.elements
                            .get(*item)
                            .map_or(place, |it| self.place(it)),
                    ));
                }

                let items = self.parts(&list.elements)?;
                self.around(place, PartKind::List(items))
            }
            Expr::Map(map) => {
                let mut entries = Vec::new();
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        if entry.optional {
                            return Err(optional(self.place(&entry.key)));
                        }
                        entries.push((self.part(&entry.key)?, self.part(&entry.value)?));
                    }
                }

                self.around(place, PartKind::Map(entries))
            }
            Expr::Call(call) => {
                let mut arguments: Vec<&IdedExpr> = call.args.iter().collect();
                arguments.splice(0..0, call.target.as_deref());
                self.call(place, &call.func_name, call.target.is_some(), &arguments)?
            }
            Expr::Struct(it) => {
                let message = format!("there is no message type {}", code(&it.type_name));
                return Err(mistake(place, message));
            }
            Expr::Comprehension(_) | Expr::Unspecified => {
                return Err(mistake(place, "the expression can't be parsed"));
            }
        };

        self.level -= 1;
        Ok(part)
    }

    fn parts(&mut self, trees: &[IdedExpr]) -> Result<Vec<ExpressionPart>, ExpressionMistake> {
        trees
            .iter()
            .map(|tree| self.part(tree))
            .collect()
    }

    /// Returns a part whose place is that of all in it, and of the brackets around these.
    fn around(&self, place: Range<usize>, kind: PartKind) -> ExpressionPart {
        let mut span = place;
        kind.below(|part| {
            span.start = span.start.min(part.span.start);
            span.end = span.end.max(part.span.end);
        });

        ExpressionPart {
            span: balanced(self.text, span),
            kind,
        }
    }

    fn name(
        &mut self,
        place: Range<usize>,
        name: &str,
    ) -> Result<ExpressionPart, ExpressionMistake> {
        if let Some(item) = self
            .items
            .iter()
            .rposition(|item| item == name)
        {
            return Ok(self.around(place, PartKind::Item(item)));
        }

        if let Some(known) = self
            .names
            .iter()
            .position(|known| *known == name)
        {
            if self.is_in_fold && name != "params" {
                let message = format!("{} has no value where earlier events are read", code(name));
                let help = "Compare with it outside of that, or group events by `same`.";
                return Err(mistake(place, message).with_help(Some(help.into())));
            }

            *self.named.own_mut(known) = true;
            return Ok(self.around(place, PartKind::Bound(known)));
        }

        if let Some(known) = Type::of_name(name) {
            return Ok(constant(place, Value::Type(known)));
        }

        let known = self
            .items
            .iter()
            .map(String::as_str)
            .chain(self.names.iter().copied());
        let before = self
            .text
            .get(..place.start)
            .unwrap_or_default()
            .strip_suffix('-')
            .unwrap_or_default();
        let help = if before.ends_with(char::is_alphanumeric) {
            r#"Read a key that has `-` with brackets: `event.payload["x-team"]`."#.to_owned()
        } else {
            did_you_mean(name, known.clone()).unwrap_or_else(|| {
                let known: Vec<String> = known.map(code).collect();
                format!("It can name {}.", known.join(", "))
            })
        };

        let message = format!("unknown name {}", code(name));
        Err(mistake(place, message).with_help(Some(help)))
    }

    fn member(
        &mut self,
        place: Range<usize>,
        select: &SelectExpr,
    ) -> Result<ExpressionPart, ExpressionMistake> {
        if let Some(known) = qualified(select).and_then(|name| Type::of_name(&name)) {
            return Ok(constant(place, Value::Type(known)));
        }

        let of = self.part(&select.operand)?;
        let field = select.field.as_str();
        let path = of.path_of(field);
        let kind = PartKind::Member(Box::new(of), field.into(), path);
        // The parser's place is the dot.
        let rest = self
            .text
            .get(place.end..)
            .unwrap_or_default();
        let end = self.text.len() - rest.trim_start().len() + select.field.len();

        Ok(self.around(place.start..end.min(self.text.len()), kind))
    }

    fn call(
        &mut self,
        place: Range<usize>,
        name: &str,
        is_method: bool,
        arguments: &[&IdedExpr],
    ) -> Result<ExpressionPart, ExpressionMistake> {
        let operator = Operator::ALL
            .iter()
            .find(|known| known.2 == name);
        let kind = match (name, arguments) {
            ("!_", [of]) => PartKind::Not(Box::new(self.part(of)?)),
            ("-_", [of]) => PartKind::Negate(Box::new(self.part(of)?)),
            ("_&&_", [a, b]) => PartKind::And(Box::new([self.part(a)?, self.part(b)?])),
            ("_||_", [a, b]) => PartKind::Or(Box::new([self.part(a)?, self.part(b)?])),
            ("_?_:_", [a, b, c]) => {
                PartKind::If(Box::new([self.part(a)?, self.part(b)?, self.part(c)?]))
            }
            ("_?._" | "_[?_]", _) => return Err(optional(place)),
            _ => match (operator, arguments) {
                (Some((Operator::Index, ..)), [a, b]) => {
                    let (of, key) = (self.part(a)?, self.part(b)?);
                    let path = of.path_of_index(&key);
                    PartKind::Index(Box::new(of), Box::new(key), path)
                }
                (Some((operator, ..)), [a, b]) => {
                    PartKind::Operation(*operator, Box::new([self.part(a)?, self.part(b)?]))
                }
                _ => return self.function(place, name, is_method, arguments),
            },
        };

        Ok(self.around(place, kind))
    }

    /// Returns a call of a function by its name; the place is that of its bracket.
    fn function(
        &mut self,
        place: Range<usize>,
        name: &str,
        is_method: bool,
        arguments: &[&IdedExpr],
    ) -> Result<ExpressionPart, ExpressionMistake> {
        let before = self
            .text
            .get(..place.start)
            .unwrap_or_default()
            .trim_end()
            .len();
        let named = before.saturating_sub(name.len())..before;
        let place = named.start..place.end;
        if let Some(kind) = self.fold(&place, name, is_method, arguments)? {
            // The place of the selector's name stands for all in it.
            return Ok(self.around(place, kind));
        }

        let known_macro = MACROS
            .iter()
            .find(|(known, ..)| *known == name);
        let kind = match (known_macro, is_method, arguments) {
            (None, false, [of]) if name == "has" => match &of.expr {
                Expr::Select(select) if !select.test => {
                    let map = Box::new(self.part(&select.operand)?);
                    let path = map.path_of(&select.field);
                    PartKind::Has(map, select.field.as_str().into(), path)
                }
                _ => {
                    let message = "`has` asks for a member: `has(event.payload)`";
                    return Err(mistake(self.place(of), message));
                }
            },
            (Some(known), true, [list, rest @ ..]) => self.each(&named, *known, list, rest)?,
            _ => {
                let known = function_of(&named, name, is_method, arguments.len())?;
                let mut parts = Vec::new();
                for argument in arguments {
                    parts.push(self.part(argument)?);
                }
                matcher(known, parts)?
            }
        };

        Ok(self.around(place, kind))
    }

    /// Returns a part in which an item has a name.
    fn of_item(
        &mut self,
        item: &IdedExpr,
        part: &IdedExpr,
    ) -> Result<ExpressionPart, ExpressionMistake> {
        let Expr::Ident(name) = &item.expr else {
            return Err(mistake(self.place(item), "expected the name of an item"));
        };
        self.items.push(name.clone());
        let part = self.part(part);
        self.items.pop();

        part
    }

    fn each(
        &mut self,
        named: &Range<usize>,
        (name, macro_, least, most): (&str, Macro, usize, usize),
        list: &IdedExpr,
        rest: &[&IdedExpr],
    ) -> Result<PartKind, ExpressionMistake> {
        let item = rest
            .first()
            .and_then(|item| match &item.expr {
                Expr::Ident(item) if !item.starts_with('.') => Some(item.clone()),
                _ => None,
            });
        let (Some(item), true) = (item, (least..=most).contains(&rest.len())) else {
            let message = format!("{} is not called like this", code(name));
            let filter = if most == 3 { "[FILTER, ]" } else { "" };
            let help = format!("Call it as `LIST.{name}(ITEM, {filter}EXPRESSION)`.");
            return Err(mistake(named.clone(), message).with_help(Some(help)));
        };

        let list = self.part(list)?;
        self.items.push(item);
        let filter = match rest {
            [_, filter, _] => Some(self.part(filter)?),
            _ => None,
        };

        let body = rest
            .last()
            .map(|body| self.part(body))
            .transpose()?;
        self.items.pop();

        let body = body.ok_or_else(|| mistake(named.clone(), "the expression can't be parsed"))?;

        Ok(PartKind::Each(Box::new(Each {
            macro_,
            list,
            filter,
            body,
        })))
    }
}

/// Returns the function of a name that takes a number of arguments.
fn function_of(
    named: &Range<usize>,
    name: &str,
    is_method: bool,
    arguments: usize,
) -> Result<Function, ExpressionMistake> {
    let of_name = || {
        FUNCTIONS
            .iter()
            .filter(|(known, ..)| *known == name)
    };
    if let Some((_, function, _)) = of_name().find(|(.., form)| form.takes(is_method, arguments)) {
        return Ok(*function);
    }

    let forms: Vec<String> = of_name()
        .map(|(.., form)| form.shown(name))
        .collect();
    if !forms.is_empty() {
        let message = format!("{} is not called like this", code(name));
        let help = format!("Call it as {}.", forms.join(" or "));
        return Err(mistake(named.clone(), message).with_help(Some(help)));
    }

    let known = FUNCTIONS
        .iter()
        .map(|(name, ..)| *name)
        .chain(MACROS.iter().map(|(name, ..)| *name))
        .chain(["has"]);
    let message = format!("unknown function {}", code(name));

    Err(mistake(named.clone(), message).with_help(did_you_mean(name, known)))
}
