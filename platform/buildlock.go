package platform

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
)

// lockWait is for how long a build waits for another process that builds the same.
const lockWait = time.Minute

// build makes a program of source for dev, a device of this context.
func (o *Opened) build(source, options string, dev *cl.Device) (*cl.Program, error) {
	prog, err := o.context.NewProgram(source)
	if err != nil {
		return nil, err
	}
	if err := o.compile(prog, source, options, dev); err != nil {
		return nil, errors.Join(err, prog.Close())
	}
	if marked(source) && o.device.Key == keyNVIDIA {
		return o.assemble(prog, options, dev)
	}
	return prog, nil
}

// compile builds prog, which is source.
func (o *Opened) compile(prog *cl.Program, source, options string, dev *cl.Device) (err error) {
	if o.device.has(fixLockBuilds) {
		defer o.lockBuild(source, options)()
	}
	if o.device.Key != keyPoCL {
		return prog.Build(options, dev)
	}
	cldriver.WithLargePages(func() { err = prog.Build(options, dev) })
	return err
}

// lockBuild waits until nobody builds the same source with this package, in whatever process, and
// returns what lets the next one do so. Where there can be no lock, or another process does not
// let go of it, there is none: builds that collide are rare.
func (o *Opened) lockBuild(source, options string) (unlock func()) {
	dir, _ := poclCache() // which those share who collide
	dir = filepath.Join(dir, "anycl-locks")
	// Few files, which stay: who removes one may lock what nobody else sees.
	lock := flock.New(filepath.Join(dir, hashKey(source, options)[:2]))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		_, err = lock.TryLockContext(ctx, 2*time.Millisecond)
	}
	if err != nil {
		o.opts.Logger.Debug("platform: build lock", "error", err)
	}
	return func() { _ = lock.Close() }
}
