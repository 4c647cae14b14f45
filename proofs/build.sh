#!/bin/sh
# Build and audit the Coq development from clean.
#   build.sh [--no-coqchk]
# If coqc is missing: installed from Debian when root with apt-get and PROOFS_INSTALL=1 or CI=true,
# otherwise the command to install it is printed and the script fails.
set -eu
cd "$(dirname "$0")/coq"

chk=yes
case "${1:-}" in
  "") ;;
  --no-coqchk) chk=no ;;
  *) echo "usage: build.sh [--no-coqchk]" >&2; exit 2 ;;
esac

if ! command -v coqc >/dev/null 2>&1; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 &&
     { [ "${PROOFS_INSTALL:-}" = 1 ] || [ "${CI:-}" = true ]; }; then
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends coq
  else
    echo "build.sh: coqc not found; on Debian: apt-get install coq (or run as root with PROOFS_INSTALL=1)" >&2
    exit 1
  fi
fi
coqc --version | head -1

step() {  # step NAME COMMAND...: run it and say how long it took
  name=$1; shift; start=$(date +%s)
  "$@"
  echo "$name: $(($(date +%s) - start)) s"
}
step clean make -s clean
step coqc make -s build
step audit ./audit.sh
if [ "$chk" = yes ]; then step coqchk make -s coqchk; fi
