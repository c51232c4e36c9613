// Package poclcache says where PoCL keeps compiled programs, which the processes of a user share.
package poclcache

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/linker"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// Env names PoCL's own cache folder.
const Env = "POCL_CACHE_DIR"

// folder returns that folder, and the variable where one names it.
func folder() (dir, named string) {
	if dir := os.Getenv(Env); dir != "" {
		return dir, Env
	}
	if home, err := os.UserCacheDir(); err == nil {
		return filepath.Join(home, "pocl"), ""
	}
	return filepath.Join(os.TempDir(), "pocl"), "" // where PoCL goes without HOME
}

// LinkerFolder is a folder for PoCL's linker, beside its kernels; "" where that is a folder that is everybody's.
func LinkerFolder() string {
	cache, named := folder()
	if _, err := os.UserCacheDir(); err != nil && named == "" {
		return ""
	}
	return linker.Folder(cache)
}

// WhyNone adds known causes to the note on a platform without devices: PoCL shows none where it
// cannot write its cache folder.
func WhyNone(platform string) string {
	if vendor.Key(platform, "", "") != vendor.PoCL {
		return ""
	}
	dir, named := folder()
	if named != "" {
		named = " (" + named + ")"
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, "anycl-"); err == nil {
			_ = f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err == nil {
		return ""
	}
	return ": PoCL has none where it cannot write its cache folder" + named + ": " + err.Error()
}

// lockWait is for how long a build waits for another process that builds the same.
const lockWait = time.Minute

// Lock waits until nobody builds what text tells with this package, in whatever process, and
// returns the function that lets the next one do so. Where there can be no lock, or another process
// does not let go of it, there is none: builds that collide are rare.
func Lock(text string, log *slog.Logger) (unlock func()) {
	dir, _ := folder() // which colliding builds share
	dir = filepath.Join(dir, "anycl-locks")
	// Few files, which stay: a process that removes one may lock a file that no other one sees.
	lock := flock.New(filepath.Join(dir, diskcache.Key(text)[:2]))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		_, err = lock.TryLockContext(ctx, 2*time.Millisecond)
	}
	if err != nil {
		log.Debug("platform: build lock", "error", err)
	}
	return func() { _ = lock.Close() }
}
