package ram

import "golang.org/x/sys/unix"

func total() int64 {
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) != nil {
		return 0
	}
	return (int64(s.Totalram) + int64(s.Totalswap)) * int64(s.Unit)
}
