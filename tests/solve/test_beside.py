"""A thread that works beside: asked for, stopped, or failing."""

import time

import pytest

from diva.solve.beside import Beside


def until_stopped(stop):
    while not stop():
        time.sleep(0.001)
    return "stopped"


def test_it_is_asked_for_at_the_end():
    with Beside(lambda _stop: 7) as beside:
        assert beside.result() == 7


def test_leaving_ends_the_work():
    with pytest.raises(ZeroDivisionError), Beside(until_stopped) as beside:
        raise ZeroDivisionError
    assert beside.result() == "stopped"


def test_another_reason_to_stop():
    with Beside(until_stopped, lambda: True) as beside:
        assert beside.result() == "stopped"


def test_its_errors_are_raised_where_it_is_asked_for():
    with Beside(lambda _stop: 1 / 0) as beside, pytest.raises(ZeroDivisionError):
        beside.result()


def test_without_another_thread_it_begins_when_it_is_asked_for():
    began = []
    with Beside(lambda _stop: began.append(1) or 7, at_once=False) as beside:
        assert not began
        assert beside.result() == beside.result() == 7
    assert began == [1]


def test_without_another_thread_it_may_never_begin():
    began = []
    with Beside(began.append, at_once=False):
        pass
    assert not began
