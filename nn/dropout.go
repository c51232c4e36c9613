package nn

import "github.com/anycl/anycl/ops"

// Dropout sets elements to 0 in training, each with probability Rate, and scales the others by 1 / (1 - Rate). In
// inference it is x. A Rate of 0 drops nothing.
type Dropout struct{ Rate float64 }

// Apply is x with elements dropped.
func (d *Dropout) Apply(p *Pass, x *ops.Node) *ops.Node { return p.dropout(x, d.Rate) }

// dropout drops elements of x in training.
func (p *Pass) dropout(x *ops.Node, rate float64) *ops.Node {
	if !p.training || rate == 0 {
		return x
	}
	return ops.Dropout(x, rate)
}

// FeatureDropout drops whole channels of [N, C, ...], otherwise as [Dropout]. It is PyTorch's Dropout1d, 2d and 3d.
type FeatureDropout struct{ Rate float64 }

// Apply is x with channels dropped.
func (d *FeatureDropout) Apply(p *Pass, x *ops.Node) *ops.Node {
	if !p.training || d.Rate == 0 {
		return x
	}
	return ops.FeatureDropout(x, d.Rate)
}

// AlphaDropout keeps mean and variance of results of SELU, see [ops.AlphaDropout]; with Features it drops whole channels.
type AlphaDropout struct {
	Rate     float64
	Features bool
}

// Apply is x with elements dropped.
func (d *AlphaDropout) Apply(p *Pass, x *ops.Node) *ops.Node {
	switch {
	case !p.training || d.Rate == 0:
		return x
	case d.Features:
		return ops.FeatureAlphaDropout(x, d.Rate)
	}
	return ops.AlphaDropout(x, d.Rate)
}
