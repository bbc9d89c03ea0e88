package compilation

import "journal/events"

// Report counts what a run has made (S2.5). Files are counted once.
type Report struct {
	Run         int                 `json:"run"`
	Targets     int                 `json:"targets"` // directories with a CLAUDE.md
	Compiled    int                 `json:"compiled"`
	Created     int                 `json:"created"` // of those
	Updated     int                 `json:"updated"`
	Generated   int                 `json:"generated"`
	Skipped     int                 `json:"skipped"`
	Overwritten int                 `json:"overwritten"`
	Tests       events.CompileTests `json:"tests"`
	Rounds      int                 `json:"rounds"`  // the most that a target took
	Outcome     string              `json:"outcome"` // success, warning; empty while something is left to do
	By          map[string]int      `json:"by"`      // targets by status
}

// Report counts what the run has made.
func (s State) Report() Report {
	r := Report{Run: s.Run, Targets: len(s.Targets), By: map[string]int{}}
	generated, skipped, overwritten := set{}, set{}, set{}
	for _, t := range s.Targets {
		r.By[t.Status]++
		if t.Finished > 0 {
			r.Compiled++
			switch t.Mode {
			case "create":
				r.Created++
			case "update":
				r.Updated++
			}
		}
		generated.add(t.Generated)
		skipped.add(t.Skipped)
		overwritten.add(t.Overwritten)
		r.Tests.Total += t.Tests.Total
		r.Tests.Passed += t.Tests.Passed
		r.Tests.Failed += t.Tests.Failed
		r.Rounds = max(r.Rounds, t.Rounds)
	}
	r.Generated, r.Skipped, r.Overwritten = len(generated), len(skipped), len(overwritten)
	if r.Targets > 0 && !s.Open() && !s.Ended {
		if r.Outcome = "success"; r.By[Warning] > 0 {
			r.Outcome = "warning"
		}
	}
	return r
}

type set map[string]bool

func (s set) add(all []string) {
	for _, v := range all {
		s[v] = true
	}
}
