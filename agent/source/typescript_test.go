package source

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

const typeScript = `export function digits({
  format,
  value
}: Scalar<number>): string {
  return String(value)
}

export class Foo<T> extends Bar {
  private arrow = (a: number): string => {
    return String(a)
  }
  get size(): number {
    return 1
  }
  async *iter<U>(
    a: U,
    b?: string
  ): AsyncGenerator<U> {
    yield a
  }
  constructor(private readonly a: string) {
    super()
  }
  static of(a: any): any {
    return new Foo(a)
  }
  #priv(a: string): asserts a is string {
    throw 1
  }
  on(event: string, cb: (a: number) => void): void {
    cb(1)
  }
}

export const parse = <T extends object>(
  input: string,
  opts: { a?: string; b: number } = { b: 1 }
): T | undefined => {
  return undefined
}

const typed: Handler<string> = async (a) => {
  return a
}

export function over(a: string): string
export function over(a: number): number
export function over(a: any): any {
  return a
}

export default async function main(): Promise<{ a: string }> {
  return { a: '' }
}

create({
  name: 'x',
})
`

func TestFunctionsOfTypeScript(t *testing.T) {
	// Parameters may be taken from an object, types may contain arrows and braces, and names may
	// be private. Each line of a body is around its function.
	t.Parallel()
	lines := bytes.Split([]byte(typeScript), []byte("\n"))
	var got []string
	for _, f := range Functions("a.ts", lines) {
		got = append(got, fmt.Sprintf("%s:%d-%d", f.Name, f.Start, f.End))
		if e, ok := FunctionAround("a.ts", lines, f.Body+1); !ok || e.Start != f.Start || e.End != f.End {
			t.Errorf("%s: around its body is %v", f.Name, e)
		}
	}
	const want = "digits:1-6 arrow:9-11 size:12-14 iter:15-20 constructor:21-23 of:24-26 priv:27-29 on:30-32 parse:35-40 typed:42-44 over:46-50 main:52-54"
	if s := strings.Join(got, " "); !strings.HasPrefix(s, want) {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestFunctionsAreNotInDocumentation(t *testing.T) {
	// The code in the documentation of a field is no function, also below a field without a semicolon.
	t.Parallel()
	const file = `export class Context {
  #rawRequest: Request
  #req: HonoRequest | undefined
  /**
   * The bindings of the environment.
   *
   * @example
   * app.get('*', async c => {
   *   const counter = c.env.COUNTER
   * })
   */
  env: object = {}
  #status: number | undefined

  constructor(req: Request) {
    this.#rawRequest = req
  }
}
`
	var got []string
	for _, f := range Functions("context.ts", bytes.Split([]byte(file), []byte("\n"))) {
		got = append(got, fmt.Sprintf("%s:%d-%d", f.Name, f.Start, f.End))
	}
	if s := strings.Join(got, " "); s != "constructor:15-17" {
		t.Errorf("got %s", s)
	}
}
