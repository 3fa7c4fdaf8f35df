# An image that contains only runvet:
#     docker build --tag runvet .
#     docker run --rm --read-only --network none --volume "$PWD:/work:ro" runvet validate runs
FROM rust:1.95-alpine AS build
WORKDIR /runvet
COPY Cargo.toml Cargo.lock README.md ./
COPY src src
COPY schemas schemas
COPY benches benches
COPY tests tests
RUN cargo build --release --locked --bin runvet

FROM scratch
COPY --from=build /runvet/target/release/runvet /runvet
WORKDIR /work
# The user nobody, because runvet only reads.
USER 65534:65534
ENTRYPOINT ["/runvet"]
