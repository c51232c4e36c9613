"""Writes cases of PyTorch's operator database, OpInfo, as `anycl conformance -suite opinfo` reads them.

    python3 cases.py FOLDER [SEED]

FOLDER gets cases.json and the bytes of tensors in bin. Needs PyTorch (Debian: python3-torch) with its testing modules. A case is
one call with float32, or integers or bool where an op has no floats: its arguments, its results, and the derivatives of the sum of
its results times random cotangents. Left out: results that are drawn at random, are complex, sparse or no tensors, tensors of more than
LARGEST elements, and more than MOST calls of one op.
"""
import hashlib
import json
import math
import os
import random
import signal
import sys
import types
import unittest
import warnings

LARGEST, MOST, SECONDS = 3000, 100, 20

# Ops whose results mathematics leaves open in part, as the signs of singular vectors.
NON_UNIQUE = {
    "svd", "qr", "lu", "ormqr", "geqrf", "symeig", "linalg.svd", "linalg.qr", "linalg.lu", "linalg.lu_factor", "linalg.lu_factor_ex",
    "linalg.eigh", "linalg.ldl_factor", "linalg.ldl_factor_ex",
}
DTYPES = {"float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"}


def database():
    """The list of ops. A module that only PyTorch's own tests need may be absent."""
    try:
        import expecttest  # noqa: F401
    except ImportError:
        stub = types.ModuleType("expecttest")
        stub.ACCEPT, stub.TestCase = False, type("TestCase", (unittest.TestCase,), {})
        sys.modules["expecttest"] = stub
    from torch.testing._internal.common_methods_invocations import op_db
    return op_db


class Refused(Exception):
    """A call that is left out."""


class Writer:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "bin"), exist_ok=True)

    def tensor(self, t):
        t = t.detach()
        dtype = str(t.dtype).replace("torch.", "")
        if t.is_sparse or dtype not in DTYPES or t.numel() > LARGEST:
            raise Refused(dtype)
        data = t.contiguous().numpy().tobytes()
        name = hashlib.sha256(data + repr((dtype, tuple(t.shape))).encode()).hexdigest()[:16]
        with open(os.path.join(self.folder, "bin", name), "wb") as f:
            f.write(data)
        return {"shape": list(t.shape), "dtype": dtype, "bin": name}

    def value(self, x):
        if isinstance(x, torch.Tensor):
            return {"tensor": self.tensor(x)}
        if isinstance(x, (list, tuple)):
            return [self.value(v) for v in x]
        if isinstance(x, torch.dtype):
            return {"dtype": str(x).replace("torch.", "")}
        if isinstance(x, float) and not math.isfinite(x):
            return {"float": str(x)}
        if x is None or isinstance(x, (bool, int, float, str)):
            return x
        raise Refused(type(x).__name__)


def tensors(x):
    """The tensors of an argument, in order."""
    if isinstance(x, torch.Tensor):
        yield x
    elif isinstance(x, (list, tuple)):
        for v in x:
            yield from tensors(v)


def same(a, b):
    if not a.is_floating_point():
        return torch.equal(a, b)
    return torch.equal(torch.nan_to_num(a.detach()), torch.nan_to_num(b.detach()))


def call(op, s):
    y = op(s.input, *s.args, **s.kwargs)
    outs = list(y) if isinstance(y, (tuple, list)) else [y]
    if not all(isinstance(o, torch.Tensor) for o in outs):
        raise Refused("no tensors")
    return outs


def case(op, s, name, grads, w):
    c = {
        "op": op.name, "variant": op.variant_test_name, "case": name, "non_unique": op.name in NON_UNIQUE,
        "input": w.value(s.input), "args": w.value(list(s.args)), "kwargs": {k: w.value(v) for k, v in s.kwargs.items()},
    }
    outs = call(op, s)
    c["outputs"] = [w.tensor(o) for o in outs]
    if not all(map(same, outs, call(op, s))):
        raise Refused("random")
    if not grads:
        return c
    inputs = list(tensors([s.input, list(s.args), list(s.kwargs.values())]))
    wanted = [x for x in inputs if x.requires_grad]
    diff = [i for i, o in enumerate(outs) if o.requires_grad]
    if wanted and diff:
        cotangents = [torch.randn_like(outs[i]) for i in diff]
        found = torch.autograd.grad([outs[i] for i in diff], wanted, cotangents, allow_unused=True)
        by_id = {id(x): g for x, g in zip(wanted, found)}
        c["diff_outputs"], c["cotangents"] = diff, [w.tensor(x) for x in cotangents]
        c["grads"] = [None if by_id.get(id(x)) is None else w.tensor(by_id[id(x)]) for x in wanted]
    return c


def late(*_):
    raise Refused("time")


def cases(op, w):
    """The cases of an op, and why others are left out."""
    dtype = next((d for d in (torch.float32, torch.int64, torch.bool) if d in op.dtypes), None)
    if dtype is None:
        return [], ["dtypes"]
    grads = op.supports_autograd and dtype.is_floating_point
    found, refused = [], []
    signal.alarm(SECONDS)
    try:
        samples = list(op.sample_inputs("cpu", dtype, requires_grad=grads))
    except Exception as e:  # an op that needs what this machine lacks
        return [], [str(e)]
    finally:
        signal.alarm(0)
    if len(samples) > MOST:
        samples = random.sample(samples, MOST)
    for i, s in enumerate(samples):
        name = "_".join(filter(None, (op.name, op.variant_test_name, str(i)))).replace(".", "_")
        signal.alarm(SECONDS)
        try:
            found.append(case(op, s, name, grads, w))
        except Exception as e:
            refused.append(str(e).split("\n")[0])
        finally:
            signal.alarm(0)
    return found, refused


def main():
    folder, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    warnings.filterwarnings("ignore")
    torch.manual_seed(seed)
    random.seed(seed)
    signal.signal(signal.SIGALRM, late)
    w, everything, left_out = Writer(folder), [], 0
    for op in database():
        found, refused = cases(op, w)
        everything += found
        left_out += len(refused)
    with open(os.path.join(folder, "cases.json"), "w") as f:
        json.dump(everything, f)
    print(f"{len(everything)} cases of {len({(c['op'], c['variant']) for c in everything})} ops; {left_out} left out")


if __name__ == "__main__":
    import torch
    main()
