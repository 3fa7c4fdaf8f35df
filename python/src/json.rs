//! JSON texts -> Python objects, equal to those that `json.loads` makes, and back.

use std::cell::Cell;
use std::collections::BTreeMap;

use pyo3::Borrowed;
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple, PyType};
use runvet::document::{Kind, MAX_DEPTH, Node, OwnedDocument};
use serde_json::{Map, Number, Value, json};

use crate::exiting::calling;

/// The digits of an integer that Python converts; longer ones become a `Decimal`.
const MAX_INT_DIGITS: usize = 4_300;

/// The keys that a reader keeps. Records have about a hundred; hostile ones may have millions.
const MAX_KEYS: usize = 1_024;

/// The Python type of numbers that are not integers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// `float`, as in `json.loads`.
    Python,
    /// `decimal.Decimal`, which is exact.
    Decimal,
}

impl std::str::FromStr for Numbers {
    type Err = PyErr;

    fn from_str(word: &str) -> PyResult<Self> {
        match word {
            "python" => Ok(Self::Python),
            "decimal" => Ok(Self::Decimal),
            _ => Err(PyValueError::new_err(format!(
                "numbers is {word:?}, not 'python' or 'decimal'"
            ))),
        }
    }
}

/// Makes Python objects, and keeps the keys that it has made.
pub(crate) struct Objects {
    numbers: Numbers,
    keys: BTreeMap<Box<str>, Py<PyString>>,
}

impl Objects {
    pub(crate) fn new(numbers: Numbers) -> Self {
        Self {
            numbers,
            keys: BTreeMap::new(),
        }
    }

    /// The object for a value. The depth of a document is limited, and so is the recursion.
    pub(crate) fn of<'py>(
        &mut self,
        py: Python<'py>,
        node: Node<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(match node.kind() {
            Kind::Null => py.None().into_bound(py),
            Kind::True => PyBool::new(py, true)
                .to_owned()
                .into_any(),
            Kind::False => PyBool::new(py, false)
                .to_owned()
                .into_any(),
            Kind::Number => self.number(py, node.raw())?,
            Kind::String => PyString::new(py, &node.text().unwrap_or_default()).into_any(),
            Kind::Array => {
                let items = node
                    .items()
                    .map(|item| self.of(py, item));
                let items: Vec<Bound<'py, PyAny>> = items.collect::<PyResult<_>>()?;
                PyList::new(py, items)?.into_any()
            }
            Kind::Object => {
                let dict = PyDict::new(py);
                // Of a repeated key the last value counts, in the place of the first, as in Python.
                for key in node.all_members() {
                    let value = self.of(py, key.value())?;
                    dict.set_item(self.key(py, &key.name()), value)?;
                }
                dict.into_any()
            }
        })
    }

    fn key<'py>(&mut self, py: Python<'py>, name: &str) -> Bound<'py, PyString> {
        if let Some(known) = self.keys.get(name) {
            return known.bind(py).clone();
        }
        let made = PyString::new(py, name);
        if self.keys.len() < MAX_KEYS {
            self.keys
                .insert(name.into(), made.clone().unbind());
        }
        made
    }

    fn number<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        let is_integer = !text
            .bytes()
            .any(|byte| matches!(byte, b'.' | b'e' | b'E'));
        if is_integer {
            if let Ok(small) = text.parse::<i64>() {
                return Ok(small.into_pyobject(py)?.into_any());
            }
            if text.trim_start_matches('-').len() <= MAX_INT_DIGITS {
                return py.get_type::<PyInt>().call1((text,));
            }
            return decimal(py, text);
        }
        let float = text.parse::<f64>().unwrap_or(f64::NAN);
        if self.numbers == Numbers::Decimal {
            // An exponent beyond those of decimals is one of an infinity or of zero.
            return decimal(py, text).or_else(|_| decimal(py, &float.to_string()));
        }
        Ok(PyFloat::new(py, float).into_any())
    }
}

fn decimal<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    calling(py, || {
        DECIMAL
            .import(py, "decimal", "Decimal")?
            .call1((text,))
    })
}

/// The object for a whole JSON text.
pub(crate) fn loads<'py>(
    py: Python<'py>,
    text: &str,
    numbers: Numbers,
) -> PyResult<Bound<'py, PyAny>> {
    let read = py.detach(|| OwnedDocument::read(text.as_bytes().to_vec()));
    let document =
        read.map_err(|error| PyValueError::new_err(format!("{error} at byte {}", error.offset)))?;
    Objects::new(numbers).of(py, document.root())
}

/// The object for a value that is written as JSON first.
pub(crate) fn object<'py>(
    py: Python<'py>,
    value: &(impl serde::Serialize + Sync),
) -> PyResult<Bound<'py, PyAny>> {
    let text = py.detach(|| serde_json::to_string(value));
    loads(py, &text.map_err(unwritable)?, Numbers::Python)
}

pub(crate) fn unwritable(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A Python object as JSON: what `json.dumps` takes, but for keys that are not strings and numbers
/// that JSON does not have.
pub(crate) fn value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    Encoder::default().value(object)
}

/// Python objects -> JSON.
#[derive(Default)]
pub(crate) struct Encoder {
    /// A function that replaces what JSON does not have. Without one, that is an error.
    plain: Option<Py<PyAny>>,
}

/// The nesting of a recorded value beyond which [`unwritten`] replaces it: less than the recorder
/// allows, since a state nests it some levels deeper.
const MAX_RECORDED_DEPTH: usize = 100;

/// The number of values in a recorded value beyond which [`unwritten`] replaces what holds them:
/// less than the recorder allows. A list that holds another one twice, and that one the next, has
/// few objects and endless values.
const MAX_RECORDED_VALUES: usize = 900_000;

/// What stands for a value that is not written: no rule can judge it.
fn unwritten(why: &str) -> Value {
    json!({"sha256": "0".repeat(64), "bytes": 0, "excerpt": why})
}

/// The depth and the number of values that may still be written.
type Room<'r> = (usize, &'r Cell<usize>);

const TOO_MANY: &str = "(too many values)";

fn below((depth, values): Room<'_>) -> Room<'_> {
    (depth - 1, values)
}

impl Encoder {
    pub(crate) fn new(plain: Option<Py<PyAny>>) -> Self {
        Self { plain }
    }

    pub(crate) fn value(&self, object: &Bound<'_, PyAny>) -> PyResult<Value> {
        let room = (self.depth(), &Cell::new(MAX_RECORDED_VALUES));
        calling(object.py(), || self.within(object, room))
    }

    /// A mapping as a JSON object.
    pub(crate) fn map(&self, mapping: &Bound<'_, PyAny>) -> PyResult<Map<String, Value>> {
        let room = (self.depth(), &Cell::new(MAX_RECORDED_VALUES));
        calling(mapping.py(), || {
            self.members(mapping.cast::<PyMapping>()?, room)
        })
    }

    fn depth(&self) -> usize {
        self.plain
            .as_ref()
            .map_or(MAX_DEPTH, |_| MAX_RECORDED_DEPTH)
    }

    /// Returns `true` if no further value is written, so that what holds it is [`unwritten`].
    fn is_full(&self, (_, values): Room<'_>) -> bool {
        self.plain.is_some() && values.get() == 0
    }

    fn within(&self, object: &Bound<'_, PyAny>, room: Room<'_>) -> PyResult<Value> {
        let py = object.py();
        let Some(plain) = &self.plain else {
            return self.json(object, room);
        };
        if room.0 == 0 {
            return Ok(unwritten("(nested too deep)"));
        }
        if room.1.get() == 0 {
            return Ok(unwritten(TOO_MANY));
        }
        room.1.set(room.1.get() - 1);
        let written = match self.json(object, room) {
            Err(error) if error.is_instance_of::<PyException>(py) => self.within(
                plain
                    .bind(py)
                    .call1((object,))?
                    .as_any(),
                below(room),
            )?,
            written => written?,
        };
        // Where there is no room for all values in a list or a map, it is none with fewer. The
        // outermost map has all its keys.
        let is_within = room.0 < self.depth();
        let is_cut = room.1.get() == 0 && (written.is_array() || written.is_object() && is_within);
        Ok(if is_cut { unwritten(TOO_MANY) } else { written })
    }

    fn json(&self, object: &Bound<'_, PyAny>, room: Room<'_>) -> PyResult<Value> {
        if room.0 == 0 {
            return Err(PyValueError::new_err(format!(
                "a record nests at most {MAX_DEPTH} levels deep"
            )));
        }
        if object.is_none() {
            return Ok(Value::Null);
        }
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Value::String(unicode(text)?));
        }
        if let Ok(boolean) = object.cast::<PyBool>() {
            return Ok(Value::Bool(boolean.is_true()));
        }
        if object.is_instance_of::<PyInt>() {
            return integer(object);
        }
        if let Ok(float) = object.cast::<PyFloat>() {
            let float = float.extract::<f64>()?;
            let number = Number::from_f64(float)
                .ok_or_else(|| PyValueError::new_err(format!("JSON has no number {float}")))?;
            return Ok(Value::Number(number));
        }
        if let Ok(mapping) = object.cast::<PyMapping>() {
            return self
                .members(mapping, room)
                .map(Value::Object);
        }
        if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
            let mut items = Vec::new();
            for item in object.try_iter()? {
                if self.is_full(room) {
                    break;
                }
                items.push(self.within(&item?, below(room))?);
            }
            return Ok(Value::Array(items));
        }
        let type_name = object.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "a {type_name} can't be written as JSON"
        )))
    }

    fn members(
        &self,
        mapping: &Bound<'_, PyMapping>,
        room: Room<'_>,
    ) -> PyResult<Map<String, Value>> {
        let mut members = Map::new();
        for item in mapping.items()?.iter() {
            if self.is_full(room) && room.0 < self.depth() {
                break;
            }
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            members.insert(self.key(&key)?, self.within(&value, below(room))?);
        }
        Ok(members)
    }

    fn key(&self, key: &Bound<'_, PyAny>) -> PyResult<String> {
        if let Ok(text) = key.cast::<PyString>() {
            return unicode(text);
        }
        if let Some(plain) = &self.plain {
            return unicode(
                &plain
                    .bind(key.py())
                    .call1((key,))?
                    .str()?,
            );
        }
        let type_name = key.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "keys of JSON objects are strings, not {type_name}"
        )))
    }
}

fn integer(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(small) = object.extract::<i64>() {
        return Ok(small.into());
    }
    object
        .extract::<u64>()
        .map(Value::from)
        .map_err(|_| {
            PyValueError::new_err(
                "an integer beyond 64 bits can't be recorded; record it as a string",
            )
        })
}

/// A text as UTF-8, with an escape such as `\\udcff` for each surrogate.
fn unicode(text: &Bound<'_, PyString>) -> PyResult<String> {
    if let Ok(text) = text.to_str() {
        return Ok(text.to_owned());
    }
    let bytes = text.call_method1("encode", ("utf-8", "backslashreplace"))?;
    Ok(String::from_utf8_lossy(bytes.extract()?).into_owned())
}

/// A text that a program records, of which surrogates are replaced.
pub(crate) struct Text(pub(crate) String);

impl FromPyObject<'_, '_> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        unicode(
            object
                .cast::<PyString>()?
                .as_any()
                .cast()?,
        )
        .map(Self)
    }
}
