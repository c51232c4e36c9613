package contract_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// Rows of a multiple of four elements are read by four where a tile lies inside,
// and one by one at its edges; other rows never.
func TestTilesReadNeighboursByFour(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	b := ocltest.OpenBench(t)
	for i := range 4 {
		for j, m := range []int{68, 67} {
			if !ocltest.OneIn(i+i/2+j, 2) {
				continue
			}
			task := sample.Matmul(tensor.Float32, 2, m, 76, 52, i&1 != 0, i&2 != 0)
			t.Run(fmt.Sprintf("%d rows %b", m, i), func(t *testing.T) {
				t.Parallel()
				ins := ocltest.RandomInputs(task, 1)
				want, err := taskref.Eval(task, ins)
				require.NoError(t, err)
				c := contract.Separate(ocltest.GPU(64), access.Collapse(task), false)
				choice := c.ChooseTile()
				choice.Shape.Stages = 1 + i%2
				p, err := c.PlanTile(choice)
				require.NoError(t, err)
				require.Contains(t, p.Launches[0].Program.Text(), "#define LA 4")
				wide := map[string]int64{}
				for _, a := range p.Launches[0].Program.Args {
					wide[a.Name] = a.Value
				}
				require.Equal(t, int64(codegen.OneIf(m == 68 || i&1 == 0)), wide["A_WIDE"])
				require.Equal(t, int64(1), wide["B_WIDE"])
				r := b.Prepare(t, task, p, ins)
				r.Run(t)
				ocltest.RequireClose(t, tensor.Float32, 52, want[0], r.Read(t))
			})
		}
	}
}
