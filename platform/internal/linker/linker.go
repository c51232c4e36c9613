// Package linker makes a folder from which PoCL's Clang takes a linker that reads less.
//
// PoCL 3.1 runs the linker for each kernel with -lm, -lgcc and -lc. More than half of the time that this takes goes to
// the symbols of the C library, of the vector mathematics and of the unwinder, and no kernel needs them: the functions of
// the C library that it calls are found when it is loaded, since the mathematics library is loaded with it and needs the C
// library itself. So the linker is given a folder that it looks in first, where these libraries are empty and -lm is the
// mathematics alone.
//
// The Clang inside PoCL has no option and no variable for such a folder, since LIBRARY_PATH comes behind the system's. It does look
// for the linker in COMPILER_PATH first.
package linker

// Env is the variable that names the folder.
const Env = "COMPILER_PATH"
