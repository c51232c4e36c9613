package matrix

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tools/internal/plans"
)

// queries is how many random queries of data frames are checked: on a device nearly every expression is another kernel.
const queries = 12

// queryError is nil where a random query of data frames has the same rows in the same order on e as without a device. Steps that have a
// form as ops run on e, even where they would be faster without.
func queryError(ctx context.Context, e, cpu engine.Engine, seed uint64) (err error) {
	r := rand.New(rand.NewPCG(seed, 28))
	var tables [2]*frame.Query
	for i := range tables {
		f, err := plans.Table(r, i)
		if err != nil {
			return err
		}
		tables[i] = f.Query()
	}
	engines := []engine.Engine{e, cpu}
	if e.Name() == cpu.Name() {
		engines = engines[:1]
	}
	rt := ops.NewRuntime(engines...)
	device := frame.NewDevice(rt, frame.DeviceOptions{Place: ops.OnDevice, Compact: frame.Yes})
	defer func() { err = errors.Join(err, device.Close(), rt.Close()) }()
	p := plans.New(r, "", "")
	q := p.Query(tables[0], tables[1])
	want, err := q.Run(ctx, frame.Options{})
	if err != nil {
		return fmt.Errorf("without a device: %w\n%s", err, p)
	}
	got, err := q.Run(ctx, frame.Options{Device: device})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, p)
	}
	if why := p.DiffersInOrder(got.Frame, want.Frame); why != "" {
		return fmt.Errorf("query %d: %s\n%s\n%s", seed, why, p, got)
	}
	return nil
}
