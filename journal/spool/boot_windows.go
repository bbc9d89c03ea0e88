package spool

import (
	"fmt"
	"sync"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// bootID is the prefetcher's count of boots. The boot time would not do, because
// setting the clock moves it. Without the count it is the zero boot, as for any
// appender that does not know.
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

// sinceBoot counts nanoseconds since the start of the machine, sleep included,
// in steps of about 16 ms. Processes that overlap within a step are ordered by
// id.
func sinceBoot() uint64 { return uint64(windows.DurationSinceBoot()) }
