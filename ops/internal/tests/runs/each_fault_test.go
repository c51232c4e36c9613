package runs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Each and Profile make calls that Run does not. Whichever of them fails, the
// caller is told or nothing is wrong, the executable goes on, and closing leaves
// no OpenCL object.
func TestAnyFailingCallInsideEachAndProfileLeaksNothing(t *testing.T) {
	for staging, n := range adderSizes {
		anyFailingCall(t, staging, n)
	}
}

func anyFailingCall(t *testing.T, staging string, n int) {
	t.Setenv(variant.EnvVariant, "thread=workers") // the only ones to work ahead
	r := newRig(t)
	r.opts.Staging = staging
	uses := map[string]func(ctx context.Context, a *adder) error{
		"each": func(ctx context.Context, a *adder) error {
			for _, err := range a.exe.Each(ctx, a.feeds(3, 0), ops.EachOptions{}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"profile": func(ctx context.Context, a *adder) error {
			_, err := a.exe.Profile(ctx, ops.Feeds{a.x: tensor.Must(tensor.New(tensor.Float32, a.n))}, ops.ProfileOptions{Runs: 1})
			return err
		},
	}
	if staging != "" {
		delete(uses, "profile") // runs one after the other, as Run does
	}
	for name, use := range uses {
		t.Run(name+staging, func(t *testing.T) {
			for at := 1; ; at++ {
				rt, closeAll, err := r.open(t.Context())
				require.NoError(t, err)
				a := newAdder(t, rt, ops.OnDevice, n)
				r.faults.FailAt(at, cl.OutOfResources, "")
				err = use(t.Context(), a)
				fired, calls := r.faults.Fired(), r.faults.Calls()
				r.faults.Off()
				if fired == 0 {
					require.NoError(t, err)
				}
				if err != nil {
					require.ErrorIs(t, err, cl.OutOfResources, "call %d: %s", at, calls[at-1])
				}
				_ = use(t.Context(), a) // may tell what nobody has waited for
				require.NoError(t, use(t.Context(), a), "after call %d failed: %v", at, calls)

				// The variable is what runs made it: later ones agree with it.
				zero := tensor.Must(tensor.New(tensor.Float32, a.n))
				first, err := a.exe.Run(t.Context(), ops.Feeds{a.x: zero})
				require.NoError(t, err)
				outs, err := a.exe.Run(t.Context(), ops.Feeds{a.x: zero})
				require.NoError(t, err)
				require.True(t, tensor.Equal(first[0], outs[0]))

				require.NoError(t, errors.Join(a.exe.Close(), rt.Close(), closeAll()))
				require.Zero(t, r.lib.Stats().Total(), "call %d: %+v", at, r.lib.Stats())
				if fired == 0 {
					require.Greater(t, at, 10)
					return
				}
			}
		})
	}
}
