//! The `runvet` command of the wheel.

fn main() -> std::process::ExitCode {
    runvet::cli(std::env::args_os())
}
