"""Python imports this module at the start of the processes of a test command, because its
directory comes first on PYTHONPATH. In the process that runs the tests, it tries many variants
of the tree's files: for each one it writes the file, forks, and lets the new process go on
with the tests. The interpreter and the installed packages are loaded only once. Variant 0 is
the tree without a change; it tells which installed modules the tests import.

The module writes to standard output what each variant prints, between lines that begin with
GIT_AGENT_MARK. It runs under every Python from 3.6.
"""
import atexit
import os
import re
import signal
import sys
import time

TAINTED = 77  # exit code of a process that loaded modules of the tree


def words():
    """words returns the command line of this process."""
    try:
        with open('/proc/self/cmdline', 'rb') as text:
            return text.read().decode('utf-8', 'replace').split('\0')
    except OSError:
        return list(getattr(sys, 'orig_argv', []))


def rewritten(module):
    """rewritten reports whether pytest rewrote the assertions of a module when it was imported."""
    return type(getattr(module, '__loader__', None)).__name__ == 'AssertionRewritingHook'


class Forker(object):
    """Forker runs the variants of one process."""

    def __init__(self, env):
        self.directory = env['GIT_AGENT_FORK']
        self.tree = os.path.realpath(env['GIT_AGENT_TREE']) + os.sep
        self.mark = env['GIT_AGENT_MARK']
        self.limit = float(env['GIT_AGENT_LIMIT'])
        self.time = float(env['GIT_AGENT_TIME'])
        self.longest = float(env['GIT_AGENT_MOST'])
        self.begun = float(env['GIT_AGENT_BEGUN'])
        self.most = int(env['GIT_AGENT_BYTES'])
        self.variants = env['GIT_AGENT_VARIANTS'].split()
        self.modules = os.path.join(self.directory, 'modules-%d' % os.getpid())

    def in_tree(self, module):
        name = getattr(module, '__file__', None)
        return bool(name) and os.path.realpath(name).startswith(self.tree)

    def note_modules(self):
        """note_modules writes the names of the imported modules that are not in the tree. It
        leaves out those that pytest rewrites, such as plugins: pytest warns of one that is
        imported before, and ends if warnings are errors."""
        modules = list(sys.modules.items())
        out = {'__main__', 'sitecustomize', 'usercustomize'}
        out.update(n.split('.')[0] for n, m in modules if rewritten(m))
        names = [n for n, m in modules if n.split('.')[0] not in out and m is not None and not self.in_tree(m)]
        with open(self.modules, 'w') as text:
            text.write('\n'.join(names))

    def load(self):
        """load imports the modules that variant 0 imported. It reports False if that loads
        modules of the tree, which differ between variants, or starts threads."""
        try:
            with open(self.modules) as text:
                names = text.read().split('\n')
        except OSError:
            return True
        for name in names:
            try:
                if name not in sys.modules:
                    __import__(name)
            except BaseException:
                pass
        threading = sys.modules.get('threading')
        quiet = threading is None or threading.active_count() == 1
        return quiet and not any(self.in_tree(m) for m in list(sys.modules.values()))

    def run(self):
        """run returns in the processes that go on with the tests, and nowhere else."""
        first, rest = self.variants[0], self.variants[1:]
        start = time.time()
        if self.variant(first, noting=True):
            return
        self.limit = max(self.limit, 2 * (time.time() - start))  # of a busy machine
        warm = os.fork()
        if warm == 0:
            if not self.load():
                os._exit(TAINTED)
            self.rest(rest)
            return
        if os.WEXITSTATUS(os.waitpid(warm, 0)[1]) == TAINTED and self.rest(rest):
            return
        os._exit(1)

    def rest(self, variants):
        """rest tries variants until the time is up, which is longer where the start took long.
        It returns True in the processes that go on with the tests."""
        now = time.time()
        until = now + max(self.time, min(now - self.begun, self.longest))
        for v in variants:
            if v != '0' and time.time() > until:
                continue
            if self.variant(v):
                return True
        os._exit(1)

    def variant(self, v, noting=False):
        """variant runs the tests with one variant. It returns True in the new process."""
        target = original = None
        if v != '0':
            with open(os.path.join(self.directory, v + '.path')) as text:
                target = self.tree + text.read()
            with open(target, 'rb') as text:
                original = text.read()
            with open(os.path.join(self.directory, v + '.text'), 'rb') as text:
                self.write(target, text.read())
        output = os.path.join(self.directory, 'output-%d' % os.getpid())
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            to = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.dup2(to, 1)
            os.dup2(to, 2)
            if noting:
                atexit.register(self.note_modules)
            return True
        code = self.wait(pid, 5 * self.limit if noting else self.limit)
        if target:
            self.write(target, original)
        self.report(v, code, output)
        return False

    def write(self, name, content):
        with open(name, 'wb') as out:
            out.write(content)

    def wait(self, pid, limit):
        """wait returns the exit code of a process, 124 for one that ran too long."""
        end, pause = time.time() + limit, 0.001
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                self.kill(pid)
                return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
            if time.time() > end:
                self.kill(pid)
                os.waitpid(pid, 0)
                return 124
            time.sleep(pause)
            pause = min(2 * pause, 0.02)

    def kill(self, group):
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass

    def report(self, v, code, output):
        try:
            with open(output, 'rb') as text:
                said = text.read()
        except OSError:
            said = b''
        if len(said) > self.most:
            said = said[:self.most // 2] + b'\n[output left out]\n' + said[-(self.most // 2):]
        head = '\n%s begin %s %d\n' % (self.mark, v, code)
        record = head.encode() + said + ('\n%s end\n' % self.mark).encode()
        while record:
            record = record[os.write(1, record):]


def import_hidden():
    """import_hidden runs the sitecustomize module that this one hides."""
    here = os.path.dirname(os.path.realpath(__file__))
    for entry in sys.path:
        name = os.path.join(entry, 'sitecustomize.py')
        if os.path.realpath(entry or '.') != here and os.path.isfile(name):
            with open(name) as source:
                exec(compile(source.read(), name, 'exec'), {'__name__': 'sitecustomize', '__file__': name})
            return


tests = re.compile(r'pytest|py\.test|unittest|manage\.py|runtests|nose|test[\w.-]*\.py')
if os.environ.get('GIT_AGENT_FORK') and any(tests.search(w) for w in words()):
    forker = Forker(os.environ)
    del os.environ['GIT_AGENT_FORK']
    forker.run()
try:
    import_hidden()
except Exception:
    pass  # as Python does with a sitecustomize that fails
