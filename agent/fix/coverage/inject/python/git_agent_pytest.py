"""This plugin of pytest tells the recorder of sitecustomize.py when a test begins and how it
ends. If GIT_AGENT_NEAR names a file, pytest collects the whole files of the tests that its
arguments select, and runs only the tests that stand near those. The file has the most
tests to run, and then the names of the tests that fail, each on a line.
"""
import os

import pytest

try:
    from sitecustomize import recorder
except ImportError:
    recorder = None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    begun = recorder is not None and recorder.begin(item.nodeid)
    if begun:
        recorder.skipped = False
    yield
    if begun:
        recorder.end(None if recorder.ok and recorder.skipped else recorder.ok)


def pytest_runtest_logreport(report):
    if recorder is None:
        return
    if report.failed:
        recorder.ok = False
    if report.skipped:
        recorder.skipped = True


def near():
    """near returns the most tests to run and the names of failing ones, or None."""
    name = os.environ.get('GIT_AGENT_NEAR')
    if not name:
        return None
    with open(name) as text:
        lines = text.read().splitlines()
    return int(lines[0]), set(lines[1:])


def pytest_configure(config):
    if near() is None:
        return
    files = []
    for arg in config.args:
        path = str(arg).split('::')[0]
        if path not in files:
            files.append(path)
    config.args = files
    for option, value in (('keyword', ''), ('markexpr', ''), ('maxfail', 0), ('lf', False), ('failedfirst', False)):
        if hasattr(config.option, option):
            setattr(config.option, option, value)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    if near() is None:
        return
    most, failing = near()
    at = [i for i, item in enumerate(items) if item.nodeid in failing] or [0]

    def distance(i):
        other_file = all(items[i].location[0] != items[j].location[0] for j in at)
        return other_file, min(abs(i - j) for j in at)

    order = sorted((i for i in range(len(items)) if items[i].nodeid not in failing), key=distance)
    items[:] = [items[i] for i in sorted(order[:most])]
