//! Values of records -> values of expressions, in place; and the values that an expression makes.

mod kept;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub(super) use kept::{kept, key};

use super::{Budget, Stop};
use crate::ground::document::{Key, Kind, Node, Number};
use crate::ground::printable::brief;
use crate::ground::select::{KeyPath, Written};
use crate::ground::shortened::Mark;

/// A record as expressions read it.
pub(in crate::policy) trait Record: Sync {
    /// Returns all of it; `None` where there is no memory for that.
    fn node(&self) -> Option<Node<'_>>;
    /// Returns the value at a path, if that is at hand.
    fn value(&self, path: &KeyPath) -> Option<Written<'_>>;
    /// Returns the number of its bytes.
    fn bytes(&self) -> usize;
}

impl Record for Node<'_> {
    fn node(&self) -> Option<Node<'_>> {
        Some(*self)
    }

    fn value(&self, _: &KeyPath) -> Option<Written<'_>> {
        None
    }

    fn bytes(&self) -> usize {
        self.raw().len()
    }
}

impl fmt::Debug for dyn Record + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node().fmt(f)
    }
}

/// A value of an expression.
#[derive(Clone, Debug)]
pub(in crate::policy) enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Cow<'a, str>),
    Bytes(Arc<[u8]>),
    /// A whole record; of what an expression reads, [`Value::Node`] takes its place.
    Record(&'a dyn Record),
    /// An array or an object of a record.
    Node(Node<'a>),
    List(Arc<Vec<Value<'a>>>),
    Map(Arc<Vec<(Value<'a>, Value<'a>)>>),
    /// Nanoseconds since 1970.
    Timestamp(i128),
    /// Nanoseconds.
    Duration(i128),
    Type(Type),
    /// The different values of earlier events, each by its [`key`].
    Distinct(Arc<BTreeMap<Box<str>, u64>>),
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy) enum Type {
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    List,
    Map,
    Timestamp,
    Duration,
    Kind,
}

impl Type {
    const NAMES: [(Self, &str, &str); 12] = [
        (Self::Null, "null_type", "null"),
        (Self::Bool, "bool", "a bool"),
        (Self::Int, "int", "an int"),
        (Self::Uint, "uint", "a uint"),
        (Self::Double, "double", "a double"),
        (Self::Text, "string", "a string"),
        (Self::Bytes, "bytes", "bytes"),
        (Self::List, "list", "a list"),
        (Self::Map, "map", "a map"),
        (Self::Timestamp, "google.protobuf.Timestamp", "a timestamp"),
        (Self::Duration, "google.protobuf.Duration", "a duration"),
        (Self::Kind, "type", "a type"),
    ];

    /// Returns the type that expressions call so.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, known, _)| *known == name)
            .map(|(type_, ..)| *type_)
    }

    /// Returns its name with an article.
    pub(super) fn shown(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(known, ..)| *known == self)
            .map_or("", |(.., shown)| shown)
    }
}

impl<'a> Value<'a> {
    /// Returns the value at a place of a record.
    ///
    /// # Errors
    ///
    /// Why an expression can't have it: it is a number that does not fit, or was shortened.
    pub(in crate::policy) fn of(node: Node<'a>, budget: &mut Budget) -> Result<Self, Stop> {
        if let Some(mark) = Mark::of(node) {
            return Err(Stop::of_shortened(&mark));
        }

        let (text, span) = (node.document().text(), node.into());
        let scalar = Self::scalar(Written { text, span }, budget)?;
        Ok(scalar.unwrap_or(Self::Node(node)))
    }

    /// Returns a value as it is written; `None` for an array or an object.
    pub(super) fn scalar(written: Written<'a>, budget: &mut Budget) -> Result<Option<Self>, Stop> {
        let raw = written.raw();
        Ok(Some(match Kind::of(raw) {
            Kind::Null => Self::Null,
            Kind::True => Self::Bool(true),
            Kind::False => Self::Bool(false),
            Kind::Array | Kind::Object => return Ok(None),
            Kind::String => {
                let is_escaped = written.span.is_escaped();
                budget.spend(if is_escaped { raw.len() } else { 0 })?;
                Self::Text(written.string().unwrap_or_default())
            }
            Kind::Number => {
                if raw.len() > SHORT_NUMBER {
                    budget.spend(raw.len() * STEPS_OF_DIGIT)?;
                }
                let number = number(Number::of(raw)).ok_or_else(|| {
                    let number = brief(raw);
                    Stop::because(format!("the number {number} does not fit in 64 bits"))
                });
                number?
            }
        }))
    }

    /// Returns the value of a record, which is an object.
    pub(in crate::policy) fn of_record(record: Node<'a>) -> Self {
        match record.kind() {
            Kind::Object | Kind::Array => Self::Node(record),
            _ => Self::of(record, &mut Budget::new(u64::MAX)).unwrap_or(Self::Null),
        }
    }

    /// Returns the value once more. The bytes of a text that was made are copied.
    pub(super) fn copied(&self, budget: &mut Budget) -> Result<Self, Stop> {
        if let Self::Text(Cow::Owned(text)) = self {
            budget.spend(text.len())?;
        }
        Ok(self.clone())
    }

    /// Returns its type with an article, as messages name it.
    pub(in crate::policy) fn shown_type(&self) -> &'static str {
        self.type_().shown()
    }

    pub(super) fn type_(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Uint(_) => Type::Uint,
            Self::Double(_) => Type::Double,
            Self::Text(_) => Type::Text,
            Self::Bytes(_) => Type::Bytes,
            Self::Node(node) if node.kind() == Kind::Array => Type::List,
            Self::List(_) | Self::Distinct(_) => Type::List,
            Self::Record(_) | Self::Node(_) | Self::Map(_) => Type::Map,
            Self::Timestamp(_) => Type::Timestamp,
            Self::Duration(_) => Type::Duration,
            Self::Type(_) => Type::Kind,
        }
    }

    /// Returns its order among values that it has one with: numbers by exact value, others of one
    /// type.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        Some(match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Timestamp(a), Self::Timestamp(b)) | (Self::Duration(a), Self::Duration(b)) => {
                a.cmp(b)
            }
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(b)?,
            (Self::Double(a), b) => order_of_double(*a, b.integer()?)?,
            (a, Self::Double(b)) => order_of_double(*b, a.integer()?)?.reverse(),
            (a, b) => a.integer()?.cmp(&b.integer()?),
        })
    }

    /// Returns an integer: an int where it fits, else a uint.
    pub(super) fn of_integer(value: i128) -> Option<Self> {
        i64::try_from(value)
            .map(Self::Int)
            .or_else(|_| u64::try_from(value).map(Self::Uint))
            .ok()
    }

    /// Returns the value of an integer of either type.
    pub(super) fn integer(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some((*value).into()),
            Self::Uint(value) => Some((*value).into()),
            _ => None,
        }
    }

    /// Returns the double that is equal to a number.
    #[expect(clippy::cast_precision_loss, reason = "larger integers have none")]
    pub(super) fn double(&self) -> Option<f64> {
        match (self, self.integer()) {
            (Self::Double(value), _) => Some(*value),
            (_, Some(value)) if value.unsigned_abs() <= 1 << 53 => Some(value as f64),
            _ => None,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Uint(_) | Self::Double(_))
    }

    /// Returns `true` if two values are equal; those of different types are not, but numbers
    /// compare by value.
    pub(super) fn equals(&self, other: &Self, budget: &mut Budget) -> Result<bool, Stop> {
        budget.spend(1 + self.bytes() / BYTES_OF_STEP)?;
        if self.is_number() && other.is_number() {
            return Ok(self.order(other) == Some(Ordering::Equal));
        }
        if self.type_() != other.type_() {
            return Ok(false);
        }

        match (self, other) {
            (Self::Null, Self::Null) => Ok(true),
            (Self::Type(a), Self::Type(b)) => Ok(a == b),
            _ if self.type_() == Type::List => {
                if self.size(budget)? != other.size(budget)? {
                    return Ok(false);
                }
                for (a, b) in self.items().zip(other.items()) {
                    let (a, b) = (a.value(budget)?, b.value(budget)?);
                    if !a.equals(&b, budget)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ if self.type_() == Type::Map => {
                if self.size(budget)? != other.size(budget)? {
                    return Ok(false);
                }
                for key in self.keys() {
                    let key = key.value(budget)?;
                    let (value, other) = (self.get(&key, budget)?, other.get(&key, budget)?);
                    let are_equal = match (value, other) {
                        (Some(value), Some(other)) => value.equals(&other, budget)?,
                        _ => false,
                    };

                    if !are_equal {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(self.order(other) == Some(Ordering::Equal)),
        }
    }

    /// Returns the bytes of a text.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            _ => 0,
        }
    }

    /// Returns the bytes that the value takes as an item, but for what it shares with others.
    pub(super) fn made_bytes(&self) -> usize {
        let of_text = match self {
            Self::Text(Cow::Owned(text)) => text.len(),
            _ => 0,
        };
        size_of::<Self>() + of_text
    }

    /// Returns the number of characters, bytes, items or keys; `None` for values of other types.
    pub(super) fn size(&self, budget: &mut Budget) -> Result<Option<usize>, Stop> {
        Ok(Some(match self {
            Self::Text(text) => {
                budget.spend(text.len() / BYTES_OF_STEP)?;
                text.chars().count()
            }
            Self::Bytes(bytes) => bytes.len(),
            Self::List(items) => items.len(),
            Self::Map(entries) => entries.len(),
            Self::Node(node) => {
                let size = match node.kind() {
                    Kind::Array => node.items().count(),
                    _ => node.members().count(),
                };
                budget.spend(size / BYTES_OF_STEP)?;
                size
            }
            _ => return Ok(None),
        }))
    }

    /// Returns the items of a list; nothing for other values.
    pub(super) fn items(&self) -> impl Iterator<Item = LazyItem<'a>> + use<'a> {
        let (built, node) = match self {
            Self::List(items) => (Some(Arc::clone(items)), None),
            Self::Node(node) => (None, Some(*node)),
            _ => (None, None),
        };

        let items = node
            .into_iter()
            .flat_map(Node::items)
            .map(LazyItem::Node);

        built
            .into_iter()
            .flat_map(|built| {
                (0..built.len()).map(move |index| LazyItem::Built(Arc::clone(&built), index))
            })
            .chain(items)
    }

    /// Returns the keys of a map; nothing for other values.
    pub(super) fn keys(&self) -> impl Iterator<Item = LazyItem<'a>> + use<'a> {
        let (built, node) = match self {
            Self::Map(entries) => (Some(Arc::clone(entries)), None),
            Self::Node(node) => (None, Some(*node)),
            _ => (None, None),
        };

        let names = node
            .into_iter()
            .flat_map(Node::members)
            .map(LazyItem::Name);

        built
            .into_iter()
            .flat_map(|built| {
                (0..built.len()).map(move |index| LazyItem::BuiltKey(Arc::clone(&built), index))
            })
            .chain(names)
    }

    /// Returns `true` if a map has a key.
    pub(super) fn has(&self, key: &Self, budget: &mut Budget) -> Result<bool, Stop> {
        match self.get(key, budget) {
            // It is there, and its number does not fit.
            Err(Stop::Failed(_)) => Ok(true),
            value => Ok(value?.is_some()),
        }
    }

    /// Returns the value under a key of a map.
    pub(super) fn get(&self, key: &Self, budget: &mut Budget) -> Result<Option<Self>, Stop> {
        match (self, key) {
            (Self::Node(node), Self::Text(name)) => {
                for member in node
                    .all_members()
                    .take_while(|member| !member.is(name))
                {
                    let is_escaped = member.is_escaped();
                    budget.spend(1 + if is_escaped { name.len() } else { 0 })?;
                }

                budget.spend(1)?;
                node.get(name)
                    .map(|value| Self::of(value, budget))
                    .transpose()
            }
            (Self::Map(entries), key) => {
                for (known, value) in entries.iter() {
                    if known.equals(key, budget)? {
                        return Ok(Some(value.copied(budget)?));
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }
}

/// An item of a list, or a key of a map, of which nothing is read or copied yet.
pub(super) enum LazyItem<'a> {
    Built(Arc<Vec<Value<'a>>>, usize),
    BuiltKey(Arc<Vec<(Value<'a>, Value<'a>)>>, usize),
    Node(Node<'a>),
    Name(Key<'a>),
}

impl<'a> LazyItem<'a> {
    pub(super) fn value(self, budget: &mut Budget) -> Result<Value<'a>, Stop> {
        let built = match &self {
            Self::Node(node) => return Value::of(*node, budget),
            Self::Name(key) => {
                let is_escaped = key.is_escaped();
                budget.spend(if is_escaped { key.raw().len() } else { 0 })?;
                return Ok(Value::Text(key.name()));
            }
            Self::Built(items, index) => items.get(*index),
            Self::BuiltKey(entries, index) => entries.get(*index).map(|(key, _)| key),
        };

        built
            .unwrap_or(&Value::Null)
            .copied(budget)
    }
}

/// The longest number that is read within the step of the part that names it, in bytes; a longer
/// one may take as much time for each of its digits as some steps do.
const SHORT_NUMBER: usize = 32;
const STEPS_OF_DIGIT: usize = 4;

/// The bytes of a text that are read in one step.
pub(super) const BYTES_OF_STEP: usize = 16;

/// Returns a number of a record: an int where its value is an integer of 64 bits with sign, a uint
/// where only that holds it, a double where it is not an integer.
fn number<'a>(number: Number<'_>) -> Option<Value<'a>> {
    if let Ok(value) = number.text().parse() {
        return Some(Value::Int(value));
    }
    if !number.is_integer() {
        return Some(Value::Double(number.as_f64()));
    }

    Value::of_integer(number.shifted(0)?)
}

/// Returns the order of a double and an integer by their exact values; `None` for NaN.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the value is an integer below 2^65"
)]
fn order_of_double(double: f64, integer: i128) -> Option<Ordering> {
    const BEYOND: f64 = 36_893_488_147_419_103_232.0; // 2^65
    if double.is_nan() {
        return None;
    }
    if double.abs() >= BEYOND {
        return double.partial_cmp(&0.0);
    }

    let floor = double.floor();
    let whole = (floor as i128).cmp(&integer);
    let is_above = whole == Ordering::Equal && double > floor;
    Some(if is_above { Ordering::Greater } else { whole })
}
