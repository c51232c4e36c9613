package main

import (
	"os"
	"testing"

	"github.com/anycl/anycl/internal/testcache"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m)) }
