package runs_test

import (
	"testing"

	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops/internal/opstest"
)

func TestMain(m *testing.M) { opstest.MainSettled(m, testdevices.Unoptimize) }
