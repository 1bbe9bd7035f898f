// Package lsptest is a language server for tests. A test binary becomes the server when
// it is started with [Mark] as its first argument.
package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Mark is the first argument of a test binary that is to be a server. The second is
// what it answers to a question for a definition: JSON, in which ROOT is replaced by
// the address of the folder, or one of the words below.
const Mark = "language-server"

// What a server does instead of an answer.
const (
	Silent  = "silent"  // it reads nothing and says nothing
	Dies    = "dies"    // it ends when it is asked
	Endless = "endless" // it sends a header that never ends
	Huge    = "huge"    // it announces a message of a terabyte
	Garbage = "garbage" // it sends what is no JSON
	Asks    = "asks"    // it asks for its configuration first, then answers null
)

// Serve does not return in a process that was started as a server.
func Serve() {
	if len(os.Args) != 3 || os.Args[1] != Mark {
		return
	}
	if os.Args[2] == Silent {
		time.Sleep(time.Hour) // "select {}" would end a process without C as a deadlock
	}
	in := bufio.NewReader(os.Stdin)
	root := ""
	for {
		method, id, params, err := read(in)
		if err != nil {
			os.Exit(0)
		}
		switch method {
		case "initialize":
			root = params.RootURI
			send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{"definitionProvider":true}}}`, id))
		case "textDocument/definition":
			answer(id, strings.ReplaceAll(os.Args[2], "ROOT", root))
		case "exit":
			os.Exit(0)
		default:
			if id != "" {
				send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":null}`, id))
			}
		}
	}
}

type params struct {
	RootURI string `json:"rootUri"`
}

// read reads a message.
func read(in *bufio.Reader) (method, id string, p params, err error) {
	size := 0
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", "", p, err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			size, _ = strconv.Atoi(n)
		}
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(in, body); err != nil {
		return "", "", p, err
	}
	var m struct {
		Method string
		ID     json.RawMessage
		Params params
	}
	err = json.Unmarshal(body, &m)
	return m.Method, string(m.ID), m.Params, err
}

func send(text string) { fmt.Printf("Content-Length: %d\r\n\r\n%s", len(text), text) }

func answer(id, what string) {
	switch what {
	case Dies:
		fmt.Fprintln(os.Stderr, "the end of this server")
		os.Exit(3)
	case Endless:
		for {
			fmt.Print(strings.Repeat("X", 4096))
		}
	case Huge:
		fmt.Printf("Content-Length: %d\r\n\r\n{", 1<<40)
	case Garbage:
		send("{]")
	case Asks:
		send(`{"jsonrpc":"2.0","id":77,"method":"workspace/configuration","params":{"items":[{},{}]}}`)
		what = "null"
		fallthrough
	default:
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, what))
	}
}
