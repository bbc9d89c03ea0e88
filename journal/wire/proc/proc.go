// Package proc identifies a process among all that ever had its id, so that another process can detect later that it is gone. It
// never guesses: a process of another machine or container is unknown here.
package proc

import "strings"

// The evidence that a process is gone.
const (
	ByProcess = "process" // no process has its id and start time any more
	ByBoot    = "boot"    // the machine was restarted since
)

// identity holds the boot and the start time of a process.
type identity struct {
	machine   string // digest of the machine's id, empty when it has none
	boot      string // id of the boot
	namespace string // of the process id
	start     string // start of the process since boot
}

// Of returns the identity of a running process: an opaque text, empty if the system does not report enough.
func Of(pid int) string {
	machine, ok := surroundings()
	if !ok || pid <= 0 {
		return ""
	}
	if machine.start, ok = startOf(pid); !ok {
		return ""
	}
	return machine.String()
}

// Gone returns the evidence that the process with an id and an identity is gone, empty if it still runs or if that is unknown.
func Gone(pid int, id string) (evidence string) {
	then, ok := parse(id)
	if !ok {
		return ""
	}
	machine, ok := surroundings()
	if !ok {
		return ""
	}
	machine.start, _ = startOf(pid)
	return judge(then, machine)
}

// judge compares a process with the one that has its id here now, if any.
func judge(then, here identity) (evidence string) {
	switch {
	case then.namespace != here.namespace || then.machine != here.machine:
		return ""
	case then.boot == here.boot && then.start != here.start:
		return ByProcess
	// Two containers can have the same machine id and, one after the other, the same namespace id: only outside of containers a
	// new boot id means that the machine was restarted.
	case then.boot != here.boot && then.machine != "" && then.namespace == machineNamespace:
		return ByBoot
	}
	return ""
}

func (i identity) String() string {
	return strings.Join([]string{i.machine, i.boot, i.namespace, i.start}, "/")
}

func parse(s string) (identity, bool) {
	f := strings.Split(s, "/")
	if len(f) != 4 || f[1] == "" || f[3] == "" {
		return identity{}, false
	}
	return identity{f[0], f[1], f[2], f[3]}, true
}
