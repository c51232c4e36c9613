# Runs programs with PyTorch, NumPy or SciPy. It reads requests from its input, one line of
# JSON each with raw elements behind it, and answers in the same way:
#
#     load     a program, and the elements of its leaves
#     run      so many times; the answer has the seconds of each
#     outputs  the results of the last run
#     unload   forget it
#
# A program becomes the text of one Python function, so that nothing but the
# library's own calls is timed.
import json, math, os, sys, time

library, threads, learning_rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])


class Cannot(Exception):
    pass


class Torch:
    def __init__(self):
        import torch
        self.t = torch
        torch.set_num_threads(threads)
        self.device = os.environ.get("ANYCL_TORCH_DEVICE", "cpu")
        self.version = "%s, %d threads" % (torch.__version__, torch.get_num_threads())
        if self.device != "cpu":
            self.version = "%s on %s" % (torch.__version__, torch.cuda.get_device_name(self.device))
            torch.backends.cuda.matmul.allow_tf32 = False  # float32 is to be float32, in products
            torch.backends.cudnn.allow_tf32 = False  # and in convolutions, where PyTorch cuts it to 10 bits unless told
        self.names = {"torch": torch, "F": torch.nn.functional, "math": math}
        self.dtypes = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16, "bfloat16": torch.bfloat16,
                       "int32": torch.int32, "int64": torch.int64, "uint8": torch.uint8, "int8": torch.int8, "bool": torch.bool}

    simple = {"add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "matmul": "torch.matmul({0}, {1})",
              "relu": "torch.relu({0})", "exp": "torch.exp({0})", "tanh": "torch.tanh({0})", "sigmoid": "torch.sigmoid({0})",
              "sqrt": "torch.sqrt({0})", "gelu": "F.gelu({0})", "gelu_tanh": "F.gelu({0}, approximate='tanh')",
              "silu": "F.silu({0})", "copy": "{0}.clone()", "relu6": "F.relu6({0})", "cross_entropy": "F.cross_entropy({0}, {1})"}

    def step(self, s, x):
        op, axes = s["op"], s.get("axes")
        if op in self.simple:
            return self.simple[op].format(*x)
        if op == "call" and s.get("torch"):
            return "(" + s["torch"].format(*x) + ")"
        if op == "scale":
            return "%s * %r" % (x[0], s["value"])
        if op == "cast":
            return "%s.to(torch.%s)" % (x[0], s["cast"])
        if op == "conv2d":
            bias = x[2] if len(x) > 2 else None
            return "F.conv2d(%s, %s, %s, stride=%d, padding=%d, groups=%d)" % (
                x[0], x[1], bias, s.get("stride") or 1, s.get("pad", 0), s.get("groups") or 1)
        if op in ("max_pool2d", "avg_pool2d"):
            return "F.%s(%s, %d, %d, %d)" % (op, x[0], s["size"], s.get("stride") or s["size"], s.get("pad", 0))
        if op in ("sum", "mean"):
            return "torch.%s(%s%s)" % (op, x[0], ", dim=%r" % axes if axes else "")
        if op == "max":
            return "torch.amax(%s, dim=%r)" % (x[0], axes) if axes else "torch.max(%s)" % x[0]
        if op == "argmax":
            return "torch.argmax(%s, dim=%d)" % (x[0], s.get("axis", 0))
        if op == "sort":
            return "torch.sort(%s, dim=%d)[0]" % (x[0], s.get("axis", 0))
        if op == "top_k":
            return "torch.topk(%s, %d, dim=%d)[0]" % (x[0], s["size"], s.get("axis", 0))
        if op == "cumsum":
            return "torch.cumsum(%s, dim=%d)" % (x[0], s.get("axis", 0))
        if op == "softmax":
            return "torch.softmax(%s, dim=%d)" % (x[0], s.get("axis", 0))
        if op == "layer_norm":
            return "F.layer_norm({0}, {1}.shape, {1}, {2}, {3!r})".format(*x, s["value"])
        if op == "reshape":
            return "%s.reshape(%r)" % (x[0], s.get("shape", []))
        if op == "transpose":
            return "%s.permute(%r)" % (x[0], axes)
        if op == "slice":
            return "%s.narrow(%d, %d, %d)" % (x[0], s.get("axis", 0), s.get("start", 0), s["stop"] - s.get("start", 0))
        if op == "gather":
            return "torch.index_select(%s, %d, %s)" % (x[0], s.get("axis", 0), x[1]) if s.get("axis") else "F.embedding(%s, %s)" % (x[1], x[0])
        if op == "attention":
            return self.attention(s, x)
        if op == "rotary":
            self.names["rotary"] = self.rotary
            return "rotary(%s, %s, %s)" % tuple(x)
        raise Cannot("torch has no translation of " + op)

    def attention(self, s, x):
        if hasattr(self.names["F"], "scaled_dot_product_attention"):
            return "F.scaled_dot_product_attention(%s, %s, %s, is_causal=%r)" % (*x, bool(s.get("causal")))
        self.names["attention"] = self.attention_spelled
        return "attention(%s, %s, %s, %r)" % (*x, bool(s.get("causal")))

    masks = {}

    def attention_spelled(self, q, k, v, causal):
        s = self.t.matmul(q * (1 / math.sqrt(q.shape[-1])), k.transpose(-2, -1))
        if causal:
            n = q.shape[-2]
            if n not in self.masks:
                with self.t.inference_mode(False):  # derivatives may need it later
                    self.masks[n] = self.t.ones(n, n, dtype=self.t.bool, device=self.device).triu(1)
            s = s.masked_fill(self.masks[n], -math.inf)
        return self.t.matmul(self.t.softmax(s, -1), v)

    def rotary(self, x, cos, sin):
        a, b = x.chunk(2, -1)
        return self.t.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def leaf(self, node, data):
        if not data:
            return self.t.empty(node["dims"], dtype=self.dtypes[node["dtype"]], device=self.device)
        return self.t.frombuffer(data, dtype=self.dtypes[node["dtype"]]).reshape(node["dims"]).to(self.device)

    def wait(self):
        if self.device != "cpu":
            self.t.cuda.synchronize()

    def runner(self, program, f, leaves):
        t, nodes = self.t, program["nodes"]
        refs = [i for i, n in enumerate(nodes) if n["op"] == "leaf"]
        if program.get("train"):
            params = [x for i, x in zip(refs, leaves) if nodes[i]["role"] == "weight"]
            for x in params:
                x.requires_grad_()
            adam = t.optim.Adam(params, lr=learning_rate)

            def train():
                adam.zero_grad(set_to_none=True)
                out = f(*leaves)
                out[0].backward()
                adam.step()
                return [out[0].detach()]
            return train
        if program.get("wrt"):
            xs = [x for i, x in zip(refs, leaves) if i in program["wrt"]]
            order = [sorted(program["wrt"]).index(r) for r in program["wrt"]]
            xs = [xs[k] for k in order]
            for x in xs:
                x.requires_grad_()

            def backward():
                out = f(*leaves)
                return list(out) + list(t.autograd.grad(out[0], xs))
            return backward

        def infer():
            with t.inference_mode():
                return [y.contiguous() for y in f(*leaves)]
        return infer

    def fetch(self, y):
        y = y.detach().contiguous().cpu()
        if y.dtype == self.t.bfloat16:
            y = y.float()
        return str(y.dtype).split(".")[-1], list(y.shape), y.numpy().tobytes()


class NumPy:
    def __init__(self):
        import numpy
        self.n = numpy
        self.version = numpy.__version__
        self.names = {"np": numpy, "math": math}

    simple = {"add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "matmul": "np.matmul({0}, {1})",
              "relu": "np.maximum({0}, 0)", "exp": "np.exp({0})", "tanh": "np.tanh({0})", "sqrt": "np.sqrt({0})", "copy": "{0}.copy()"}

    def step(self, s, x):
        op, axes = s["op"], tuple(s.get("axes") or ())
        if op in self.simple:
            return self.simple[op].format(*x)
        if op == "scale":
            return "%s * np.float32(%r)" % (x[0], s["value"])
        if op == "cast":
            return "%s.astype('%s')" % (x[0], s["cast"])
        if op in ("sum", "mean", "max"):
            return "np.%s(%s, axis=%r)" % (op, x[0], axes or None)
        if op in ("sort", "cumsum"):
            return "np.%s(%s, axis=%d)" % (op, x[0], s.get("axis", 0))
        if op == "argmax":
            return "np.argmax(%s, axis=%d)" % (x[0], s.get("axis", 0))
        if op == "reshape":
            return "%s.reshape(%r)" % (x[0], s.get("shape", []))
        if op == "transpose":
            return "%s.transpose(%r)" % (x[0], axes)
        if op == "gather":
            return "np.take(%s, %s, axis=%d)" % (x[0], x[1], s.get("axis", 0))
        raise Cannot("numpy has no translation of " + op)

    def leaf(self, node, data):
        if node["dtype"] == "bfloat16":
            raise Cannot("numpy has no bfloat16")
        return self.n.frombuffer(data, dtype=node["dtype"]).reshape(node["dims"])

    def runner(self, program, f, leaves):
        if program.get("train") or program.get("wrt"):
            raise Cannot("numpy does not differentiate")
        return lambda: [self.n.ascontiguousarray(y) for y in f(*leaves)]

    def wait(self):
        pass

    def fetch(self, y):
        y = self.n.ascontiguousarray(y)
        return str(y.dtype), list(y.shape), y.tobytes()


class SciPy(NumPy):
    def __init__(self):
        super().__init__()
        import functools
        import scipy.fft, scipy.linalg, scipy.ndimage, scipy.sparse
        np = self.n
        self.version = scipy.__version__
        self.names.update(scipy=scipy, random=np.random.default_rng(1))

        @functools.cache
        def laplacian(m, dtype):
            line = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(m, m), dtype=dtype)
            return scipy.sparse.csr_matrix(scipy.sparse.kronsum(line, line), dtype=dtype)

        self.names["laplacian"] = laplacian
        self.names["numbers"] = lambda x: x.view(np.complex64 if x.dtype == np.float32 else np.complex128)[..., 0]
        self.names["pairs"] = lambda x: x.view(x.real.dtype).reshape(*x.shape, 2)
        self.names["diagonal"] = lambda x: x + 4 * x.shape[-1] * np.eye(x.shape[-1], dtype=x.dtype)

    def step(self, s, x):
        if s["op"] == "call" and s.get("scipy"):
            return "(" + s["scipy"].format(*x) + ")"
        raise Cannot("scipy has no translation of " + s["op"])


def load(lib, program, data):
    nodes = program["nodes"]
    leaves = [i for i, n in enumerate(nodes) if n["op"] == "leaf"]
    text = ["def f(%s):" % ", ".join("v%d" % i for i in leaves)]
    for i, n in enumerate(nodes):
        if n["op"] != "leaf":
            text.append("    v%d = %s" % (i, lib.step(n, ["v%d" % r for r in n["in"]])))
    text.append("    return [%s]" % ", ".join("v%d" % r for r in program["outputs"]))
    names = dict(lib.names)
    exec("\n".join(text), names)
    return lib.runner(program, names["f"], [lib.leaf(nodes[i], d) for i, d in zip(leaves, data)])


def main():
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer

    def say(raw=(), **what):
        stdout.write(json.dumps(what).encode() + b"\n")
        for b in raw:
            stdout.write(b)
        stdout.flush()

    try:
        lib = {"torch": Torch, "numpy": NumPy, "scipy": SciPy}[library]()
    except ImportError as e:
        return say(error=str(e))
    say(version=lib.version)
    run, out = None, []
    while True:
        line = stdin.readline()
        if not line:
            return
        ask = json.loads(line)
        try:
            if ask["do"] == "load":
                data = [bytearray(stdin.read(n)) for n in ask.get("sizes", [])]
                run, out = load(lib, ask["program"], data), []
                say()
            elif ask["do"] == "run":
                times = []
                for _ in range(ask["count"]):
                    out = []
                    start = time.perf_counter()
                    out = run()
                    lib.wait()
                    times.append(time.perf_counter() - start)
                say(times=times)
            elif ask["do"] == "outputs":
                got = [lib.fetch(y) for y in out]
                say([raw for _, _, raw in got], outputs=[{"dtype": d, "shape": s, "size": len(raw)} for d, s, raw in got])
            else:
                run, out = None, []
                say()
        except Cannot as e:
            say(error=str(e), cannot=True)
        except Exception as e:
            say(error="%s: %s" % (type(e).__name__, e), cannot="not implemented for" in str(e))


main()
