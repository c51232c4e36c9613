package kernels

// Family is the kernels of one folder.
type Family struct{ Name, About string }

// Families are those of kernels, in the order of README.md.
var Families = []Family{
	{"map", "element-wise chains, copies, transposes, pads, gathers, casts, random numbers"},
	{"reduce", "sums, extremes and their positions over axes; pooling and depthwise convolution, whose windows are axes of the fold"},
	{"row", "several folds of a row and what they make of it: softmax, normalisation, losses, their gradients"},
	{"contract", "matrix products, batched and matrix-vector ones, and every convolution and its gradients"},
	{"product", "BLAS calls, where sizes and scalars come with the call: what they add to the kernels of contract"},
	{"attention", "softmax(Q·K^T)·V and its gradients, without the matrix between"},
	{"scatter", "additions at positions read from memory"},
	{"scan", "running sums"},
	{"running", "running products, extremes, logarithms of sums and linear recurrences"},
	{"factor", "decompositions of matrices and triangular systems: what they add to the kernels of contract"},
	{"join", "concatenation of many inputs"},
	{"rank", "sorts, and the first values of one"},
	{"unique", "distinct values, after a sort"},
	{"suppress", "non-maximum suppression: boxes that overlap none with a higher score"},
	{"trees", "ensembles of decision trees"},
	{"custom", "kernels that a graph launches as if they were its caller's own"},
	{"lib", "what several families compile before their kernels"},
}
