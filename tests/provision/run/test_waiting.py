"""What is told while something goes on for minutes."""

import threading

from npudoctor.provision.run.waiting import Waiting


def test_it_is_told_at_once_and_again_until_the_end():
    told, enough = [], threading.Event()

    def tell(seconds):
        told.append(seconds)
        if len(told) == 3:
            enough.set()

    with Waiting(tell, every=0.01):
        assert enough.wait(5)
    number = len(told)
    assert told[0] == 0
    enough.wait(0.05)
    assert len(told) == number
