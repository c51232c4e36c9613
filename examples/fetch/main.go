// Fetch downloads the real data of the examples, each file from one version of one package of a public registry, and checks it.
//
//	go run ./examples/fetch               # all that is not there yet
//	go run ./examples/fetch stars         # what examples/stars reads, or a file by its name
//	go run ./examples/fetch -n            # print what would be downloaded, and its size
//
// Files go to the folder that ANYCL_DATA names, or to the user's cache. Registries are those of the usual variables:
// npm_config_registry, GOPROXY, and ANYCL_DEBIAN for a mirror of Debian.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/anycl/anycl/examples/internal/dataset"
)

func main() {
	dry := flag.Bool("n", false, "only print what would be downloaded")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	files, err := dataset.Named(flag.Args()...)
	if err == nil {
		err = dataset.Fetch(ctx, files, *dry, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
}
