//! What tests of random input share: a fixed seed, and damage to bytes.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

/// The same cases in every run, so that a failure is reproducible.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(20_260_301);
    ProptestConfig {
        cases,
        rng_seed,
        failure_persistence: None,
        max_global_rejects: cases,
        ..ProptestConfig::default()
    }
}

/// The ways to damage a file at one byte.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Damage {
    Change(u8),
    Insert(u8),
    Delete,
    Cut,
}

impl Damage {
    pub(crate) fn to(self, bytes: &mut Vec<u8>, at: usize) {
        match self {
            Self::Change(byte) => bytes[at] = byte,
            Self::Insert(byte) => bytes.insert(at, byte),
            Self::Delete => drop(bytes.remove(at)),
            Self::Cut => bytes.truncate(at),
        }
    }
}

pub(crate) fn damage() -> impl Strategy<Value = Damage> {
    // Half of the time any byte, half of the time one with a meaning in JSON or in UTF-8.
    let byte = prop_oneof![
        any::<u8>(),
        select(b"{}[],:\"\\/-+.0179eEtfnu \t\r\n\0\x1f\x80\xc0\xed\xef\xff".as_slice())
    ];
    prop_oneof![
        4 => byte.clone().prop_map(Damage::Change),
        4 => byte.prop_map(Damage::Insert),
        2 => Just(Damage::Delete),
        1 => Just(Damage::Cut),
    ]
}
