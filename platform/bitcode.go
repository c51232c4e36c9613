package platform

import (
	"bytes"
	"encoding/binary"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/quirk"
)

// A driver that knows its own cache by the preprocessed source (quirk preprocesses-again) spends more on a program that it has than on anything
// else of it. So what the front end makes of a source is kept here, as the bitcode of a library, and programs are made of that: the
// driver links it with its built-in functions and compiles its kernels as it would those of the source.

// asLibrary makes a program one that no built-in functions are linked to, whose kernels are not compiled when its binary is asked for.
const asLibrary = " -create-library"

// ofBitcode returns the program of source made of bitcode, which comes from the disk or from the compiler; loaded says from which. It is nil where that
// cannot be: programs are built of their sources then, which tells what is wrong with them.
func (o *Opened) ofBitcode(source, options string, dev *cl.Device) (prog *cl.Program, loaded bool) {
	if o.bitcode.Off() || o.noBitcode.Load() {
		return nil, false
	}
	id := o.device.programID(source, options+asLibrary+dev.Info().Name)
	bitcode, err := o.bitcode.Load(id)
	o.warn("bitcode cache: read", err)
	if bitcode != nil {
		if prog, err = o.link(id, bitcode, options, dev); err == nil {
			return prog, true
		}
		o.warn("bitcode cache: the driver refuses an entry", err)
		o.bitcode.Drop(id)
	}
	library, err := o.build(source, options+asLibrary, dev)
	if err != nil {
		return nil, false
	}
	binary, err := library.Binary(dev)
	o.warn("bitcode cache: binary", err)
	o.warn("bitcode cache: library", library.Close())
	if bitcode = bitcodeIn(binary); bitcode != nil {
		if prog, err = o.link(id, bitcode, options, dev); err == nil {
			o.warn("bitcode cache: write", o.bitcode.Save(id, bitcode))
			return prog, false
		}
	}
	o.warn("bitcode cache: programs are built of their sources", err)
	o.noBitcode.Store(true)
	return nil, false
}

// link makes a program of bitcode. Processes that link the same collide as those that build one source do.
func (o *Opened) link(id string, bitcode []byte, options string, dev *cl.Device) (*cl.Program, error) {
	if o.device.has(quirk.LockBuilds) {
		defer o.lockBuild(id)()
	}
	return o.fromBinary(bitcode, options, dev)
}

// bitcodeIn is the module of LLVM in a binary of PoCL's: a file of that name, with its length before it; nil where there is none. Source:
// serialize_file in lib/CL/pocl_binary.c of PoCL 3.1.
func bitcodeIn(b []byte) []byte {
	const name, magic = "/program.bc", "BC\xc0\xde"
	_, b, ok := bytes.Cut(b, []byte("\x0b\x00\x00\x00"+name))
	if !ok || len(b) < 4 {
		return nil
	}
	n := binary.LittleEndian.Uint32(b)
	if b = b[4:]; uint64(n) > uint64(len(b)) || !bytes.HasPrefix(b[:n], []byte(magic)) {
		return nil
	}
	return b[:n]
}

// newBitcode is where the bitcode of programs is kept, if it is.
func newBitcode(d *Device, r *Options) *diskcache.Programs {
	if !d.has(quirk.Preprocesses) || !d.has(quirk.OwnCache) {
		return diskcache.NewPrograms("", 0)
	}
	return diskcache.NewPrograms(r.CacheDir, r.CacheBytes)
}
