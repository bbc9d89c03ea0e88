package spool

import (
	"fmt"
	"sync"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// bootID returns the number of boots that the prefetcher of Windows has counted. The
// boot time is no id, because setting the clock changes it. Without the count bootID
// returns the zero boot.
var bootID = sync.OnceValue(func() string {
	const path = `SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters`
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, path, registry.QUERY_VALUE)
	if err != nil {
		return zeroBoot
	}
	defer key.Close()
	n, _, err := key.GetIntegerValue("BootId")
	if err != nil {
		return zeroBoot
	}
	return fmt.Sprintf("%08x", uint32(n))
})

// sinceBoot returns the nanoseconds since the start of the machine, sleep included,
// in steps of about 16 ms. Reports of two processes within a step are ordered by
// their ids.
func sinceBoot() uint64 { return uint64(windows.DurationSinceBoot()) }
