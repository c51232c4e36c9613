// Package diskcache keeps files that are whole or not read at all: programs under a cap, and findings about devices.
package diskcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A checksummed file is one line of header and a payload:
//
//	anycl/1 KIND LENGTH SHA256\n
//
// LENGTH counts the payload's bytes and SHA256 is their hash in hexadecimal. The header is text so
// that `head -1` shows the kind of a file. Nothing reads a payload whose length and hash do not
// agree: PoCL and older rusticl abort the process when they are given a truncated program binary.

// FileMagic begins every file; it names the format.
const FileMagic = "anycl/1"

// The kinds of checksummed files, by their content.
const (
	Program     = "program"
	Caps        = "caps"
	Calibration = "calibration"
	Tuning      = "tuning"
	Learned     = "learned"
	Processor   = "processor"
)

// maxHeader bounds the search for the end of the header line.
const maxHeader = 128

var errDamaged = errors.New("platform: not a file of this package, or damaged")

// Checksummed returns the payload with its header.
func Checksummed(kind string, payload []byte) []byte {
	sum := sha256.Sum256(payload)
	head := fmt.Sprintf("%s %s %d %s\n", FileMagic, kind, len(payload), hex.EncodeToString(sum[:]))
	return append([]byte(head), payload...)
}

// verified returns the payload of a checksummed file that is whole and of the kind.
func verified(kind string, file []byte) ([]byte, error) {
	line, payload, ok := bytes.Cut(file, []byte("\n"))
	if !ok || len(line) > maxHeader {
		return nil, errDamaged
	}
	sum := sha256.Sum256(payload)
	want := fmt.Sprintf("%s %s %d %s", FileMagic, kind, len(payload), hex.EncodeToString(sum[:]))
	if string(line) != want {
		return nil, errDamaged
	}
	return payload, nil
}

// Read reads and checks a file. A damaged file is removed, because it will
// not get better.
func Read(path, kind string) ([]byte, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	payload, err := verified(kind, file)
	if err != nil {
		_ = os.Remove(path)
		return nil, fmt.Errorf("%w: %s", err, path)
	}
	return payload, nil
}

// Write writes a file that readers see whole or not at all, also when
// several processes write it at once: the last one wins.
func Write(path, kind string, payload []byte) error {
	dir := filepath.Dir(path)
	// 0700: whoever may write here decides which code the driver loads.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, tempPrefix+"*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(Checksummed(kind, payload))
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// ReadJSON reads a checksummed file of JSON into v. Without a path there is none.
func ReadJSON(path, kind string, v any) bool {
	if path == "" {
		return false
	}
	b, err := Read(path, kind)
	return err == nil && json.Unmarshal(b, v) == nil
}

// WriteJSON writes v as JSON. Without a path it does nothing.
func WriteJSON(path, kind string, v any) error {
	if path == "" {
		return nil
	}
	b, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	SweepTemp(path)
	return Write(path, kind, append(b, '\n'))
}

const tempPrefix = ".tmp-"

// staleTemp is the age from which on a temporary file counts as left over from a
// process that died.
const staleTemp = time.Hour

// SweepTemp removes the half-written files of dead processes beside path.
func SweepTemp(path string) {
	dir := filepath.Dir(path)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), tempPrefix) {
			continue
		}
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > staleTemp {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// Missing reports whether a read failed only because nothing was kept yet.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
