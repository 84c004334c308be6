#!/usr/bin/env bash
# Deploys the site.
set -euo pipefail

source ./lib/common.sh

readonly TARGET="/srv/www"
export RETRIES=3
count=0

# Prints how to use it.
usage() {
  cat <<TEXT
usage: deploy.sh [host]
TEXT
}

function build_site {
  local out="$1"
  make "$out"
}

if [[ "${1:-}" == "--help" ]]; then
  usage
  exit 0
fi

for host in "$@"; do
  build_site "$host"
done
