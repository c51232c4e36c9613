// Package blas makes an existing gonum program compute its matrix products on an OpenCL
// device, with one line and no other change:
//
//	defer blas.Use(nil).Close()
//
// From then on mat.Dense.Mul, Solve, QR, SVD and whatever else calls blas32 and blas64
// goes through a [BLAS], which is gonum's own implementation but for these routines of
// float32 and float64:
//
//	level 3   Gemm, Symm, Syrk, Syr2k, Trmm, Trsm
//	level 2   Gemv, Ger, Symv, Trmv, Trsv
//
// Each call of them goes where it is faster, which is learned from the calls: those that are large enough
// are timed, and the other implementation is tried now and then, so seldom that trials cost a few percent at first and
// next to nothing later. A routine begins with gonum. Its kernels are compiled in the background, and only
// once calls have taken so long that compiling pays. What was learned is kept on disk at Close, for
// the device, its driver, this version and the number of processors, and taken by the next process. [BLAS.Wait] measures
// both beforehand instead, once on a machine. Kernels take sizes as arguments, so that a size that was never seen before
// costs nothing. On devices that work in the host's memory (CPU drivers) matrices are used where they lie,
// elsewhere they are copied there and back in each call.
//
// # Semantics
//
// They are gonum's: row-major matrices, transposes, leading dimensions, increments, panics for
// bad arguments with gonum's messages, nothing read that beta = 0 or alpha = 0 says not to
// read. What is computed by gonum is the same bit for bit. Sums that the device computes
// are rounded in another order, with fused multiply-adds, and repeat exactly on one
// device; but which of both computes a call may change while that is learned, and with it the last bits.
// Products with a factor of 0 are the one difference: gonum leaves them out in some routines, depending on
// transposition and position; the device multiplies, so that 0 times NaN or an infinity is NaN.
//
// An error of the device (no memory, a lost device) is logged once, and the call is done
// by gonum. A program that wants to know which device is used, or to share one with graphs,
// calls [New] with a runtime of package ops.
package blas

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	implementation "gonum.org/v1/gonum/blas/gonum"

	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

var (
	_ gonum.Float32 = (*BLAS)(nil)
	_ gonum.Float64 = (*BLAS)(nil)
)

// ErrNoDevice is wrapped by New's error where the runtime has no device.
var ErrNoDevice = errors.New("blas: no OpenCL device: gonum computes everything")

// Options of New and Use. Nil, or the zero value, is right for most.
type Options struct {
	// Device names the device that Use opens, in the grammar of ANYCL_DEVICE.
	Device string
	// Force sends every call that the device can compute there, whatever its size: for tests.
	Force bool
	// Logger receives what was measured and the first error of the device; nil is
	// slog.Default.
	Logger *slog.Logger
}

// BLAS implements gonum's blas.Float32 and blas.Float64. It is safe for concurrent use.
type BLAS struct {
	implementation.Implementation

	single device[float32]
	double device[float64]

	products *ocl.Products // nil: there is no device
	opened   *platform.Opened
	log      *slog.Logger
	force    bool
	why      string
	failures atomic.Int32
	logged   sync.Once

	cancel      context.CancelFunc // of the measurement
	work        sync.WaitGroup     // the measurement and warm-ups
	measureOnce func()
	restore     func()
	runtime     *ops.Runtime // Use's own
	mu          sync.Mutex
	closed      bool // Wait begins nothing any more
	closing     sync.Once
	err         error // of Close
}

// New returns an implementation on rt's device. Close it before rt. It does not change what
// blas32 and blas64 use: pass it to blas32.Use and blas64.Use.
//
// Errors: ErrNoDevice where rt has only the CPU path; ops.ErrClosed where rt is closed.
func New(rt *ops.Runtime, o *Options) (*BLAS, error) {
	if err := closed(rt); err != nil {
		return nil, fmt.Errorf("blas: %w", err)
	}
	b := newBLAS(o)
	e, ok := rt.Engines()[0].(*ocl.Engine)
	if !ok {
		return nil, fmt.Errorf("%w (%s)", ErrNoDevice, rt.Why())
	}
	b.products, b.opened, b.why = ocl.NewProducts(e), e.Opened(), rt.Why()
	b.single.prepare(b, single{}, tensor.Float32)
	b.double.prepare(b, double{}, tensor.Float64)
	b.begin()
	return b, nil
}

// closed is an error where rt is closed. It waits for nothing.
func closed(rt *ops.Runtime) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := rt.Settle(ctx); errors.Is(err, ops.ErrClosed) {
		return err
	}
	return nil
}

func newBLAS(o *Options) *BLAS {
	if o == nil {
		o = &Options{}
	}
	b := &BLAS{log: o.Logger, force: o.Force, cancel: func() {}, measureOnce: func() {}}
	if b.log == nil {
		b.log = slog.Default()
	}
	return b
}

// Use opens the best device and makes blas32 and blas64 compute on it, until Close. Where
// there is none, gonum stays what computes, and Why tells the reason: the result is never nil.
func Use(o *Options) *BLAS {
	options := Options{}
	if o != nil {
		options = *o
	}
	rt, err := ops.Open(context.Background(), &ops.Options{Device: options.Device})
	if err == nil {
		var b *BLAS
		if b, err = New(rt, o); err == nil {
			b.runtime = rt
			before32, before64 := blas32.Implementation(), blas64.Implementation()
			blas32.Use(b)
			blas64.Use(b)
			b.restore = func() {
				if blas32.Implementation() == gonum.Float32(b) {
					blas32.Use(before32)
				}
				if blas64.Implementation() == gonum.Float64(b) {
					blas64.Use(before64)
				}
			}
			return b
		}
		err = errors.Join(err, rt.Close())
	}
	b := newBLAS(o)
	b.why = "gonum: " + err.Error()
	if !errors.Is(err, ErrNoDevice) { // what was named is not there: nobody should have to ask for Why
		b.log.Warn("blas: the device cannot be used, gonum computes", "error", err)
	}
	return b
}

// Why is one line: what computes, and for what reason.
func (b *BLAS) Why() string { return b.why }

// String is what b computes on.
func (b *BLAS) String() string { return "blas on " + b.why }

// Wait measures how fast gonum and the device are, where that was not done on this machine before, so
// that the first call already goes where it is faster. It keeps the machine busy for ten seconds to a minute,
// and compiles the kernels. Nobody has to wait: without, the same is learned from the calls.
func (b *BLAS) Wait() {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return
	}
	b.work.Add(1)
	b.mu.Unlock()
	b.measureOnce()
	b.work.Done()
}

// Close puts back what Use replaced and releases the device. Calls must be over. A second
// Close does nothing.
func (b *BLAS) Close() error {
	b.closing.Do(func() {
		if b.restore != nil {
			b.restore()
		}
		b.single.off()
		b.double.off()
		b.mu.Lock()
		b.closed = true
		b.mu.Unlock()
		b.single.warmups.end()
		b.double.warmups.end()
		b.cancel()
		b.work.Wait()
		if b.products != nil && !b.force {
			b.saveLearned()
		}
		if b.products != nil {
			b.err = b.products.Close()
		}
		if b.runtime != nil {
			b.err = errors.Join(b.err, b.runtime.Close())
		}
	})
	return b.err
}

// giveUp is how many errors of the device end its use.
const giveUp = 8

// failed notes an error of the device: gonum does the call.
func (b *BLAS) failed(err error) {
	if errors.Is(err, ocl.ErrCompiling) {
		return
	}
	b.logged.Do(func() { b.log.Warn("blas: the device failed, gonum computes instead", "error", err) })
	if b.failures.Add(1) == giveUp {
		b.single.off()
		b.double.off()
		b.log.Warn("blas: the device is not used any more", "error", err)
	}
}
