package install

import (
	"slices"
	"strconv"

	"github.com/tailscale/hujson"
)

// rules returns the rules with which the agent calls the verbs of journal without asking, nil for an agent without rules.
func (w wiring) rules(clientVersion string) []string {
	if w.agent.Settings.Rules == nil {
		return nil
	}
	return w.agent.Settings.Rules(clientVersion, Quote(w.bin), w.verbs)
}

// ourRules returns our rules in the settings, and their indexes in the agent's list of rules.
func (w wiring) ourRules(s *settings) (rules []string, indexes []int) {
	for i, e := range elements(s.find(w.agent.Settings.Allow...)) {
		if rule, ok := text(&e); ok && w.isRule(rule) {
			rules, indexes = append(rules, rule), append(indexes, i)
		}
	}
	return rules, indexes
}

// isRule reports whether a rule is one of ours, with any path of journal.
func (w wiring) isRule(rule string) bool {
	return w.agent.Settings.IsRule(rule, func(command string) bool {
		words, ok := simpleCommand(command)
		if !ok || len(words) != 2 || !slices.Contains(w.verbs, words[1]) {
			return false
		}
		_, ok = w.arguments(words, words[1])
		return ok
	})
}

// granted returns the rules that the settings have, with any path of journal, or all rules if all is set.
func (w wiring) granted(s *settings, rules []string, all bool) []string {
	if all {
		return slices.Clone(rules)
	}
	present, _ := w.ourRules(s)
	return slices.DeleteFunc(slices.Clone(rules), func(rule string) bool {
		return !slices.ContainsFunc(present, func(old string) bool { return w.sameRule(old, rule) })
	})
}

// sameRule reports whether two rules are equal or about the same verb.
func (w wiring) sameRule(a, b string) bool { return a == b || w.agent.Settings.SameRule(a, b) }

// allow adds rules to the settings. If the settings have a rule with another path of journal, it corrects the path.
func (w wiring) allow(s *settings, rules []string) {
	for _, rule := range rules {
		present, indexes := w.ourRules(s)
		same := slices.IndexFunc(present, func(old string) bool { return w.sameRule(old, rule) })
		switch {
		case slices.Contains(present, rule):
		case same >= 0:
			s.set(&elements(s.find(w.agent.Settings.Allow...))[indexes[same]], rule)
		default:
			s.append(w.agent.Settings.Allow, rule)
		}
	}
}

// disallow removes our rules. It keeps those that the person had in the settings before the installation, and restores their text.
// before is nil if these settings are unknown.
func (w wiring) disallow(s, before *settings) {
	var own []string // our rules that the person set
	if before != nil {
		own, _ = w.ourRules(before)
	}
	rules, indexes := w.ourRules(s)
	for n, i := range slices.Backward(indexes) {
		same := slices.IndexFunc(own, func(old string) bool { return w.sameRule(old, rules[n]) })
		switch {
		case same < 0:
			s.remove(append(slices.Clone(w.agent.Settings.Allow), strconv.Itoa(i))...)
		case own[same] != rules[n]:
			s.set(&elements(s.find(w.agent.Settings.Allow...))[i], own[same])
		}
	}
}

// checkAllow returns an error if rules cannot be added to the settings.
func (w wiring) checkAllow(s *settings) error {
	path := w.agent.Settings.Allow
	for i, key := range path {
		kind, what := hujson.Kind('{'), "an object"
		if i == len(path)-1 {
			kind, what = '[', "a list"
		}
		if v := s.find(path[:i+1]...); v != nil && v.Value.Kind() != kind {
			return s.refuse(v.StartOffset, `"`+key+`" is not `+what, "make it "+what+", or install without the rules")
		}
	}
	return nil
}
