//! Rules about what a team declares.

pub(super) mod vocabulary;
