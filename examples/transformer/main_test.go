package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
)

// childVariable names the weights that a child process writes with, on the CPU path.
const childVariable = "ANYCL_TEST_WRITE"

func TestMain(m *testing.M) {
	if file := os.Getenv(childVariable); file != "" {
		o := small("none", "")
		o.load = file
		if err := run(context.Background(), o, os.Stdout); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(testcache.Run(m, testdevices.Unoptimize, testdevices.Hold))
}
