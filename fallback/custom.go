package fallback

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// customTask calls a user's Go function.
type customTask struct {
	entry     string
	host      func(outs, ins []*tensor.Tensor) error
	outs, ins []*tensor.Tensor
	work.Cost
}

func newCustom(c *compiler) (work.Runner, error) {
	k := c.Task.Custom
	u := &customTask{entry: k.Entry, host: k.Host}
	var err error
	if u.ins, err = tensors(c.Task.Ins, c.Ins, k.InShapes, "input"); err != nil {
		return nil, err
	}
	u.outs, err = tensors(c.Task.Outs, c.Outs, k.OutShapes, "output")
	return u, err
}

// tensors are headers over the memory of operands.
func tensors(ops []engine.Operand, mem [][]byte, shapes [][]int, what string) ([]*tensor.Tensor, error) {
	if len(shapes) != len(ops) {
		return nil, fmt.Errorf("%d %ss with %d shapes", len(ops), what, len(shapes))
	}
	all := make([]*tensor.Tensor, len(ops))
	for i, o := range ops {
		t, err := tensor.FromBytes(o.DType, mem[i], shapes[i]...)
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w", what, i, err)
		}
		all[i] = t
	}
	return all, nil
}

func (u *customTask) Run(context.Context, *work.Pool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("kernel %q: %w", u.entry, work.Panicked(r))
		}
	}()
	if err = u.host(u.outs, u.ins); err != nil {
		err = fmt.Errorf("kernel %q: %w", u.entry, err)
	}
	return err
}

func (u *customTask) Plan() engine.Plan {
	return engine.Plan{Variant: "custom " + u.entry, Why: "the user's Go function", Launch: []string{"1 call"}}
}
