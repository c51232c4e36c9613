package drills

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
)

// Commands are accepted and fail when their turn comes.
func TestLateFailures(t *testing.T) {
	var said []string
	for _, m := range modes[1:] { // the first waits within each launch
		t.Run(m.name, func(t *testing.T) {
			m.set(t)
			var late clfault.Late
			r := (&rig{dir: warm(t)}).on(t, late.Wrap)
			told, tried := 0, 0
			for _, op := range []string{"launch", "write", "read", "copy"} {
				late.FailAt(1<<30, cl.OutOfResources, op)
				require.NoError(t, r.live(t, 0, func() {}).err())
				all := late.Seen()
				for _, n := range thinned(all, often(2, all)) {
					late.FailAt(n+1, cl.OutOfResources, op)
					delivered := 0
					l := r.live(t, n, func() { delivered += late.Told(); late.Off() })
					tried++
					if delivered > 0 {
						require.ErrorIs(t, l.err(), cl.OutOfResources, "%s %d of %d", op, n+1, all)
						told++
					} else {
						t.Logf("UNHEARD %s %d of %d", op, n+1, all)
					}
				}
			}
			require.Positive(t, told)
			said = append(said, fmt.Sprintf("%s: %d commands, %d of them heard of", m.name, tried, told))
		})
	}
	if len(said) > 0 {
		figure(t, "%s", strings.Join(said, "; "))
	}
}
