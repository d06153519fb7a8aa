# syntax=docker/dockerfile:1
# Two stages: Go builds a static binary, distroless runs it as nonroot. It needs
# no shell, no root, no writable file system.
#
#   docker build --build-arg VERSION=0.1.0 --build-arg REVISION="$(git rev-parse HEAD)" -t flink-skew-exporter .
#   docker run --rm -p 9923:9923 flink-skew-exporter --flink.url=http://jobmanager:8081
FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG VERSION=unknown
ARG REVISION=unknown
ARG TARGETOS=linux
ARG TARGETARCH=amd64
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS="$TARGETOS" GOARCH="$TARGETARCH" go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X github.com/prometheus/common/version.Version=$VERSION -X github.com/prometheus/common/version.Revision=$REVISION" \
      -o /out/flink-skew-exporter ./cmd/flink-skew-exporter

FROM gcr.io/distroless/static-debian12:nonroot
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="flink-skew-exporter" \
      org.opencontainers.image.description="Why subtasks of Flink jobs are unevenly loaded, and how far jobs can scale, for Prometheus" \
      org.opencontainers.image.source="https://github.com/flink-skew-exporter/flink-skew-exporter" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=build /out/flink-skew-exporter /usr/bin/flink-skew-exporter
COPY LICENSE /usr/share/doc/flink-skew-exporter/LICENSE
USER 65532:65532
EXPOSE 9923
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["flink-skew-exporter", "check", "health"]
ENTRYPOINT ["flink-skew-exporter"]
