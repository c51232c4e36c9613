"""Writes the golden .npy files with NumPy: python3 generate.py, in this folder."""
import numpy as np
from numpy.lib import format as npy

kinds = {
    "bool": "?", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4",
    "uint32": "u4", "int64": "i8", "uint64": "u8", "float16": "f2", "float32": "f4", "float64": "f8",
}
# 2 x 3, element (i, j) is (3 i + j) mod 3 - 1 for signed types, without the - 1 for the others.
base = np.arange(6).reshape(2, 3) % 3
for name, code in kinds.items():
    signed = name[0] in "if"
    for suffix, order in (("le", "<"), ("be", ">")):
        a = (base - 1 if signed else base).astype(order + code)
        np.save(f"{name}_{suffix}.npy", a)
np.save("fortran.npy", np.asfortranarray(np.arange(24, dtype="<i4").reshape(2, 3, 4)))
np.save("scalar.npy", np.float64(-1.5))
np.save("empty.npy", np.zeros((3, 0, 2), dtype="<f4"))
np.save("special.npy", np.array([np.nan, np.inf, -np.inf, -0.0, 65504, 2.0**-24], dtype="<f2"))
np.save("void2.npy", np.array([0x3F80, 0xC020], dtype="<u2").view("V2"))
for version in ((2, 0), (3, 0)):
    with open(f"version{version[0]}.npy", "wb") as f:
        npy.write_array(f, np.arange(5, dtype="<i2"), version=version)
np.save("structured.npy", np.zeros(2, dtype=[("a", "<i4"), ("b", "<f8")]))
z = np.array([[1 + 2j, -0.5j, 3], [complex(np.inf, -1), -4 + 0.25j, 0]])
for code in ("c8", "c16"):
    for suffix, order in (("le", "<"), ("be", ">")):
        np.save(f"complex{8 * int(code[1:])}_{suffix}.npy", z.astype(order + code))
np.save("unicode.npy", np.array(["a", "bc"]))
