//! The keywords that compare numbers -> the orders that they allow.

use std::cmp::Ordering;

/// A keyword that a number is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberKeyword {
    Minimum,
    ExclusiveMinimum,
    Maximum,
    ExclusiveMaximum,
    MultipleOf,
}

impl NumberKeyword {
    pub(super) const ALL: [Self; 5] = [
        Self::Minimum,
        Self::ExclusiveMinimum,
        Self::Maximum,
        Self::ExclusiveMaximum,
        Self::MultipleOf,
    ];

    /// Returns its name in schemas.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::ExclusiveMinimum => "exclusiveMinimum",
            Self::Maximum => "maximum",
            Self::ExclusiveMaximum => "exclusiveMaximum",
            Self::MultipleOf => "multipleOf",
        }
    }

    /// Returns `true` if a number in an order to the one of the keyword is allowed.
    pub(super) fn allows(self, order: Ordering) -> bool {
        match self {
            Self::Minimum => order.is_ge(),
            Self::ExclusiveMinimum => order.is_gt(),
            Self::Maximum => order.is_le(),
            Self::ExclusiveMaximum => order.is_lt(),
            Self::MultipleOf => true,
        }
    }
}
