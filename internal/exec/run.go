package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// ready checks that a run can begin, and takes its feeds.
func (i *instance) ready(fill Fill) error {
	if i.closed {
		return i.version.closedError()
	}
	return fill(i.fed)
}

// ends lets the next run begin, and the caller's tensors go.
func (i *instance) ends() {
	clear(i.fed)
	i.mu.Unlock()
}

// execute computes outs from the tensors that were fed.
func (i *instance) execute(ctx context.Context, outs []*tensor.Tensor) error {
	toTheEnd := i.program.Short && i.idle()
	if i.external {
		i.aliasCaller(outs)
		defer i.unalias()
	}
	if err := i.submit(ctx, nil); err != nil {
		return err
	}
	if toTheEnd {
		ctx = context.Background()
	}
	for n := range i.outputs {
		start := i.began()
		o := &i.outputs[n]
		if isAliased(o.external) {
			continue
		}
		data, _ := outs[n].Bytes()
		if err := i.engines[o.engine].engine.Read(ctx, data, o.Mem, o.Offset); err != nil {
			return err
		}
		i.did("read", start)
	}
	if len(i.outputs) == 0 {
		return i.wait(ctx)
	}
	return nil
}

// idle reports whether no engine has work of others before this run's.
func (i *instance) idle() bool {
	for n := range i.engines {
		if s := i.engines[n].stream; s != nil && !s.Idle() {
			return false
		}
	}
	return true
}

// submit hands a run over: feeds and tasks. With streams, one for each engine, it
// does not wait for earlier runs.
func (i *instance) submit(ctx context.Context, streams []engine.Streamer) error {
	if err := i.feed(ctx, streams); err != nil {
		return err
	}
	run := i.version.runs.Add(1) - 1
	i.renew(run)
	for n := range i.variables {
		if u := &i.variables[n]; u.Writer >= 0 {
			u.Written(i.engines[u.Writer].engine)
		}
	}
	if m := i.version.machine; i.workers != nil && streams == nil && i.tracer == nil && m.Overlapping.CompareAndSwap(false, true) {
		defer m.Overlapping.Store(false)
		return i.workers.do(ctx, run)
	}
	if err := i.follow(ctx, i.steps, run); err != nil {
		return errors.Join(err, i.giveUp())
	}
	return nil
}

// feed writes the feeds to where they are wanted.
func (i *instance) feed(ctx context.Context, streams []engine.Streamer) error {
	for n, to := range i.inputs {
		start := i.began()
		var data []byte
		for k := range to {
			b := &to[k]
			if isAliased(b.external) {
				continue
			}
			if data == nil {
				data = contiguous(i.fed[n])
			}
			var err error
			if streams != nil {
				err = streams[b.engine].Send(ctx, b.Mem, b.Offset, data)
			} else {
				err = i.engines[b.engine].engine.Write(ctx, b.Mem, b.Offset, data)
			}
			if err != nil {
				return fmt.Errorf("feed %s: %w", i.program.Inputs[n].Node.Label, err)
			}
		}
		i.did("feed", start)
	}
	return nil
}

// wait waits for every engine that has work: a run without outputs would
// otherwise return before it is done, and hide the error of a device.
func (i *instance) wait(ctx context.Context) error {
	for n := range i.engines {
		if e := &i.engines[n]; e.seq != nil {
			if err := e.engine.Wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// contiguous is the data of t in row-major order.
func contiguous(t *tensor.Tensor) []byte {
	data, ok := t.Bytes()
	if !ok {
		data, _ = t.Contiguous().Bytes()
	}
	return data
}
