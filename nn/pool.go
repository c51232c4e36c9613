package nn

import "github.com/anycl/anycl/ops"

// Pools over the last axes, as many as Size has, with the fields of [ops.PoolingOptions]:
//
//	&nn.MaxPool{Size: []int{2, 2}}
type (
	MaxPool ops.PoolingOptions
	AvgPool ops.PoolingOptions
)

// Apply is the largest element of each window of x.
func (l *MaxPool) Apply(p *Pass, x *ops.Node) *ops.Node {
	return p.did(l, ops.MaxPool(x, ops.PoolingOptions(*l)))
}

// Apply is the mean of each window of x.
func (l *AvgPool) Apply(p *Pass, x *ops.Node) *ops.Node {
	return p.did(l, ops.AvgPool(x, ops.PoolingOptions(*l)))
}

// Pools whose windows follow from the extents of the result, Size, one for each of the last axes; -1 leaves an axis as it is.
type (
	AdaptiveMaxPool struct{ Size []int }
	AdaptiveAvgPool struct{ Size []int }
)

// Apply is the largest element of each window of x.
func (l *AdaptiveMaxPool) Apply(p *Pass, x *ops.Node) *ops.Node {
	y, _ := ops.AdaptiveMaxPool(x, l.Size...)
	return p.did(l, y)
}

// Apply is the mean of each window of x.
func (l *AdaptiveAvgPool) Apply(p *Pass, x *ops.Node) *ops.Node {
	return p.did(l, ops.AdaptiveAvgPool(x, l.Size...))
}
