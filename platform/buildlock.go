package platform

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/gofrs/flock"
)

// lockWait is for how long a build waits for another process that builds the same.
const lockWait = time.Minute

// lockBuild waits until nobody builds the same source with this package, in whatever process, and
// returns what lets the next one do so. Where there can be no lock, or another process does not
// let go of it, there is none: builds that collide are rare.
func (o *Opened) lockBuild(source, options string) (unlock func()) {
	dir, _ := poclCache() // which those share who collide
	dir = filepath.Join(dir, "anycl-locks")
	// Few files, which stay: who removes one may lock what nobody else sees.
	lock := flock.New(filepath.Join(dir, diskcache.Key(source, options)[:2]))
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
