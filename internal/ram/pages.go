package ram

// A page of 4 KiB needs an entry of the processor's translation caches for every
// 4 KiB that a kernel streams through; in a virtual machine a miss walks two
// tables. Pages of 2 MiB need few entries. Linux gives them to processes that ask.
// Memory that was not touched yet is allocated at the first touch, one page at a time.

// LargeFrom is the smallest size to ask large pages for: it holds a whole page of 2 MiB
// wherever it starts.
const LargeFrom = 4 << 20
