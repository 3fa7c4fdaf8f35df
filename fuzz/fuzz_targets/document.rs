//! Property: the document reader and `serde_json` agree on whether a text is JSON and on its
//! values.

#![no_main]

use libfuzzer_sys::fuzz_target;
use runvet::document::OwnedDocument;
use runvet_fuzz::{same, second_opinion};

fuzz_target!(|data: &[u8]| {
    match (second_opinion(data), OwnedDocument::read(data.to_vec())) {
        (None, _) => {}
        (Some(Ok(value)), Ok(document)) => {
            assert!(same(document.root(), &value), "another value: {value}")
        }
        (Some(Err(_)), Err(error)) => assert!(error.offset <= data.len()),
        (Some(Ok(_)), Err(error)) => panic!("refused: {error}"),
        (Some(Err(error)), Ok(_)) => panic!("accepted, but {error}"),
    }
});
