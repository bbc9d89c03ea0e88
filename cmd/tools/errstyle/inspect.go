package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
)

// errorName matches the names of variables and fields that hold errors.
var errorName = regexp.MustCompile(`^(err|trouble|problem)\d?$|Err$`)

// inspect calls report for each place in a file.
func inspect(file *ast.File, report func(pos token.Pos, text string)) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if name := testedForNil(n.Cond); name != "" && n.Else == nil && !slices.Contains(assigned(n.Init), name) && !leaves(n.Body) {
				report(n.Pos(), "if "+name+" == nil {…}: return the error early")
			}
			if n.Init != nil && !mentions(conditions(n), assigned(n.Init)) {
				report(n.Pos(), "the header's statement has nothing to do with the condition: give it its own line")
			}
		case *ast.SwitchStmt:
			conds := []ast.Expr{n.Tag}
			for _, clause := range n.Body.List {
				conds = append(conds, clause.(*ast.CaseClause).List...)
			}
			if n.Init != nil && !mentions(conds, assigned(n.Init)) {
				report(n.Pos(), "the header's statement has nothing to do with the cases: give it its own line")
			}
		case *ast.CallExpr:
			if types.ExprString(n.Fun) == "cmp.Or" && slices.ContainsFunc(n.Args, isError) {
				report(n.Pos(), "cmp.Or of errors: return early, or use errors.Join")
			}
		}
		return true
	})
}

// testedForNil returns the error that a condition, or a part of it that must hold, compares with nil.
func testedForNil(cond ast.Expr) string {
	e, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return ""
	}
	if e.Op == token.LAND {
		return cmp.Or(testedForNil(e.X), testedForNil(e.Y))
	}
	if _, call := e.X.(*ast.CallExpr); !call && e.Op == token.EQL && isError(e.X) && types.ExprString(e.Y) == "nil" {
		return types.ExprString(e.X)
	}
	return ""
}

// isError reports whether an expression is an error, by its name.
func isError(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return errorName.MatchString(e.Name)
	case *ast.SelectorExpr:
		return errorName.MatchString(e.Sel.Name)
	case *ast.CallExpr:
		return slices.Contains([]string{"fmt.Errorf", "errors.New", "errors.Join"}, types.ExprString(e.Fun)) || isError(e.Fun)
	}
	return false
}

// leaves reports whether a block ends with a return or a jump. Then `err == nil` is no nesting, but the end of a fallback.
func leaves(block *ast.BlockStmt) bool {
	if len(block.List) == 0 {
		return false
	}
	last := block.List[len(block.List)-1]
	_, returns := last.(*ast.ReturnStmt)
	_, jumps := last.(*ast.BranchStmt)
	return returns || jumps
}

// assigned returns the expressions that a statement assigns to.
func assigned(stmt ast.Stmt) []string {
	var names []string
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		for _, e := range s.Lhs {
			names = append(names, types.ExprString(e))
		}
	case *ast.IncDecStmt:
		names = append(names, types.ExprString(s.X))
	}
	return names
}

// mentions reports whether one of some conditions contains one of some names.
func mentions(conds []ast.Expr, names []string) bool {
	return slices.ContainsFunc(conds, func(cond ast.Expr) bool {
		return cond != nil && slices.ContainsFunc(names, func(name string) bool {
			return regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(name) + `(\W|$)`).MatchString(types.ExprString(cond))
		})
	})
}

// conditions returns the condition of an if and those of its else branches.
func conditions(n *ast.IfStmt) []ast.Expr {
	conds := []ast.Expr{n.Cond}
	if next, ok := n.Else.(*ast.IfStmt); ok {
		return append(conds, conditions(next)...)
	}
	return conds
}
