// Command anyclcross checks the types of packages and their tests, each for every platform that is
// named, with no C compiler:
//
//	go tool anyclcross windows/amd64 linux/amd64,noopencl
//
// It reads everything from source, of other modules and the standard library without the bodies of
// functions. That finds all build errors but those of the assembler and the linker, in a tenth of the
// time that building takes. With -packages 'PATTERN ...' it checks other packages than ./... .
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

func main() {
	patterns := flag.String("packages", "./...", "what is checked, with spaces between")
	flag.Parse()
	dir, err := os.Getwd()
	if err == nil {
		c := newChecker(dir)
		for _, platform := range flag.Args() {
			n, failed := c.check(platform, strings.Fields(*patterns)...)
			fmt.Printf("%s: %d packages\n", platform, n)
			err = errors.Join(err, failed)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// checker keeps parsed packages: most files are of several platforms.
type checker struct {
	dir    string // of the packages that are checked
	fset   *token.FileSet
	mu     sync.Mutex
	parsed map[string]*ast.File
}

func newChecker(dir string) *checker {
	return &checker{dir: dir, fset: token.NewFileSet(), parsed: map[string]*ast.File{}}
}

// check reports how many packages there are.
func (c *checker) check(platform string, patterns ...string) (int, error) {
	platform, tags, _ := strings.Cut(platform, ",")
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return 0, fmt.Errorf("%q is not GOOS/GOARCH[,TAG]", platform)
	}
	loaded, err := packages.Load(&packages.Config{
		Mode:       packages.LoadAllSyntax,
		Dir:        c.dir,
		Env:        append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
		BuildFlags: []string{"-tags=" + tags},
		Fset:       c.fset,
		ParseFile:  c.parse,
		Tests:      true,
	}, patterns...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", platform, err)
	}
	var errs []error
	seen := map[string]bool{} // packages with tests are listed twice
	for _, p := range loaded {
		if strings.HasSuffix(p.ID, ".test") { // a main function that go test makes
			continue
		}
		for _, e := range p.Errors {
			if text := fmt.Sprintf("%s: %v", platform, e); !seen[text] {
				seen[text] = true
				errs = append(errs, errors.New(text))
			}
		}
	}
	return len(loaded), errors.Join(errs...)
}

// parse is parser.ParseFile, without bodies of functions that are not the checked packages' own.
func (c *checker) parse(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	c.mu.Lock()
	f := c.parsed[name]
	c.mu.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if f == nil || err != nil {
		return f, err
	}
	if !strings.HasPrefix(name, c.dir+string(filepath.Separator)) {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				d.Body = nil
			}
		}
	}
	c.mu.Lock()
	c.parsed[name] = f
	c.mu.Unlock()
	return f, nil
}
