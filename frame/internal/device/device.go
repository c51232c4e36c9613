// Package device runs steps of plans as graphs of package ops, on an OpenCL device or another engine of ops, where that is
// faster than the CPU path.
package device

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/frame/internal/host"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// Device runs steps of plans as graphs. It keeps the graphs, and their measured times. It is safe for concurrent use.
type Device struct {
	rt      *ops.Runtime
	o       Options
	place   ops.Place // of graphs
	name    string
	compact bool  // rows that a filter keeps are moved together before they are copied to the host
	most    int64 // bytes of one allocation; 0: no bound
	cpu     rates // of the CPU path

	mu     sync.Mutex
	closed bool
	all    map[string]*program
	left   map[string]*verdict    // of steps that stay on the CPU path
	beside map[chan struct{}]bool // programs that are compiled while queries run: each closes its channel
	ctx    context.Context
	cancel context.CancelFunc
}

// Options say which steps run on a device.
type Options struct {
	Place    ops.Place
	Compact  Compaction
	Patience time.Duration
}

// Compaction is where the rows that a filter keeps are moved together.
type Compaction int

const (
	compactAuto   Compaction = iota // on devices with memory of their own
	compactDevice                   // on the device
	compactHost                     // on the host
)

// New returns a Device that runs on a runtime, which is to be closed after it.
func New(rt *ops.Runtime, o Options) *Device {
	if o.Patience <= 0 {
		o.Patience = 2 * time.Second
	}
	d := &Device{rt: rt, o: o, all: map[string]*program{}, left: map[string]*verdict{}, beside: map[chan struct{}]bool{}, place: ops.OnCPU}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	engines := rt.Engines()
	d.compact = o.Compact == compactDevice
	if len(engines) == 0 {
		return d
	}
	d.name = engines[0].Name() + " engine"
	if len(engines) > 1 {
		t := engine.TraitsOf(engines[0])
		d.name, d.place, d.most = engines[0].Name(), ops.OnDevice, t.MaxAlloc
		host := true
		if dev := rt.Device(); dev == nil || dev.Class != platform.CPU {
			host = t.Hosted
		}
		d.compact = d.compact || o.Compact == compactAuto && !host
	}
	return d
}

// Has reports whether a step may become part of a graph.
func (d *Device) Has(op string) bool { return fusable[op] || last[op] }

// Run runs a plan, as many steps as can be in one graph.
func (d *Device) Run(x *host.Exec, p *plan.Plan) (*table.Table, error) {
	return (&fragments{x, d}).fragment(p)
}

// Learn is told the time of the CPU path for a step over the given number of rows.
func (d *Device) Learn(p *plan.Plan, rows int, took time.Duration) { d.cpu.learn(p, rows, took) }

// Graphs returns the graphs that were compiled.
func (d *Device) Graphs() (all []*ops.Graph) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.all {
		p.mu.Lock()
		if p.exe != nil && len(p.inputs) > 0 {
			all = append(all, p.inputs[0].Graph())
		}
		p.mu.Unlock()
	}
	return all
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
func (p *program) compile(ctx context.Context, d *Device, l *lower.Graph, o *outcome) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exe != nil || p.err != nil {
		return p.err
	}
	exe, err := l.Ops.Compile(ctx, d.rt, ops.Target{Outputs: o.nodes, Place: d.place, Fixed: true, Plans: 16})
	if err != nil {
		if ctx.Err() == nil {
			p.err = err
		}
		return err
	}
	p.exe = exe
	for _, f := range l.Feeds {
		p.inputs = append(p.inputs, f.Node)
	}
	return nil
}

// run feeds a lowering's inputs to the program, which was compiled of a graph like its own.
func (p *program) run(ctx context.Context, l *lower.Graph) ([]*tensor.Tensor, error) {
	p.mu.Lock()
	exe, inputs := p.exe, p.inputs
	p.mu.Unlock()
	if exe == nil {
		return nil, errDeviceClosed
	}
	if len(inputs) != len(l.Feeds) {
		return nil, fmt.Errorf("%d inputs, the graph has %d", len(l.Feeds), len(inputs))
	}
	read := exe.Inputs()
	feeds := ops.Feeds{}
	for i, f := range l.Feeds {
		if !slices.Contains(read, inputs[i]) {
			continue
		}
		t, err := f.Make()
		if err != nil {
			return nil, err
		}
		feeds[inputs[i]] = t
	}
	return exe.Run(ctx, feeds)
}
