package install

import "slices"

// The rules of an agent say which calls it makes without asking the person. They are set
// only when the person wants them; those that are there are kept on the right path.

// rules are those to offer.
func (w wiring) rules(clientVersion string) []string {
	if w.agent.Settings.Rules == nil {
		return nil
	}
	return w.agent.Settings.Rules(clientVersion, Quote(w.bin), w.verbs)
}

// allowed gives the list of rules in settings with what it stands in; nil where none is.
func (w wiring) allowed(s settings) []*node {
	chain := []*node{s.root}
	for _, key := range w.agent.Settings.Allow {
		next := chain[len(chain)-1].member(key)
		if next == nil {
			return nil
		}
		chain = append(chain, next)
	}
	if len(chain) == 1 || chain[len(chain)-1].open != '[' {
		return nil
	}
	return chain
}

// ruled lists the rules of ours in settings.
func (w wiring) ruled(s settings) (rules []string) {
	if list := w.allowed(s); list != nil {
		for _, it := range list[len(list)-1].items {
			if rule, ok := s.decode(it.value); ok && w.isRule(rule) {
				rules = append(rules, rule)
			}
		}
	}
	return rules
}

// isRule recognises a rule of ours, by whichever path.
func (w wiring) isRule(rule string) bool {
	return w.agent.Settings.IsRule(rule, func(command string) bool {
		words, ok := shellWords(command)
		if !ok || len(words) != 2 || !slices.Contains(w.verbs, words[1]) {
			return false
		}
		_, ok = w.arguments(words, words[1])
		return ok
	})
}

// allow makes the rules of ours be those wanted: what is there of them under another path
// is corrected, and with add what is missing comes behind it.
func (w wiring) allow(s settings, wanted []string, add bool) settings {
	if w.agent.Settings.Rules == nil {
		return s
	}
	for _, old := range w.ruled(s) {
		if slices.Contains(wanted, old) {
			continue
		}
		// The same verb, spelled otherwise.
		for _, is := range wanted {
			if w.agent.Settings.SameRule(old, is) && !slices.Contains(w.ruled(s), is) {
				s = w.rewrite(s, old, is)
			}
		}
	}
	if !add {
		return s
	}
	for _, rule := range wanted {
		if !slices.Contains(w.ruled(s), rule) {
			s = w.addRule(s, rule)
		}
	}
	return s
}

func (w wiring) rewrite(s settings, old, is string) settings {
	list := w.allowed(s)
	for _, it := range list[len(list)-1].items {
		if s.is(it.value, old) {
			return s.replace(it.value, quoteJSON(is))
		}
	}
	return s
}

func (w wiring) addRule(s settings, rule string) settings {
	path := w.agent.Settings.Allow
	chain := []*node{s.root}
	for i, key := range path {
		next := chain[len(chain)-1].member(key)
		if next == nil {
			var v any = array{rule}
			for _, inner := range slices.Backward(path[i+1:]) {
				v = object{{inner, v}}
			}
			return s.insert(chain, field{key, v})
		}
		chain = append(chain, next)
	}
	return s.insert(chain, rule)
}

// disallow takes every rule of ours out.
func (w wiring) disallow(s settings) settings {
	for {
		list := w.allowed(s)
		if list == nil {
			return s
		}
		items := list[len(list)-1].items
		i := len(items) - 1
		for ; i >= 0; i-- {
			if rule, ok := s.decode(items[i].value); ok && w.isRule(rule) {
				break
			}
		}
		if i < 0 {
			return s
		}
		s = s.remove(list, i)
	}
}

// checkAllow refuses settings in which rules have no place.
func (w wiring) checkAllow(s settings) error {
	n := s.root
	for i, key := range w.agent.Settings.Allow {
		if err := s.once(n, key); err != nil {
			return err
		}
		if n = n.member(key); n == nil {
			return nil
		}
		want, what := byte('{'), "an object"
		if i == len(w.agent.Settings.Allow)-1 {
			want, what = '[', "a list"
		}
		if n.open != want {
			return s.refuse(n.start, `"`+key+`" is not `+what, "make it "+what+", or install without the rules")
		}
	}
	return nil
}
