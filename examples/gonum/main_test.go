package main

import (
	"os"
	"testing"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Unoptimize, testdevices.Hold)) }
