package platform

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// programCache keeps program binaries on disk, one sealed file each:
//
//	<dir>/programs/<first two digits>/<SHA-256 of the key>
//
// The key names everything that decides whether a binary is right; see
// [Opened.Program]. Many processes may use one folder at once. The modification
// time of a file is when it was last used.
type programCache struct {
	dir string // empty: nothing is kept
	cap int64  // bytes

	mu     sync.Mutex // one sweep at a time
	broken bool       // writing failed once: do not try for every program
}

func newProgramCache(dir string, capBytes int64) *programCache {
	if dir != "" {
		dir = filepath.Join(dir, "programs")
	}
	return &programCache{dir: dir, cap: capBytes}
}

func (c *programCache) path(key string) string { return filepath.Join(c.dir, key[:2], key) }

// load returns the binary for a key, nil if there is none that is whole.
func (c *programCache) load(key string) ([]byte, error) {
	if c.dir == "" {
		return nil, nil
	}
	path := c.path(key)
	b, err := readSealed(path, kindProgram)
	if err != nil {
		if missing(err) {
			err = nil
		}
		return nil, err
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // a folder that is read-only still serves
	return b, nil
}

// drop removes an entry that the driver has refused.
func (c *programCache) drop(key string) {
	if c.dir != "" {
		_ = os.Remove(c.path(key))
	}
}

// save keeps a binary and then brings the folder under its cap. A binary above
// the cap is not kept.
func (c *programCache) save(key string, binary []byte) error {
	if c.dir == "" || len(binary) == 0 || int64(len(binary)) > c.cap {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken {
		return nil
	}
	if err := writeSealed(c.path(key), kindProgram, binary); err != nil {
		// Windows does not replace a file that another process reads: then the
		// entry is there, and as good.
		if _, readErr := readSealed(c.path(key), kindProgram); readErr == nil {
			return nil
		}
		c.broken = true
		return err
	}
	c.sweep()
	return nil
}

// sweep removes left-over temporary files and, above the cap, the least recently
// used entries down to nine tenths of it. Other processes may do the same at the
// same time: a file that has gone is fine.
func (c *programCache) sweep() {
	type entry struct {
		path string
		size int64
		used time.Time
	}
	var all []entry
	var total int64
	_ = filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if strings.HasPrefix(d.Name(), tempPrefix) {
			if time.Since(info.ModTime()) > staleTemp {
				_ = os.Remove(path)
			}
			return nil
		}
		all = append(all, entry{path, info.Size(), info.ModTime()})
		total += info.Size()
		return nil
	})
	if total <= c.cap {
		return
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	for _, e := range all {
		if total <= c.cap/10*9 {
			return
		}
		_ = os.Remove(e.path)
		total -= e.size
	}
}
