package dataset

import (
	"fmt"
	"os"
	"path"
	"strings"
	"unicode"
)

// Registry is where packages come from.
type Registry int

const (
	NPM    Registry = iota // a .tgz of the npm registry, or of the one that npm_config_registry names
	Debian                 // a .deb of deb.debian.org, or of the mirror that ANYCL_DEBIAN names
	Go                     // a .zip of the Go module proxy, or of the first one that GOPROXY names
)

// envDebian names the mirror of Debian that packages are fetched from, as https://deb.debian.org/debian.
const envDebian = "ANYCL_DEBIAN"

// Package is one version of a package.
type Package struct {
	Registry      Registry
	Name, Version string
	Pool          string // of Debian: the path of the .deb below the mirror
	Size          int64  // of the archive, in bytes
	SHA256        string // of the archive
}

func (p *Package) String() string {
	switch p.Registry {
	case NPM:
		return fmt.Sprintf("npm package %s@%s, %s", p.Name, p.Version, bytesText(p.Size))
	case Debian:
		return fmt.Sprintf("Debian package %s %s, %s", p.Name, p.Version, bytesText(p.Size))
	}
	return fmt.Sprintf("Go module %s@%s, %s", p.Name, p.Version, bytesText(p.Size))
}

// URL is where the archive lies.
func (p *Package) URL() string {
	switch p.Registry {
	case NPM: // the archive of @scope/name is @scope/name/-/name-version.tgz
		return base("npm_config_registry", "https://registry.npmjs.org") + "/" + p.Name + "/-/" + path.Base(p.Name) + "-" + p.Version + ".tgz"
	case Debian:
		return base(envDebian, "https://deb.debian.org/debian") + "/" + strings.ReplaceAll(p.Pool, "+", "%2B")
	}
	return base("GOPROXY", "https://proxy.golang.org") + "/" + escapeModule(p.Name) + "/@v/" + escapeModule(p.Version) + ".zip"
}

// base is the address that a variable names, the first of a list, or the usual one.
func base(variable, usual string) string {
	first, _, _ := strings.Cut(strings.ReplaceAll(os.Getenv(variable), "|", ","), ",")
	if !strings.HasPrefix(first, "http://") && !strings.HasPrefix(first, "https://") { // GOPROXY may be direct or off
		first = usual
	}
	return strings.TrimRight(first, "/")
}

// escapeModule writes capital letters as the module proxy does: !a for A.
func escapeModule(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// bytesText writes a number of bytes in a unit that suits it.
func bytesText(n int64) string {
	if n < 1e6 {
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
