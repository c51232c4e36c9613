package gallery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Writable is nil where the file that a flag names can be written, as far as that is known before there is something to write. Ask
// before a long computation. No name is the name of no file.
func Writable(flag, file string) error {
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err == nil {
		return f.Close()
	}
	if errors.Is(err, fs.ErrNotExist) {
		folder := filepath.Dir(file)
		info, cause := os.Stat(folder)
		if cause == nil && info.IsDir() {
			return nil
		}
		err = fmt.Errorf("there is no folder %s", folder)
	}
	return fmt.Errorf("-%s: %w", flag, err)
}

// WriteFile writes a file. One that cannot be written to its end, for the disk is full, is removed.
func WriteFile(file string, content []byte) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		return nil
	}
	if info, cause := os.Stat(file); cause == nil && info.Mode().IsRegular() { // no device or pipe
		err = errors.Join(err, os.Remove(file))
	}
	return err
}
