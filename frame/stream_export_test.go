package frame

import "github.com/anycl/anycl/frame/internal/host"

// Small tables are cut in batches as large ones are.
func init() { host.BatchRows, host.BatchBytes, host.PartRows = 16, 1<<20, 64 }
