package drills

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// many is how many goroutines work at once.
const many = 64

// plain is a graph without variables: sums of squares of rows, times a number.
type plain struct {
	x   *ops.Node
	exe *ops.Executable
}

const plainRows, plainCols = 16, 9

func newPlain(ctx context.Context, rt *ops.Runtime, factor float64) (p plain, err error) {
	g := ops.NewGraph("plain")
	p.x = g.Input("x", tensor.Float32, plainRows, plainCols)
	sum := ops.Sum(ops.Mul(p.x, p.x), 1)
	p.exe, err = g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.Mul(sum, ops.ScalarLike(sum, factor))}, Place: ops.OnDevice})
	return p, err
}

// run feeds v everywhere and checks every row.
func (p plain) run(ctx context.Context, v, factor float64) error {
	x := tensor.Must(tensor.New(tensor.Float32, plainRows, plainCols))
	for i := range x.Len() {
		x.SetFloat64(i, v)
	}
	outs, err := p.exe.Run(ctx, ops.Feeds{p.x: x})
	if err != nil {
		return err
	}
	for i := range plainRows {
		if err := near(fmt.Sprintf("row %d", i), outs[0].Float64At(i), factor*plainCols*v*v); err != nil {
			return err
		}
	}
	return nil
}

// Goroutines share one executable, then one with a variable, then make and use their own.
func TestGoroutines(t *testing.T) {
	var said []string
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			m.set(t)
			r := sound(t)
			rt := r.open(t)
			n := often(40, 2_000)
			var runs atomic.Int64
			together := func(do func(i int) error) {
				var wg sync.WaitGroup
				for i := range many {
					wg.Go(func() {
						if err := do(i); err != nil {
							t.Errorf("goroutine %d: %v", i, err)
						}
					})
				}
				wg.Wait()
			}
			one, err := newPlain(t.Context(), rt, 3)
			require.NoError(t, err)
			together(func(i int) error {
				for j := range n {
					if err := one.run(t.Context(), float64(i)+float64(j%7), 3); err != nil {
						return err
					}
					runs.Add(1)
				}
				return nil
			})

			// A variable that all of them count up, while others read it.
			g := ops.NewGraph("counter")
			v := g.Variable("v", tensor.Must(tensor.New(tensor.Float32, 3)))
			up, err := g.Compile(t.Context(), rt, ops.Target{Updates: []*ops.Node{ops.Assign(v, ops.Add(v, ops.ScalarLike(v, 1)))}, Place: ops.OnDevice})
			require.NoError(t, err)
			together(func(i int) error {
				for range n / 4 {
					if err := up.RunInto(t.Context(), nil, nil); err != nil {
						return err
					}
					runs.Add(1)
				}
				return nil
			})
			total, err := ops.Value(t.Context(), v)
			require.NoError(t, err)
			require.EqualValues(t, many*(n/4), total.Float64At(2), "no count is lost")

			together(func(i int) error {
				for j := range max(1, n/40) {
					factor := float64(1 + (i+j)%5)
					own, err := newPlain(t.Context(), rt, factor)
					if err != nil {
						return err
					}
					for k := range 10 {
						if err := own.run(t.Context(), float64(k), factor); err != nil {
							return err
						}
						runs.Add(1)
					}
					if err := own.exe.Close(); err != nil {
						return err
					}
				}
				return nil
			})
			require.NoError(t, rt.Close())
			require.Zero(t, r.lib.Stats().Total(), "%+v", r.lib.Stats())
			said = append(said, fmt.Sprintf("%s: %d runs", m.name, runs.Load()))
		})
	}
	if len(said) > 0 {
		figure(t, "%d goroutines, %s; 0 wrong, 0 objects left", many, strings.Join(said, ", "))
	}
}
