package redact

import (
	_ "embed" // of the rules
	"strconv"
	"strings"
	"sync"
)

// This file reads the rules from rules.txt, which describes its syntax.

//go:embed rules.txt
var ruleTable string

// The rules in their order, and their gate. They are built for the first text, which keeps the start of the process fast.
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

// ruleList reads the rules in their order. If the gate finds keywords of two rules at the same byte, the later rule is tried first.
func ruleList() []*Rule {
	list := make([]*Rule, 0, 512)
	add := func(r *Rule) *Rule {
		r.index = len(list)
		list = append(list, r)
		return r
	}
	rules, find, each, check := make([]Rule, strings.Count(ruleTable, "\nname ")), finders(), severalFinders(), checks()
	var r *Rule
	for line := range strings.Lines(ruleTable) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "name":
			r, rules = add(&rules[0]), rules[1:]
			r.Name = value
		case "kind":
			r.Kind = value
		case "fold":
			r.Fold = true
		case "generic":
			r.generic = true
		case "apart":
			for _, set := range []byte(value) {
				r.apart |= alphabets[set]
			}
		case "window":
			r.window, _ = strconv.Atoi(value)
		case "feature":
			r.features = map[string]features{"hidden": hidden, "framed": framed, "listed": listed, "headed": headed, "escapedHTML": escapedHTML}[value]
		case "head":
			r.head, _ = strconv.Atoi(value)
		case "find":
			r.find = find[value]
		case "each":
			r.each = each[value]
		case "check":
			r.check = check[value]
		case "expression":
			r.pattern = value
		case "joint":
			r.needs = [2]string{"-", value}
		case "option":
			r.pattern = optionPattern(value, r.needs[1])
			r.needs[0] = "-"
		case "after":
			r.Keywords, r.pattern = behindCommands(value)
		case "keys":
			r.Keywords = keywordsOf(value)
		case "formats":
			formats(add)
		}
		if r != nil && r.pattern != "" && r.compiled == nil {
			r.compiled = lazily(`\A(?:` + r.pattern + `)`)
		}
	}
	return list
}

// keywordsOf returns the keywords of a line, which ¦ separates.
func keywordsOf(line string) []string {
	words := strings.Split(strings.TrimSuffix(line, "¦"), "¦")
	for i, w := range words {
		if strings.Contains(w, `\`) {
			words[i], _ = strconv.Unquote(`"` + w + `"`)
		}
	}
	return words
}

// finders returns the functions that lines "find" of rules.txt name.
func finders() map[string]func(s string, at, end int) (from, to int) {
	return map[string]func(s string, at, end int) (from, to int){
		"armoured": armoured, "assigned": assigned, "assignedInCJK": assignedInCJK, "behindUser": behindUser, "callArgument": callArgument,
		"changedTo": changedTo, "charactersOf": charactersOf, "decodedArgument": decodedArgument, "dsnPassword": dsnPassword,
		"encodedText": encodedText, "listedUser": listedUser, "loginPair": loginPair, "nothing": matchNothing, "parameter": parameter,
		"piped": piped, "randomArgument": randomArgument, "loginSentence": loginSentence, "userPassword": userPassword,
	}
}

// severalFinders returns the functions that lines "each" of rules.txt name.
func severalFinders() map[string]func(s string, at, end int) []span {
	return map[string]func(s string, at, end int) []span{
		"armourEnd": armourEnd, "columnValues": columnValues, "cookieHeader": cookieHeader, "manifestData": manifestData,
		"namedBeside": namedBeside, "webhookParts": webhookParts,
	}
}

// checks returns the functions that lines "check" of rules.txt name.
func checks() map[string]func(string) bool {
	return map[string]func(string) bool{
		"argument": mayBePassword, "isBearer": isBearer, "looksRandom": looksRandom, "cookieValue": sense{namedCookie, byCookie}.isSecret, "hasCodeDigits": hasCodeDigits,
		"genuine": genuine, "isGroupedSecret": isGroupedSecret, "looksIssued": looksIssued, "isPassword": isPassword, "isSeedPhrase": isSeedPhrase,
		"isSettingSecret": isSettingSecret, "unmistakablePassword": unmistakablePassword, "isWebKeyPart": isWebKeyPart,
	}
}
