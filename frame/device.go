package frame

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// Device runs steps of queries as graphs of package ops: expressions, filters, joins, groups and orders, fused with each other. It keeps the graphs, and what
// it has measured of them, for the queries that come later. Close it when done.
//
//	rt, err := ops.Open(ctx, nil)
//	...
//	device := frame.NewDevice(rt, frame.DeviceOptions{})
//	defer device.Close()
//	r, err := query.Run(ctx, frame.Options{Device: device})
//
// What has no form as ops runs on the CPU path, step by step, as without a device, and so does what is faster there;
// [Result.String] says which, and why. Results are the same, but for the last digits of floats. A Device is safe for concurrent use.
type Device struct {
	rt    *ops.Runtime
	o     DeviceOptions
	place ops.Place // of graphs
	name  string
	host  bool  // the device works in the host's memory
	most  int64 // bytes of one allocation; 0: no bound
	cpu   rates // of the CPU path

	mu     sync.Mutex
	closed bool
	all    map[string]*program
	left   map[string]*verdict    // of steps that stay on the CPU path
	beside map[chan struct{}]bool // programs that are compiled while queries run: each closes its channel
	ctx    context.Context
	cancel context.CancelFunc
}

// DeviceOptions say what runs on a device. The zero value is right for most.
type DeviceOptions struct {
	// Place is ops.Auto, which runs on the device what is predicted, or has been measured, to be faster there; ops.OnDevice, for all that
	// has a form as ops, also where there is only the CPU engine of ops; or ops.OnCPU for nothing.
	Place ops.Place
	// Compact has the device move together the rows that a filter keeps, before they are copied to the host. The zero value does so on devices
	// with memory of their own.
	Compact Choice
	// Patience is how long a query waits for kernels to be compiled, in Auto, if that saves as much: 0 is 2 s.
	Patience time.Duration
}

// Choice is yes, no, or what is right for most.
type Choice int

// Choices.
const (
	Default Choice = iota
	Yes
	No
)

// NewDevice returns a Device that runs on a runtime, which is to be closed after it.
func NewDevice(rt *ops.Runtime, o DeviceOptions) *Device {
	if o.Patience <= 0 {
		o.Patience = 2 * time.Second
	}
	d := &Device{rt: rt, o: o, all: map[string]*program{}, left: map[string]*verdict{}, beside: map[chan struct{}]bool{}, place: ops.OnCPU, host: true}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	engines := rt.Engines()
	if len(engines) == 0 {
		return d
	}
	d.name = engines[0].Name() + " engine"
	if len(engines) > 1 {
		t := engine.TraitsOf(engines[0])
		d.name, d.place, d.most = engines[0].Name(), ops.OnDevice, t.MaxAlloc
		if dev := rt.Device(); dev == nil || dev.Class != platform.CPU {
			d.host = t.Hosted
		}
	}
	return d
}

// Close frees graphs and their memory. It waits for queries that use the device.
func (d *Device) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	all := d.all
	d.all, d.left = nil, nil
	d.mu.Unlock()
	d.cancel()
	errs := []error{d.Settle(context.Background())}
	for _, p := range all {
		p.mu.Lock()
		if p.exe != nil {
			errs = append(errs, p.exe.Close())
			p.exe = nil
		}
		p.mu.Unlock()
	}
	return errors.Join(errs...)
}

// Settle waits until the graphs that are being compiled beside queries are ready. Errors: the context's.
func (d *Device) Settle(ctx context.Context) error {
	d.mu.Lock()
	all := slices.Collect(maps.Keys(d.beside))
	d.mu.Unlock()
	for _, done := range all {
		select {
		case <-done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// background runs f beside queries, unless the device is closed.
func (d *Device) background(f func(ctx context.Context)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	done := make(chan struct{})
	d.beside[done] = true
	go func() {
		defer func() {
			d.mu.Lock()
			delete(d.beside, done)
			d.mu.Unlock()
			close(done)
		}()
		f(d.ctx)
	}()
}

var errDeviceClosed = errors.New("frame: the device is closed")

// program is a graph that a device has run, or knows of.
type program struct {
	cost history

	mu     sync.Mutex
	exe    *ops.Executable
	inputs []*ops.Node // in the order of a lowering's feeds
	err    error       // why it cannot be compiled
}

// program returns that of a text which tells graphs apart.
func (d *Device) program(text string) (*program, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errDeviceClosed
	}
	p := d.all[text]
	if p == nil {
		p = &program{}
		d.all[text] = p
	}
	return p, nil
}

// compile makes a graph an executable, once.
func (p *program) compile(ctx context.Context, d *Device, l *lowering, o *outcome) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exe != nil || p.err != nil {
		return p.err
	}
	exe, err := l.g.Compile(ctx, d.rt, ops.Target{Outputs: o.nodes, Place: d.place, Fixed: true, Plans: 16})
	if err != nil {
		if ctx.Err() == nil {
			p.err = err
		}
		return err
	}
	p.exe = exe
	for _, f := range l.feeds {
		p.inputs = append(p.inputs, f.node)
	}
	return nil
}

// run feeds a lowering's inputs to the program, which was compiled of a graph like its own.
func (p *program) run(ctx context.Context, l *lowering) ([]*tensor.Tensor, error) {
	p.mu.Lock()
	exe, inputs := p.exe, p.inputs
	p.mu.Unlock()
	if exe == nil {
		return nil, errDeviceClosed
	}
	if len(inputs) != len(l.feeds) {
		return nil, fmt.Errorf("%d inputs, the graph has %d", len(l.feeds), len(inputs))
	}
	read := exe.Inputs()
	feeds := ops.Feeds{}
	for i, f := range l.feeds {
		if !slices.Contains(read, inputs[i]) {
			continue
		}
		t, err := f.make()
		if err != nil {
			return nil, err
		}
		feeds[inputs[i]] = t
	}
	return exe.Run(ctx, feeds)
}
