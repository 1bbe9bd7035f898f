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
)

// weights say how likely each kind is, for one edit.
var weights = map[Op]float64{
	OpAnd: 1, OpOr: 0.8, OpDropClause: 1, OpNever: 1, OpAlways: 1, OpNegate: 0.8, OpCompareNull: 0.4,
	OpRelation: 0.6, OpEquality: 0.4, OpLogic: 0.5, OpArithmetic: 0.1, OpBoolean: 0.8, OpNumber: 0.2, OpOffByOne: 0.15,
	OpText: 0.5, OpVariable: 0.15, OpMember: 0.2, OpArgument: 0.4, OpSwapArguments: 0.1, OpWrap: 0.2, OpUnwrap: 0.2,
	OpDelete: 0.5, OpGuard: 0.6, OpLeave: 0.3, OpJump: 0.5, OpMove: 0.3, OpCopy: 0.1,
}
