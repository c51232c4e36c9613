#!/usr/bin/env bash
# Installs the libraries to measure beside: from Debian or Ubuntu what they have, and
# onnxruntime from npm, of which only the C library is used.
set -euo pipefail
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive
sudo=""
[ "$(id -u)" = 0 ] || sudo=sudo
node=""
command -v npm >/dev/null || node="nodejs npm" # one from elsewhere will do
$sudo apt-get update -qq
# shellcheck disable=SC2086 # none, or two words
$sudo apt-get install -y -qq --no-install-recommends \
	pocl-opencl-icd ocl-icd-libopencl1 gcc g++ libc6-dev libopenblas0-pthread libclblast1 python3-numpy python3-scipy python3-torch \
	libfftw3-single3 libfftw3-double3 libclfft-dev libvkfft-dev libviennacl-dev ocl-icd-opencl-dev $node >/dev/null
mkdir -p .peers
# Without its script, which would fetch a library for CUDA.
npm install --silent --no-save --prefix .peers --ignore-scripts onnxruntime-node@1.30.0
