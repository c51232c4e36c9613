#!/bin/sh
# gpu.sh [FOLDER]: what a machine with a GPU is asked, with the binaries of make gpu; needs no Go.
#
# What the driver's compiler takes (half, inline PTX, matrix units, sub-groups, dot products) and
# how fast the device copies, computes and launches; then the tests on it, every kernel variant,
# the matrix of ops, how near a loop over large batches comes to the link's speed, and the speed
# of kernels. Results go to FOLDER, one file a step; a step that fails does not stop the others.
set -u
cd "$(dirname "$0")/.."
bin=$PWD/${GPU:-bench/.gpu} out=${1:-$PWD/bench/.gpu/out} failed=0
mkdir -p "$out"
export ANYCL_CACHE="$out/cache"
step() { # NAME FOLDER COMMAND...
    name=$1 folder=$2
    shift 2
    if (cd "$folder" && timeout "${LIMIT:-600}" "$@") > "$out/$name.txt" 2>&1; then
        echo "ok    $name"
    else
        echo "FAIL  $name: $out/$name.txt"
        failed=1
    fi
}
step devices . "$bin/anycl" devices -calibrate
cat "$out/devices.txt"
step platform platform "$bin/platform.test" -test.short
step kernels internal/ocl "$bin/ocl.test"
step variants . "$bin/matrix.test" -test.run EveryVariant
step matrix . "$bin/matrix.test" -test.run 'Portability|EveryOp|Gradients|Engines'
step runs ops "$bin/ops.test" -test.short -test.run 'Each|Feed|Fail|Fault|Run|Lost'
step feed ops "$bin/ops.test" -test.run '^$' -test.bench Feed -test.benchtime 5x
step bench internal/ocl "$bin/ocl.test" -test.run '^$' -test.bench . -test.benchtime 20x
exit $failed
