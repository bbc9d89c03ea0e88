// Package proc identifies a process among all that ever had its process id, so that another process can detect later that the first
// has ended. It never guesses: of a process on another machine or in another container it reports nothing.
package proc

import "strings"

// The evidence that a process has ended.
const (
	ByProcess = "process" // no process has the same id and start time any more
	ByBoot    = "boot"    // the machine was restarted after the start of the process
)

// identity identifies a process.
type identity struct {
	machine   string // digest of the machine's id, empty if the machine has none
	boot      string // id of the machine's boot
	namespace string // id of the namespace of process ids, empty if the system has a single one
	start     string // start time of the process
}

// Of returns the identity of a running process as an opaque text, empty if the system does not report enough.
func Of(pid int) string {
	process, ok := thisMachine()
	if !ok || pid <= 0 {
		return ""
	}
	if process.start, ok = startOf(pid); !ok {
		return ""
	}
	return process.String()
}

// Gone returns the evidence that a process has ended, empty if the process still runs or nothing is known. id is the identity that Of
// returned for the process.
func Gone(pid int, id string) (evidence string) {
	recorded, recordedOK := parse(id)
	present, presentOK := thisMachine()
	if !recordedOK || !presentOK {
		return ""
	}
	present.start, _ = startOf(pid)
	return judge(recorded, present)
}

// judge compares a recorded process with the one that has its id now. present.start is empty if no process has it.
func judge(recorded, present identity) (evidence string) {
	switch {
	case recorded.namespace != present.namespace || recorded.machine != present.machine:
		return ""
	case recorded.boot == present.boot && recorded.start != present.start:
		return ByProcess
	// Containers on two machines may have the same machine id and namespace id. So a new boot id means a restart only outside of
	// containers.
	case recorded.boot != present.boot && recorded.machine != "" && recorded.namespace == machineNamespace:
		return ByBoot
	}
	return ""
}

// String returns the text that parse parses.
func (i identity) String() string {
	return strings.Join([]string{i.machine, i.boot, i.namespace, i.start}, "/")
}

// parse parses a text of String. ok is false unless it has a boot and a start.
func parse(s string) (i identity, ok bool) {
	f := strings.Split(s, "/")
	if len(f) != 4 || f[1] == "" || f[3] == "" {
		return identity{}, false
	}
	return identity{f[0], f[1], f[2], f[3]}, true
}
