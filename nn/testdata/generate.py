"""Writes layers.json, training.json and ../../optim/testdata/rules.json: what PyTorch computes, for the tests of packages nn and optim.

    python3 generate.py        # Debian: python3-torch

Everything is computed in float64. Weights and data are numbers of a formula, which the tests know too, so that the files hold results
alone.
"""
import json
import math
import torch
from torch import nn
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)


def number(k, i):
    """Element i of tensor k, in [-1, 1)."""
    s = math.sin((i + 1) * 12.9898 + (k + 1) * 78.233) * 43758.5453
    return 2 * (s - math.floor(s)) - 1


def tensor(k, *shape, scale=1.0):
    n = math.prod(shape)
    return torch.tensor([scale * number(k, i) for i in range(n)]).reshape(shape)


def ids(k, most, *shape):
    return ((tensor(k, *shape) + 1) / 2 * most).long()


def fill(module, scale):
    """Gives the parameters the numbers that the tests give them."""
    with torch.no_grad():
        for k, (name, p) in enumerate(module.named_parameters()):
            p.copy_(tensor(k, *p.shape, scale=scale))
            if name.endswith("weight") and p.dim() == 1:
                p.add_(1)
    return module


def names(module):
    return [[n, list(p.shape)] for n, p in module.named_parameters()]


def flat(y):
    return [float(v) for v in y.detach().reshape(-1)]


class Seq2Seq(nn.Module):
    """A transformer whose batches come first."""

    def __init__(self):
        super().__init__()
        self.t = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)

    def forward(self, x, y):
        mask = nn.Transformer.generate_square_subsequent_mask(y.shape[1]).to(y.dtype)
        return self.t(x, y, tgt_mask=mask)


def attend(m, causal=False, padding=None):
    def f(q, k, v):
        mask = torch.triu(torch.ones(q.shape[1], k.shape[1]), 1).bool() if causal else None
        return m(q, k, v, attn_mask=mask, key_padding_mask=padding)[0]
    return f


def layers():
    out = {}

    def add(name, module, inputs, f=None):
        fill(module, 0.5)
        leaves = [x.clone().requires_grad_(x.is_floating_point()) for x in inputs]
        y = (f or module)(*leaves)
        y = y[0] if isinstance(y, tuple) else y
        weight = tensor(77, *y.shape)
        (y * weight).sum().backward()
        grads = sum(float((p.grad * tensor(50 + i, *p.shape)).sum()) for i, p in enumerate(module.parameters()))
        out[name] = {"params": names(module), "y": flat(y), "grad": grads}

    x2 = tensor(100, 3, 4)
    x3 = tensor(101, 2, 5, 4)
    add("linear", nn.Linear(4, 3), [x3])
    add("bilinear", nn.Bilinear(4, 3, 2), [tensor(102, 2, 4), tensor(103, 2, 3)])
    add("conv1d", nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2), [tensor(104, 2, 4, 7)])
    add("conv2d", nn.Conv2d(2, 3, (3, 2), padding=(1, 0), dilation=(1, 2)), [tensor(105, 2, 2, 5, 6)])
    add("conv2d_reflect", nn.Conv2d(2, 3, 3, padding=1, padding_mode="reflect"), [tensor(105, 2, 2, 5, 6)])
    add("conv3d", nn.Conv3d(1, 2, 2), [tensor(106, 1, 1, 3, 3, 3)])
    add("conv_transpose1d", nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2), [tensor(104, 2, 4, 7)])
    add("conv_transpose2d", nn.ConvTranspose2d(2, 3, 3, stride=2), [tensor(107, 2, 2, 3, 3)])
    add("batch_norm", nn.BatchNorm2d(2), [tensor(105, 2, 2, 5, 6)])
    add("layer_norm", nn.LayerNorm([5, 4]), [x3])
    add("group_norm", nn.GroupNorm(2, 4), [tensor(104, 2, 4, 7)])
    add("instance_norm", nn.InstanceNorm1d(4, affine=True), [tensor(104, 2, 4, 7)])
    add("prelu", nn.PReLU(5), [x3])
    add("embedding", nn.Embedding(7, 3, padding_idx=2), [ids(108, 7, 2, 5)])
    add("embedding_bag", nn.EmbeddingBag(7, 3), [ids(108, 7, 2, 5)])
    add("rnn", nn.RNN(4, 3, 2, nonlinearity="relu", batch_first=True), [x3])
    add("lstm", nn.LSTM(4, 3, 2, bidirectional=True, batch_first=True), [x3])
    add("lstm_projection", nn.LSTM(4, 3, proj_size=2), [x3])
    add("gru", nn.GRU(4, 3, bidirectional=True), [x3])
    m = nn.MultiheadAttention(8, 2, batch_first=True)
    q, k = tensor(109, 2, 4, 8), tensor(110, 2, 5, 8)
    add("attention", m, [q, k], lambda q, k: attend(m)(q, k, k))
    c = nn.MultiheadAttention(8, 2, batch_first=True)
    add("attention_causal", c, [q], lambda q: attend(c, causal=True)(q, q, q))
    d = nn.MultiheadAttention(8, 4, kdim=3, vdim=6, batch_first=True)
    padding = torch.tensor([[False, False, False, True, True], [False] * 4 + [True]])
    add("attention_padding", d, [q, tensor(111, 2, 5, 3), tensor(112, 2, 5, 6)], lambda q, k, v: attend(d, padding=padding)(q, k, v))
    add("encoder_layer", nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), [q])
    add("encoder_first", nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True, activation="gelu"), [q])
    add("decoder_layer", nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True), [q, k])
    add("transformer", Seq2Seq(), [k, q])
    return out


class LSTMClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 6, batch_first=True)
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        return self.head(self.lstm(x)[0].mean(1))


class TransformerClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 8)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 2)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.encoder(self.embed(x)).mean(1))


def mlp():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))


def cnn():
    return nn.Sequential(nn.Conv2d(1, 3, 3, padding=1, bias=False), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(12, 3))


def train(module, optimizer, x, labels, steps=100, schedule=None, after=None):
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(module(x), labels)
        loss.backward()
        if after:
            after(module)
        optimizer.step()
        if schedule:
            schedule.step()
        losses.append(float(loss))
    module.eval()
    with torch.no_grad():
        losses.append(float(F.cross_entropy(module(x), labels)))
    return losses[::20]  # the last is of inference


def training():
    labels = ids(120, 3, 16)
    out = {}
    for name, module, x in [
        ("mlp", mlp(), tensor(121, 16, 4)),
        ("cnn", cnn(), tensor(122, 16, 1, 4, 4)),
        ("lstm", LSTMClassifier(), tensor(123, 16, 5, 4)),
        ("transformer", TransformerClassifier(), tensor(123, 16, 5, 4)),
    ]:
        fill(module, 0.4)
        params = names(module)
        out[name] = {"params": params, "losses": train(module, torch.optim.Adam(module.parameters(), lr=0.003), x, labels)}
    return out


class LAMB(torch.optim.Optimizer):
    """You et al. (2020), algorithm 2, written from the paper: PyTorch has none."""

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g["params"]:
                s = self.state[p]
                if not s:
                    s["t"], s["m"], s["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)
                s["t"] += 1
                b1, b2 = g["betas"]
                s["m"] = b1 * s["m"] + (1 - b1) * p.grad
                s["v"] = b2 * s["v"] + (1 - b2) * p.grad ** 2
                r = s["m"] / (1 - b1 ** s["t"]) / ((s["v"] / (1 - b2 ** s["t"])).sqrt() + g["eps"]) + g["weight_decay"] * p
                trust = p.norm() / r.norm() if p.norm() > 0 and r.norm() > 0 else 1.0
                p.sub_(g["lr"] * trust * r)


class Lion(torch.optim.Optimizer):
    """Chen et al. (2023), program 1, written from the paper: PyTorch has none."""

    def __init__(self, params, lr, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g["params"]:
                s = self.state[p]
                if not s:
                    s["m"] = torch.zeros_like(p)
                b1, b2 = g["betas"]
                update = torch.sign(b1 * s["m"] + (1 - b1) * p.grad) + g["weight_decay"] * p
                s["m"] = b2 * s["m"] + (1 - b2) * p.grad
                p.sub_(g["lr"] * update)


class Adafactor(torch.optim.Optimizer):
    """As PyTorch 2.5 documents torch.optim.Adafactor, which version 1.13 has not."""

    def __init__(self, params, lr=0.01, decay=-0.8, e1=2.0 ** -23, e2=1e-3, d=1.0, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, decay=decay, e1=e1, e2=e2, d=d, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g["params"]:
                s = self.state[p]
                if not s:
                    s["t"], s["r"], s["c"], s["v"] = 0, 0.0, 0.0, 0.0
                s["t"] += 1
                beta = 1 - s["t"] ** g["decay"]
                rho = min(g["lr"], 1 / math.sqrt(s["t"]))
                rms = lambda x: float(x.norm() / math.sqrt(x.numel()))
                alpha = max(g["e2"], rms(p)) * rho
                p.mul_(1 - g["lr"] * g["weight_decay"])
                if p.dim() > 1:
                    s["r"] = beta * s["r"] + (1 - beta) * (p.grad ** 2).mean(-1, keepdim=True)
                    s["c"] = beta * s["c"] + (1 - beta) * (p.grad ** 2).mean(-2, keepdim=True)
                    v = s["r"] @ s["c"] / s["r"].mean(-2, keepdim=True).clamp(min=g["e1"])
                else:
                    s["v"] = beta * s["v"] + (1 - beta) * p.grad ** 2
                    v = s["v"]
                u = p.grad / v.clamp(min=g["e1"] ** 2).sqrt()
                p.sub_(alpha * u / max(1.0, rms(u) / g["d"]))


def rules():
    O, S = torch.optim, torch.optim.lr_scheduler
    x, labels = tensor(121, 16, 4), ids(120, 3, 16)
    out = {}

    def add(name, make, schedule=None, after=None):
        module = fill(mlp(), 0.4)
        optimizer = make(module.parameters())
        out[name] = train(module, optimizer, x, labels, schedule=schedule and schedule(optimizer), after=after)

    add("sgd", lambda p: O.SGD(p, lr=0.1))
    add("sgd momentum dampening", lambda p: O.SGD(p, lr=0.1, momentum=0.9, dampening=0.5, weight_decay=0.01))
    add("sgd nesterov", lambda p: O.SGD(p, lr=0.05, momentum=0.9, nesterov=True))
    add("adam", lambda p: O.Adam(p))
    add("adam decay", lambda p: O.Adam(p, lr=0.01, betas=(0.8, 0.99), eps=1e-6, weight_decay=0.01))
    add("adam amsgrad", lambda p: O.Adam(p, lr=0.01, amsgrad=True))
    add("adamw", lambda p: O.AdamW(p, lr=0.01))
    add("adamw amsgrad", lambda p: O.AdamW(p, lr=0.01, weight_decay=0.1, amsgrad=True))
    add("adamax", lambda p: O.Adamax(p))
    add("nadam", lambda p: O.NAdam(p, weight_decay=0.01))
    add("radam", lambda p: O.RAdam(p, lr=0.01))
    add("rmsprop", lambda p: O.RMSprop(p, lr=0.001))
    add("rmsprop centered", lambda p: O.RMSprop(p, lr=0.001, momentum=0.5, centered=True, weight_decay=0.01))
    add("adagrad", lambda p: O.Adagrad(p, lr=0.05, lr_decay=0.01, initial_accumulator_value=0.1))
    add("adadelta", lambda p: O.Adadelta(p, weight_decay=0.01))
    add("lamb", lambda p: LAMB(p, lr=0.005, weight_decay=0.01))
    add("lion", lambda p: Lion(p, lr=0.001, weight_decay=0.1))
    add("adafactor", lambda p: Adafactor(p, weight_decay=0.01))
    sgd = lambda p: O.SGD(p, lr=0.1)
    add("step", sgd, lambda o: S.StepLR(o, 30, 0.5))
    add("multistep", sgd, lambda o: S.MultiStepLR(o, [20, 50], 0.3))
    add("exponential", sgd, lambda o: S.ExponentialLR(o, 0.98))
    add("cosine", sgd, lambda o: S.CosineAnnealingLR(o, 100, 0.01))
    add("cosine restarts", sgd, lambda o: S.CosineAnnealingWarmRestarts(o, 20, 2))
    add("one cycle", sgd, lambda o: S.OneCycleLR(o, 0.1, total_steps=101, cycle_momentum=False))
    add("linear", sgd, lambda o: S.LinearLR(o, 0.25, 1.0, 40))
    add("polynomial", sgd, lambda o: S.LambdaLR(o, lambda t: (1 - min(t / 80, 1)) ** 2))
    add("clip global norm", sgd, after=lambda m: nn.utils.clip_grad_norm_(m.parameters(), 0.05))
    add("clip value", sgd, after=lambda m: nn.utils.clip_grad_value_(m.parameters(), 0.01))
    return out


def rounded(x):
    if isinstance(x, float):
        return float(f"{x:.10g}")
    if isinstance(x, dict):
        return {k: rounded(v) for k, v in x.items()}
    return [rounded(v) for v in x] if isinstance(x, list) else x


for name, f in [("layers", layers), ("training", training), ("../../optim/testdata/rules", rules)]:
    with open(name + ".json", "w") as out:
        lines = [json.dumps(k) + ":" + json.dumps(rounded(v), separators=(",", ":")) for k, v in f().items()]
        out.write("{\n" + ",\n".join(lines) + "\n}\n")
