# git bisect runs this at each commit. It counts the run, lays the files of the case over the
# work tree, builds, tests, and restores the work tree. A signal counts as a failure, since
# git would end; a program that is not there, and a time limit, as a commit that cannot be judged.
echo run >>"$BISECT/count"
while IFS= read -r path; do
	rm -rf "./$path"
	mkdir -p "$(dirname "./$path")" && cp -Pp "$BISECT/laid/$path" "./$path"
done <"$BISECT/laid.list"
while IFS= read -r path; do
	rm -rf "./$path"
done <"$BISECT/gone.list"
limit=
if command -v timeout >/dev/null; then
	limit="timeout $(cat "$BISECT/limit")"
fi
(
	unset GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT
	if [ -s "$BISECT/build" ]; then
		$limit sh "$BISECT/build" || exit 125
	fi
	$limit sh "$BISECT/test"
)
code=$?
while IFS= read -r path; do
	rm -rf "./$path"
done <"$BISECT/laid.list"
git checkout -qf .
case $code in
124 | 126 | 127 | 137) exit 125 ;;
esac
if [ $code -gt 127 ]; then
	exit 1
fi
exit $code
