//go:build !amd64

package vector

// has is false where there is no assembly: none of it is called then.
const has = false

func add(*float32, *float32, *float32, int) {}
func sub(*float32, *float32, *float32, int) {}
func mul(*float32, *float32, *float32, int) {}
func div(*float32, *float32, *float32, int) {}
func positive(*float32, *float32, int)      {}

func addTimes(*float32, *float32, float32, int)      {}
func addTimesOfTwo(*float32, *float32, float32, int) {}
func addProducts(*float32, *float32, *float32, int)  {}

func signExtend32(*int64, int) {}
