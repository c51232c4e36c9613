package drills

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// life is all that a program does, from open to close. Whatever fails is done once more with all
// faults gone, and must work then.
type life struct {
	rig   *rig
	heal  func() // ends all faults
	where ops.Place
	step  string  // the present one
	errs  []error // of steps, the first attempt
	again error   // of a second attempt
	end   error   // of closing
}

// do is one step.
func (l *life) do(step string, f func() error) bool {
	l.step = step
	err := f()
	if err == nil {
		return true
	}
	l.errs = append(l.errs, fmt.Errorf("%s: %w", step, err))
	l.heal()
	if err = f(); err != nil {
		l.again = fmt.Errorf("%s, again: %w", step, err)
	}
	return err == nil
}

// run goes through all steps. Sizes follow from the number.
func (l *life) run(ctx context.Context, number int) {
	var rt *ops.Runtime
	if !l.do("open", func() (err error) {
		o := l.rig.options()
		o.PoolBytes = -1 // all memory is the driver's
		rt, err = ops.Open(ctx, o)
		return err
	}) {
		return
	}
	defer func() { l.step = "close"; l.end = errors.Join(l.end, rt.Close()) }()
	s := newStudent(6, 5)
	var training *ops.Executable
	var p plain
	ok := l.do("compile", func() (err error) {
		training, err = s.graph.Compile(ctx, rt, s.target(l.where))
		return err
	}) && l.do("compile another", func() (err error) {
		p, err = newPlain(ctx, rt, 2)
		return err
	}) && l.do("train", func() error {
		return s.step(ctx, training, number)
	}) && l.do("train again", func() error {
		return s.step(ctx, training, number+1)
	}) && l.do("each", func() error {
		i := 0
		for outs, err := range p.exe.Each(ctx, p.feeds(3), ops.EachOptions{}) {
			if err != nil {
				return err
			}
			i++
			if err := near("sum", outs[0].Float64At(plainRows-1), float64(2*plainCols*i*i)); err != nil {
				return err
			}
		}
		if i != 3 {
			return fmt.Errorf("%w: %d runs of 3", errWrong, i)
		}
		return nil
	}) && l.do("profile", func() error {
		_, err := p.exe.Profile(ctx, p.feed(3), ops.ProfileOptions{Runs: 1})
		return err
	}) && l.do("larger", func() error {
		t := newStudent(60, 5)
		exe, err := t.graph.Compile(ctx, rt, t.target(l.where))
		if err != nil {
			return err
		}
		return errors.Join(t.step(ctx, exe, number), exe.Close())
	})
	if ok {
		l.step = "close executable"
		l.end = errors.Join(training.Close(), p.exe.Close())
	}
}

// err is all that the caller was told.
func (l *life) err() error { return errors.Join(errors.Join(l.errs...), l.end) }

func (p plain) feed(v float64) ops.Feeds {
	x := tensor.Must(tensor.New(tensor.Float32, plainRows, plainCols))
	for i := range x.Len() {
		x.SetFloat64(i, v)
	}
	return ops.Feeds{p.x: x}
}

// feeds are 1, 2, ... n.
func (p plain) feeds(n int) iter.Seq2[ops.Feeds, error] {
	return func(yield func(ops.Feeds, error) bool) {
		for i := range n {
			if !yield(p.feed(float64(i+1)), nil) {
				return
			}
		}
	}
}

// lives goes through one life after another, each with its fault, and checks what holds of all.
func (r *rig) live(t *testing.T, number int, heal func()) *life {
	t.Helper()
	l := &life{rig: r, heal: heal, where: ops.OnDevice}
	l.run(t.Context(), number)
	heal()
	require.NoError(t, l.again, "after %v", l.err())
	require.NotErrorIs(t, l.err(), errWrong)
	require.Zero(t, r.lib.Stats().Total(), "%+v, after %v", r.lib.Stats(), l.err())
	return l
}
