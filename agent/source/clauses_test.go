package source

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// The functions of languages without braces, in the shapes of highlander.ex, grizzly's sync_connection.ex,
// Eefgilm's gemfile.rb and gproc_dist.erl, whose crash reports were read.
func TestFunctionsWithoutBraces(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, text string
		want       map[int]Extent // by a line
	}{
		{
			"lib/a.ex", `defmodule A do
  @impl true
  def handle_info(
        {:EXIT, _pid, reason},
        state
      ) do
    if reason == :normal do
      {:noreply, state}
    end
  end

  def terminate(_, _), do: nil

  defp name(id),
    do: {A, id}

  @timeout 5
end
`, map[int]Extent{2: {}, 3: {3, 6, 10}, 8: {3, 6, 10}, 10: {3, 6, 10}, 11: {}, 12: {12, 12, 12}, 15: {14, 15, 15}, 17: {}},
		},
		{
			"lib/b.rb", `module B
  class C
    def self.read(path,
                  options)
      File.open(path) do |file|
        file.each { |line| puts line }
      end
    rescue IOError
      nil
    end

    private def size
      1
    end

    attr_reader :x
  end
end
`, map[int]Extent{2: {}, 6: {3, 4, 10}, 9: {3, 4, 10}, 11: {}, 13: {12, 12, 14}, 16: {}},
		},
		{
			"src/c.erl", `-module(c).
%% @doc Removes an entry.
-spec remove(term()) -> ok.
remove({K, P}) ->
    case lists:member(K, P) of % not found.
        true -> ok;
        false -> c:other()
    end;
remove(_) ->
    ok.

other() -> ok.
`, map[int]Extent{1: {}, 3: {}, 5: {4, 4, 10}, 9: {4, 4, 10}, 11: {}, 12: {12, 12, 12}},
		},
		{
			"src/d.erl", `one(N) ->
    io:format("\"~p % of 100", [N]).
two($%) -> $\"; % no string.
two('a % b') -> ok.
`, map[int]Extent{1: {1, 1, 2}, 2: {1, 1, 2}, 3: {3, 3, 4}, 4: {3, 3, 4}},
		},
	} {
		lines := bytes.Split([]byte(test.text), []byte("\n"))
		for line, want := range test.want {
			if got, ok := FunctionAround(test.path, lines, line); got != want || ok != (want != Extent{}) {
				t.Errorf("%s:%d: %v %v, want %v", test.path, line, got, ok, want)
			}
		}
	}
}

// The names of the functions of a file without braces, as headings of Rails, Elixir's Plug and ejabberd write them.
func TestListedWithoutBraces(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, text, want string }{
		{
			"lib/active_support/time_with_zone.rb",
			"module A\n  class Zone\n    def self.at(t)\n      new(t)\n    end\n\n    def utc? = @utc\n    def method_missing(...)\n      wrap super\n    rescue => e\n" +
				"      raise e\n    end\n\n    def <=>(other)\n      utc <=> other\n    end\n\n    def []=(k, v) @h[k] = v end\n    def year=(y)\n      @y = y\n    end\n" +
				"    def usage\n      $stderr.puts <<-eos\nUsage:\n  end\n      eos\n    end\n" +
				"    private def encode_with(coder) # :nodoc:\n      coder.map = { \"utc\" => utc }\n    end\n  end\nend\n",
			"at 3-5, utc? 7-7, method_missing 8-12, <=> 14-16, []= 18-18, year= 19-21, usage 22-27, encode_with 28-30",
		},
		{"lib/cut.rb", "def usage\n  <<-EOS\nEOS", "usage 1-2"},
		{
			"lib/plug/conn.ex",
			"defmodule Plug.Conn do\n  def halt(%Conn{} = conn) do\n    conn\n  end\n\n  defp valid?(x) when is_list(x), do: true\n  defmacro assign!(a) do\n    a\n  end\nend\n",
			"halt 2-4, valid? 6-6, assign! 7-9",
		},
		{
			"src/ejabberd_c2s.erl",
			"-module(c).\n-spec open(a()) -> b().\nopen(#{ip := IP}) ->\n    IP;\nopen(_) ->\n    none.\n\n'terminate now'(R) -> R.\n",
			"open 3-6, terminate now 8-8",
		},
	} {
		var got []string
		for _, f := range Functions(test.path, bytes.Split([]byte(test.text), []byte("\n"))) {
			got = append(got, fmt.Sprintf("%s %d-%d", f.Name, f.Start, f.End))
		}
		if joined := strings.Join(got, ", "); joined != test.want {
			t.Errorf("%s: %s, want %s", test.path, joined, test.want)
		}
	}
}
