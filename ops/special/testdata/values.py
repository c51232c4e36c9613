# Writes values.csv: special functions by mpmath with 60 digits, at arguments that float32 holds.
#
#     python3 values.py > values.csv
#
# A line is the op, its arguments, the value rounded to float64, and the size that errors are measured by: the value's, or that
# of the terms where functions oscillate or vanish beside a zero; and the condition: how much a relative error of arguments changes it by.
import struct
import mpmath as mp

mp.mp.dps = 60


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def line(op, args, value, size=None):
    args = [f32(a) for a in args]
    v = value(*[mp.mpf(a) for a in args])
    if not mp.isfinite(v) or abs(v) > mp.mpf("1e300") or 0 < abs(v) < mp.mpf("1e-300"):
        return
    s = abs(v) if size is None else size(*[mp.mpf(a) for a in args])
    condition = 0
    for i, a in enumerate(args):
        d = mp.mpf(10) ** -20
        moved = [mp.mpf(b) * (1 + d if i == j else 1) for j, b in enumerate(args)]
        condition += abs(value(*moved) - v) / d / s
    print(op, " ".join(repr(a) for a in args), repr(float(v)), repr(float(s)), "%.2g" % float(condition), sep=",")


small = [1e-30, 1e-10, 1e-4, 0.01, 0.02, 0.03, 0.045, 0.06]
middle = [0.1, 0.3, 0.5, 0.9, 1, 1.1, 1.5, 2, 2.5, 3, 3.7, 5, 6.5, 7.9, 8.1, 10]
large = [12.5, 17, 25, 33, 50, 80]
huge = [200, 1000, 1e5]
positive = small + middle + large
both = positive + [-x for x in positive]


def each(op, xs, f, size=None):
    for x in xs:
        line(op, [x], f, size)


each("erf", both, mp.erf)
each("erfc", both, mp.erfc)
each("erfcx", [x for x in both if x > -25] + huge, lambda x: mp.exp(x * x) * mp.erfc(x))
each("ndtr", [x for x in both if x > -36], mp.ncdf)
each("log_ndtr", both, lambda x: mp.log(mp.ncdf(x)) if x < 5 else mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2))
each("erfinv", [1e-30, 1e-5, 0.1, -0.3, 0.5, 0.75, -0.9, 0.99, 0.9999, -0.99999], mp.erfinv)
each("ndtri", [1e-30, 1e-10, 1e-4, 0.01, 0.1, 0.3, 0.7, 0.9, 0.99, 0.9999], lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1))
# The terms that lgamma is made of: zeros at 1 and 2, and between all negative integers.
each("special.lgamma", positive + huge + [x + 0.25 for x in range(-6, 0)] + [-0.1, -1e-4],
     lambda x: mp.log(abs(mp.gamma(x))), lambda x: max(abs(mp.log(abs(mp.gamma(x)))), 1 if x < 3 else 0))
each("special.digamma", positive + huge + [x + 0.25 for x in range(-6, 0)], mp.digamma, lambda x: max(abs(mp.digamma(x)), 1))
for n in (1, 2, 3):
    for x in positive[2:] + huge:
        line("special.polygamma %d" % n, [x], lambda x: mp.psi(n, x))
for s in (1.1, 1.5, 2, 3, 6, 20):
    for q in (0.1, 0.5, 1, 2.5, 10, 100):
        line("special.zeta", [s, q], mp.zeta)
shapes = [0.01, 0.3, 1, 2.5, 8, 30, 100]
for a in shapes:
    for x in (1e-4, 0.1, 0.5, 1, 2, 5, 9, 25, 30, 60, 90, 101, 150):
        line("special.igamma", [a, x], lambda a, x: mp.gammainc(a, 0, x, regularized=True))
        line("special.igammac", [a, x], lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True))


def envelope(f, g):
    return lambda x: mp.sqrt(f(x) ** 2 + g(x) ** 2) if abs(x) > 1 else abs(f(x))


def waves(n):
    j, y = (lambda x: mp.besselj(n, x)), (lambda x: mp.bessely(n, abs(x)))
    each("special.bessel_j%d" % n, positive + huge + [-0.5, -3, -20], j, envelope(j, y))
    each("special.bessel_y%d" % n, positive + huge, y, lambda x: mp.sqrt(j(x) ** 2 + y(x) ** 2))
    each("special.i%d" % n, both, lambda x: mp.besseli(n, x))
    each("special.i%de" % n, both + huge, lambda x: mp.besseli(n, x) * mp.exp(-abs(x)))
    each("special.k%d" % n, positive, lambda x: mp.besselk(n, x))
    each("special.k%de" % n, positive + huge, lambda x: mp.besselk(n, x) * mp.exp(x))


waves(0)
waves(1)
each("special.spherical_j0", both + huge, lambda x: mp.sin(x) / x, lambda x: 1 / max(abs(x), 1))
airy = [x for x in both if x > -26 and x < 100]
ai, bi = mp.airyai, mp.airybi
dai, dbi = (lambda x: mp.airyai(x, derivative=1)), (lambda x: mp.airybi(x, derivative=1))
for name, f, g in (("ai", ai, bi), ("bi", bi, ai), ("ai_prime", dai, dbi), ("bi_prime", dbi, dai)):
    each("special.airy_" + name, airy, f, lambda x: abs(f(x)) if x > -1 else mp.sqrt(f(x) ** 2 + g(x) ** 2))
