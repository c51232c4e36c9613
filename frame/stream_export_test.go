package frame

// Small tables are cut in batches as large ones are.
func init() { batchRows, batchBytes = 16, 1<<20 }
