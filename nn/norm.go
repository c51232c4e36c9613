package nn

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// normal applies f to x in the dtype of the parameters, and casts its result back.
func (p *Pass) normal(x *ops.Node, f func(x *ops.Node) *ops.Node) *ops.Node {
	if x == nil {
		return f(x)
	}
	return castFloat(f(p.Full(x)), x.DType())
}

// BatchNorm normalises each channel of [N, C] or [N, C, ...] over everything else: in training with the statistics of the batch, which go
// into running ones, and in inference with these. It is PyTorch's BatchNorm1d, 2d and 3d.
//
//	running ← (1 - Momentum)·running + Momentum·batch
//
// Parameters: weight, ones, and bias, zeros, [Channels]. Buffers: running_mean and running_var, [Channels]. See [ops.BatchNormRunning].
type BatchNorm struct {
	Channels int
	Eps      float64 // 0: 1e-5
	Momentum float64 // 0: 0.1
	NoAffine bool    // neither weight nor bias
	// BatchOnly uses the statistics of the batch in inference too, and has no running ones.
	BatchOnly bool

	Weight, Bias, Mean, Var *ops.Node // made by New
}

// Build declares parameters and statistics.
func (l *BatchNorm) Build(s *Scope) {
	*l = BatchNorm{Channels: l.Channels, Eps: l.Eps, Momentum: l.Momentum, NoAffine: l.NoAffine, BatchOnly: l.BatchOnly}
	if !l.NoAffine {
		l.Weight, l.Bias = s.Param("weight", Ones, l.Channels), s.Param("bias", Zeros, l.Channels)
	}
	if l.BatchOnly || l.Channels < 1 {
		if l.Channels < 1 {
			s.Fail("a batch normalisation of %d channels", l.Channels)
		}
		return
	}
	l.Mean, l.Var = s.statistics(l.Channels)
}

// statistics declares running means, zeros, and variances, ones.
func (s *Scope) statistics(channels int) (mean, variance *ops.Node) {
	zeros, err := tensor.New(tensor.Float32, channels)
	if err != nil {
		s.Fail("%w", err)
		return nil, nil
	}
	ones := zeros.Clone()
	for i := range channels {
		ones.SetFloat64(i, 1)
	}
	return s.Buffer("running_mean", zeros), s.Buffer("running_var", ones)
}

// Apply is x normalised.
func (l *BatchNorm) Apply(p *Pass, x *ops.Node) *ops.Node {
	eps := orDefault(l.Eps, 1e-5)
	y := p.normal(x, func(x *ops.Node) *ops.Node {
		switch {
		case l.Mean == nil && !l.BatchOnly:
			return p.fail("batch_norm", errNotBuilt, x)
		case l.BatchOnly:
			y, _, _ := ops.BatchNormTrain(x, l.or(l.Weight, 1, x), l.or(l.Bias, 0, x), eps)
			return y
		case p.training:
			y, mean, variance := ops.BatchNormRunning(x, l.Weight, l.Bias, p.Read(l.Mean), p.Read(l.Var),
				&ops.BatchNormOptions{Eps: eps, Momentum: l.Momentum})
			p.Write(l.Mean, mean)
			p.Write(l.Var, variance)
			return y
		}
		return ops.BatchNorm(x, l.Weight, l.Bias, p.Read(l.Mean), p.Read(l.Var), eps)
	})
	return p.did(l, y)
}

func (l *BatchNorm) or(n *ops.Node, v float64, like *ops.Node) *ops.Node {
	if n == nil && like != nil {
		return like.Graph().Full(like.DType(), v, l.Channels)
	}
	return n
}

// LayerNorm normalises the last axes, of the extents Shape, together. Parameters: weight, ones, and bias, zeros, of
// that shape. See [ops.LayerNorm].
type LayerNorm struct {
	Shape    []int
	Eps      float64 // 0: 1e-5
	NoAffine bool    // neither weight nor bias
	NoBias   bool

	Weight, Bias *ops.Node // made by New
}

// Build declares the parameters.
func (l *LayerNorm) Build(s *Scope) {
	l.Weight, l.Bias = nil, nil
	if len(l.Shape) == 0 {
		s.Fail("a layer normalisation needs its shape")
		return
	}
	if !l.NoAffine {
		l.Weight = s.Param("weight", Ones, l.Shape...)
		if !l.NoBias {
			l.Bias = s.Param("bias", Zeros, l.Shape...)
		}
	}
}

// Apply is x normalised.
func (l *LayerNorm) Apply(p *Pass, x *ops.Node) *ops.Node {
	if l.Weight == nil && !l.NoAffine {
		return p.fail("layer_norm", errNotBuilt, x)
	}
	return p.did(l, p.normal(x, func(x *ops.Node) *ops.Node {
		return ops.LayerNormOver(x, len(l.Shape), l.Weight, l.Bias, orDefault(l.Eps, 1e-5))
	}))
}

// RMSNorm divides by the root mean square over the last axes, of the extents Shape. Parameter: weight, ones, of that shape.
// See [ops.RMSNorm].
type RMSNorm struct {
	Shape    []int
	Eps      float64 // 0: 2⁻²³, the relative precision of float32, as in PyTorch
	NoAffine bool

	Weight *ops.Node // made by New
}

// Build declares the parameter.
func (l *RMSNorm) Build(s *Scope) {
	l.Weight = nil
	if len(l.Shape) == 0 {
		s.Fail("a normalisation needs its shape")
		return
	}
	if !l.NoAffine {
		l.Weight = s.Param("weight", Ones, l.Shape...)
	}
}

// Apply is x normalised.
func (l *RMSNorm) Apply(p *Pass, x *ops.Node) *ops.Node {
	if l.Weight == nil && !l.NoAffine {
		return p.fail("rms_norm", errNotBuilt, x)
	}
	return p.did(l, p.normal(x, func(x *ops.Node) *ops.Node {
		return ops.RMSNormOver(x, len(l.Shape), l.Weight, orDefault(l.Eps, 0x1p-23))
	}))
}

// GroupNorm normalises the channels of each of Groups groups together, of [N, Channels, ...]. Parameters: weight, ones, and bias,
// zeros, [Channels]. See [ops.GroupNorm].
type GroupNorm struct {
	Groups, Channels int
	Eps              float64 // 0: 1e-5
	NoAffine         bool

	Weight, Bias *ops.Node // made by New
}

// Build declares the parameters.
func (l *GroupNorm) Build(s *Scope) {
	l.Weight, l.Bias = nil, nil
	if !l.NoAffine {
		l.Weight, l.Bias = s.Param("weight", Ones, l.Channels), s.Param("bias", Zeros, l.Channels)
	}
}

// Apply is x normalised.
func (l *GroupNorm) Apply(p *Pass, x *ops.Node) *ops.Node {
	if l.Weight == nil && !l.NoAffine {
		return p.fail("group_norm", errNotBuilt, x)
	}
	return p.did(l, p.normal(x, func(x *ops.Node) *ops.Node {
		return ops.GroupNorm(x, l.Groups, l.Weight, l.Bias, orDefault(l.Eps, 1e-5))
	}))
}

// InstanceNorm normalises each channel of each part of [N, Channels, ...]. Parameters, with Affine: weight, ones, and bias, zeros,
// [Channels]. With Running it keeps, as PyTorch's track_running_stats does, averages of the statistics of the parts of a batch,
// with the variance of a sample, and normalises with them in inference; buffers: running_mean and running_var, [Channels]:
//
//	running ← (1 - Momentum)·running + Momentum·mean over parts
//
// See [ops.InstanceNorm].
type InstanceNorm struct {
	Channels int
	Eps      float64 // 0: 1e-5
	Affine   bool
	Running  bool
	Momentum float64 // of the running statistics; 0: 0.1

	Weight, Bias, Mean, Var *ops.Node // made by New
}

// Build declares parameters and statistics.
func (l *InstanceNorm) Build(s *Scope) {
	*l = InstanceNorm{Channels: l.Channels, Eps: l.Eps, Affine: l.Affine, Running: l.Running, Momentum: l.Momentum}
	if l.Affine {
		l.Weight, l.Bias = s.Param("weight", Ones, l.Channels), s.Param("bias", Zeros, l.Channels)
	}
	if l.Running {
		l.Mean, l.Var = s.statistics(l.Channels)
	}
}

// Apply is x normalised.
func (l *InstanceNorm) Apply(p *Pass, x *ops.Node) *ops.Node {
	if l.Weight == nil && l.Affine || l.Mean == nil && l.Running {
		return p.fail("instance_norm", errNotBuilt, x)
	}
	eps := orDefault(l.Eps, 1e-5)
	return p.did(l, p.normal(x, func(x *ops.Node) *ops.Node {
		if l.Running && !p.training {
			return ops.BatchNorm(x, l.Weight, l.Bias, p.Read(l.Mean), p.Read(l.Var), eps)
		}
		y := ops.InstanceNorm(x, l.Weight, l.Bias, eps)
		if l.Running && x != nil && x.Rank() > 2 {
			l.follow(p, ops.StopGradient(x))
		}
		return y
	}))
}

// follow takes the statistics of x into the running ones.
func (l *InstanceNorm) follow(p *Pass, x *ops.Node) {
	var inner []int
	for axis := 2; axis < x.Rank(); axis++ {
		inner = append(inner, axis)
	}
	mean, variance := ops.VarMean(x, 1, inner...)
	momentum := orDefault(l.Momentum, 0.1)
	for i, running := range [2]*ops.Node{l.Mean, l.Var} {
		before := p.Read(running)
		p.Write(running, ops.Add(before, ops.Mul(ops.Sub(ops.Mean([2]*ops.Node{mean, variance}[i], 0), before), momentum)))
	}
}
