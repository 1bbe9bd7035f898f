package format

import "testing"

func TestFunctionName(t *testing.T) {
	for symbol, want := range map[string]string{
		"":                              "",
		"??":                            "",
		"n/a":                           "",
		"main":                          "main",
		"if_up (ifp=ifp@entry=0x5618)":  "if_up",
		"free_entry.part.0":             "free_entry",
		"sort_symbols+0x54":             "sort_symbols",
		"_ZN3foo3barEi":                 "foo::bar",
		"ns::C::m(int, char*) const":    "ns::C::m",
		"std::vector<int>::at":          "std::vector::at",
		"void run<int>(int)":            "run",
		"(anonymous namespace)::f(int)": "(anonymous namespace)::f",
		"operator new(unsigned long)":   "operator new",
		"std::condition_variable::wait(std::unique_lock<std::mutex>&) ()":       "std::condition_variable::wait",
		"f()::{lambda()#1}::operator()() const (__closure=0x5605)":              "f()::{lambda()#1}::operator()",
		"std::__invoke<void, main()::<lambda(int)>>(struct {...} &&) (__f=...)": "std::__invoke",
		"<signal handler called>":                             "<signal handler called>",
		"diss::run::h1b9280e7d3a5c6f1":                        "diss::run",
		"std::rt::lang_start::{{closure}}::hafdf63dac67eab43": "std::rt::lang_start",
		"a::b::{closure#0}::{closure#1}":                      "a::b",
		"<T as core::fmt::Display>::fmt":                      "<T as core::fmt::Display>::fmt",
	} {
		if got := functionName(symbol); got != want {
			t.Errorf("functionName(%q) = %q, want %q", symbol, got, want)
		}
	}
}
