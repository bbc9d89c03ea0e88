package main

import (
	"go/ast"
	"go/token"
	"regexp"
)

// instead holds the replacements of an operator: its neighbour, which shows
// whether a boundary is tested, or its opposite.
var instead = map[token.Token][]token.Token{
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.AND}, token.AND_NOT: {token.AND},
	token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.AND_ASSIGN: {token.OR_ASSIGN}, token.OR_ASSIGN: {token.AND_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
	token.BREAK: {token.CONTINUE}, token.CONTINUE: {token.BREAK},
}

// look adds the mutations of a node, and reports whether to inspect its children. Some mutations do not compile; that is found
// out later.
func (f *file) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.operator(n.OpPos, n.Op)
	case *ast.IncDecStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.IfStmt:
		f.condition(n.Cond)
		f.failing(n.Cond, n.Body.List)
	case *ast.ForStmt:
		if n.Cond != nil {
			f.condition(n.Cond)
		}
	case *ast.CaseClause:
		if len(n.List) == 1 {
			f.condition(n.List[0])
			f.failing(n.List[0], n.Body)
		}
	case *ast.ExprStmt:
		if f.isLog(n) {
			return false
		}
		f.site(f.without(n))
	case *ast.DeferStmt, *ast.SendStmt:
		f.site(f.without(n))
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			f.site(f.without(n))
		}
		f.operator(n.TokPos, n.Tok)
	case *ast.BasicLit:
		if n.Kind == token.INT || n.Kind == token.FLOAT || n.Kind == token.CHAR {
			f.constant(n, "("+n.Value+" + 1)", "("+n.Value+" - 1)")
		}
	case *ast.Ident:
		switch n.Name {
		case "true":
			f.constant(n, "false")
		case "false":
			f.constant(n, "true")
		}
	case *ast.ReturnStmt:
		if f.fails(n) {
			f.zero(n, len(n.Results)-1)
			return false
		}
		if f.hasNone(n) {
			f.look(n.Results[len(n.Results)-1])
			return false
		}
		f.zero(n, 0)
	case *ast.FuncLit:
		outer := f.results
		f.results = n.Type.Results
		ast.Inspect(n.Body, f.look)
		f.results = outer
		return false
	}
	return true
}

// operator adds the mutations of an operator.
func (f *file) operator(at token.Pos, op token.Token) {
	var variants []mutation
	for _, other := range instead[op] {
		variants = append(variants, f.change("operator", at, at+token.Pos(len(op.String())), other.String()))
	}
	if variants != nil {
		f.site(variants...)
	}
}

// condition adds the mutations of a condition: its negation, and false.
func (f *file) condition(c ast.Expr) {
	f.site(
		f.change("condition", c.Pos(), c.End(), "!("+f.text(c)+")"),
		f.change("condition", c.Pos(), c.End(), "false && ("+f.text(c)+")"),
	)
}

// constant adds the mutations of a constant.
func (f *file) constant(n ast.Expr, others ...string) {
	var variants []mutation
	for _, other := range others {
		variants = append(variants, f.change("constant", n.Pos(), n.End(), other))
	}
	f.site(variants...)
}

// failing remembers the last statement of a block under "err != nil".
func (f *file) failing(cond ast.Expr, body []ast.Stmt) {
	if len(body) > 0 && f.text(cond) == "err != nil" {
		f.failed = body[len(body)-1]
	}
}

// fails reports whether a return certainly returns an error: then its other results do not matter.
func (f *file) fails(r *ast.ReturnStmt) bool {
	if f.results == nil || len(r.Results) < 2 || f.text(f.results.List[len(f.results.List)-1].Type) != "error" {
		return false
	}
	last := f.text(r.Results[len(r.Results)-1])
	return failures.MatchString(last) || f.failed == r && last == "err"
}

// hasNone reports whether a return has false for a last result named ok: then its other results do not matter.
func (f *file) hasNone(r *ast.ReturnStmt) bool {
	if f.results == nil || len(r.Results) < 2 || f.text(r.Results[len(r.Results)-1]) != "false" {
		return false
	}
	names := f.results.List[len(f.results.List)-1].Names
	return len(names) > 0 && names[len(names)-1].Name == "ok"
}

// failures matches the expressions that are an error and never nil.
var failures = regexp.MustCompile(`^(fmt\.Errorf\(|errors\.New\(|(\w+\.)?[eE]rr[A-Z]\w*$)`)

// zero adds the mutations of a return that replace one of its results, from the index first on, by the zero value.
func (f *file) zero(r *ast.ReturnStmt, first int) {
	var types []ast.Expr
	if f.results != nil {
		for _, field := range f.results.List {
			for range max(1, len(field.Names)) {
				types = append(types, field.Type)
			}
		}
	}
	if len(types) != len(r.Results) {
		return // one call returns all results
	}
	var variants []mutation
	for i, v := range r.Results {
		if i < first {
			continue
		}
		switch f.text(v) {
		case "nil", "0", `""`, "false", f.text(types[i]) + "{}":
			continue
		}
		variants = append(variants, f.change("result", v.Pos(), v.End(), "*new("+f.text(types[i])+")"))
	}
	if variants != nil {
		f.site(variants...)
	}
}
