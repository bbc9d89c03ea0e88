// Package proc tells one process from all others that ever had its id, so that
// somebody else can say later that it is gone. It says nothing rather than guess: of a
// process of another machine, or of another container, nobody here can know.
package proc

import "strings"

// The evidence that a process is gone.
const (
	ByProcess = "process" // no process has its id and start time any more
	ByBoot    = "boot"    // the machine was started anew since
)

// identity is where and when a process began.
type identity struct {
	machine   string // digest of the machine's id, empty when it has none
	boot      string // id of the machine's start
	namespace string // that the process id belongs to
	start     string // of the process since the machine's
}

// Of gives the identity of a running process: an opaque text, empty where the system
// does not tell enough.
func Of(pid int) string {
	here, ok := surroundings()
	if !ok || pid <= 0 {
		return ""
	}
	if here.start, ok = startOf(pid); !ok {
		return ""
	}
	return here.String()
}

// Gone says whether the process that had an id and an identity is not there any more,
// and by which evidence; empty when it is there, or when nobody can know.
func Gone(pid int, was string) (evidence string) {
	then, ok := parse(was)
	if !ok {
		return ""
	}
	here, ok := surroundings()
	if !ok {
		return ""
	}
	here.start, _ = startOf(pid)
	return judge(then, here)
}

// judge compares a process with the one that has its id here now, if any.
func judge(then, here identity) (evidence string) {
	switch {
	case then.namespace != here.namespace || then.machine != here.machine:
		return ""
	case then.boot == here.boot && then.start != here.start:
		return ByProcess
	// Two containers can have the same id of a machine and, one after the other, of a
	// namespace: only outside of them it is the machine that was started.
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
