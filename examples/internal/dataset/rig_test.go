package dataset

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
)

const text = "ra dec mag\n"

// tarball is a tar archive with the entries of a test: a link and a path that leads out beside the wanted files.
func tarball(t *testing.T, name string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []*tar.Header{
		{Name: "../../../outside.txt", Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644},
		{Name: name, Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644},
	} {
		require.NoError(t, w.WriteHeader(h))
		if h.Size > 0 {
			_, err := w.Write([]byte(text))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// archive is a package of each registry that holds the text as "data/stars.txt".
func archive(t *testing.T, r Registry) (content []byte, path string) {
	var b bytes.Buffer
	switch r {
	case NPM:
		w := gzip.NewWriter(&b)
		_, err := w.Write(tarball(t, "package/data/stars.txt"))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.Bytes(), "package/data/stars.txt"
	case Debian:
		var data bytes.Buffer
		w, err := xz.NewWriter(&data)
		require.NoError(t, err)
		_, err = w.Write(tarball(t, "./usr/share/stars.txt"))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		b.WriteString("!<arch>\n")
		for _, m := range []struct {
			name    string
			content []byte
		}{{"debian-binary", []byte("2.0\n")}, {"control.tar.xz", []byte("odd")}, {"data.tar.xz", data.Bytes()}} {
			fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", m.name, 0, 0, 0, "100644", len(m.content))
			b.Write(m.content)
			b.Write(make([]byte, len(m.content)%2))
		}
		return b.Bytes(), "usr/share/stars.txt"
	}
	w := zip.NewWriter(&b)
	for _, name := range []string{"../outside.txt", "example.org/Stars@v1.0.0/stars.txt"} {
		e, err := w.Create(name)
		require.NoError(t, err)
		_, err = e.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes(), "example.org/Stars@v1.0.0/stars.txt"
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// served is a file in a package that a server of this process has.
func served(t *testing.T, r Registry) (f File, asked *[]string) {
	content, path := archive(t, r)
	asked = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		*asked = append(*asked, req.URL.Path)
		_, _ = w.Write(content) // a client that has gone is the test's matter
	}))
	t.Cleanup(server.Close)
	for _, variable := range []string{"npm_config_registry", "GOPROXY", envDebian} {
		t.Setenv(variable, server.URL)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(EnvData, "")
	p := &Package{Registry: r, Name: "Stars", Version: "1.0.0", Size: int64(len(content)), SHA256: sum(content)}
	switch r {
	case NPM:
		p.Name = "@sky/stars"
	case Go:
		p.Name, p.Version = "example.org/Stars", "v1.0.0"
	case Debian:
		p.Pool = "pool/s/stars_1+1.deb"
	}
	return File{Name: "stars.txt", For: "stars", Size: int64(len(text)), SHA256: sum([]byte(text)), Package: p, Path: path}, asked
}
