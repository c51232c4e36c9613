package factor_test

import (
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/ocltest"
)

// device is an engine on the device that the tests share, without the host path: see ocltest.On.
var device = ocltest.On(ocl.NewQueueOnly)
