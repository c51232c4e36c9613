// Command anyclvet runs the project's own analyzer, on packages that it is given
// or as a tool of go vet:
//
//	go tool anyclvet ./...
//	go vet -vettool=$(which anyclvet) ./...
package main

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/singlechecker"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/anycl/anycl/tools/internal/vet"
)

func main() {
	// go vet asks its tools for their version and flags, then gives each a
	// configuration file a package.
	if slices.ContainsFunc(os.Args[1:], func(a string) bool {
		return strings.HasPrefix(a, "-V=") || a == "-flags" || strings.HasSuffix(a, ".cfg")
	}) {
		unitchecker.Main(vet.Analyzer)
	}
	singlechecker.Main(vet.Analyzer)
}
