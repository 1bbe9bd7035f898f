package testcmd

import "testing"

// The kept parts of a test command in a compiling command cannot start a program.
func TestCompileOnly(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"go test ./...": "go test -exec=true -run='^$' ./...",
		"go test":       "go test -exec=true -run='^$'",
		"go test -race -count=1 -run TestX . ./b":        "go test -exec=true -run='^$' -race . ./b",
		"go test -tags a,b -v ./b -args x":               "go test -exec=true -run='^$' -tags=a,b ./b",
		"cd sub && CGO_ENABLED=0 go test -mod=mod ./...": "cd sub && CGO_ENABLED=0 go test -exec=true -run='^$' -mod=mod ./...",
		"GOFLAGS=-toolexec=./evil go test -exec ./evil -toolexec=./evil -ldflags=-extld=./evil -vettool=./evil -vet=off .": "go test -exec=true -run='^$' -vet=off .",
		`GOFLAGS=-mod=mod GOTOOLCHAIN=local go test -run "^(TestA|TestB)$" ./b`:                                            "GOFLAGS=-mod=mod GOTOOLCHAIN=local go test -exec=true -run='^$' ./b",
		"go test -run ^TestA$ ./b":                    "go test -exec=true -run='^$' ./b",
		"go test -run \"$(./evil)\" ./b":              "",
		"go test -run \"`./evil`\" ./b":               "",
		"go test -run \"$X\" ./b":                     "",
		"GOTOOLCHAIN=go1.9+path go test .":            "go test -exec=true -run='^$' .",
		"GOFLAGS='-mod=mod -toolexec=./evil' go test": "go test -exec=true -run='^$'",
		"PATH=.:$PATH go test .":                      "",
		"PATH=. go test .":                            "go test -exec=true -run='^$' .",
		"./go test .":                                 "",
		"env X=1 go test .":                           "",
		"go vet ./...":                                "",
		"go test . && ./evil":                         "",
		"go test '$(./evil)' ./ok":                    "go test -exec=true -run='^$' ./ok",
		"make test":                                   "",
		"go test -tags='a;./evil' ./b":                "go test -exec=true -run='^$' ./b",
	} {
		got, ok := CompileOnly(command)
		if got != want || ok != (want != "") {
			t.Errorf("CompileOnly(%q)\n got %q, %v\nwant %q", command, got, ok, want)
		}
	}
}
