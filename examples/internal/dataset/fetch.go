package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// timeout is how long a package may take to arrive.
const timeout = 15 * time.Minute

// Fetch downloads the packages of those files that Find does not find, and unpacks them. It prints the files that it is about to
// download, and only that if dry. Errors: a registry does not answer, or with something else than the package that is known; a
// file cannot be written. Files that have arrived before stay.
func Fetch(ctx context.Context, files []File, dry bool, out io.Writer) error {
	missing := map[*Package][]File{}
	var packages []*Package // in the order of the files
	for _, f := range files {
		if path, err := f.Find(); err == nil {
			fmt.Fprintf(out, "%s is there: %s\n", f.Name, path)
			continue
		}
		if missing[f.Package] == nil {
			packages = append(packages, f.Package)
		}
		missing[f.Package] = append(missing[f.Package], f)
	}
	for _, p := range packages {
		fmt.Fprintf(out, "%s, from %s\n", p, p.URL())
		for _, f := range missing[p] {
			fmt.Fprintf(out, "  %s for examples/%s (%s): %s; licence %s\n", f.Name, f.For, bytesText(f.Size), f.About, f.Licence)
		}
		if dry {
			continue
		}
		if err := p.fetch(ctx, missing[p], out); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

// fetch downloads the package into a file that is removed afterwards, and unpacks some files of it.
func (p *Package) fetch(ctx context.Context, files []File, out io.Writer) error {
	archive, err := os.CreateTemp("", "anycl-package-")
	if err != nil {
		return err
	}
	defer os.Remove(archive.Name())
	defer archive.Close()
	if err := p.download(ctx, archive); err != nil {
		return err
	}
	found := map[string]bool{}
	err = p.unpack(archive, func(name string, r io.Reader) error {
		for _, f := range files {
			if f.Path != name || found[f.Name] {
				continue
			}
			content, err := f.verify(r)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
			path := f.places()[0]
			if err := write(path, content); err != nil {
				return err
			}
			fmt.Fprintf(out, "  %s\n", path)
			found[f.Name] = true
			return nil
		}
		return nil
	})
	if err == nil && len(found) < len(files) {
		err = fmt.Errorf("%d of %d files are not in the archive", len(files)-len(found), len(files))
	}
	return err
}

// download writes the archive to a file, which is then at its beginning.
func (p *Package) download(ctx context.Context, to *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL(), nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", p.URL(), resp.Status)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, h), io.LimitReader(resp.Body, p.Size+1))
	if err != nil {
		return err
	}
	if n != p.Size || hex.EncodeToString(h.Sum(nil)) != p.SHA256 {
		return ErrDamaged
	}
	_, err = to.Seek(0, io.SeekStart)
	return err
}

// write puts a file in its place at once: who looks meanwhile finds no part of it.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".fetch-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // an error once it has its name
	_, err = f.Write(content)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
