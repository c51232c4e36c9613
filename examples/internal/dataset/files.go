package dataset

import "fmt"

var celestial = &Package{
	Registry: NPM, Name: "d3-celestial", Version: "0.7.35", Size: 10487653,
	SHA256: "490796718c201e15f38c324bda5458fc4de22519313093bf261b628185eaae81",
}

var lightgbm = &Package{
	Registry: NPM, Name: "lightgbm", Version: "1.0.27", Size: 11447272,
	SHA256: "ff79edc14ccd3528c6be2e63600693fb09f20ff561908b448cb4ada282830954",
}

// Flights are 3,000,000 flights within the United States in 2001, as Parquet.
var Flights = File{
	Name: "flights-3m.parquet", For: "flights", About: "3,000,000 flights within the United States in 2001",
	Licence: "BSD-3-Clause; the data are in the public domain",
	Size:    13493022, SHA256: "dbeb920c90f59b6ccaff823dcc3d08f25a97fa1ce128d93f40be4e931f5900b0",
	Package: &Package{
		Registry: NPM, Name: "vega-datasets", Version: "3.2.1", Size: 17630305,
		SHA256: "6f72fda460a9863fae5fcb32f85bcd49e1761fdea6dc6cf9f4962472881cc5a3",
	},
	Path: "package/data/flights-3m.parquet",
}

// Stars are 118,216 stars down to magnitude 14, with positions, magnitudes and colours, as GeoJSON.
var Stars = File{
	Name: "stars.14.json", For: "stars", About: "118,216 stars down to magnitude 14", Licence: "BSD-3-Clause",
	Size: 15377672, SHA256: "8e76cd774d38f8d232cfccfb0b72d6fba5832d36eeff1f514e46c25423e2ecb8",
	Package: celestial, Path: "package/data/stars.14.json",
}

// Words are 348,454 English words, one a line.
var Words = File{
	Name: "american-english-huge", For: "hash", About: "348,454 English words", Licence: "SCOWL's: free to use with its notice",
	Size: 3552068, SHA256: "ffd71db7e021907dbe4cbac17959d3504ff0594ae35c686ab7016b9a6b755fbb",
	Package: &Package{
		Registry: Debian, Name: "wamerican-huge", Version: "2020.12.07-2", Size: 743644,
		Pool: "pool/main/s/scowl/wamerican-huge_2020.12.07-2_all.deb", SHA256: "e7084d641d1de29699ad47d7467f921659d1ca57a6ad64a18f8b068aef0a56bc",
	},
	Path: "usr/share/dict/american-english-huge", Installed: "/usr/share/dict/american-english-huge",
}

// Reads are 10,000 reads of the phage lambda's genome, simulated with errors as a sequencing machine makes them, in FASTQ.
var Reads = File{
	Name: "reads_1.fq.gz", For: "align", About: "10,000 reads of the phage lambda's genome", Licence: "GPL-3+",
	Size: 1202290, SHA256: "aba7c356c43f8091c864109cead907e86acead43b43f12a7a35cf7e5a761162a",
	Package: &Package{
		Registry: Debian, Name: "bowtie2-examples", Version: "2.5.0-3", Size: 9720024,
		Pool: "pool/main/b/bowtie2/bowtie2-examples_2.5.0-3_all.deb", SHA256: "9f9f580954187e501102b13484bdecdc2725155e0b8020e7a056a48a06642118",
	},
	Path: "usr/share/doc/bowtie2/examples/reads/reads_1.fq.gz", Installed: "/usr/share/doc/bowtie2/examples/reads/reads_1.fq.gz",
}

// Head is a magnetic resonance image of a head, 27 times of the same person and averaged: 181 x 217 x 181 points, 1 mm apart.
var Head = File{
	Name: "ch2.nii.gz", For: "mri", About: "a magnetic resonance image of a head (NIfTI, 181 x 217 x 181 points of 1 mm)",
	Licence: "BSD-3-Clause",
	Size:    3510351, SHA256: "a009051127f64dc3dd554d5f5b589870ea72106d9642c21b4e7093e478cfc309",
	Package: &Package{
		Registry: Debian, Name: "mricron-data", Version: "1.2.20211006+dfsg-4", Size: 16122652,
		Pool:   "pool/main/m/mricron/mricron-data_1.2.20211006+dfsg-4_all.deb",
		SHA256: "d40aa0ed66cf89bf6cafa049ad3884703c9d975c2ee2737525b7196528df9d6f",
	},
	Path: "usr/share/mricron/templates/ch2.nii.gz", Installed: "/usr/share/mricron/templates/ch2.nii.gz",
}

var vega = &Package{
	Registry: NPM, Name: "vega-datasets", Version: "3.2.1", Size: 17630305,
	SHA256: "6f72fda460a9863fae5fcb32f85bcd49e1761fdea6dc6cf9f4962472881cc5a3",
}

// SP500 are the daily prices of the S&P 500 from 2000 to April 2020: date, open, high, low, close, adjusted close, volume.
var SP500 = File{
	Name: "sp500-2000.csv", For: "options", About: "5,104 days of the S&P 500", Licence: "BSD-3-Clause; prices of Yahoo Finance",
	Size: 415968, SHA256: "9409e9342d0657c747324e4cfabce8a8c7f663bc485b95a3378f36b0a160f8c8",
	Package: vega, Path: "package/data/sp500-2000.csv",
}

// Higgs are 7,000 simulated collisions of protons, with a Higgs boson (1) or without one (0), and 28 measurements of each.
var Higgs = File{
	Name: "higgs.train", For: "fraud", About: "7,000 labelled collisions with 28 measurements, LightGBM's example of two classes",
	Licence: "MIT",
	Size:    1228616, SHA256: "41c42dc14f86960256bf872fc8ae6286c688b44f43b4057b29428787fc1e0444",
	Package: lightgbm, Path: "package/dependencies/LightGBM/examples/binary_classification/binary.train",
}

// All are all files.
func All() []File {
	return append([]File{
		Flights, Stars, Words, Reads, Head, SP500, Higgs,
		MoonshineEncoder, MoonshineDecoder, LlamaTokens, SileroVAD, Sentence, Sentences, Lines, MNISTImages, MNISTLabels,
		Faces, Astronaut, TextDetector, TextReader, TextSigns, Page,
		EncoderLayout, EncoderTokens,
	}, EncoderWeights...)
}

// Named are the files with one of these names, or for an example with one of them; all of them without names.
func Named(names ...string) ([]File, error) {
	if len(names) == 0 {
		return All(), nil
	}
	var files []File
	for _, name := range names {
		n := len(files)
		for _, f := range All() {
			if f.Name == name || f.For == name {
				files = append(files, f)
			}
		}
		if len(files) == n {
			return nil, fmt.Errorf("%q is neither a file nor an example that has files to fetch", name)
		}
	}
	return files, nil
}
