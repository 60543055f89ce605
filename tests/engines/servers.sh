#!/usr/bin/env bash
# Installs what tests of engines start, where it is missing and this user may: PostgreSQL and Java, Debian's packages, as root.
# Elsewhere those tests are skipped and say what to install.
set -euo pipefail

have_postgres() { command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }
have_java() { command -v java >/dev/null; }

# name of the program, its package, how to tell that it is there
provide() {
    "$3" && return
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "$1 is not installed; its tests will be skipped"
        return
    fi
    echo "installing $1 from Debian's packages, for its tests"
    local install=(apt-get install --quiet --quiet --yes --no-install-recommends -o Dpkg::Options::=--force-confold "$2")
    "${install[@]}" >/dev/null 2>&1 || { apt-get update --quiet --quiet && "${install[@]}" >/dev/null; } ||
        echo "$1 can't be installed here; its tests will be skipped"
}

export DEBIAN_FRONTEND=noninteractive
if [ "$(id -u)" = 0 ] && [ ! -e /etc/postgresql-common/createcluster.conf ] && ! have_postgres; then
    # The packages would make a cluster of their own and start it; the tests make theirs.
    mkdir -p /etc/postgresql-common
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
fi
provide PostgreSQL postgresql have_postgres
provide Java openjdk-17-jre-headless have_java
