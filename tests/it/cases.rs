//! The files of `tests/cases` show what their commands print.

use crate::support::bless;
use crate::support::cases::printed_files;

#[test]
fn cases_show_what_runvet_prints() {
    // By now every difference is printed.
    for file in printed_files() {
        bless::check(&file.name, &file.text);
    }
}
