package format

import "testing"

func TestGoNames(t *testing.T) {
	for _, test := range []struct{ name, symbol, function, pkg string }{
		{"main.main()", "", "main.main", "main"},
		{"panic({0x1, 0x2})", "", "panic", ""},
		{"net/http.(*conn).serve.func1(0xc01)", "net/http.(*conn).serve.func1", "net/http.(*conn).serve", "net/http"},
		{"github.com/a/b%2ec.T.m(...)", "", "github.com/a/b.c.T.m", "github.com/a/b"},
		{"a/b.(*T[...]).M-fm()", "a/b.(*T).M-fm", "a/b.(*T).M", "a/b"},
		{"a/b.F.func1.2.gowrap1()", "a/b.F.func1.2.gowrap1", "a/b.F", "a/b"},
		{"main.func·006(0xc01)", "", "main.func·006", "main"}, // Go 1.4 and before
		{"main.glob..func9(0xeb5000)", "", "main.glob..func9", "main"},
		{"a.listPathRaw({0x4a9, 0xc06},...", "", "a.listPathRaw", "a"},
	} {
		symbol, function, pkg := goNames(test.name)
		if symbol != test.symbol || function != test.function || pkg != test.pkg {
			t.Errorf("goNames(%q) = %q, %q, %q, want %q, %q, %q", test.name, symbol, function, pkg, test.symbol, test.function, test.pkg)
		}
	}
}

func TestJavaName(t *testing.T) {
	for name, want := range map[string]string{
		"a.B.m":                            "a.B.m",
		"a.B$C.m":                          "a.B.C.m",
		"a.B$1.run":                        "a.B$1.run",
		"a.B.lambda$startTServer$9":        "a.B.startTServer",
		"a.B.lambda$m$0$1":                 "a.B.m",
		"a.B.lambda$new$3":                 "a.B.new",
		"a.B.$anonfun$run$1":               "a.B.run",
		"a.B.m$lambda$0":                   "a.B.m",
		"a.B.lambda$load$2$B":              "a.B.load",
		"a.B.access$700":                   "a.B.access$700",
		"a.MainKt$main$1.invokeSuspend":    "a.MainKt.main$1.invokeSuspend",
		"a.B$$Lambda/0x00007fbd94.accept":  "a.B$$Lambda.accept",
		"a.B$$Lambda$14/0x000000080.apply": "a.B$$Lambda.apply",
		"sbt.IO$.pathSplit":                "sbt.IO.pathSplit",
		"a.B.compileJava$1":                "a.B.compileJava",
		"a.B.$anonfun$compile$1$adapted":   "a.B.compile",
		"a.B$$anonfun$doCompile$1.apply":   "a.B.doCompile",
		"a.B.<init>":                       "a.B.<init>",
		"a.B$C.<clinit>":                   "a.B.C.<clinit>",
	} {
		if got := javaName(name); got != want {
			t.Errorf("javaName(%q) = %q, want %q", name, got, want)
		}
	}
}

// The names are from reports of ktlint, detekt and okhttp.
func TestKotlinName(t *testing.T) {
	for name, want := range map[string]string{
		"a.RuleExecutionContext$executeRuleOnNodeRecursively$2$1.invoke": "a.RuleExecutionContext.executeRuleOnNodeRecursively",
		"a.Detektor$run$1$$special$$inlined$map$lambda$1.invoke":         "a.Detektor.run",
		"a.MainKt$main$1.invokeSuspend":                                  "a.MainKt.main",
		"a.Outer$Inner$load$1.invoke":                                    "a.Outer$Inner.load",
		"a.Outer$Inner$1.invoke":                                         "a.Outer$Inner$1.invoke",
		"a.Outer$load$1.run":                                             "a.Outer$load$1.run",
		"a.SuppressHandler.handle-dhiVX_g":                               "a.SuppressHandler.handle",
		"a.RealCall.initExchange$okhttp":                                 "a.RealCall.initExchange",
		"a.RealCall.callDone$okhttp_release":                             "a.RealCall.callDone",
		"a.B.load$default":                                               "a.B.load",
		"a.B.load$lambda-3$lambda-2":                                     "a.B.load",
		"a.B.access$analyze":                                             "a.B.access$analyze",
		"a.B.<init>":                                                     "a.B.<init>",
	} {
		if got := kotlinName(name); got != want {
			t.Errorf("kotlinName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestDotnetName(t *testing.T) {
	for name, want := range map[string]string{
		"N.C.M":                            "N.C.M",
		"N.C`1.M[T]":                       "N.C.M",
		"N.C..ctor":                        "N.C..ctor",
		"N.C.<M>d__5.MoveNext":             "N.C.M",
		"N.C+<M>d__5`1.MoveNext":           "N.C.M",
		"N.C.<>c.<M>b__0_1":                "N.C.M",
		"N.C.<M>b__0":                      "N.C.M",
		"N.C.<M>g__Local|3_0":              "N.C.Local",
		"N.Outer+Inner.M":                  "N.Outer.Inner.M",
		"N.C.<>c__DisplayClass3_0.<M>b__0": "N.C.M",
	} {
		if got := dotnetName(name); got != want {
			t.Errorf("dotnetName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestOtherNames(t *testing.T) {
	for name, want := range map[string]string{
		"Object.main [as run]": "Object.main",
		"async Foo.bar":        "Foo.bar",
		"new Foo":              "Foo",
		"<anonymous>":          "",
	} {
		if got := jsName(name); got != want {
			t.Errorf("jsName(%q) = %q, want %q", name, got, want)
		}
	}
	for call, want := range map[string]string{
		"fn()":                       "fn",
		"A\\B->c('x', Array)":        "A\\B->c",
		"A::{closure}(1)":            "A::{closure}",
		"{closure:A\\B::c():12}('')": "{closure:A\\B::c():12}",
		"{main}":                     "{main}",
	} {
		if got := phpName(call); got != want {
			t.Errorf("phpName(%q) = %q, want %q", call, got, want)
		}
	}
}
