package gallery

// Info describes a program of the gallery.
type Info struct {
	Name, Field string // as in go run ./examples/NAME, and whose field it is
	Does        string // the text after its name
	Draws       bool   // it draws a picture
}

// Programs are those of the gallery, in the order of its page.
var Programs = []Info{
	{"options", "finance", "prices options by random paths, with Greeks by automatic differentiation; value at risk of real prices", false},
	{"molecules", "molecular dynamics", "melts a Lennard-Jones crystal with neighbour lists, beside LAMMPS", true},
	{"fluid", "flow", "computes flows by the lattice Boltzmann method: a box with a moving lid beside published velocities, a vortex street behind a disc", true},
	{"galaxy", "astronomy", "lets two galaxies of 16,384 stars fly by each other, every pair computed", true},
	{"route", "path planning", "plans many trips through a town at once; lengths are Dijkstra's", true},
	{"stars", "astronomy", "maps 118,216 real stars: densest places, nearest neighbours, an atlas by k-means", true},
	{"audio", "sound", "takes the noise out of speech, by short-time Fourier transforms", true},
	{"speech", "speech", "writes down what is said in a recording, with ONNX models of others", false},
	{"lines", "computer vision", "finds the straight lines of a photograph, by an ONNX model of others", true},
	{"faces", "computer vision", "finds faces and their eyes, noses and ears on a photograph, by an ONNX model of others", true},
	{"ocr", "reading", "reads the text on a photograph of a page, by ONNX models of others", true},
	{"sklearn", "classification", "tells benign tumours from malignant ones by a random forest of scikit-learn's, an ONNX file", false},
	{"embed", "search", "finds sentences of a novel by what they mean, by a sentence encoder of others", false},
	{"mnist-onnx", "handwriting", "reads the 10,000 test digits of MNIST, by an ONNX model of others", false},
	{"fraud", "fraud detection", "grows boosted trees on a labelled table, and scores batches and single rows", true},
	{"flights", "data preparation", "asks 3,000,000 real flights when and where they were late, and trains a model on the answers", true},
	{"hash", "hashing", "finds passwords by their SHA-256 digests, and makes keys of passwords by PBKDF2", true},
	{"align", "genomics", "finds where DNA reads belong in a phage's genome, by Smith and Waterman's algorithm", true},
	{"render", "rendering", "traces paths of light through glass and metal, with the same picture on every device", true},
	{"mri", "medical imaging", "smooths a head scan, tells its tissues apart, and draws it from all sides", true},
	{"photo", "photography and video", "filters a photograph, and turns a clip into a cartoon", true},
	{"recommend", "recommendation", "factorises a million ratings by alternating least squares", true},
	{"heat", "diffusion", "cools a plate by implicit steps, each a sparse system of equations, beside the analytic solution", true},
	{"modes", "vibration", "finds how a free plate vibrates by Lanczos's method, beside published frequencies, and draws Chladni's figures",
		true},
	{"waves", "waves", "lets a pulse pass a lens, with a Laplacian by Fourier transforms, beside the analytic solution", true},
	{"regress", "statistics", "fits NIST's certified regressions, and a Gaussian process to the Southern Oscillation by its likelihood's gradient", true},
	{"deblur", "photography", "sharpens a photograph that was blurred, by deconvolution with Fourier transforms", true},
	{"upscale", "photography", "trains a network that doubles the size of photographs, with more detail than bicubic interpolation", true},
}
