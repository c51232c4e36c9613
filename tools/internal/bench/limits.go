package bench

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

//go:embed limits.cl
var limitsSource string

// limit is a contender that does only the least work that a row requires.
type limit struct {
	name   string
	opened *platform.Opened
	forms  []form
}

// form is one way to reach a limit: a kernel and its geometry.
type form struct {
	kernel, vector, f string
	lanes, chains     int
	global, local     int
	stream            bool // stores past the caches, where the compiler offers it
}

// NewLimits returns the limits that works are measured against beside other libraries: limits of
// the device that the spec names, if there is one.
func NewLimits(ctx context.Context, device string) ([]Contender, error) {
	po := &platform.Options{Spec: device}
	m, err := platform.Discover(ctx, po)
	if err != nil {
		return nil, err
	}
	d, err := m.Select("")
	if errors.Is(err, platform.ErrNone) || errors.Is(err, platform.ErrNoDevice) {
		return []Contender{halfSecond{}, memcpy{}}, nil
	}
	if err != nil {
		return nil, err
	}
	o, err := d.Open(ctx, po)
	if err != nil {
		return nil, err
	}
	return []Contender{
		&limit{LimitCopy, o, moving(d, "v")},
		&limit{LimitRead, o, reading(d)},
		&limit{LimitExp, o, moving(d, "exp(v)")},
		&limit{LimitFMA, o, rates(d)},
		halfSecond{},
		memcpy{},
	}, nil
}

// moving lists the ways to read, compute f and write.
func moving(d *platform.Device, f string) []form {
	var forms []form
	group := min(256, d.MaxWorkGroup)
	for _, lanes := range []int{4, 16} {
		v := fmt.Sprintf("float%d", lanes)
		if d.Class == platform.CPU {
			for _, stream := range []bool{false, true} {
				for _, each := range []int{1, 8} {
					forms = append(forms, form{kernel: "chunk", vector: v, f: f, lanes: lanes, global: d.Units * each, local: 1, stream: stream})
				}
			}
			continue
		}
		for _, each := range []int{8, 32} {
			forms = append(forms, form{kernel: "grid", vector: v, f: f, lanes: lanes, global: d.Units * each * group, local: group})
		}
	}
	return forms
}

// reading lists the ways to read.
func reading(d *platform.Device) []form {
	kernel := "skim"
	if d.Class == platform.CPU {
		kernel = "read"
	}
	var forms []form
	for _, f := range moving(d, "v") {
		if f.kernel = kernel; !f.stream {
			forms = append(forms, f)
		}
	}
	return forms
}

// rates lists the ways to multiply and add.
func rates(d *platform.Device) []form {
	var forms []form
	if d.Class == platform.CPU {
		for _, lanes := range []int{8, 16} {
			for _, chains := range []int{8, 12} {
				forms = append(forms, form{kernel: "rate", vector: fmt.Sprintf("float%d", lanes), lanes: lanes, chains: chains, global: d.Units * 4,
					local: 1})
			}
		}
		return forms
	}
	group := min(256, d.MaxWorkGroup)
	for _, chains := range []int{8, 16} {
		forms = append(forms, form{kernel: "rate", vector: "float", lanes: 1, chains: chains, global: d.Units * group * 8, local: group})
	}
	return forms
}

func (l *limit) Name() string    { return l.name }
func (l *limit) Version() string { return l.opened.Device().String() }

// Close closes the device that all limits share; again it does nothing.
func (l *limit) Close() error { return l.opened.Close() }

// Load finds the fastest form for the cost of w.
func (l *limit) Load(ctx context.Context, w *Work, _ []*tensor.Tensor) (Job, error) {
	if !w.wants(l.name) {
		return nil, fmt.Errorf("%w: %s is no limit of %s", ErrCannot, l.name, w.Name)
	}
	best := &limitJob{least: math.MaxInt64}
	for _, f := range l.forms {
		j, err := l.prepare(ctx, f, w)
		if err != nil {
			if f.stream {
				continue // the compiler does not offer it
			}
			return nil, errors.Join(err, best.Close())
		}
		var times [4]time.Duration
		if err := j.Run(ctx, times[:]); err != nil {
			return nil, errors.Join(err, j.Close(), best.Close())
		}
		if j.least = min(times[1], times[2], times[3]); j.least < best.least {
			best, j = j, best
		}
		if err := j.Close(); err != nil {
			return nil, errors.Join(err, best.Close())
		}
	}
	return best, nil
}

// wants reports whether a goal of w is against the contender, or it helps to explain why one is missed.
func (w *Work) wants(name string) bool {
	if name == LimitRead {
		return w.Reads
	}
	for _, g := range w.Goals {
		for _, a := range g.Against {
			if a == name {
				return true
			}
		}
	}
	return false
}

// prepare makes a form ready. The multiply-adds are those of w.Flops, the bytes
// w.Bytes, half read and half written unless all are read.
func (l *limit) prepare(ctx context.Context, f form, w *Work) (_ *limitJob, err error) {
	j := &limitJob{opened: l.opened, span: cl.Range1(f.global, f.local)}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.Close())
		}
	}()
	store := "*(p) = (v)"
	if f.stream {
		store = "__builtin_nontemporal_store((v), (p))"
	}
	source := fmt.Sprintf("#define T %s\n#define F(v) %s\n#define STORE(p, v) %s\n#define CHAINS %d\n%s",
		f.vector, cmp.Or(f.f, "v"), store, max(f.chains, 1), limitsSource)
	prog, err := l.opened.Program(ctx, "limits.cl", source, "")
	if err != nil {
		return nil, err
	}
	count := uint64(max(1, math.Round(w.Bytes/8/float64(f.lanes))))
	if l.name == LimitRead {
		count *= 2
	}
	bytes := int64(count) * int64(f.lanes) * 4
	if f.kernel == "rate" {
		count = uint64(max(1, math.Round(w.Flops/2/float64(f.global*f.lanes*f.chains))))
		bytes = int64(f.global+2) * int64(f.lanes) * 4
	}
	if j.x, err = l.opened.Alloc(bytes); err != nil {
		return nil, err
	}
	if j.y, err = l.opened.Alloc(bytes); err != nil {
		return nil, err
	}
	fill, err := prog.Kernel("fill")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, fill.Close()) }()
	q := l.opened.Queue()
	if err := errors.Join(fill.SetBuffer(0, j.x.Buffer()), fill.SetUint64(1, uint64(bytes/4)),
		q.Launch(fill, cl.Range1(f.global, f.local), nil)); err != nil {
		return nil, err
	}
	if j.kernel, err = prog.Kernel(f.kernel); err != nil {
		return nil, err
	}
	return j, errors.Join(j.kernel.SetBuffer(0, j.x.Buffer()), j.kernel.SetBuffer(1, j.y.Buffer()), j.kernel.SetUint64(2, count))
}

// limitJob is a form with its memory.
type limitJob struct {
	opened *platform.Opened
	kernel *cl.Kernel
	span   cl.Range
	x, y   *platform.Memory
	least  time.Duration
}

func (j *limitJob) Run(ctx context.Context, times []time.Duration) error {
	q := j.opened.Queue()
	return Timed(ctx, times, func() error { return j.launch(q) })
}

func (j *limitJob) launch(q *cl.Queue) error {
	if err := q.Launch(j.kernel, j.span, nil); err != nil {
		return err
	}
	return q.Finish()
}

func (j *limitJob) Outputs(context.Context) ([]*tensor.Tensor, error) { return nil, nil }

func (j *limitJob) Close() error {
	var errs []error
	if j.kernel != nil {
		errs = append(errs, j.kernel.Close())
	}
	for _, m := range []*platform.Memory{j.x, j.y} {
		if m != nil {
			errs = append(errs, m.Close())
		}
	}
	return errors.Join(errs...)
}
