// Package wholefile writes files atomically: a file is replaced as a whole or not at all.
package wholefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Options change how [Write] writes; the zero value is right but in tests.
type Options struct {
	// Through, if not nil, wraps the file's writer, for faults that tests make.
	Through func(io.Writer) io.Writer
}

const (
	prefix = "."
	suffix = ".part"
)

// Write replaces the content of path by the output of fill. It writes a file beside path, tells the disk to keep
// it, gives it path's name, and tells the disk to keep that. Whatever fails or is cut off before, by a full disk,
// a kill or the power, leaves the content of path; the begun file is then removed, or, after a kill, by [Sweep].
func Write(path string, fill func(io.Writer) error, o *Options) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, prefix+filepath.Base(path)+".*"+suffix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := fillFile(f, fill, o); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

func fillFile(f *os.File, fill func(io.Writer) error, o *Options) error {
	w := io.Writer(f)
	if o != nil && o.Through != nil {
		w = o.Through(w)
	}
	b := bufio.NewWriterSize(w, 1<<18)
	if err := fill(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", f.Name(), err)
	}
	mode := os.FileMode(0o644)
	if runtime.GOOS != "windows" { // which has no such modes
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	return f.Sync()
}

// syncFolder makes a new name last. Not every system can, and the file is whole either way.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Sweep removes the temporary files in dir of writes that were killed. No other write may be under way there.
func Sweep(dir string) error {
	found, err := filepath.Glob(filepath.Join(escape(dir), prefix+"*"+suffix))
	var errs []error
	for _, path := range found {
		errs = append(errs, os.Remove(path))
	}
	return errors.Join(err, errors.Join(errs...))
}

// escape makes a folder's name a pattern that only it matches.
func escape(dir string) string {
	if runtime.GOOS == "windows" { // where there is no escaping
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
