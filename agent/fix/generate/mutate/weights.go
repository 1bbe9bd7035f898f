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
	OpNegate        Op = "negate"           // a condition or clause is turned around
	OpCompareNull   Op = "compare null"     // something is compared with nothing
	OpRelation      Op = "relation"         // < for <=
	OpEquality      Op = "equality"         // == for !=
	OpLogic         Op = "logic"            // && for ||
	OpArithmetic    Op = "arithmetic"       // + for -
	OpBoolean       Op = "boolean"          // true for false
	OpNumber        Op = "number"           // another number
	OpOffByOne      Op = "off by one"       // one more or less
	OpText          Op = "text"             // another string
	OpVariable      Op = "variable"         // another variable
	OpMember        Op = "member"           // another member of the same thing
	OpArgument      Op = "argument"         // another argument of a call
	OpSwapArguments Op = "swap arguments"   // two arguments change places
	OpWrap          Op = "wrap"             // a value goes through a function
	OpUnwrap        Op = "unwrap"           // a call is replaced by its argument
	OpDelete        Op = "delete statement" // a statement is removed
	OpGuard         Op = "guard statement"  // a statement gets a condition
	OpLeave         Op = "guard return"     // a function is left early
	OpJump          Op = "jump"             // a block ends with a return, break or continue
	OpMove          Op = "move statement"   // a statement stands elsewhere in its block
	OpCopy          Op = "copy statement"   // a statement is inserted that stands elsewhere
	OpTransplant    Op = "transplant"       // lines are as in a similar function
)

// weights say how likely each kind is, for one edit: how often an edit of the kind was
// exactly the fix, in a thousand edits of the kind. They were counted over the 977 commits
// of restic, minio, fzf, git-lfs, runc, git-spice and syzkaller whose subject speaks of a
// bug and that change at most eight lines of code of one function; 127 of them (13%) are
// an edit of this package. The edits of all lines of the function were counted. A kind
// without a hit has half a hit. Kinds that follow a probe have what was counted for them
// divided by the mean weight of their conditions, and the probes have what was counted for
// the kinds that follow.
var weights = map[Op]float64{
	OpRelation: 2.3, OpLogic: 2.2, OpDropClause: 1.9, OpBoolean: 1.6, OpNegate: 0.85, OpDelete: 0.8, OpNever: 0.7,
	OpJump: 0.5, OpSwapArguments: 0.47, OpAlways: 0.3, OpNumber: 0.26, OpMove: 0.17, OpMember: 0.14, OpArithmetic: 0.14,
	OpLeave: 0.12, OpCompareNull: 0.1, OpArgument: 0.09, OpOffByOne: 0.08, OpUnwrap: 0.1, OpEquality: 0.06, OpText: 0.3,
	OpCopy: 0.03, OpAnd: 0.12, OpOr: 0.05, OpGuard: 0.05, OpVariable: 0.017, OpWrap: 0.006, OpTransplant: 0.5,
}
