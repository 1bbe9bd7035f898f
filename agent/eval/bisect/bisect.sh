# The caller sets BISECT, BAD and GOOD. Nobody's configuration or hooks take part.
export BISECT
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_CONFIG_COUNT=4
export GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
export GIT_CONFIG_KEY_1=core.hooksPath GIT_CONFIG_VALUE_1=/dev/null
export GIT_CONFIG_KEY_2=gc.auto GIT_CONFIG_VALUE_2=0
export GIT_CONFIG_KEY_3=advice.detachedHead GIT_CONFIG_VALUE_3=false
git reset -q --hard &&
git bisect start "$BAD" "$GOOD" &&
git bisect run sh "$BISECT/step"
code=$?
git bisect log >"$BISECT/log"
exit $code
