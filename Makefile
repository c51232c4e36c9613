# The README's two commands are plain go; this file gathers what a change is checked with.

.PHONY: all test check fmt vet cross cross-build tidy race drills matrix matrix-full matrix-linked variants bench bench-peers gallery golden offline check-kernels gpu

# The modules, which go.work joins: the library, its examples, what joins it to large libraries, and the tools of those who work on it.
# Their packages together are named work. What an importer builds is the first alone.
MODULES = . examples integrations/arrow integrations/parquet tools

# The tools that are for every platform, so all but the benchmarks' peers, which are C libraries of Linux.
TOOLS = ./tools/internal/... ./tools/cmd/anyclcross ./tools/cmd/anyclvet ./tools/cmd/offline ./tools/cmd/targets
EVERYWHERE = ./... ./examples/... ./integrations/arrow/... ./integrations/parquet/... $(TOOLS) ./tools/cmd/anycl

# Kernel families, each with its tests on a device: packages below internal/ocl.
FAMILIES = attention contract factor maps reduce routine row scatter

# Tests of graphs and of what runs them: packages beside ops.
OPSTESTS = $(addprefix ./ops/internal/tests/,graphs runs places gradients)

all: check test

test:
	go test -timeout 45m work

# Everything that must be clean, without changing a file.
check: fmt vet tidy cross

fmt:
	@out=$$(gofmt -l .); test -z "$$out" || { echo "not formatted (run gofmt -w):"; echo "$$out"; exit 1; }

vet:
	go vet work
	go tool staticcheck work
	go tool anyclvet ./cl/... ./platform/... ./internal/... $(TOOLS) # what calls C, or builds on it

tidy:
	for m in $(MODULES); do (cd $$m && go mod tidy -diff) || exit; done
	go mod verify

# What imports the library must build everywhere, with no C compiler and no OpenCL: the types of all
# platforms, for which 30 seconds do, and the assembler of those that have some. cross-build builds it all, for eight minutes of a core.
PLATFORMS = windows/amd64 darwin/arm64 linux/arm64 js/wasm linux/amd64,noopencl
cross:
	go tool anyclcross -packages '$(EVERYWHERE)' $(PLATFORMS)
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build ./internal/procs

cross-build:
	for p in $(PLATFORMS); do \
		case $$p in *,*) tag=$${p#*,} ;; *) tag= ;; esac; p=$${p%,*}; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go build -gcflags='all=-N -l' -tags "$$tag" $(EVERYWHERE) || exit; \
	done

# The packages that share state between goroutines, the longest first: a driver compiles with one thread. Tests of kernel families
# only compare what kernels compute.
# Needs a C compiler.
race:
	CGO_ENABLED=1 go test -race -short -timeout 20m ./ops $(OPSTESTS) ./internal/ocl ./cl/... ./platform/... ./engine/... ./fallback/... ./frame/... ./serve ./integrations/arrow/... ./integrations/parquet/... \
		$(filter-out $(addprefix %/internal/ocl/,$(FAMILIES)),$(shell go list ./internal/...)) $(TOOLS)

# What must not happen however long a program runs and whatever fails: the long versions of
# internal/drills, half an hour, which write their figures into docs/reliability.md.
# RUN=Launches is one of them.
drills:
	ANYCL_DRILLS=full go test -v -count=1 -timeout 120m -run '$(RUN)' ./internal/drills

# Every cell of op x device x dtype x sample on its own, with a report of each engine, and every kernel
# in every variant, of which tests below internal/ocl else run some.
matrix:
	ANYCL_MATRIX=full go test -v -count=1 -timeout 60m -run 'Portability|EveryOp|Gradients|Engines' .
	ANYCL_MATRIX=full go test -count=1 -timeout 60m ./internal/ocl/...

# The matrix on every driver, checker and compiler of portability/targets.yaml, in Debians of their own
# that it makes first (as root, on Debian); on demand, about an hour. TARGETS are some of them, TIER=quick what CI runs.
TIER ?= full
matrix-full:
	rm -rf .cache/corpus
	ANYCL_CORPUS=$(CURDIR)/.cache/corpus go test -count=1 -run CorpusOfTheExample ./examples/...
	ANYCL_CORPUS=$(CURDIR)/.cache/corpus go run ./tools/cmd/targets run -jobs 2 -tier $(TIER) $(TARGETS)

# The matrix by the linked driver (tag cgocl) and by the loaded one: the facts of every device and every bit of
# every result are the same. Needs a C compiler, and Debian's opencl-headers and ocl-icd-opencl-dev. OPS are some of
# the ops and DTYPES some of the types, with commas. What the linked driver lacks, as the state of an
# event, makes other plans: both are kept to those that do without.
OPS ?=
DTYPES ?=
LINKED = .cache/linked
matrix-linked: export CGO_ENABLED = 1
matrix-linked: export CGO_CFLAGS ?= -O2 -g -DCL_TARGET_OPENCL_VERSION=300
matrix-linked: export ANYCL_VARIANT = thread=workers
matrix-linked:
	mkdir -p $(LINKED)
	go test -count=1 -tags cgocl -run Driver ./cl
	go build -tags cgocl -o $(LINKED)/anycl ./tools/cmd/anycl
	$(LINKED)/anycl matrix -device pocl $(addprefix -op ,$(OPS)) $(addprefix -dtype ,$(DTYPES)) -graphs 0 -o $(LINKED)/loaded.json >$(LINKED)/loaded.txt || { cat $(LINKED)/loaded.txt; exit 1; }
	ANYCL_OPENCL_LIBRARY=cgocl $(LINKED)/anycl matrix -device pocl $(addprefix -op ,$(OPS)) $(addprefix -dtype ,$(DTYPES)) -graphs 0 -o $(LINKED)/linked.json -against $(LINKED)/loaded.json

# The same cells and random graphs with every kernel variant forced in turn. A graph runs again
# only where a variant makes other kernels or arguments of it than those before: about one in six.
variants:
	ANYCL_MATRIX=full go test -v -count=1 -timeout 120m -run 'EveryVariant' .

bench:
	go test -run '^$$' -bench . ./fallback ./internal/ocl/... ./ops/internal/tests/benches

# Measures beside other libraries, which it installs first on Debian and Ubuntu; see tools/cmd/bench.
# FILTER is a regular expression for some of the works, OUT the file for the results.
OUT ?= bench/results/$(shell uname -n)-$(shell date -u +%Y%m%d).jsonl
bench-peers:
	bench/setup.sh
	go run ./tools/cmd/bench -filter '$(FILTER)' -out '$(OUT)'

# Every program of the gallery beside its peer, on a machine that has nothing else to do: its times go to bench/gallery/MACHINE.jsonl
# and into examples/README.md. Peers come from Debian: python3-numpy, python3-scipy, python3-sklearn.
gallery:
	go run ./examples/fetch
	go run ./examples/all

# Rewrites the files that pin what is compiled; read the difference.
golden:
	go test ./internal/ocl -run 'Golden|EveryVariantHasCells' -update
	go test ./kernels ./ops ./tools/internal/opinfo -run Index -update

# Compiles what GPUs would run without one: Clang 19 and libclc 19 (Debian's clang-19 and
# libclc-19) make PTX, ptxas of NVIDIA's CUDA toolkit assembles it; ocloc (Debian's
# intel-ocloc) compiles for Intel. Nothing may spill.
offline: export ANYCL_CLANG ?= clang-19
offline: export ANYCL_LIBCLC ?= /usr/lib/clc/nvptx64--nvidiacl.bc
offline: export ANYCL_PTXAS ?= ptxas
offline: export ANYCL_OCLOC ?= ocloc
offline:
	go test ./internal/ocl -count=1 -run StayInRegisters

# Every kernel under Oclgrind (Debian 12's package oclgrind), on shapes of a few elements: races,
# reads of what was never written, accesses outside, wrong calls. Nothing may be found. A minute or
# two; SHORT=-short takes one cell of each variant.
check-kernels: export ANYCL_OCLGRIND ?= /usr/lib/oclgrind/liboclgrind-rt-icd.so
check-kernels:
	go test ./internal/ocl ./ops/fft -count=1 -timeout 60m $(SHORT) -v -run UnderOclgrind

# Everything that a machine with a GPU is asked, in one go: build here, run there. The binaries travel in one archive.
#   make gpu && tar c --exclude='.gpu/*[!z]' . | ssh machine 'mkdir -p anycl && cd anycl && tar x && bench/gpu.sh'
GPU ?= bench/.gpu
gpu:
	mkdir -p $(GPU)
	CGO_ENABLED=0 go build -buildvcs=true -ldflags "-s -w" -o $(GPU)/anycl ./tools/cmd/anycl
	CGO_ENABLED=0 go build -buildvcs=true -ldflags "-s -w" -o $(GPU)/bench ./tools/cmd/bench
	CGO_ENABLED=0 go test -ldflags "-s -w" -c -o $(GPU)/ ./internal/ocl $(addprefix ./internal/ocl/,$(FAMILIES))
	CGO_ENABLED=0 go test -ldflags "-s -w" -c -o $(GPU)/platform.test ./platform
	CGO_ENABLED=0 go test -ldflags "-s -w" -c -o $(GPU)/ ./ops/internal/tests/runs ./ops/internal/tests/graphs ./ops/internal/tests/benches
	CGO_ENABLED=0 go test -ldflags "-s -w" -c -o $(GPU)/matrix.test .
	cd $(GPU) && tar -czf gpu.tar.gz anycl bench *.test
