//! A message of a client -> its method, its id, and the call that it is.
//!
//! It is refused where a server might read it otherwise than runvet does.

use serde_json::{Map, Value, json};

use crate::ground::document::{Key, Kind, Node};
use crate::ground::printable::quote;
use crate::recorder::protocol::recordable;

/// An id of a request, a number or a text: `1` is not `"1"`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Id {
    /// Its JSON.
    Number(String),
    Text(String),
}

impl Id {
    /// Returns the id that a value is.
    pub(super) fn of(node: Node<'_>) -> Option<Self> {
        match node.kind() {
            Kind::String => Some(Self::Text(node.text()?.into_owned())),
            Kind::Number => {
                let number = recordable(node.raw(), "the id").ok()?;
                Some(Self::Number(number.to_string()))
            }
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) => None,
        }
    }

    pub(super) fn value(&self) -> Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(json) => serde_json::from_str(json).unwrap_or_default(),
        }
    }
}

/// A message that is refused.
#[derive(Debug)]
pub(super) struct Wrong {
    id: Option<Id>,
    code: i64,
    why: String,
}

impl Wrong {
    /// What is no JSON to runvet.
    pub(super) fn unreadable(why: &str) -> Self {
        Self {
            id: None,
            code: -32700,
            why: format!("Parse error: {why}"),
        }
    }

    /// What is JSON, and no message that all read alike.
    fn invalid(id: Option<Id>, why: &str) -> Self {
        Self {
            id,
            code: -32600,
            why: format!("Invalid Request: {why}"),
        }
    }

    /// Returns the message that answers it.
    pub(super) fn answer(&self) -> Value {
        json!({
            "jsonrpc": "2.0",
            "id": self.id.as_ref().map(Id::value),
            "error": {"code": self.code, "message": self.why},
        })
    }
}

/// A message of a client.
pub(super) struct Message<'a> {
    /// `None` for a response.
    pub(super) method: Option<String>,
    pub(super) id: Option<Id>,
    params: Option<Node<'a>>,
    result: Option<Node<'a>>,
}

impl<'a> Message<'a> {
    pub(super) fn of(node: Node<'a>) -> Result<Self, Wrong> {
        if node.kind() != Kind::Object {
            let why = format!("a message is an object, not {}", node.kind().with_article());
            return Err(Wrong::invalid(None, &why));
        }

        must_be_clear(node, &["id"]).map_err(|why| Wrong::invalid(None, &why))?;
        let id = node.get("id").and_then(Id::of);
        must_be_clear(node, &["method", "params"])
            .map_err(|why| Wrong::invalid(id.clone(), &why))?;

        let method = match node.get("method").map(Node::text) {
            Some(None) => return Err(Wrong::invalid(id, "`method` is no text")),
            Some(Some(method)) => Some(method.into_owned()),
            None => None,
        };

        Ok(Self {
            method,
            id,
            params: node.get("params"),
            result: node.get("result"),
        })
    }

    /// Returns the refusal of the message.
    pub(super) fn wrong(&self, why: &str) -> Wrong {
        Wrong::invalid(self.id.clone(), why)
    }

    /// Returns the id of the call of a tool, the name of the tool, and the arguments.
    pub(super) fn call(&self, node: Node<'_>) -> Result<(Id, String, Map<String, Value>), Wrong> {
        let id = self
            .id
            .clone()
            .ok_or_else(|| self.wrong("the id of a call is a number or a text"))?;
        let wrong = |why: &str| self.wrong(why);
        let params = self
            .params
            .filter(|params| params.kind() == Kind::Object)
            .ok_or_else(|| wrong("`params` of a call is an object"))?;
        must_be_clear(params, &["name", "arguments"]).map_err(|why| wrong(&why))?;
        if repeats_keys(node) {
            return Err(wrong("an object of the call has the same key twice"));
        }

        let name = params
            .get("name")
            .and_then(Node::text)
            .ok_or_else(|| wrong("`name` of a call is a text"))?;
        let input = match params
            .get("arguments")
            .filter(|it| !it.is_null())
        {
            None => Value::Object(Map::new()),
            Some(it) => recordable(it.raw(), "an argument").map_err(|why| wrong(&why))?,
        };

        match input {
            Value::Object(input) => Ok((id, name.into_owned(), input)),
            _ => Err(wrong("`arguments` of a call is an object")),
        }
    }

    /// Returns `true` if the client that it introduces can show a form to a person.
    pub(super) fn can_elicit(&self) -> bool {
        self.params
            .and_then(|it| it.at(&["capabilities", "elicitation"]))
            .is_some_and(|it| {
                let has_form = it.get("form").is_some() || it.members().next().is_none();
                it.kind() == Kind::Object && has_form
            })
    }

    /// Returns the id of the request that it takes back.
    pub(super) fn cancelled(&self) -> Option<Id> {
        Id::of(self.params?.get("requestId")?)
    }

    /// Returns `true` if it is the answer of a person who accepts.
    pub(super) fn accepts(&self) -> bool {
        let result = self
            .result
            .filter(|result| !repeats_keys(*result));
        let action = result.and_then(|result| result.get("action")?.text());
        action.is_some_and(|action| action == "accept")
    }
}

/// Refuses an object that has one of some names twice, or in other letters, which some readers take
/// for it.
fn must_be_clear(node: Node<'_>, names: &[&str]) -> Result<(), String> {
    for name in names {
        let keys: Vec<_> = node
            .all_members()
            .map(Key::name)
            .filter(|key| folded(key) == *name)
            .collect();
        if keys.len() > 1 {
            return Err(format!("{} is there twice", quote(name)));
        }
        if let Some(key) = keys.first().filter(|key| key != name) {
            return Err(format!("{} is not {}", quote(key), quote(name)));
        }
    }

    Ok(())
}

/// Returns a name in small letters, those of other alphabets too that some readers take for them.
fn folded(name: &str) -> String {
    name.to_uppercase().to_lowercase()
}

/// Returns `true` if an object has the same key twice. The nesting is limited by the parser.
fn repeats_keys(node: Node<'_>) -> bool {
    let mut all = node.all_members();
    node.all_members().count() != node.members().count()
        || all.any(|key| repeats_keys(key.value()))
        || node.items().any(repeats_keys)
}
