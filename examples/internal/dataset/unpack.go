package dataset

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/ulikunitz/xz"
)

// maxUnpacked is how much of an archive is unpacked at most.
const maxUnpacked = 2 << 30

// unpack calls do for each regular file of the archive, with its name in it. No name of an archive becomes a path, so none leads
// out of the folder of the data; links are passed over.
func (p *Package) unpack(archive *os.File, do func(name string, r io.Reader) error) error {
	switch p.Registry {
	case NPM:
		z, err := gzip.NewReader(archive)
		if err != nil {
			return err
		}
		return untar(z, do)
	case Debian:
		data, name, err := debData(archive)
		if err != nil {
			return err
		}
		var z io.Reader
		switch name {
		case "data.tar.xz":
			z, err = xz.NewReader(data)
		case "data.tar.gz":
			z, err = gzip.NewReader(data)
		default:
			err = fmt.Errorf("a .deb with %s cannot be read", name)
		}
		if err != nil {
			return err
		}
		return untar(z, do)
	}
	return unzip(archive, do)
}

func untar(r io.Reader, do func(name string, r io.Reader) error) error {
	for t := tar.NewReader(io.LimitReader(r, maxUnpacked)); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := do(strings.TrimPrefix(h.Name, "./"), t); err != nil {
			return err
		}
	}
}

func unzip(archive *os.File, do func(name string, r io.Reader) error) error {
	info, err := archive.Stat()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(archive, info.Size())
	if err != nil {
		return err
	}
	for _, entry := range z.File {
		if !entry.Mode().IsRegular() {
			continue
		}
		r, err := entry.Open()
		if err != nil {
			return err
		}
		err = do(entry.Name, io.LimitReader(r, maxUnpacked))
		if err := errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return nil
}

// debData finds the member of a .deb that has the files. A .deb is an ar archive: after "!<arch>\n", members with a header of
// 60 bytes, whose first 16 are the name and whose 48th to 57th are the size, each begun at an even position (deb(5)).
func debData(r io.Reader) (data io.Reader, name string, err error) {
	magic := make([]byte, 8)
	if _, err := io.ReadFull(r, magic); err != nil || !bytes.Equal(magic, []byte("!<arch>\n")) {
		return nil, "", errors.New("not a .deb")
	}
	for {
		header := make([]byte, 60)
		if _, err := io.ReadFull(r, header); err != nil {
			return nil, "", fmt.Errorf("a .deb without data: %w", err)
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(header[48:58])), 10, 64)
		if err != nil || size < 0 {
			return nil, "", errors.New("not a .deb: a member without a size")
		}
		name := strings.TrimRight(string(header[:16]), " /")
		if strings.HasPrefix(name, "data.tar") {
			return io.LimitReader(r, size), name, nil
		}
		if _, err := io.CopyN(io.Discard, r, size+size%2); err != nil {
			return nil, "", err
		}
	}
}
