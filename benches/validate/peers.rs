//! The environment -> the programs of others that are installed: the JSON Schema checkers that are
//! compared with runvet, the tool that puts load on its service, the one that counts instructions,
//! and the one that reformats JSON.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The path of a program, or why it is left out.
pub(crate) type Found = Result<PathBuf, String>;

/// Sourcemeta's `jsonschema`, written in C++.
pub(crate) fn sourcemeta() -> Found {
    let program = native(find("RUNVET_BENCH_JSONSCHEMA", "jsonschema")?);
    if prints(&program, "help", "--fast") {
        Ok(program)
    } else {
        Err(format!(
            "{} is not Sourcemeta's `jsonschema`",
            program.display()
        ))
    }
}

/// `check-jsonschema`, written in Python.
pub(crate) fn check_jsonschema() -> Found {
    let program = find("RUNVET_BENCH_CHECK_JSONSCHEMA", "check-jsonschema")?;
    if prints(&program, "--help", "--schemafile") {
        Ok(program)
    } else {
        Err(format!("{} does not run", program.display()))
    }
}

/// `wrk`, a load generator for HTTP.
pub(crate) fn wrk() -> Found {
    let program = find("RUNVET_BENCH_WRK", "wrk")?;
    if prints(&program, "--help", "--script") {
        Ok(program)
    } else {
        Err(format!("{} is not `wrk`", program.display()))
    }
}

/// `valgrind`, which counts instructions.
pub(crate) fn valgrind() -> Found {
    let program = find("RUNVET_BENCH_VALGRIND", "valgrind")?;
    if prints(&program, "--version", "valgrind") {
        Ok(program)
    } else {
        Err(format!("{} does not run", program.display()))
    }
}

/// `jq`, which reads and writes JSON.
pub(crate) fn jq() -> Found {
    let program = find("RUNVET_BENCH_JQ", "jq")?;
    if prints(&program, "--version", "jq") {
        Ok(program)
    } else {
        Err(format!("{} is not `jq`", program.display()))
    }
}

/// A program's name with the version that it prints, which is the last word of it.
pub(crate) fn with_version(name: &str, program: &Path, arg: &str) -> String {
    let output = Command::new(program)
        .arg(arg)
        .stdin(Stdio::null())
        .output();
    let printed = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let version = printed.unwrap_or_default();
    let version = version
        .split_whitespace()
        .next_back()
        .unwrap_or_default();
    format!("{name} {version}")
}

/// The program that an environment variable names, else the one on the `PATH`.
fn find(variable: &str, name: &str) -> Found {
    if let Some(named) = std::env::var_os(variable) {
        let path = std::fs::canonicalize(&named);
        return path.map_err(|error| format!("{variable} names {}: {error}", named.display()));
    }
    let directories = std::env::var_os("PATH").unwrap_or_default();
    let mut paths = std::env::split_paths(&directories).map(|directory| directory.join(name));
    paths
        .find(|path| path.is_file())
        .ok_or_else(|| format!("no `{name}` on the PATH, and {variable} is not set"))
}

/// The native program, where npm has installed a script that starts it.
fn native(program: PathBuf) -> PathBuf {
    let system = std::env::consts::OS.replace("macos", "darwin");
    let machine = std::env::consts::ARCH.replace("aarch64", "arm64");
    let beside = |script: &Path| {
        let package = script.parent()?.parent()?;
        let native = package.join(format!(
            "build/github-releases/jsonschema-{system}-{machine}"
        ));
        native.is_file().then_some(native)
    };
    std::fs::canonicalize(&program)
        .ok()
        .and_then(|script| beside(&script))
        .unwrap_or(program)
}

fn prints(program: &Path, arg: &str, text: &str) -> bool {
    let output = Command::new(program)
        .arg(arg)
        .stdin(Stdio::null())
        .output();
    output.is_ok_and(|output| {
        [output.stdout, output.stderr]
            .iter()
            .any(|printed| String::from_utf8_lossy(printed).contains(text))
    })
}
