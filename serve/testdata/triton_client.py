"""Asks a server by Triton's own client: URL, name of a model that multiplies float32[n 3] by a factor, the factor."""
import sys

import numpy as np
import tritonclient.http as http
from tritonclient.utils import InferenceServerException

url, model, factor = sys.argv[1], sys.argv[2], float(sys.argv[3])
with http.InferenceServerClient(url, concurrency=8) as c:
    assert c.is_server_live() and c.is_server_ready() and c.is_model_ready(model) and c.is_model_ready(model, "1")
    assert not c.is_model_ready("nothing")
    print("server", c.get_server_metadata())
    print("model", c.get_model_metadata(model))
    print("index", c.get_model_repository_index())
    assert c.get_model_metadata(model)["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1, 3]}]
    for binary_in in (False, True):
        for binary_out in (False, True):
            for packing in (None, "gzip", "deflate"):
                x = np.arange(6, dtype=np.float32).reshape(2, 3)
                i = http.InferInput("x", x.shape, "FP32")
                i.set_data_from_numpy(x, binary_data=binary_in)
                o = http.InferRequestedOutput("y", binary_data=binary_out)
                r = c.infer(model, [i], outputs=[o], request_id="7", request_compression_algorithm=packing, timeout=5_000_000)
                np.testing.assert_allclose(r.as_numpy("y"), factor * x, rtol=1e-6)
                assert r.get_response()["id"] == "7" and r.get_output("y")["shape"] == [2, 3]
    # Without a list of outputs, all come as bytes.
    np.testing.assert_allclose(c.infer(model, [i]).as_numpy("y"), factor * x, rtol=1e-6)
    pending = [c.async_infer(model, [i]) for _ in range(32)]
    for p in pending:
        np.testing.assert_allclose(p.get_result().as_numpy("y"), factor * x, rtol=1e-6)
    wrong = http.InferInput("x", (1, 2), "FP32")
    wrong.set_data_from_numpy(np.zeros((1, 2), np.float32))
    for inputs, name in (([wrong], model), ([i], "nothing")):
        try:
            c.infer(name, inputs)
        except InferenceServerException as e:
            print("refused", e)
        else:
            sys.exit("no error for a wrong request")
print("ok")
