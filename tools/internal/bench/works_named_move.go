package bench

import "github.com/anycl/anycl/ops"

func namedMoves() []*named {
	square := []leaf{floats(1024, 1024)}
	images := []leaf{floats(8, 64, 56, 56)}
	move := func(name, torch string, leaves []leaf, f func(x *ops.Node) *ops.Node) *named {
		n := &named{name: name, torch: torch, leaves: leaves, ours: of(f)}
		for _, l := range leaves {
			size := 8.0
			for _, d := range l.dims {
				size *= float64(d)
			}
			n.bytes += size
		}
		return n
	}
	return []*named{
		move("tril/1024x1024", "torch.tril({0})", square, func(x *ops.Node) *ops.Node { return ops.Tril(x, 0) }),
		move("roll/1024x1024", "torch.roll({0}, (3, 5), (0, 1))", square, func(x *ops.Node) *ops.Node { return ops.Roll(x, []int{3, 5}, 0, 1) }),
		move("rot90/1024x1024", "torch.rot90({0})", square, func(x *ops.Node) *ops.Node { return ops.Rot90(x, 1, 0, 1) }),
		move("flip/1024x1024", "torch.flip({0}, (0, 1))", square, func(x *ops.Node) *ops.Node { return ops.Flip(x, 0, 1) }),
		move("pad-reflect/8x64x56x56", "F.pad({0}, (2, 2, 2, 2), mode='reflect')", images, func(x *ops.Node) *ops.Node {
			return ops.PadWith(x, "reflect", ops.Padding{Axis: 2, Before: 2, After: 2}, ops.Padding{Axis: 3, Before: 2, After: 2})
		}),
		move("pad-edge/8x64x56x56", "F.pad({0}, (2, 2, 2, 2), mode='replicate')", images, func(x *ops.Node) *ops.Node {
			return ops.PadWith(x, "edge", ops.Padding{Axis: 2, Before: 2, After: 2}, ops.Padding{Axis: 3, Before: 2, After: 2})
		}),
		move("pixel-shuffle/8x64x56x56", "F.pixel_shuffle({0}, 2)", images, func(x *ops.Node) *ops.Node { return ops.PixelShuffle(x, 2) }),
		move("channel-shuffle/8x64x56x56", "F.channel_shuffle({0}, 4)", images, func(x *ops.Node) *ops.Node { return ops.ChannelShuffle(x, 4) }),
		move("repeat-interleave/1024x512", "torch.repeat_interleave({0}, 2, 1)", []leaf{floats(1024, 512)},
			func(x *ops.Node) *ops.Node { return ops.RepeatInterleave(x, 1, 2) }),
		move("tile/1024x256", "{0}.repeat(2, 2)", []leaf{floats(1024, 256)}, func(x *ops.Node) *ops.Node { return ops.Tile(x, 2, 2) }),
		move("diag-embed/256x64", "torch.diag_embed({0})", []leaf{floats(256, 64)},
			func(x *ops.Node) *ops.Node { return ops.DiagEmbed(x, 0, -2, -1) }),
		{name: "im2col/8x16x56x56", torch: "F.unfold({0}, 3, padding=1)", leaves: []leaf{floats(8, 16, 56, 56)}, bytes: 4 * 8 * 16 * 56 * 56 * 10,
			ours: func(x []*ops.Node) *ops.Node {
				return ops.Unfold(x[0], ops.FoldOptions{Size: []int{3, 3}, Pad: []int{1, 1}})
			}},
		{name: "col2im/8x144x3136", torch: "F.fold({0}, (56, 56), 3, padding=1)", leaves: []leaf{floats(8, 144, 3136)},
			ours: func(x []*ops.Node) *ops.Node {
				return ops.Fold(x[0], []int{56, 56}, ops.FoldOptions{Size: []int{3, 3}, Pad: []int{1, 1}})
			}},
	}
}

func namedIndexing() []*named {
	table, ids, rows := floats(4096, 128), integers(4096, 8192), floats(8192, 128)
	wide := func(name, torch, reduction string, update func(x *ops.Node) *ops.Node) *named {
		return &named{name: name, torch: torch, leaves: []leaf{table, ids, rows}, ours: func(x []*ops.Node) *ops.Node {
			return ops.ScatterReduce(x[0], 0, x[1], update(x[2]), reduction, nil)
		}}
	}
	return []*named{
		wide("scatter-max/8192x128-4096", "{0}.index_reduce(0, {1}, {2}, 'amax')", "max", func(x *ops.Node) *ops.Node { return x }),
		wide("scatter-mul/8192x128-4096", "{0}.index_reduce(0, {1}, {2} * 0.01 + 1, 'prod')", "mul",
			func(x *ops.Node) *ops.Node { return ops.Add(ops.Mul(x, 0.01), 1) }),
		{name: "scatter-mean/8192x128-4096", torch: "{0}.index_reduce(0, {1}, {2}, 'mean')", leaves: []leaf{table, ids, rows},
			ours: func(x []*ops.Node) *ops.Node { return ops.ScatterMean(x[0], 0, x[1], x[2]) },
			composed: func(x []*ops.Node) *ops.Node {
				n := ops.ScatterAdd(x[0].Graph().Full(x[0].DType(), 1, 4096), 0, x[1], x[0].Graph().Full(x[0].DType(), 1, 8192))
				return ops.Div(ops.ScatterAdd(x[0], 0, x[1], x[2]), ops.ExpandDims(n, 1))
			}},
		{name: "index-add/8192x128-4096", torch: "{0}.index_add(0, {1}, {2})", leaves: []leaf{table, ids, rows},
			ours: func(x []*ops.Node) *ops.Node { return ops.IndexAdd(x[0], 0, x[1], x[2]) }},
		{name: "take-along/1024x1024", torch: "torch.take_along_dim({0}, {1}, 1)", leaves: []leaf{floats(1024, 1024), integers(1024, 1024, 512)},
			ours: func(x []*ops.Node) *ops.Node { return ops.TakeAlong(x[0], 1, x[1]) }},
		{name: "gather-nd/64Ki", torch: "{0}[{1}[:, 0], {1}[:, 1]]", leaves: []leaf{floats(1024, 1024), integers(1024, 1<<16, 2)},
			bytes: 20 << 16,
			ours:  func(x []*ops.Node) *ops.Node { return ops.GatherND(x[0], x[1], nil) }},
		{name: "index-put/64Ki", torch: "{0}.index_put(({1}[:, 0], {1}[:, 1]), {2}, accumulate=True)",
			leaves: []leaf{floats(1024, 1024), integers(1024, 1<<16, 2), floats(1 << 16)},
			ours: func(x []*ops.Node) *ops.Node {
				return ops.IndexPut(x[0], []*ops.Node{ops.Select(x[1], 1, 0), ops.Select(x[1], 1, 1)}, x[2], true)
			}},
		{name: "embedding-bag/4096x128", torch: "F.embedding_bag({1}, {0}, mode='mean')", leaves: []leaf{table, integers(4096, 512, 32)},
			bytes:    4 * 512 * 33 * 128,
			ours:     func(x []*ops.Node) *ops.Node { return ops.EmbeddingBag(x[0], x[1], nil) },
			composed: func(x []*ops.Node) *ops.Node { return ops.Mean(ops.Embedding(x[0], x[1]), 1) }},
		{name: "masked-fill/1024x1024", torch: "{0}.masked_fill({0} > 0, 7.0)", leaves: []leaf{floats(1024, 1024)}, bytes: 8 * million,
			ours: func(x []*ops.Node) *ops.Node { return ops.MaskedFill(x[0], ops.Greater(x[0], 0), 7) }},
	}
}
