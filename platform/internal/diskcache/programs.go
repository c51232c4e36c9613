package diskcache

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

// Programs keeps program binaries on disk, one checksummed file each:
//
//	<dir>/programs/<first two digits>/<SHA-256 of the key>
//
// The key names everything that decides whether a binary is right; see
// Opened.Program of package platform. Many processes may use one folder at once. The modification
// time of a file is when it was last used.
type Programs struct {
	dir string // empty: nothing is kept
	cap int64  // bytes

	mu     sync.Mutex // one sweep at a time
	broken bool       // writing failed once: do not try for every program
}

// NewPrograms keeps programs below dir, of capBytes together; an empty dir keeps nothing.
func NewPrograms(dir string, capBytes int64) *Programs {
	if dir != "" {
		dir = filepath.Join(dir, "programs")
	}
	return &Programs{dir: dir, cap: capBytes}
}

// Off reports whether nothing is kept.
func (c *Programs) Off() bool { return c.dir == "" }

func (c *Programs) path(key string) string { return filepath.Join(c.dir, key[:2], key) }

// Load returns the binary for a key, nil if there is none that is whole.
func (c *Programs) Load(key string) ([]byte, error) {
	if c.dir == "" {
		return nil, nil
	}
	path := c.path(key)
	b, err := Read(path, Program)
	if err != nil {
		if Missing(err) {
			err = nil
		}
		return nil, err
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // a folder that is read-only still serves
	return b, nil
}

// Drop removes an entry that the driver has refused.
func (c *Programs) Drop(key string) {
	if c.dir != "" {
		_ = os.Remove(c.path(key))
	}
}

// Save keeps a binary and then brings the folder under its cap. A binary above
// the cap is not kept.
func (c *Programs) Save(key string, binary []byte) error {
	if c.dir == "" || len(binary) == 0 || int64(len(binary)) > c.cap {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken {
		return nil
	}
	if err := Write(c.path(key), Program, binary); err != nil {
		// Windows does not replace a file that another process reads: then another process wrote the
		// entry, which is as good.
		if _, readErr := Read(c.path(key), Program); readErr == nil {
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
func (c *Programs) sweep() {
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
