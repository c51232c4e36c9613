package benches_test

import (
	"flag"
	"testing"

	"github.com/anycl/anycl/ops/internal/opstest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		opstest.Main(m)
	}
	opstest.MainSettled(m)
}
