package source

import (
	"bytes"
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
