//! The `runvet` command.

fn main() -> std::process::ExitCode {
    runvet::cli::run(std::env::args_os())
}
