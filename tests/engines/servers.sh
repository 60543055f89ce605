#!/usr/bin/env bash
# Installs the servers that tests of engines start, where they are missing and this user may: Debian's packages, as root.
# Elsewhere those tests are skipped and say what to install.
set -euo pipefail

if command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then
    exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "PostgreSQL is not installed; its tests will be skipped"
    exit 0
fi
echo "installing PostgreSQL from Debian's packages, for its tests"
# The packages would make a cluster of their own and start it; the tests make theirs.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
export DEBIAN_FRONTEND=noninteractive
install=(apt-get install --quiet --quiet --yes --no-install-recommends -o Dpkg::Options::=--force-confold postgresql)
"${install[@]}" >/dev/null 2>&1 || { apt-get update --quiet --quiet && "${install[@]}" >/dev/null; } ||
    echo "PostgreSQL can't be installed here; its tests will be skipped"
