package platform

import "golang.org/x/sys/cpu"

// Instructions in inline assembly end the process where the CPU lacks them. So the
// probes that have them are compiled only where this very CPU says that it has
// them, and what is kept on disk, which may come from another one of the same
// name, counts as little.

// vnniOptions are the macros with which the probes of vpdpbusd are compiled.
func vnniOptions(d *Device) []string {
	var opts []string
	if d.Class == CPU && cpu.X86.HasAVXVNNI {
		opts = append(opts, "-DTRY_VEX")
	}
	if d.Class == CPU && cpu.X86.HasAVX512VNNI {
		opts = append(opts, "-DTRY_VNNI")
	}
	return opts
}

// onThisCPU takes from c what this CPU does not have.
func (c *Caps) onThisCPU() {
	c.DotX86 = c.DotX86 && cpu.X86.HasAVX512VNNI
	c.DotVEX = c.DotVEX && cpu.X86.HasAVXVNNI
}
