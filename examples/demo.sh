#!/usr/bin/env bash
# The main job on the table of the paper: ten patients, nobody singled out, nobody gone.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p demo
.venv/bin/diva anonymize examples/patients.csv -o demo/release.csv \
    --qi GEN,ETH,AGE,PRV,CTY --sensitive DIAG --id ID --k 2 --effort best --time-limit 10 \
    -c "ETH[Asian] in 2..5" -c "ETH[African] in 1..3" -c "CTY[Vancouver] in 2..4"
echo
cat demo/release.csv
