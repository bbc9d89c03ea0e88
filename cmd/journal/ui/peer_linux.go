package ui

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"journal/journal/disk"
)

// foreign reports whether another user owns the other end of a connection. It is false if that end is not found, as in another
// network namespace: then only the cookie keeps other users out. The default of ui.remember depends on this function (package config).
func foreign(c net.Conn) bool {
	from, ok := c.RemoteAddr().(*net.TCPAddr)
	to, okTo := c.LocalAddr().(*net.TCPAddr)
	if !ok || !okTo {
		return false
	}
	for _, table := range []struct {
		path string
		end  func(*net.TCPAddr) string
	}{{"/proc/net/tcp", end4}, {"/proc/net/tcp6", end6}} {
		if uid, ok := endUser(table.path, table.end(from), table.end(to)); ok {
			return uid != os.Getuid()
		}
	}
	return false
}

// endUser finds the user who owns the end of a connection in one of the kernel's tables. local and remote are the addresses as
// that end sees them.
func endUser(path, local, remote string) (uid int, ok bool) {
	f, _, err := disk.Open(path)
	if err != nil || local == "" {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// sl local_address rem_address st tx:rx tr:tm retrnsmt uid …
		fields := strings.Fields(lines.Text())
		if len(fields) > 7 && fields[1] == local && fields[2] == remote {
			uid, err := strconv.Atoi(fields[7])
			return uid, err == nil
		}
	}
	return 0, false
}

// end4 formats an IPv4 address as the kernel does: a 32-bit word in the machine's byte order, in hex. For other addresses it
// returns "".
func end4(a *net.TCPAddr) string {
	ip := a.IP.To4()
	if ip == nil {
		return ""
	}
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(ip), a.Port)
}

// end6 formats an address as the kernel does for IPv6: four 32-bit words in the machine's byte order, in hex.
func end6(a *net.TCPAddr) string {
	ip := a.IP.To16()
	if ip == nil {
		return ""
	}
	var b strings.Builder
	for i := 0; i < net.IPv6len; i += 4 {
		fmt.Fprintf(&b, "%08X", binary.NativeEndian.Uint32(ip[i:]))
	}
	return fmt.Sprintf("%s:%04X", b.String(), a.Port)
}
