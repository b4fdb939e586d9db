#!/usr/bin/env bash
# Refresh the three locks: requirements.lock (the package and its extra `test`), requirements-base.lock (what `make chat`
# installs) and deployment/requirements.lock (what the image installs). They carry the hashes of every platform's files and
# name no package index: pip's own configuration does that.
# Usage: deployment/lock.sh [PYTHON] [--upgrade]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${1:-python3}
shift || true
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT

"$python" -m venv "$tools"
"$tools/bin/python" -m pip install --quiet --disable-pip-version-check 'uv>=0.5'

# The system's certificates where a proxy stands between us and the index.
export SSL_CERT_FILE=${SSL_CERT_FILE:-${PIP_CERT:-}}
[ -n "$SSL_CERT_FILE" ] || unset SSL_CERT_FILE

compile() { # compile OUTPUT ARGUMENT...: the existing lock is kept where it still fits, unless --upgrade is given
    local output=$1
    shift
    "$tools/bin/uv" pip compile --quiet pyproject.toml --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command "make lock" \
        --output-file "$output" "$@"
}

compile requirements.lock --extra test "$@"
compile requirements-base.lock --extra build --constraints requirements.lock
compile deployment/requirements.lock --extra build --extra server --extra litellm --constraints requirements.lock
locks=(requirements.lock requirements-base.lock deployment/requirements.lock)

# A lock that names a host would tie everybody to it.
if grep -nE '://' "${locks[@]}"; then
    echo "a lock file names a host (see above)" >&2
    exit 1
fi
grep -c "==" "${locks[@]}" >&2
