package ops

import (
	"context"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/tensor"
)

// Value returns a copy of what the variable v holds now. It waits for runs that
// write it. Errors: v is not a variable; ctx is done; the device failed.
func Value(ctx context.Context, v *Node) (*tensor.Tensor, error) {
	if !IsVariable(v) {
		return nil, fmt.Errorf("ops: value: %v is not a variable", v)
	}
	if err := alive(ctx); err != nil {
		return nil, err
	}
	t, err := v.state.Value(ctx)
	if err != nil {
		return nil, fmt.Errorf("ops: %w", exec.EngineClosed(err))
	}
	if v.dtype.IsComplex() {
		return t.AsComplex()
	}
	return t, nil
}

// Set gives the variable v the value t, which is copied. It waits for runs that
// use v. Errors: v is not a variable; shape or dtype differ; ctx is done.
func Set(ctx context.Context, v *Node, t *tensor.Tensor) error {
	switch {
	case !IsVariable(v):
		return fmt.Errorf("ops: set: %v is not a variable", v)
	case t == nil:
		return fmt.Errorf("ops: set %s: the tensor is nil", v.state.Name)
	case t.DType() != v.dtype || !slices.Equal(t.Shape(), v.shape):
		return fmt.Errorf("ops: set %s: variable is %v%v, not %v%v", v.state.Name, v.dtype, v.shape, t.DType(), t.Shape())
	}
	if err := alive(ctx); err != nil {
		return err
	}
	if r, err := t.AsReal(); err == nil {
		t = r
	}
	v.state.Set(t)
	return nil
}
