#!/usr/bin/env bash
# Makes an image of a static binary, as the last stage of the Dockerfile makes it of the one that it builds.
#
#     packaging/image.sh BINARY TAG
set -euo pipefail
cd "$(dirname "$0")/.."

context=$(mktemp --directory)
trap 'rm -r "$context"' EXIT
cp "$1" "$context/runvet"
sed -n '/^FROM scratch/,$p' Dockerfile | sed 's|--from=build [^ ]*|runvet|' > "$context/Dockerfile"
docker build --tag "$2" "$context"
