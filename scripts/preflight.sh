#!/bin/sh
# Checks what `make setup` needs before anything is downloaded: a Python, its venv and pip modules, room on the disk.
# Names everything that is missing, each with its remedy, in one message. Needs nothing but a POSIX shell.
# Says too what `make test` will miss later; that ends nothing here.
# Usage: scripts/preflight.sh [PYTHON], from the repository's top; exit status 0 = go on.
set -u

python=${1:-python3}
missing=

lacks() { # what is missing, what to do about it
    missing="$missing
  - $1
    $2"
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

another_python() { # a newer interpreter under another name, as a hint
    for name in python3.14 python3.13 python3.12 python3.11 python; do
        if new_enough "$name"; then
            printf ' Or use the one that is here: make setup PYTHON=%s' "$name"
            return
        fi
    done
}

free_megabytes() { # prints nothing where it cannot be told
    if new_enough "$python"; then
        "$python" -c 'import shutil; print(shutil.disk_usage(".").free // 2**20)'
    elif command -v df >/dev/null 2>&1; then
        df -Pk . | {
            read -r _heading
            read -r _device _blocks _used free _rest
            printf '%s\n' $((free / 1024))
        }
    fi
}

install="Debian, Ubuntu: apt install python3 python3-venv. Fedora: dnf install python3. macOS: brew install python."
if ! command -v "$python" >/dev/null 2>&1; then
    lacks "Python 3.11 or newer: there is no '$python' on the PATH." "$install$(another_python)"
elif ! new_enough "$python"; then
    found=$("$python" --version 2>&1) || found="'$python', which does not start"
    lacks "Python 3.11 or newer: found $found." "$install$(another_python)"
elif ! "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
    lacks "The modules venv and ensurepip (pip) of '$python'." \
        "Debian, Ubuntu: apt install python3-venv. Elsewhere: install a complete Python, not a minimal one."
fi

needed=1800 # megabytes: .venv takes 1,000, and pip needs room to unpack
[ -e .venv/bin/python ] && needed=300
free=$(free_megabytes)
if [ -n "$free" ] && [ "$free" -lt "$needed" ]; then
    lacks "Disk: $needed MB for the virtual environment, $free MB are free here." "Free some space, or move the checkout."
fi

if [ -n "$missing" ]; then
    printf 'graphmem cannot be set up yet. Missing:%s\nNothing was downloaded or changed.\n' "$missing" >&2
    exit 1
fi

has_chromium() { # by the names that tests/integration/test_browser.py looks for
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    return 1
}

if [ "${GRAPHMEM_TEST_BROWSER:-}" != 0 ] && ! has_chromium; then
    printf 'For make test later: the tests of Neo4j Browser drive a Chromium, and there is none: they will fail.\n    %s\n' \
        "Debian, Ubuntu: apt install chromium. GRAPHMEM_TEST_BROWSER=0 leaves these tests out." >&2
fi
