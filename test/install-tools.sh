#!/bin/sh
# Installs what the tests against real Flink need beside Go, where it is
# missing: a Java 17 development kit and pip, which downloads Flink itself,
# Prometheus and Alertmanager, and Chromium for the status page; with
# FLINK_SKEW_FULL=1 also Maven, which downloads Kafka.
# Needs Debian's or Ubuntu's apt-get and root only when something is missing.
set -eu

missing=
command -v java >/dev/null && command -v javac >/dev/null || missing="$missing openjdk-17-jdk-headless"
python3 -m pip --version >/dev/null 2>&1 || missing="$missing python3 python3-pip"
command -v "${CHROMIUM:-chromium}" >/dev/null || command -v google-chrome >/dev/null || missing="$missing chromium"
command -v prometheus >/dev/null && command -v promtool >/dev/null || missing="$missing prometheus"
{ command -v prometheus-alertmanager || command -v alertmanager; } >/dev/null && command -v amtool >/dev/null || missing="$missing prometheus-alertmanager"
[ "${FLINK_SKEW_FULL:-}" != 1 ] || command -v mvn >/dev/null || missing="$missing maven"
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "install-tools.sh: please install by hand:$missing (this system has no apt-get)" >&2
	exit 1
fi
apt-get update
# The list is meant to be split into words.
# shellcheck disable=SC2086
apt-get install -y --no-install-recommends $missing
