//! The `runvet` command.

fn main() -> std::process::ExitCode {
    runvet::cli(std::env::args_os())
}
