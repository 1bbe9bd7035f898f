package locate

import (
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// aggregators has the classes of netty at 89268659f33b, a commit at which HttpObjectAggregator inherits
// the method that the reports of older versions name.
var aggregators = gittest.Files{
	"codec-http/src/main/java/io/netty/handler/codec/http/HttpObjectAggregator.java": `package io.netty.handler.codec.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.MessageAggregator;

/**
 * class HttpObjectAggregator extends Nothing {
 */
public class HttpObjectAggregator
        extends MessageAggregator<HttpObject, HttpMessage, HttpContent, FullHttpMessage> {

    @Override
    protected boolean isStartMessage(HttpObject msg) throws Exception {
        return msg instanceof HttpMessage;
    }

    private static final class Inner extends Base {
    }

    private static class Base {
        void close() {
        }
    }
}
`,
	"codec/src/main/java/io/netty/handler/codec/MessageAggregator.java": `package io.netty.handler.codec;

public abstract class MessageAggregator<I, S, C extends ByteBufHolder, O extends ByteBufHolder>
        extends MessageToMessageDecoder<I> {

    @Override
    protected void decode(final ChannelHandlerContext ctx, I msg, List<Object> out) throws Exception {
        aggregate(currentMessage, m);
    }

    protected void aggregate(O aggregated, C content) throws Exception { }
}
`,
	"codec/src/main/java/io/netty/handler/codec/MessageToMessageDecoder.java": `package io.netty.handler.codec;

public abstract class MessageToMessageDecoder<I> {
    public void channelRead(ChannelHandlerContext ctx, Object msg) throws Exception {
        decode(ctx, cast, out);
    }
}
`,
}

// A method that a class of Java inherits is in its superclass: in an imported one, in one of the same
// package further up, in one of the same file.
func TestInheritedMethod(t *testing.T) {
	t.Parallel()
	const folder = "io/netty/handler/codec/http/HttpObjectAggregator.java"
	const own, super, top = "codec-http/src/main/java/" + folder, "codec/src/main/java/io/netty/handler/codec/MessageAggregator.java",
		"codec/src/main/java/io/netty/handler/codec/MessageToMessageDecoder.java"
	h := gittest.New(t)
	tip := h.Commit("import", aggregators)
	for _, test := range []struct {
		function, path string
		defined, at    int
	}{
		{"decode", super, 7, 8}, // which calls aggregate
		{"channelRead", top, 4, 0},
		{"isStartMessage", own, 0, 0},
		{"removed", own, 0, 0},
		{"Inner.close", own, 21, 0},
	} {
		class := "io.netty.handler.codec.http.HttpObjectAggregator."
		report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "java", Frames: []crash.Frame{
			{Function: "io.netty.handler.codec.MessageAggregator.aggregate"},
			{Function: class + test.function, File: folder, Line: 205},
		}}}}
		if test.function == "isStartMessage" {
			report.Stacks[0].Frames[1].Line = 14
		}
		if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
			t.Fatal(err)
		}
		if _, err := Compare(t.Context(), h.Open(), tip, report); err != nil {
			t.Fatal(err)
		}
		if err := Resettle(t.Context(), h.Open(), tip, report); err != nil {
			t.Fatal(err)
		}
		if f := report.Stacks[0].Frames[1]; f.Path != test.path || f.DefinedAt != test.defined || f.At != test.at {
			t.Errorf("%s: %s, defined at %d, at %d; want %+v", test.function, f.Path, f.DefinedAt, f.At, test)
		}
	}
}

// A function that is in another file now is found there, if only one file defines it. The report is of
// moby/buildkit, 9239fc407792, whose commit has moved the function to another package.
func TestMovedFunction(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const old, now = "solver/llbsolver/history.go", "solver/llbsolver/history/filter.go"
	tip := h.Commit("import", gittest.Files{
		old:                    "package llbsolver\n\nfunc Other() {\n}\n",
		now:                    "package history\n\nfunc filterHistoryEvents(in []*event) []*event {\n\tslices.SortFunc(in, less)\n}\n\nfunc twice_here() {}\n",
		"control/ambiguous.go": "package control\n\nfunc twice_here() {}\n",
		"control/filter.py":    "def filterHistoryEvents():\n    pass\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "go", Frames: []crash.Frame{
		{Function: "github.com/moby/buildkit/solver/llbsolver.filterHistoryEvents", File: old, Line: 1073},
		{Function: "github.com/moby/buildkit/solver/llbsolver.twice_here", File: old, Line: 1011},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	if err := Resettle(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{now, old} {
		if f := report.Stacks[0].Frames[i]; f.Path != want || f.Path == now && (f.DefinedAt != 3 || f.Rule != string(RuleMoved)) {
			t.Errorf("%+v", f)
		}
	}
}
