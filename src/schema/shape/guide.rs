//! A schema -> a judgement of a record while it is read: no walk over the record follows.

use super::{ANY_TYPE, Additional, Property, Shape, ShapeId, Shapes};
use crate::document::{Document, Guide, Key, Kind, Node, Refused, Tape};
use crate::spelling::is_near;

/// A value that may be anything.
static ANYTHING: Shape = Shape::of_type(ANY_TYPE);

/// What the schema of a record says of it at first sight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeVerdict {
    /// Whether the document certainly satisfies its schema; if not, it may still do so.
    pub(crate) is_valid: bool,
    /// Whether the document may have misspelled keys.
    pub(crate) may_be_misspelled: bool,
}

/// The number of unknown keys of each schema that are remembered, and the bytes of each.
const MAX_UNKNOWN: usize = 64;
const LONGEST_UNKNOWN: usize = 64;

/// What is reused for the next record with the same schema.
#[derive(Default)]
pub(crate) struct GuideBuffers {
    open: Vec<Frame>,
    /// Keys that are no properties of a shape and like none, each with the first step of the shape:
    /// the next record probably has them too.
    unknown: Vec<(usize, Box<str>)>,
    /// For each property of each shape, at its step, the index of the property that came after it
    /// last: writers have an order of their own. In front of them is that of the first one.
    order: Vec<usize>,
}

/// An array or object that is being read.
struct Frame {
    shape: &'static Shape,
    /// Where the order says which property is expected next.
    step: usize,
    /// A bit for each property that is present.
    present: u64,
    /// The number of required properties that are not present yet.
    missing: usize,
}

impl Frame {
    /// Notes that a property is present; returns whether it was absent before.
    #[expect(clippy::inline_always, reason = "measured")]
    #[inline(always)]
    fn see(&mut self, index: usize, property: &Property) -> bool {
        let is_new = !self.has(index);
        self.present |= 1 << index;
        self.missing -= usize::from(is_new && property.required);
        self.step = self.shape.first_step + 1 + index;
        is_new
    }

    fn has(&self, index: usize) -> bool {
        self.present >> index & 1 == 1
    }
}

/// Judges a record while it is read.
struct ShapeGuide<'b> {
    shapes: &'static Shapes,
    /// The shape of the next value.
    next: &'static Shape,
    buffers: &'b mut GuideBuffers,
    is_valid: bool,
    may_be_misspelled: bool,
}

impl Shapes {
    /// Reads a record and judges it.
    pub(in crate::schema) fn read<'a>(
        &'static self,
        bytes: &'a [u8],
        tape: &'a mut Tape,
        buffers: &mut GuideBuffers,
    ) -> Result<(Document<'a>, ShapeVerdict), Refused> {
        buffers.open.clear();
        if buffers.order.is_empty() {
            let order = |shape: &Shape| 0..=shape.properties.len();
            buffers.order.extend(self.all.iter().flat_map(order));
        }
        let mut guide = ShapeGuide {
            shapes: self,
            next: &ANYTHING,
            buffers,
            is_valid: self.can_guide,
            may_be_misspelled: false,
        };
        if self.can_guide {
            guide.next = guide.shape(Some(0));
        }
        let document = tape.read_record_guided(bytes, &mut guide)?;
        // The last of equal keys counts, but all were judged.
        let is_valid = guide.is_valid && !document.repeats_keys();
        let verdict = ShapeVerdict {
            is_valid,
            may_be_misspelled: guide.may_be_misspelled || !is_valid,
        };
        Ok((document, verdict))
    }
}

impl ShapeGuide<'_> {
    fn shape(&self, id: Option<ShapeId>) -> &'static Shape {
        let shape = id.and_then(|id| self.shapes.all.get(id));
        shape.unwrap_or(&ANYTHING)
    }

    /// The shape of the value of a key that is no property.
    #[inline(never)]
    fn unknown(&mut self, shape: &'static Shape, key: Key<'_>) -> &'static Shape {
        let name = key.name();
        match shape.additional {
            Additional::Any => {
                let mut unknown = self.buffers.unknown.iter();
                let is_known =
                    |(of, key): &(usize, Box<str>)| *of == shape.first_step && **key == *name;
                if unknown.any(is_known) {
                    return &ANYTHING;
                }
                let mut known = shape.properties.iter();
                if known.any(|known| is_near(&name, &known.name)) {
                    self.may_be_misspelled = true;
                } else if self.buffers.unknown.len() < MAX_UNKNOWN && name.len() <= LONGEST_UNKNOWN
                {
                    self.buffers
                        .unknown
                        .push((shape.first_step, (*name).into()));
                }
                &ANYTHING
            }
            Additional::None => {
                self.is_valid &= shape.allows(&name);
                &ANYTHING
            }
            Additional::Each(below) => self.shape(Some(below)),
        }
    }
}

#[expect(
    clippy::inline_always,
    reason = "measured: a third of the instructions of reading a record"
)]
impl Guide for &mut ShapeGuide<'_> {
    #[inline(always)]
    fn expected_key(&mut self, is_next: impl FnOnce(&[u8]) -> bool) -> Option<usize> {
        let frame = self.buffers.open.last_mut()?;
        let index = *self.buffers.order.get(frame.step)?;
        let property = frame.shape.properties.get(index)?;
        if frame.has(index) || !is_next(property.written.as_bytes()) {
            return None;
        }
        frame.see(index, property);
        self.next = self.shape(Some(property.shape));
        Some(property.written.len())
    }

    #[inline(always)]
    fn key(&mut self, key: Key<'_>) -> Option<bool> {
        let frame = self.buffers.open.last_mut()?;
        let shape = frame.shape;
        if shape.takes_any_member() {
            self.next = &ANYTHING;
            return None;
        }
        let Some((index, property)) = shape.other_property(key) else {
            self.next = self.unknown(shape, key);
            return None;
        };
        if let Some(next) = self.buffers.order.get_mut(frame.step) {
            *next = index;
        }
        let is_new = frame.see(index, property);
        self.next = self.shape(Some(property.shape));
        Some(!is_new)
    }

    #[inline(always)]
    fn scalar(&mut self, scalar: Node<'_>, kind: Kind) {
        self.is_valid &= self.next.own_failures(scalar, kind) == 0;
    }

    #[inline(always)]
    fn open(&mut self, container: Node<'_>, kind: Kind) {
        self.scalar(container, kind);
        let shape = self.next;
        let is_object = kind == Kind::Object;
        self.buffers.open.push(Frame {
            shape,
            step: shape.first_step,
            present: 0,
            missing: if is_object { shape.required } else { 0 },
        });
        self.next = self.shape(shape.items);
    }

    #[inline(always)]
    fn close(&mut self) {
        let closed = self.buffers.open.pop();
        self.is_valid &= closed.is_none_or(|frame| frame.missing == 0);
        let around = self.buffers.open.last().and_then(|frame| frame.shape.items);
        self.next = self.shape(around);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
        Shapes::compile(&json!({
            "type": "object",
            "required": ["name"],
            "properties": {
                "count": { "type": "integer", "minimum": 0 },
                "name": { "type": "string", "minLength": 1 },
                "parts": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": { "name": { "enum": ["a", null] }, "tags": true },
                        "patternProperties": { "^x-": true },
                        "additionalProperties": false,
                    },
                },
                "tags": { "type": "object", "additionalProperties": { "type": "string" } },
            },
        }))
    });

    fn member() -> impl Strategy<Value = String> {
        let key = prop::sample::select(vec![
            r#""name""#,
            r#""name""#,
            r#""count""#,
            r#""parts""#,
            r#""tags""#,
            r#""names""#,
            r#""n\u0061me""#,
            r#""x-a""#,
            r#""other""#,
        ]);
        let scalar =
            prop::sample::select(vec![r#""a""#, r#""a""#, r#""""#, "1", "-1", "0.5", "null"]);
        let value = scalar
            .prop_map(str::to_owned)
            .prop_recursive(3, 16, 3, |value| {
                let key = prop::sample::select(vec!["name", "name", "tags", "x-a", "b"]);
                let member =
                    (key, value.clone()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
                let members = prop::collection::vec(member, 0..3);
                prop_oneof![
                    prop::collection::vec(value, 0..3)
                        .prop_map(|items| format!("[{}]", items.join(","))),
                    members.prop_map(|members| format!("{{{}}}", members.join(","))),
                ]
            });
        let colon = prop::sample::select(vec![":", ":", " : "]);
        (key, colon, value).prop_map(|(key, colon, value)| [key, colon, &value].concat())
    }

    proptest! {
        #[test]
        fn guide_says_what_a_walk_says(
            records in prop::collection::vec(prop::collection::vec(member(), 0..5), 1..4),
        ) {
            let mut buffers = GuideBuffers::default();
            for members in records {
                let text = format!("{{{}}}", members.join(", "));
                let (mut tape, mut plain) = (Tape::default(), Tape::default());
                let unguided = plain.read_record(text.as_bytes()).unwrap();
                let read = SHAPES.read(text.as_bytes(), &mut tape, &mut buffers);
                let (document, verdict) = read.unwrap();
                prop_assert!(document.is_same(unguided), "{}", text);
                let is_valid = SHAPES.is_valid(unguided.root()) && !unguided.repeats_keys();
                prop_assert_eq!(verdict.is_valid, is_valid, "{}", text);
                let has_misspelled = !SHAPES.misspellings(unguided.root()).is_empty();
                prop_assert!(verdict.may_be_misspelled || !has_misspelled, "{}", text);
            }
        }
    }

    #[test]
    fn schemas_of_records_guide() {
        for schema in [
            crate::schema::STATE.shapes(),
            crate::schema::SUMMARY.shapes(),
        ] {
            assert!(schema.can_guide);
        }
    }
}
