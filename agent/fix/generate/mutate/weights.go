package mutate

// An Op is a kind of edit.
type Op string

// These are the kinds.
const (
	OpAnd           Op = "and clause"       // a condition gets one more clause that must hold
	OpOr            Op = "or clause"        // a condition gets one more clause that may hold
	OpDropClause    Op = "drop clause"      // a clause is removed
	OpNever         Op = "never"            // a condition is always false
	OpAlways        Op = "always"           // a condition is always true
	OpNegate        Op = "negate"           // a condition or clause is negated
	OpCompareNull   Op = "compare null"     // a value is compared with null
	OpRelation      Op = "relation"         // < for <=
	OpEquality      Op = "equality"         // == for !=
	OpLogic         Op = "logic"            // && for ||
	OpArithmetic    Op = "arithmetic"       // + for -
	OpBoolean       Op = "boolean"          // true for false
	OpNumber        Op = "number"           // another number
	OpOffByOne      Op = "off by one"       // one more or less
	OpText          Op = "text"             // another string
	OpVariable      Op = "variable"         // another variable
	OpMember        Op = "member"           // another member of the same value
	OpArgument      Op = "argument"         // another argument of a call
	OpSwapArguments Op = "swap arguments"   // two arguments are exchanged
	OpWrap          Op = "wrap"             // a value is wrapped in a call
	OpUnwrap        Op = "unwrap"           // a call is replaced by its argument
	OpDelete        Op = "delete statement" // a statement is removed
	OpGuard         Op = "guard statement"  // a statement gets a condition
	OpLeave         Op = "guard return"     // a function is left early
	OpJump          Op = "jump"             // a block ends with a return, break or continue
	OpMove          Op = "move statement"   // a statement is moved within its block
	OpCopy          Op = "copy statement"   // a statement from elsewhere is inserted
	OpTransplant    Op = "transplant"       // lines are as in a similar function
	OpFormat        Op = "f-string"         // a string gets the prefix f
	OpExcept        Op = "except clause"    // an except clause gets one more exception
	OpKin           Op = "related call"     // another function of a standard library is called
	OpOptional      Op = "optional"         // ?. for . and ?? for ||
	OpPattern       Op = "pattern"          // another regular expression
	OpReceiver      Op = "receiver clause"  // a condition asks first whether it has the values that it uses
	OpSwapClauses   Op = "swap clauses"     // two clauses are exchanged
	OpSwapBranches  Op = "swap branches"    // the two values of a choice are exchanged
	OpEquals        Op = "equals"           // equals for == in Java
	OpDefault       Op = "default value"    // another value where there is none
	OpChain         Op = "chained call"     // a call on a result is added or removed, or two are exchanged
	OpUnit          Op = "unit"             // one that is added or subtracted is left out
	OpCheckless     Op = "no panic"         // ? or a default for unwrap in Rust
	OpOverflow      Op = "overflow"         // arithmetic of Rust that does not overflow
	OpAlternative   Op = "alternative"      // one more pattern of a case
	OpAssign        Op = "assign result"    // the result of a call is kept
	OpLeaveBlock    Op = "leave block"      // a statement comes out of its block
	OpParameter     Op = "parameter"        // a parameter in place of the literal that is its default
	OpContext       Op = "context copy"     // a statement that follows or precedes the same line elsewhere
)

// weights are the probabilities of one edit of each kind: the number of edits that were exactly
// the fix, in a thousand edits of the kind. They were counted in 1,697 commits with a bug in
// their subject that change at most eight lines of code, all in one function of at most 250
// lines: 977 of restic, minio, fzf, git-lfs, runc, git-spice and syzkaller (Go), 720 of
// util-linux, git, FRRouting (C), codemirror5 (JavaScript), meson (Python) and netty (Java).
// 184 of them, 11%, are an edit of this package. The count includes the edits of all lines of
// the function, and the further edits of probes. A kind without a hit has half a hit. OpText
// and OpTransplant need more than the function and were not counted. The counts of a probe's
// further edits are divided by the mean weight of a condition, and the probe has the sum of
// these counts.
//
// OpFormat and OpExcept were counted in other projects: of 1,761 fixes with at most eight changed
// lines of code in boltons, marshmallow, werkzeug, attrs, thefuck, jinja, rich and more-itertools,
// 24 change the names of an except clause and 2 put an f before a string (4 exchange a test for
// truth and a comparison with None). A function has very few edits of these kinds. OpParameter makes two
// edits in 1,341 fixes (817 of these projects and 524 of peewee, sqlparse, Markdown, voluptuous, parso and
// yamllint), and one of them is the fix; with so few its weight is a guess.
var weights = map[Op]float64{
	OpRelation: 2.2, OpDropClause: 1.4, OpLogic: 1.1, OpNegate: 0.9, OpBoolean: 0.9, OpDelete: 0.65, OpNever: 0.6,
	OpTransplant: 0.5, OpJump: 0.4, OpText: 0.3, OpSwapArguments: 0.3, OpNumber: 0.25, OpAlways: 0.24, OpMove: 0.12,
	OpMember: 0.11, OpAnd: 0.11, OpArithmetic: 0.1, OpEquality: 0.08, OpLeave: 0.08, OpUnwrap: 0.07, OpCompareNull: 0.06,
	OpArgument: 0.04, OpOffByOne: 0.04, OpOr: 0.04, OpCopy: 0.03, OpGuard: 0.03, OpVariable: 0.02, OpWrap: 0.003,
	OpExcept: 0.5, OpFormat: 0.5, OpParameter: 1,
	OpKin: 0.35, OpOptional: 0.06, OpPattern: 2.1, OpReceiver: 0.8,
}

// weightsIn replaces weights in a language in which an edit is much more or less often the fix. They
// were counted by "train fix count" in other projects: of 516 fixes of mockito, checkstyle, zxing,
// JSON-java, commons-text and commons-validator (Java), 51 are one edit, of 926 of zod, core of Vue,
// yaml and hono (TypeScript) 54, of 468 of ripgrep, clap, fd, chrono and quick-xml (Rust) 29. OpKin,
// OpOptional, OpPattern and OpReceiver were counted there, and in 599 fixes of werkzeug, rich, jinja
// and boltons (Python) and 256 of fzf and git-lfs (Go). Where OpReceiver had no hit, it is left to
// the further edits of probes, which come once a probe has shown that the condition matters.
//
// The kinds from OpSwapClauses to OpContext are for Java and Rust only. They and OpKin were counted in 674
// fixes of commons-text, commons-validator, JSON-java, zxing, cron-utils, mockito, checkstyle and mybatis
// (Java) and 238 of ripgrep, fd, chrono, quick-xml, http, bytes, itertools, rust-csv, num-bigint and
// serde_json (Rust). One is left out that is added or subtracted in 3 of 224 edits in Java and 3 of 64 in Rust,
// clauses change places in 3 of 624 and none of 66. A fix that is a case of fix counts for nothing, and no
// weight is above 10.
var weightsIn = map[*language]map[Op]float64{
	golang: {OpReceiver: 0},
	clike:  {OpReceiver: 0},
	java: {
		OpReceiver: 4.7, OpArgument: 0.7, OpKin: 2.3, OpUnit: 10, OpSwapBranches: 4.3, OpSwapClauses: 4.8, OpDefault: 2.5,
		OpContext: 1.2, OpAssign: 0.9, OpEquals: 0.75, OpLeaveBlock: 0.5, OpChain: 0.02,
	},
	script: {OpReceiver: 0, OpArgument: 0.47},
	rust: {
		OpBoolean: 6.7, OpUnit: 10, OpSwapClauses: 7.6, OpContext: 3, OpLeaveBlock: 2.2, OpOverflow: 1.8,
		OpKin: 1.3, OpCheckless: 1.2, OpAlternative: 0.9, OpChain: 0.055,
	},
}

// weightOf returns the weight of a kind in the language of the file.
func (f *File) weightOf(op Op) float64 {
	if w, ok := weightsIn[f.lang][op]; ok {
		return w
	}
	return weights[op]
}
