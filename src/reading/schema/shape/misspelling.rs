//! A document -> its keys that are probably misspelled, see the rule `record/misspelled-field`.

use super::{Additional, ShapeId, Shapes};
use crate::ground::document::{Key, Kind, Node, Path};
use crate::ground::source::Pointer;
use crate::ground::spelling::is_near;

/// A key that is probably misspelled, and the field that is probably meant.
pub(crate) struct Misspelling<'a> {
    pub(crate) pointer: Pointer,
    pub(crate) key: Key<'a>,
    pub(crate) known: &'static str,
}

impl Shapes {
    /// Returns misspelled keys, see the rule `record/misspelled-field`.
    pub(in crate::reading::schema) fn misspellings<'a>(
        &'static self,
        root: Node<'a>,
    ) -> Vec<Misspelling<'a>> {
        let mut found = Vec::new();
        self.find_misspellings(0, root, Path::Root, &mut found);
        found
    }

    fn find_misspellings<'a>(
        &'static self,
        id: ShapeId,
        node: Node<'a>,
        at: Path<'_>,
        found: &mut Vec<Misspelling<'a>>,
    ) {
        let Some(shape) = self.all.get(id) else {
            return;
        };
        if let (Kind::Array, Some(items)) = (node.kind(), shape.items) {
            for (index, item) in node.items().enumerate() {
                self.find_misspellings(items, item, Path::Item(&at, index), found);
            }
        }

        if shape.properties.is_empty() || node.kind() != Kind::Object {
            return;
        }

        let mut absent: Option<Vec<&'static str>> = None;
        let mut next = 0;
        for key in node.members() {
            if let Some((index, property)) = shape.property(key, next) {
                next = index + 1;
                self.find_misspellings(
                    property.shape,
                    key.value(),
                    Path::Field(&at, &property.name),
                    found,
                );
            } else if matches!(shape.additional, Additional::Any) {
                let absent = absent.get_or_insert_with(|| {
                    shape
                        .properties
                        .iter()
                        .map(|p| &*p.name)
                        .filter(|name| node.get(name).is_none())
                        .collect()
                });
                let name = key.name();

                if let Some(known) = absent
                    .iter()
                    .find(|known| is_near(&name, known))
                {
                    found.push(Misspelling {
                        pointer: at.pointer().field(&name),
                        key,
                        known,
                    });
                }
            }
        }
    }
}
