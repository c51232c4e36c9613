package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestTheProgramChecksItself(t *testing.T) {
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		return run(ctx, p, options{count: 150000, lambda: 0.1, steps: 5})
	})
	require.Contains(t, printed, "135000 ratings of 1435 films by 2339 users")
}

// Both engines solve each user's system as gonum does in float64, also of users without ratings, and of a number that fills no group.
func TestFactorsSolveTheirSystems(t *testing.T) {
	const lambda = 0.3
	r := generate(41, 30, 400)
	r.n = 43 // two more, without ratings
	all := make([]int, 400)
	for i := range all {
		all[i] = i
	}
	byUser := r.by(r.users, r.films, r.n, all, 3.5)
	y := make([]float32, r.m*factors)
	for i := range y {
		y[i] = float32(i*7919%1000)/500 - 1
	}
	for _, device := range []string{"", "none"} {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
		require.NoError(t, err)
		defer rt.Close()
		place := ops.OnDevice
		if rt.Device() == nil {
			place = ops.OnCPU
		}
		g := ops.NewGraph("test")
		x := solve(byUser.nodes(g, "users"), g.Variable("y", tensor.Must(tensor.FromSlice(y, r.m, factors))), lambda)
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{x}, Place: place})
		require.NoError(t, err)
		outs, err := exe.Run(t.Context(), nil)
		require.NoError(t, err)
		for u := range r.n {
			a, b := mat.NewDense(factors, factors, nil), mat.NewVecDense(factors, nil)
			from, to := byUser.starts[u], byUser.starts[u+1]
			for e := from; e < to; e++ {
				for i := range factors {
					v := float64(y[int(byUser.others[e])*factors+i])
					b.SetVec(i, b.AtVec(i)+v*float64(byUser.values[e]))
					for j := range factors {
						a.Set(i, j, a.At(i, j)+v*float64(y[int(byUser.others[e])*factors+j]))
					}
				}
			}
			for i := range factors {
				a.Set(i, i, a.At(i, i)+lambda*float64(max(to-from, 1)))
			}
			var want mat.VecDense
			require.NoError(t, want.SolveVec(a, b))
			for i := range factors {
				require.InDelta(t, want.AtVec(i), outs[0].Float64At(u*factors+i), 2e-5, "user %d with %d ratings on %s", u, to-from, rt)
			}
		}
	}
}

func TestFilesOfMovieLensAreRead(t *testing.T) {
	write := func(text string) string {
		file := filepath.Join(t.TempDir(), "ratings")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		return file
	}
	var old, newer string
	for i := range 20 {
		user, film := string(rune('1'+i%3)), string(rune('a'+i%7))
		old += user + "::" + film + "::4::978300760\n"
		newer += user + "," + film + ",4.5,964982703\n"
	}
	for text, stars := range map[string]float32{old: 4, "userId,movieId,rating,timestamp\n" + newer: 4.5} {
		r, err := read(write(text))
		require.NoError(t, err)
		require.Equal(t, []int{3, 7, 20}, []int{r.n, r.m, len(r.stars)})
		require.Equal(t, stars, r.stars[19])
		require.EqualValues(t, 1, r.users[19])
		require.EqualValues(t, 5, r.films[19])
	}
	for _, text := range []string{"", "1 2\n", old + "1::2::many::3\n", "1 2 3\n"} {
		_, err := read(write(text))
		require.Error(t, err)
	}
	_, err := read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
