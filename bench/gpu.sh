#!/bin/sh
# gpu.sh [FOLDER]: what a machine with a GPU is asked, with the binaries of make gpu; needs no Go.
#
# What the driver's compiler takes (half, inline PTX, matrix units, sub-groups, dot products) and
# how fast the device copies, computes and launches; then, side by side, the matrix of ops, the tests
# on the device and every kernel variant; then, alone, how near a loop over large batches comes
# to the link's speed, and the works of the report beside PyTorch on the same GPU. Results go to
# FOLDER, a file a step; a step that fails or takes too long does not stop the others.
#
#     DEVICE   as in ANYCL_DEVICE (default gpu)      ONLY   steps to run (default all)
#     LIMIT    seconds a step (default 600)          WORKS  regular expression of the works to measure
#     TURNS    of each contender (default 5)
set -u
cd "$(dirname "$0")/.."
bin=$PWD/${GPU:-bench/.gpu} out=${1:-$PWD/bench/.gpu/out}
mkdir -p "$out"
[ ! -f "$bin/gpu.tar.gz" ] || tar -xzf "$bin/gpu.tar.gz" -C "$bin"
export ANYCL_CACHE="$out/cache" ANYCL_DEVICE="${DEVICE:-gpu}" ANYCL_TORCH_DEVICE="${ANYCL_TORCH_DEVICE:-cuda}"
: >"$out/failed"
step() { # NAME FOLDER COMMAND...
    name=$1 folder=$2
    case " ${ONLY:-$name} " in *" $name "*) ;; *) return ;; esac
    shift 2
    began=$(date +%s) code=0
    (cd "$folder" && timeout "${LIMIT:-600}" "$@") >"$out/$name.txt" 2>&1 || code=$?
    case $code in
    0) said=ok ;;
    124) said=LONG ;;
    *) said=FAIL ;;
    esac
    [ $code = 0 ] || echo "$name" >>"$out/failed"
    echo "$said $name $(($(date +%s) - began)) s: $out/$name.txt"
}
step devices . "$bin/anycl" devices -calibrate
cat "$out/devices.txt"
own="/$(sed -n 's/^[* ]*\([a-z]*:[0-9]*\) .*/\1/p' "$out/devices.txt" | head -1)$" # subtests of the device, without those of the CPU path
step matrix . "$bin/anycl" matrix -contain -device "$ANYCL_DEVICE" -o "$out/matrix.json" &
step platform platform "$bin/platform.test" -test.short -test.v &
step engine internal/ocl "$bin/ocl.test" -test.short -test.v &
for family in attention contract factor maps reduce routine row scatter; do
    step "$family" "internal/ocl/$family" "$bin/$family.test" -test.short -test.v &
done
step variants . "$bin/matrix.test" -test.v -test.run "EveryVariant$own" &
step random . "$bin/matrix.test" -test.v -test.run "Random|LongFolds|OwnKernels|Promises$own" &
for tests in runs graphs; do
    step "$tests" "ops/internal/tests/$tests" "$bin/$tests.test" -test.short -test.v -test.run 'Each|Feed|Fail|Fault|Run|Lost' &
done
wait
step feed ops/internal/tests/benches "$bin/benches.test" -test.run '^$' -test.bench Feed -test.benchtime 5x
step bench . "$bin/bench" --together --turns "${TURNS:-5}" --pause=-1ns -p pytorch -f "${WORKS:-.}" -o "$out/results.jsonl"
[ ! -s "$out/failed" ]
