package redact

import "sync"

// This file holds every rule in its order.

// ruleList returns the rules of all families. Where keywords of two rules stand at the same byte, the later rule looks first.
func ruleList() []*Rule {
	list := make([]*Rule, 0, 512)
	for _, family := range [...][]Rule{
		assignmentRules(), // values of names that a sign joins to them
		callRules(),
		commandRules(),
		encodedRules(),
		headerRules(),
		cookieRules(),
		besideRules(), // values whose name stands in another member
		privateKeyRules(),
		manifestRules(),
		serviceRules(),
		formats(), // tokens with a shape of their own
		tableRules(),
		sentenceRules(),
		urlRules(),
		viewRules(), // what shows another view of the text
	} {
		for i := range family {
			r := &family[i]
			if r.index = len(list); r.pattern != "" {
				r.compiled = lazily(`\A(?:` + r.pattern + `)`)
			}
			list = append(list, r)
		}
	}
	return list
}

// The rules and their gate are built when the first text is looked at: a process without one starts without them.
var (
	allRules  []*Rule
	ruleGate  *gate
	buildOnce sync.Once
)

// theGate returns the gate of all rules.
func theGate() *gate {
	buildOnce.Do(func() {
		allRules = ruleList()
		ruleGate = newGate(allRules)
	})
	return ruleGate
}
