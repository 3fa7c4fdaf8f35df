//! Run data -> the programs that are timed on it: runvet, the read floor, other checkers, and
//! programs that record.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use runvet::Schema;

use crate::Bench;
use crate::data::EPISODES;
use crate::measure::{Call, Contestant};

/// The first argument of the instance that is the read floor.
pub(crate) const FLOOR: &str = "read-floor";

impl Bench {
    fn contestant(
        &self,
        name: &'static str,
        program: &Path,
        args: Vec<OsString>,
        status: i32,
    ) -> Contestant {
        let call = Call {
            program: program.into(),
            args,
            home: self.data.0.clone(),
            status,
        };
        Contestant {
            name,
            calls: vec![call],
        }
    }

    /// A call of runvet; the directory is its last argument.
    pub(crate) fn runvet(&self, args: &[&str], dir: &Path, status: i32) -> Contestant {
        let mut args: Vec<OsString> = args
            .iter()
            .map(OsString::from)
            .collect();
        args.push(dir.into());
        self.contestant("runvet", &self.runvet, args, status)
    }

    pub(crate) fn validate(&self, dir: &Path) -> Contestant {
        self.runvet(&["validate"], dir, 0)
    }

    /// A check with a configuration of this directory.
    pub(crate) fn validate_with(&self, config: &str, dir: &Path, status: i32) -> Contestant {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/validate");
        let config = configs
            .join(config)
            .display()
            .to_string();
        self.runvet(&["validate", "--config", &config], dir, status)
    }

    /// This program, as another instance.
    pub(crate) fn instance(&self, name: &'static str, args: Vec<OsString>) -> Contestant {
        let program = std::env::current_exe().expect("this program's path");
        self.contestant(name, &program, args, 0)
    }

    pub(crate) fn floor(&self, dir: &Path) -> Contestant {
        self.instance("read floor", vec![FLOOR.into(), dir.into()])
    }

    /// This program, as an instance that records.
    pub(crate) fn recorder(
        &self,
        name: &'static str,
        kind: &str,
        dir: &Path,
        count: u64,
    ) -> Contestant {
        let args = vec![kind.into(), dir.into(), count.to_string().into()];
        self.instance(name, args)
    }

    /// A call of another checker on all records of some kinds.
    pub(crate) fn checker(
        &self,
        name: &'static str,
        program: &Path,
        args: &[&str],
        dir: &Path,
        kinds: &[Schema],
    ) -> Contestant {
        let call = |kind: &Schema| {
            let schema = self
                .data
                .0
                .join(format!("{kind}.schema.json"));
            fs::write(&schema, kind.text()).expect("a schema can be written");
            let files = (0..EPISODES)
                .map(|index| format!("episodes/ep_{index:08}/{kind}.json"))
                .filter(|file| dir.join(file).exists());
            let args = args
                .iter()
                .map(OsString::from)
                .chain([schema.into()]);
            Call {
                program: program.into(),
                args: args
                    .chain(files.map(Into::into))
                    .collect(),
                home: dir.into(),
                status: 0,
            }
        };
        Contestant {
            name,
            calls: kinds.iter().map(call).collect(),
        }
    }
}
