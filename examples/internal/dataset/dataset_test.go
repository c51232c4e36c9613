package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFileIsFetchedOnceFromEachRegistry(t *testing.T) {
	for r, url := range map[Registry]string{
		NPM: "/@sky/stars/-/stars-1.0.0.tgz", Debian: "/pool/s/stars_1+1.deb", Go: "/example.org/!stars/@v/v1.0.0.zip",
	} {
		t.Run(url, func(t *testing.T) {
			f, asked := served(t, r)
			_, err := f.Read()
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.ErrorContains(t, err, "go run ./examples/fetch stars")

			var out bytes.Buffer
			require.NoError(t, Fetch(t.Context(), []File{f}, true, &out))
			require.Empty(t, *asked, "only printed")
			require.Contains(t, out.String(), url[:len(url)-8])

			for range 2 {
				require.NoError(t, Fetch(t.Context(), []File{f}, false, &out))
				require.Equal(t, []string{url}, *asked)
			}
			content, err := f.Read()
			require.NoError(t, err)
			require.Equal(t, text, string(content))

			// Nothing else was written: no link, no path that leads out, nothing half done.
			var files []string
			require.NoError(t, filepath.WalkDir(os.Getenv("XDG_CACHE_HOME"), func(path string, d fs.DirEntry, err error) error {
				if !d.IsDir() {
					files = append(files, path)
				}
				return err
			}))
			require.Equal(t, f.places()[:1], files)
			require.NoFileExists(t, filepath.Join(filepath.Dir(os.Getenv("XDG_CACHE_HOME")), "outside.txt"))
		})
	}
}

func TestWhatIsNotTheKnownFileIsRefused(t *testing.T) {
	for what, change := range map[string]func(f *File){
		"the sum of the package":      func(f *File) { f.Package.SHA256 = sum([]byte("other")) },
		"a package that goes on":      func(f *File) { f.Package.Size-- },
		"a package that ends earlier": func(f *File) { f.Package.Size++ },
		"the sum of the file":         func(f *File) { f.SHA256 = sum([]byte("other")) },
		"a file that goes on":         func(f *File) { f.Size-- },
		"a file that is not in it":    func(f *File) { f.Path = "package/nothing" },
	} {
		t.Run(what, func(t *testing.T) {
			f, _ := served(t, NPM)
			change(&f)
			err := Fetch(t.Context(), []File{f}, false, &bytes.Buffer{})
			require.Error(t, err)
			if what != "a file that is not in it" {
				require.ErrorIs(t, err, ErrDamaged)
			}
			_, err = f.Find()
			require.ErrorIs(t, err, fs.ErrNotExist)
		})
	}
}

func TestAFolderOfTheUserComesFirst(t *testing.T) {
	f, _ := served(t, NPM)
	dir := t.TempDir()
	t.Setenv(EnvData, dir)
	require.NoError(t, Fetch(t.Context(), []File{f}, false, &bytes.Buffer{}))
	require.FileExists(t, filepath.Join(dir, "stars.txt"))
	path := filepath.Join(dir, "stars.txt")
	require.NoError(t, os.WriteFile(path, bytes.ToUpper([]byte(text)), 0o644))
	_, err := f.Read()
	require.ErrorIs(t, err, ErrDamaged)

	f.Name = "installed.txt"
	f.Installed = filepath.Join(dir, "elsewhere.txt")
	require.NoError(t, os.WriteFile(f.Installed, []byte(text), 0o644))
	found, err := f.Find()
	require.NoError(t, err)
	require.Equal(t, f.Installed, found)
}

func TestARegistryThatDoesNotHaveItIsAnError(t *testing.T) {
	f, _ := served(t, NPM)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	t.Setenv("npm_config_registry", server.URL)
	require.ErrorContains(t, Fetch(t.Context(), []File{f}, false, &bytes.Buffer{}), "404")
}

func TestDamagedArchivesAreErrors(t *testing.T) {
	for _, r := range []Registry{NPM, Debian, Go} {
		whole, _ := archive(t, r)
		for _, n := range []int{0, 4, 70, len(whole) / 2} {
			cut := whole[:n]
			path := filepath.Join(t.TempDir(), "archive")
			require.NoError(t, os.WriteFile(path, cut, 0o644))
			f, _ := served(t, r)
			archive, err := os.Open(path)
			require.NoError(t, err)
			defer archive.Close()
			found := false
			err = f.Package.unpack(archive, func(name string, r io.Reader) error {
				_, err := f.verify(r)
				found = found || err == nil && name == f.Path
				return nil
			})
			require.False(t, found, "%d bytes of %d", n, len(whole))
			if r != Debian || n < 100 { // a file that ends in the middle of xz may be an empty archive
				require.Error(t, err, "%d bytes of %d", n, len(whole))
			}
		}
	}
}

func TestTheUsualRegistries(t *testing.T) {
	for _, variable := range []string{"npm_config_registry", "GOPROXY", envDebian} {
		t.Setenv(variable, "")
	}
	t.Setenv("GOPROXY", "direct")
	require.Equal(t, "https://registry.npmjs.org/a/-/a-1.tgz", (&Package{Registry: NPM, Name: "a", Version: "1"}).URL())
	require.Equal(t, "https://deb.debian.org/debian/pool/a_1%2B2.deb", (&Package{Registry: Debian, Pool: "pool/a_1+2.deb"}).URL())
	require.Equal(t, "https://proxy.golang.org/a/@v/v1.zip", (&Package{Registry: Go, Name: "a", Version: "v1"}).URL())
	t.Setenv("GOPROXY", "https://goproxy.example/,direct")
	require.Equal(t, "https://goproxy.example/a/@v/v1.zip", (&Package{Registry: Go, Name: "a", Version: "v1"}).URL())
}

func TestFilesAreNamedOnceAndWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		require.False(t, seen[f.Name], f.Name)
		seen[f.Name] = true
		require.Equal(t, filepath.Base(f.Name), f.Name)
		for _, s := range []string{f.SHA256, f.Package.SHA256} {
			b, err := hex.DecodeString(s)
			require.NoError(t, err, f.Name)
			require.Len(t, b, sha256.Size, f.Name)
		}
		require.NotEmpty(t, f.About, f.Name)
		require.NotEmpty(t, f.Licence, f.Name)
		require.NotEmpty(t, f.Path, f.Name)
		require.Positive(t, f.Size, f.Name)
		require.Positive(t, f.Package.Size, f.Name)
		require.Equal(t, f.Package.Registry == Debian, f.Package.Pool != "", f.Name)
		require.DirExists(t, filepath.Join("..", "..", f.For), "of %s", f.Name)
	}
	files, err := Named("stars", "stars.14.json")
	require.NoError(t, err)
	require.Len(t, files, 2)
	_, err = Named("no such thing")
	require.Error(t, err)
	files, err = Named()
	require.NoError(t, err)
	require.Len(t, files, len(All()))
}

// Names in archives are compared without the "./" that Debian's begin with.
func TestPathsInArchivesAreClean(t *testing.T) {
	for _, f := range All() {
		require.Equal(t, path.Clean(f.Path), f.Path, f.Name)
	}
}
