package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/anycl/anycl/checkpoint"
	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/safetensors"
	"github.com/anycl/anycl/tensor"
)

// shape holds the properties of a network that its file has beside the weights.
type shape struct {
	Layers, Width, Heads, Context int
	Alphabet                      string
}

// network scores which character comes next: a vector stands for each, layers of attention to those before mix them, and a
// linear layer scores all characters. Positions turn queries and keys, so that only distances count.
type network struct {
	shape     `nn:"-"`
	*nn.Model `nn:"-"`

	Embed *nn.Embedding
	Stack *nn.Encoder
	Head  *nn.Linear
}

// newNetwork makes a network. Products are computed in the given dtype.
func newNetwork(s shape, seed uint64, compute tensor.DType) *network {
	g, characters := ops.NewGraph("transformer"), len([]rune(s.Alphabet))
	g.Seed(seed)
	n := &network{
		shape: s,
		Embed: &nn.Embedding{Num: characters, Dim: s.Width, WeightInit: nn.Normal(0, 0.02)},
		Stack: &nn.Encoder{Layers: s.Layers, Norm: true, TransformerOptions: nn.TransformerOptions{
			Embed: s.Width, Heads: s.Heads, NormFirst: true, Activation: nn.GELUTanh, Rotary: &nn.Rotary{},
		}},
		Head: &nn.Linear{In: s.Width, Out: characters},
	}
	n.Model = nn.New(g, n, nn.Options{Seed: seed, Compute: compute})
	return n
}

// scores are those of every character to come behind each of ids: of [N, L], [N, L, characters]. caches hold the keys and values of the
// text before, or are nil.
func (n *network) scores(p *nn.Pass, ids *ops.Node, caches []*nn.Cache) *ops.Node {
	x := n.Stack.Run(p, n.Embed.Apply(p, ids), nn.AttendOptions{Causal: true, Window: n.Context}, caches)
	return p.Full(n.Head.Apply(p, x))
}

// metadata is where a file keeps the shape.
const metadata = "transformer"

// saveTo writes weights and shape.
func (n *network) saveTo(ctx context.Context, path string) error {
	s, err := json.Marshal(n.shape)
	if err != nil {
		return err
	}
	return checkpoint.SaveWeights(ctx, path, n.Named(), map[string]string{metadata: string(s)})
}

// loadNetwork makes the network of a file.
func loadNetwork(ctx context.Context, path string, seed uint64, compute tensor.DType) (*network, error) {
	file, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var s shape
	if err := json.Unmarshal([]byte(file.Metadata()[metadata]), &s); err != nil {
		return nil, fmt.Errorf("%s is not of this program: %w", path, err)
	}
	n := newNetwork(s, seed, compute)
	_, err = checkpoint.LoadWeights(ctx, file, n.Named(), nil)
	return n, err
}
