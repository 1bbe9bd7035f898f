"""Python imports this module at the start of each process of a test command, because its
directory comes first on PYTHONPATH. It notes which lines of the tree run, for each test of
pytest and unittest, in a file of the directory GIT_AGENT_COVERAGE. Each line of the file
is one test: {"name": S, "ok": B, "lines": {FILE: [N, ...]}}. The name is "" for what ran
outside of tests. The module runs under every Python from 2.7.
"""
import atexit
import json
import os
import sys
import threading

MAX_BYTES = 48 << 20


class Recorder(object):
    """Recorder keeps the lines that the current test executes."""

    def __init__(self, directory, root):
        self.directory = directory
        self.root = os.path.realpath(root) + os.sep
        self.names = {}  # absolute names by co_filename; None for files that do not count
        self.outside = {}  # lines that run outside of tests, by co_filename
        self.lines = self.outside
        self.test = None  # name of the current test
        self.ok = True
        self.written = 0
        self.given_up = False

    def name_of(self, filename):
        """name_of returns the absolute name of a code object's file if it counts."""
        try:
            return self.names[filename]
        except KeyError:
            pass
        name = os.path.realpath(filename)
        outside = not name.startswith(self.root) or os.sep + 'site-packages' + os.sep in name
        if outside or filename[:1] == '<':
            name = None
        self.names[filename] = name
        return name

    def add(self, filename, line):
        try:
            self.lines[filename].add(line)
        except KeyError:
            self.lines[filename] = {line}

    def begin(self, test):
        """begin starts a test. It reports False inside of another one."""
        if self.test is not None:
            return False
        self.test, self.ok, self.lines = test, True, {}
        start()
        return True

    def end(self, ok):
        """end writes the current test; ok is None for a test that was skipped."""
        lines, test = self.lines, self.test
        self.test, self.lines = None, self.outside
        if ok is not None:
            self.write(test, ok, lines)

    def write(self, test, ok, lines):
        if self.given_up:
            return
        files = {}
        for filename, numbers in lines.items():
            files.setdefault(self.name_of(filename), set()).update(numbers)
        self.append({'name': test, 'ok': ok, 'lines': dict((f, sorted(n)) for f, n in files.items())})

    def append(self, record):
        text = json.dumps(record) + '\n'
        self.written += len(text)
        if self.written > MAX_BYTES:
            return
        name = os.path.join(self.directory, 'python-%d.jsonl' % os.getpid())
        with open(name, 'a') as out:
            out.write(text)

    def give_up(self):
        """give_up ends the records of the process and says so."""
        if not self.given_up:
            self.given_up = True
            self.append({'name': '', 'ok': True, 'lines': {}, 'gave_up': True})

    def close(self):
        if not hasattr(sys, 'monitoring'):
            sys.settrace(None)
        if self.test is not None:
            self.end(False)
        if self.outside:
            self.write('', True, self.outside)


def start_monitoring():
    """start_monitoring uses sys.monitoring, which exists since Python 3.12."""
    mon = sys.monitoring
    tool = None
    for number in (mon.COVERAGE_ID, 3, 4):
        if mon.get_tool(number) is None:
            tool = number
            break
    if tool is None:
        return None
    mon.use_tool_id(tool, 'git-agent')

    def on_start(code, offset):
        if recorder.name_of(code.co_filename):
            mon.set_local_events(tool, code, mon.events.LINE)
        return mon.DISABLE

    def on_line(code, line):
        recorder.add(code.co_filename, line)
        return mon.DISABLE

    mon.register_callback(tool, mon.events.PY_START, on_start)
    mon.register_callback(tool, mon.events.LINE, on_line)
    mon.set_events(tool, mon.events.PY_START)
    return mon.restart_events


def start_tracing(seconds):
    """start_tracing uses sys.settrace. After some seconds of processor time, 0 for no limit, it gives up,
    because tests run several times longer with it."""
    events = [0]

    def over():
        events[0] += 1
        if seconds and events[0] % 4096 == 0 and sum(os.times()[:2]) > seconds:
            recorder.give_up()
            threading.settrace(None)
        if recorder.given_up:
            sys.settrace(None)
        return recorder.given_up

    def on_line(frame, event, arg):
        if event == 'line' and not over():
            recorder.add(frame.f_code.co_filename, frame.f_lineno)
        return on_line

    def on_call(frame, event, arg):
        if not over() and recorder.name_of(frame.f_code.co_filename):
            return on_line
        return None

    def again():
        if sys.gettrace() is not on_call and not recorder.given_up:
            sys.settrace(on_call)
            threading.settrace(on_call)

    again()
    return again


def watch_unittest():
    """watch_unittest wraps the method that runs a test of unittest."""
    import unittest

    run = unittest.TestCase.run

    def watched(self, result=None):
        failures = getattr(result, 'failures', None)
        errors = getattr(result, 'errors', None)
        if not isinstance(failures, list) or not isinstance(errors, list) or not recorder.begin(self.id()):
            return run(self, result)
        bad = len(failures) + len(errors)
        skipped = len(getattr(result, 'skipped', []))
        ok = False
        try:
            answer = run(self, result)
            ok = len(failures) + len(errors) == bad
            if ok and len(getattr(result, 'skipped', [])) > skipped:
                ok = None
            return answer
        finally:
            recorder.end(ok)

    unittest.TestCase.run = watched


def import_hidden():
    """import_hidden runs the sitecustomize module that this one hides."""
    here = os.path.dirname(os.path.realpath(__file__))
    for entry in sys.path:
        name = os.path.join(entry, 'sitecustomize.py')
        if os.path.realpath(entry or '.') != here and os.path.isfile(name):
            with open(name) as source:
                exec(compile(source.read(), name, 'exec'), {'__name__': 'sitecustomize', '__file__': name})
            return


recorder = None
start = None  # makes all lines of a new test count
if os.environ.get('GIT_AGENT_COVERAGE') and os.environ.get('GIT_AGENT_TREE'):
    recorder = Recorder(os.environ['GIT_AGENT_COVERAGE'], os.environ['GIT_AGENT_TREE'])
    watch_unittest()
    if hasattr(sys, 'monitoring'):
        start = start_monitoring()
    if start is None:
        start = start_tracing(float(os.environ.get('GIT_AGENT_COVERAGE_SECONDS') or 0))
    atexit.register(recorder.close)
try:
    import_hidden()
except Exception:
    pass  # as Python does with a sitecustomize that fails
