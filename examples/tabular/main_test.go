package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
)

// childVariable names the folder of the network that a child process predicts with.
const childVariable = "ANYCL_TEST_PREDICT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := run(context.Background(), options{device: "none", dir: dir, predict: true}, os.Stdout); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(testcache.Run(m, testdevices.Hold))
}
