package ocl

import (
	"github.com/anycl/anycl/internal/ocl/ocltest"
)

// device is an engine on the device that tests share, with kernel variants as EnvVariant has them, for the facts of the device
// as change leaves them.
var device = ocltest.On(NewQueueOnly)
