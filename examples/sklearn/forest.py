"""Trains a random forest on scikit-learn's table of breast cancers.

    python3 forest.py FOLDER    writes forest.onnx, as converters do, and test.csv: the measurements of the rows that the forest has
                                not seen, what they are, and how probable scikit-learn's forest takes a benign tumour
    python3 forest.py           (as peer) writes how long predictions take, and probabilities, as a line of JSON
"""
import csv
import json
import os
import struct
import sys
import time

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

table = load_breast_cancer()
train, test, train_class, test_class = train_test_split(table.data.astype(np.float32), table.target, random_state=0)
forest = RandomForestClassifier(n_estimators=40, random_state=0).fit(train, train_class)


def varint(n):
    n &= (1 << 64) - 1
    out = b''
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def text(field, b):
    b = b.encode() if isinstance(b, str) else b
    return varint(field << 3 | 2) + varint(len(b)) + b


def ints(name, values):
    return text(1, name) + text(8, b''.join(varint(int(v)) for v in values)) + number(20, 7)


def floats(name, values):
    return text(1, name) + text(7, struct.pack('<%df' % len(values), *values)) + number(20, 6)


def strings(name, values):
    return text(1, name) + b''.join(text(9, v) for v in values) + number(20, 8)


def string(name, v):
    return text(1, name) + text(4, v) + number(20, 3)


def value(name, kind, *dims):
    shape = b''.join(text(1, text(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return text(1, name) + text(2, text(1, number(1, kind) + text(2, shape)))


def floor32(t):
    """The largest float32 that is at most t: x <= t is the same for all float32 x."""
    f = np.float32(t)
    return f if float(f) <= t else np.nextafter(f, np.float32(-np.inf))


def onnx():
    nodes = {k: [] for k in ('treeids', 'nodeids', 'featureids', 'values', 'modes', 'truenodeids', 'falsenodeids')}
    leaves = {k: [] for k in ('treeids', 'nodeids', 'ids', 'weights')}
    for number_of_tree, e in enumerate(forest.estimators_):
        t = e.tree_
        for i in range(t.node_count):
            leaf = t.children_left[i] < 0
            for k, v in (('treeids', number_of_tree), ('nodeids', i), ('featureids', 0 if leaf else t.feature[i]), ('values', 0 if leaf else floor32(t.threshold[i])),
                         ('modes', 'LEAF' if leaf else 'BRANCH_LEQ'), ('truenodeids', 0 if leaf else t.children_left[i]), ('falsenodeids', 0 if leaf else t.children_right[i])):
                nodes[k].append(v)
            if leaf:
                share = t.value[i][0] / t.value[i][0].sum() / len(forest.estimators_)
                for c, w in enumerate(share):
                    for k, v in (('treeids', number_of_tree), ('nodeids', i), ('ids', c), ('weights', w)):
                        leaves[k].append(v)
    attributes = [strings('nodes_modes', nodes['modes']), floats('nodes_values', nodes['values']), ints('classlabels_int64s', forest.classes_), string('post_transform', 'NONE')]
    attributes += [ints('nodes_' + k, nodes[k]) for k in ('treeids', 'nodeids', 'featureids', 'truenodeids', 'falsenodeids')]
    attributes += [ints('class_' + k, leaves[k]) for k in ('treeids', 'nodeids', 'ids')] + [floats('class_weights', leaves['weights'])]
    node = text(1, 'X') + text(2, 'label') + text(2, 'probabilities') + text(4, 'TreeEnsembleClassifier') + b''.join(text(5, a) for a in attributes) + text(7, 'ai.onnx.ml')
    graph = text(1, node) + text(2, 'forest') + text(11, value('X', 1, 'rows', 30)) + text(12, value('label', 7, 'rows')) + text(12, value('probabilities', 1, 'rows', 2))
    return number(1, 8) + text(2, 'scikit-learn') + text(3, sklearn.__version__) + text(7, graph) + text(8, text(1, '') + number(2, 17)) + text(8, text(1, 'ai.onnx.ml') + number(2, 1))


if len(sys.argv) > 1:
    with open(os.path.join(sys.argv[1], 'forest.onnx'), 'wb') as f:
        f.write(onnx())
    with open(os.path.join(sys.argv[1], 'test.csv'), 'w', newline='') as f:
        out = csv.writer(f, lineterminator='\n')
        out.writerow(list(table.feature_names) + ['benign', 'probability of benign'])
        for row, c, p in zip(test, test_class, forest.predict_proba(test)):
            out.writerow([repr(float(v)) if float(v) != np.float32(float('%.7g' % v)) else '%.7g' % v for v in row] + [c, '%.9g' % p[1]])
else:
    rows = np.fromfile('rows.f32', dtype=np.float32).reshape(-1, 30)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        probabilities = forest.predict_proba(rows)
        times.append(time.perf_counter() - start)
    print(json.dumps({'version': sklearn.__version__, 'seconds': sorted(times)[2], 'result': [float(p) for p in probabilities[:len(test), 1]]}))
