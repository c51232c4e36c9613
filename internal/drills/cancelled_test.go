package drills

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testleak"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

// Contexts end at random moments of everything that takes one.
func TestCancelled(t *testing.T) {
	var said string
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			m.set(t)
			r := sound(t)
			rt := r.open(t)
			s := newStudent(40, 30)
			exe, err := s.graph.Compile(t.Context(), rt, s.target(ops.OnDevice))
			require.NoError(t, err)
			p, err := newPlain(t.Context(), rt, 2)
			require.NoError(t, err)
			uses := []func(ctx context.Context) error{
				func(ctx context.Context) error {
					n := newStudent(6+int(time.Now().UnixNano()%5), 5)
					x, err := n.graph.Compile(ctx, rt, n.target(ops.OnDevice))
					if err != nil {
						return err
					}
					return errors.Join(n.step(ctx, x, 1), x.Close())
				},
				func(ctx context.Context) error { return s.step(ctx, exe, 2) },
				func(ctx context.Context) error { return p.run(ctx, 3, 2) },
				func(ctx context.Context) error {
					i := 0
					for outs, err := range p.exe.Each(ctx, p.feeds(6), ops.EachOptions{}) {
						if err != nil {
							return err
						}
						i++
						if err := near("sum", outs[0].Float64At(1), float64(2*plainCols*i*i)); err != nil {
							return err
						}
					}
					return nil
				},
				func(ctx context.Context) error {
					_, err := p.exe.Profile(ctx, p.feed(1), ops.ProfileOptions{Runs: 1})
					return err
				},
				func(ctx context.Context) error {
					_, err := rt.Tune(ctx, &ops.TuneOptions{Budget: 30 * time.Millisecond}, p.exe)
					return err
				},
				func(ctx context.Context) error {
					other, err := ops.Open(ctx, r.options())
					if err != nil {
						return err
					}
					return other.Close()
				},
			}
			t.Setenv(platform.EnvTune, t.TempDir())
			took := make([]time.Duration, len(uses))
			for i, use := range uses {
				start := time.Now()
				require.NoError(t, use(t.Context()), "use %d", i)
				took[i] = time.Since(start)
			}
			before := holds(r.lib)
			lot := rand.New(rand.NewPCG(3, 4))
			ended, through := 0, 0
			for round := range often(4, 100) {
				for i, use := range uses {
					moment := time.Duration(lot.Int64N(int64(took[i]*5/4) + 1))
					if round == 0 {
						moment = 1 // before it has begun
					}
					ctx, cancel := context.WithTimeout(t.Context(), moment)
					err := use(ctx)
					cancel()
					if err == nil {
						through++
						continue
					}
					require.NotErrorIs(t, err, errWrong, "use %d", i)
					require.ErrorIs(t, err, context.DeadlineExceeded, "use %d", i)
					ended++
				}
				require.NoError(t, s.step(t.Context(), exe, 5), "a later run is right")
				require.NoError(t, p.run(t.Context(), 7, 2))
			}
			require.Positive(t, ended)
			// A build that nobody waits for any more goes on, with files of its own.
			testleak.RequireGoroutines(t, before.routines)
			require.Eventually(t, func() bool { return descriptors() <= before.files }, time.Minute, 5*time.Millisecond)
			after := holds(r.lib)
			require.Equal(t, before.objects.Contexts, after.objects.Contexts)
			require.Equal(t, before.objects.Kernels, after.objects.Kernels)
			require.Equal(t, before.objects.Mappings, after.objects.Mappings)
			require.NoError(t, rt.Close())
			said += fmt.Sprintf("%s: %d ended, %d were over before; ", m.name, ended, through)
		})
	}
	if said != "" {
		figure(t, "%severy later run right", said)
	}
}
