#!/bin/sh
# Makes .venv-st: graphmem with the extra sentence-transformers, and what its lane of tests needs.
# Usage: tests/sentence_transformers/prepare.sh [PYTHON], from the repository's top.
set -eu

python=${1:-python3}
needed=10000 # megabytes: 6,100 stay in .venv-st, pip unpacks 3,000 beside them, the converted model takes 470
[ -e .venv-st/bin/python ] && needed=2000

"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' || {
    echo "The lane of sentence-transformers needs Python 3.11 or newer with venv and pip; '$python' is not." >&2
    echo "Name another one: make test-sentence-transformers PYTHON=..." >&2
    exit 1
}
free=$("$python" -c 'import shutil; print(shutil.disk_usage(".").free // 2**20)')
echo "Disk: $free MB are free here, the lane of sentence-transformers needs $needed MB."
if [ "$free" -lt "$needed" ]; then
    echo "Free some space, or move the checkout. Nothing was downloaded or changed." >&2
    exit 1
fi

.venv-st/bin/python -c 'import pip' 2>/dev/null || "$python" -m venv --clear .venv-st
echo "Installing sentence-transformers and its libraries into .venv-st (6.1 GB where only the CUDA build is offered)"
.venv-st/bin/python -m pip install --quiet --disable-pip-version-check \
    -c constraints.txt -c constraints-sentence-transformers.txt \
    -e '.[sentence-transformers,use-multilingual]' hypothesis pytest pytest-timeout
du -sm .venv-st | {
    read -r size _name
    echo "Disk: .venv-st takes $size MB."
}
