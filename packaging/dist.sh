#!/usr/bin/env bash
# Builds what is released, as far as this machine can, and tests each part; `make dist` runs it.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${CARGO:=cargo}" "${CARGO_TARGET_DIR:=$PWD/target}"
export CARGO_TARGET_DIR
out=$CARGO_TARGET_DIR/dist
# The goal of docs/performance.md for the binary; the wheel has the engine twice, and is packed.
most_bytes=18000000
too_large=()
# The oldest C library that the wheel runs on: that of RHEL 8 and its like.
glibc=2.28
rm -rf "$out"
mkdir -p "$out"

say() { printf '\n== %s\n' "$*"; }

# Tests a binary: it finds the three invalid runs of the demo, and prints its version.
try_out() {
  local found status=0
  found=$("$1" validate corpus/demo) || status=$?
  [ "$status" -eq 1 ]
  grep -q '^5 episodes: 2 valid, 3 ' <<< "$found"
  [ "$("$1" --version)" = "runvet $version" ]
  echo "$1: $(wc -c < "$1") bytes, works"
}

# Notes a file that is larger than the goal: the rest is tested all the same.
weigh() {
  [ "$(wc -c < "$1")" -le "$most_bytes" ] || too_large+=("$1")
}

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

say "cargo install"
$CARGO install --locked --path . --root "$out/cargo"
try_out "$out/cargo/bin/runvet"
weigh "$out/cargo/bin/runvet"
mkdir "$out/man"
"$out/cargo/bin/runvet" man "$out/man"

say "a static binary"
target=$(uname -m)-unknown-linux-musl
if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
  $CARGO build --release --locked --target "$target"
  cp "$CARGO_TARGET_DIR/$target/release/runvet" "$out/runvet-$version-$target"
  try_out "$out/runvet-$version-$target"
  ! grep -q 'ld-linux\|ld-musl' "$out/runvet-$version-$target" || { echo "it needs a dynamic linker"; exit 1; }
else
  echo "skipped: the target is missing; install it with: rustup target add $target"
fi

say "the wheel"
if python=$(python3 tests/environment.py "$out/maturin" "maturin>=1.16,<2" ziglang cargo-zigbuild); then
  # As the backend of `pip install .` does, but linked by zig for an older C library than this one's.
  PATH=$(dirname "$python"):$PATH
  gnu=$(uname -m)-unknown-linux-gnu
  CARGO_TARGET_DIR=$CARGO_TARGET_DIR/zig python3 python/build_backend.py release "$gnu.$glibc"
  CARGO_TARGET_DIR=$CARGO_TARGET_DIR/python maturin build --release --zig --target "$gnu" \
    --compatibility "manylinux_${glibc/./_}" --out "$out/wheels"
  newest=$(objdump -T python/wheel.data/scripts/runvet | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
  [ "$(printf '%s\n' "GLIBC_$glibc" "$newest" | sort -V | tail -n 1)" = "GLIBC_$glibc" ] \
    || { echo "the command needs $newest"; exit 1; }
  python3 -m venv "$out/fresh"
  "$out/fresh/bin/pip" install --quiet --no-index --find-links "$out/wheels" "runvet==$version"
  try_out "$out/fresh/bin/runvet"
  "$out/fresh/bin/python" -c "import runvet; assert runvet.__version__ == '$version'
assert runvet.validate('corpus/demo').totals.invalid == 3; print('the module works')"
  weigh "$(echo "$out"/wheels/*.whl)"
  say "the wheel and the hooks, as pre-commit and the action install them"
  RUNVET_TESTS=all RUNVET_WHEELS=$out/wheels $CARGO test --locked --test it -- --test-threads=1 cli::installed::
else
  echo "skipped: $python"
fi

say "an image"
echo "not tested: docker build --tag runvet . && docker run --rm --volume \"\$PWD:/work:ro\" runvet validate corpus/demo"

say "in $out"
cd "$out"
find . -maxdepth 2 -type f \( -name '*.whl' -o -name "runvet-$version-*" \) -print0 | sort -z | xargs -0 sha256sum | tee SHA256SUMS

if [ ${#too_large[@]} -gt 0 ]; then
  echo "larger than $most_bytes bytes: ${too_large[*]}"
  exit 1
fi
