package ocl

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// A prefetch of unmapped memory does nothing, on any processor: kernels ask for the next rows of a
// panel, or the next row of a matrix, without looking whether there is one. So they are no accesses
// elsewhere. Here each is a read, and finds an address that has nothing to do with its buffer.

// fetchesBeyond is how far behind the end of a buffer kernels may ask for lines: 64 rows of the widest panel
// of doubles are 32 KiB.
const fetchesBeyond = 64 << 10

const fetchedSource = "#undef __builtin_prefetch\n#define __builtin_prefetch(p, w, l) ((void)*(volatile __global const char *)(size_t)(p))\n"

var fetching = regexp.MustCompile(`FETCH_(LINE|RUN|ROW|AT)\(`)

func TestCheckerFindsPrefetchesNearBuffers(t *testing.T) {
	k := useChecker(t)
	k.fetches = true
	defer func() { k.fetches = false }()
	for _, bug := range []struct{ name, at, want string }{
		{"in a buffer", "x + 63", ""}, {"behind it", "x + 64 + 16000", ""},
		{"far behind it", "x + 64 + 17000", "Invalid read of size 1"}, {"before it", "x - 1", "Invalid read of size 1"},
	} {
		t.Run(bug.name, func(t *testing.T) {
			prog, err := k.Dev.Program(t.Context(), "bug.cl", k.source()+"kernel void bug(global const int *x, global int *y) { "+
				"__builtin_prefetch((const void *)(size_t)("+bug.at+"), 0, 3); y[get_global_id(0)] = x[get_global_id(0)]; }", "")
			require.NoError(t, err)
			kernel, err := prog.Kernel("bug")
			require.NoError(t, err)
			defer kernel.Close()
			require.NoError(t, kernel.SetBuffer(0, k.written(t, make([]byte, 4*64))))
			require.NoError(t, kernel.SetBuffer(1, k.unwritten(t, 4*64)))
			require.NoError(t, k.Queue.Launch(kernel, cl.Range1(64, 64), nil))
			if found := k.found(t); bug.want == "" {
				require.Empty(t, found)
			} else {
				require.Contains(t, found, bug.want)
			}
		})
	}
	ran := map[string]bool{}
	for i, c := range checkedCells() {
		p, err := c.plan()
		require.NoError(t, err)
		if !slices.ContainsFunc(p.Launches, func(l variant.Launch) bool { return fetching.MatchString(l.Program.Body) }) {
			continue
		}
		if c.variant == "gather" { // an index that names no row names lines that are nowhere, and nobody reads
			c = c.on(c.inputs(t)[0], make([]byte, c.task.Ins[1].Bytes()))
		}
		t.Run(c.id(), func(t *testing.T) {
			first := !ran[c.family+"="+c.variant]
			if ran[c.family+"="+c.variant] = true; testing.Short() && !first {
				t.Skip("one of each variant")
			}
			c.check(t, k, i%2)
		})
	}
	for _, v := range []string{"contract=panel", "contract=winograd", "map=gather", "map=tile", "row=block", "row=band"} {
		require.Contains(t, ran, v, "it asks for lines")
	}
}
