#!/usr/bin/env bash
# Builds what is released into target/dist, as far as this machine can, and tries each part; `make dist` runs it.
#
# With RUNVET_TESTS=all, a part that can't be built here is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${CARGO:=cargo}" "${CARGO_TARGET_DIR:=$PWD/target}"
export CARGO_TARGET_DIR
out=$CARGO_TARGET_DIR/dist
work=$CARGO_TARGET_DIR/dist-work
# The goal of docs/performance.md for the binary; the wheel has the engine twice, and is packed.
most_bytes=18000000
# The oldest C library that the wheel runs on: that of RHEL 8 and its like.
glibc=2.28
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machine=$(uname -m)
# The crate as it is published: the binaries are built from it.
packed=$work/runvet-$version
# The same commit gives the same bytes: no time, and no directory of this machine.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
plain_flags=$(printf -- '--remap-path-prefix=%s\x1f' "$PWD=/runvet" "$CARGO_TARGET_DIR=/target" "$packed=/runvet" \
  "${CARGO_HOME:-$HOME/.cargo}=/cargo")
export SOURCE_DATE_EPOCH CARGO_ENCODED_RUSTFLAGS=${plain_flags%$'\x1f'}
# In one part, which one processor compiles, runvet is 5 % smaller and as fast: docs/performance.md has the numbers.
export CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 CARGO_PROFILE_RELEASE_OPT_LEVEL=2
rm -rf "$out" "$work"
mkdir -p "$out" "$work"

say() { printf '\n== %s\n' "$*"; }

leave_out() {
  echo "left out: $1"
  [ "${RUNVET_TESTS:-}" != all ]
}

# Tries a command that starts runvet: it finds the three invalid runs of the demo, and prints its version.
try_out() {
  local found status=0
  found=$("$@" validate corpus/demo) || status=$?
  [ "$status" -eq 1 ]
  grep -q '^5 episodes: 2 valid, 3 ' <<< "$found"
  [ "$("$@" --version)" = "runvet $version" ]
  echo "$*: works"
}

# Tries a binary where there is nothing else, as a user who may nothing: so it is in the image.
try_alone() {
  local root=$work/empty
  mkdir -p "$root/corpus"
  cp "$1" "$root/runvet"
  cp -R corpus/demo "$root/corpus"
  if [ "$(id -u)" = 0 ]; then
    try_out chroot --userspec=65534:65534 "$root" /runvet
  else
    try_out unshare --map-root-user chroot "$root" /runvet
  fi
}

# Says how large a file is; `make bench` holds the binary against its goal.
weigh() {
  local bytes
  bytes=$(wc -c < "$1")
  echo "$1: $bytes bytes$([ "$bytes" -le "$most_bytes" ] || echo ", more than the goal of $most_bytes")"
}

# A directory as an archive that depends on its files alone.
pack() {
  tar --create --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" \
    --directory "$work" "$1" | gzip --no-name --best > "$out/$1.tar.gz"
}

say "the crate, schemas, licences of the dependencies"
$CARGO package --locked --no-verify
cp "$CARGO_TARGET_DIR/package/runvet-$version.crate" "$out"
tar --extract --gzip --file "$out/runvet-$version.crate" --directory "$work"
mkdir "$work/runvet-$version-schemas"
cp schemas/* "$work/runvet-$version-schemas"
pack "runvet-$version-schemas"
python3 packaging/licences.py > "$out/runvet-$version-licences.txt"

# The binary of a target, with all that a machine needs which has no clone.
archive() {
  local name=runvet-$version-$1
  mkdir -p "$work/$name/man" "$work/$name/completions"
  cp "$2" LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md "$work/$name"
  cp "$out/runvet-$version-licences.txt" "$work/$name/LICENCES-OF-DEPENDENCIES.txt"
  "$runvet" man "$work/$name/man"
  for shell in bash zsh fish; do "$runvet" completions "$shell" > "$work/$name/completions/runvet.$shell"; done
  pack "$name"
}

has_target() { [ -d "$(rustc --print sysroot)/lib/rustlib/$1" ]; }

musl=$machine-unknown-linux-musl
native=$musl
# Where the program is loaded, it fills in 40,000 addresses: packed, their list has some KB, not 1 MB. glibc knows that form
# only since 2.36.
static=$'\x1f-Clink-arg=-Wl,-z,pack-relative-relocs'
say "a static binary, installed from the crate"
if ! has_target "$musl"; then
  leave_out "$musl is missing; install it with: rustup target add $musl"
  echo "the static C library of this machine stands in, to try what the others share"
  native=$machine-unknown-linux-gnu
  # Unlike with musl, the crate for random bytes would look for its system call in a shared library, and then for /dev.
  static=$'\x1f-Ctarget-feature=+crt-static\x1f--cfg\x1fgetrandom_backend="linux_getrandom"'
fi
CARGO_ENCODED_RUSTFLAGS=$CARGO_ENCODED_RUSTFLAGS$static \
  $CARGO install --locked --path "$packed" --target "$native" --root "$work/cargo"
runvet=$work/cargo/bin/runvet
try_alone "$runvet"
weigh "$runvet"
archive "$native" "$runvet"

zig=""
if python=$(python3 tests/environment.py "$work/maturin" "maturin>=1.16,<2" ziglang==0.16.0 cargo-zigbuild==0.24.0); then
  zig=$(dirname "$python")
  PATH=$zig:$PATH
  export CARGO_ZIGBUILD_CACHE_DIR=$work/zig
else
  leave_out "what zig links, and the wheels: $python"
fi

other=aarch64-unknown-linux-musl
if [ "$machine" != aarch64 ]; then
  say "the same for ARM"
  if ! has_target "$other"; then
    echo "left out: rustup target add $other"
  elif [ -n "$zig" ]; then
    $CARGO zigbuild --manifest-path "$packed/Cargo.toml" --release --locked --target "$other" --bin runvet
    built=$CARGO_TARGET_DIR/$other/release/runvet
    if command -v qemu-aarch64-static >/dev/null; then
      try_out qemu-aarch64-static "$built"
    else
      echo "it is not tried: apt-get install qemu-user-static"
    fi
    weigh "$built"
    archive "$other" "$built"
  fi
fi

# The wheel of a C library, from the source distribution: as the backend of pip builds it, but linked by zig. With a static
# binary, that is its command: a module needs its C library shared, so for musl a command would be a build of its own.
wheel() {
  (
    cd "$work/sdist"/runvet-*
    export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/zig
    if [ $# = 3 ]; then
      cp "$3" python/wheel.data/scripts/runvet
    else
      python3 python/build_backend.py release "$1"
      # maturin would call zig by another script, and Cargo compile all anew for another linker.
      linker=$(echo "$CARGO_ZIGBUILD_CACHE_DIR"/cargo-zigbuild/*/wrappers/*/"zigcc-$1"-*.sh)
      export "CARGO_TARGET_$(tr a-z- A-Z_ <<< "${1%%.*}")_LINKER=$linker"
    fi
    CARGO_TARGET_DIR=$CARGO_TARGET_DIR/python maturin build --release --zig --target "${1%%.*}" --compatibility "$2" --out "$out"
  )
}

if [ -n "$zig" ]; then
  say "the source distribution, and a wheel built from it"
  PYTHONPATH=python python3 -c 'import sys, build_backend; build_backend.build_sdist(sys.argv[1])' "$out"
  mkdir "$work/sdist"
  tar --extract --gzip --file "$out/runvet-$version.tar.gz" --directory "$work/sdist"
  wheel "$machine-unknown-linux-gnu.$glibc" "manylinux_${glibc/./_}"
  newest=$(objdump -T "$work"/sdist/*/python/wheel.data/scripts/runvet | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
  [ "$(printf '%s\n' "GLIBC_$glibc" "$newest" | sort -V | tail -n 1)" = "GLIBC_$glibc" ] \
    || { echo "the command needs $newest"; exit 1; }
  wheels=$work/wheels
  mkdir "$wheels"
  cp "$out"/*manylinux*.whl "$wheels"
  python3 -m venv "$work/fresh"
  "$work/fresh/bin/pip" install --quiet --no-index --find-links "$wheels" "runvet==$version"
  try_out "$work/fresh/bin/runvet"
  "$work/fresh/bin/python" -c "import runvet; assert runvet.__version__ == '$version'
assert runvet.validate('corpus/demo').totals.invalid == 3; print('the module works')"
  weigh "$(echo "$wheels"/*.whl)"
  # maturin puts a list of the crates into the wheel, as CycloneDX.
  unzip -p "$wheels"/*.whl '*/sboms/*.cyclonedx.json' > "$work/crates.json"
  sed "s|$(echo "$work"/sdist/runvet-*)|/runvet|g" "$work/crates.json" > "$out/runvet-$version.cdx.json"
  if has_target "$musl"; then
    wheel "$musl" musllinux_1_2 "$runvet"
  else
    leave_out "the wheel for musl: rustup target add $musl"
  fi
  say "the wheel and the hooks, as pre-commit installs them"
  CARGO_ENCODED_RUSTFLAGS="" RUNVET_TESTS=all RUNVET_WHEELS=$wheels \
    $CARGO test --locked --test it -- --test-threads=1 cli::installed::
fi

say "the image"
if docker info >/dev/null 2>&1; then
  packaging/image.sh "$runvet" "runvet:$version"
  try_out docker run --rm --read-only --network none --volume "$PWD:/work:ro" "runvet:$version"
  if docker pull --quiet "$(sed -n 's/^FROM \(.*\) AS build$/\1/p' Dockerfile)"; then
    docker build --tag "runvet:$version-source" .
    try_out docker run --rm --read-only --network none --volume "$PWD:/work:ro" "runvet:$version-source"
  else
    leave_out "the image that is built from source: there is no registry; try it with: docker build ." || true
  fi
else
  leave_out "there is no engine for containers; the binary ran alone, as its user" || true
fi

say "in $out"
cd "$out"
sha256sum -- * | tee "$work/SHA256SUMS"
mv "$work/SHA256SUMS" .
