#!/bin/sh
# Finds a Python that is new enough and lets it do the rest:  sh scripts/setup.sh up|test
set -eu
here=$(dirname "$0")
for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    exec "$candidate" "$here/setup.py" "$@"
  fi
done
echo "Tidemill needs Python 3.11 or newer, and none was found. On Debian: apt-get install python3 python3-venv" >&2
echo "If it is installed under another name: make PYTHON=/path/to/python3 …" >&2
exit 1
