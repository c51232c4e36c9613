package engine

// Put is how a scatter combines an update with the element that it meets. Updates of one element are taken in their order,
// so that results repeat.
type Put uint8

// How elements are updated.
const (
	PutAdd Put = iota // added; as exact as a sum over an axis
	PutMul            // multiplied
	PutMin            // the smaller one; NaN where either is
	PutMax            // the larger one; NaN where either is
	PutSet            // replaced: the last update stays
)

var putNames = [...]string{"add", "mul", "min", "max", "set"}

func (p Put) String() string { return putNames[p] }
