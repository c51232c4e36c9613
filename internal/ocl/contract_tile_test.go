package ocl

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// Rows of a multiple of four elements are read by four where a tile lies inside,
// and one by one at its edges; other rows never.
func TestTilesReadNeighboursByFour(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	b := useBench(t)
	for i := range 4 {
		for j, m := range []int{68, 67} {
			if !one(i+i/2+j, 2) {
				continue
			}
			task := matmul(tensor.Float32, 2, m, 76, 52, i&1 != 0, i&2 != 0)
			t.Run(fmt.Sprintf("%d rows %b", m, i), func(t *testing.T) {
				t.Parallel()
				ins := randomInputs(task, 1)
				want, err := taskref.Eval(task, ins)
				require.NoError(t, err)
				c := separate(gpuFacts(64), collapse(task), false)
				choice := c.chooseTile()
				choice.shape.Stages = 1 + i%2
				p, err := c.planTile(choice)
				require.NoError(t, err)
				require.Contains(t, p.launches[0].prog.source, "#define LA 4")
				wide := map[string]int64{}
				for _, a := range p.launches[0].prog.args {
					wide[a.name] = a.value
				}
				require.Equal(t, int64(oneIf(m == 68 || i&1 == 0)), wide["A_WIDE"])
				require.Equal(t, int64(1), wide["B_WIDE"])
				r := b.prepare(t, task, p, ins)
				r.run(t)
				requireClose(t, tensor.Float32, 52, want[0], r.read(t))
			})
		}
	}
}
