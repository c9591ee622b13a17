import os
import signal
import threading
import unittest

from zz.interrupts import held_back


def setUpModule():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the job of a shell in the background ignores it


def press():
    signal.raise_signal(signal.SIGINT)


class HeldBack(unittest.TestCase):
    def test_control_c_is_raised_at_the_end(self):
        steps = []
        with self.assertRaises(KeyboardInterrupt):
            with held_back():
                press()
                steps.append("within")
            steps.append("after")
        self.assertEqual(steps, ["within"])
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_blocks_within_each_other(self):
        steps = []
        with self.assertRaises(KeyboardInterrupt):
            with held_back():
                with held_back():
                    press()
                steps.append("between")
        self.assertEqual(steps, ["between"])

    def test_a_second_one_is_raised_at_once(self):
        steps = []
        with self.assertRaises(KeyboardInterrupt):
            with held_back():
                press()
                steps.append("first")
                press()
                steps.append("second")
        self.assertEqual(steps, ["first"])

    def test_an_error_of_the_block_stays_known(self):
        with self.assertRaises(KeyboardInterrupt) as caught:
            with held_back():
                press()
                raise ValueError("of the block")
        self.assertIsInstance(caught.exception.__context__, ValueError)

    def test_who_handles_the_signal_goes_on_to_do_so(self):
        came = []
        before = signal.signal(signal.SIGINT, lambda *arguments: came.append(arguments))
        try:
            with held_back():
                press()
                self.assertEqual(came, [])
            self.assertEqual(len(came), 1)
        finally:
            signal.signal(signal.SIGINT, before)

    def test_forks_have_it_as_ever(self):
        with held_back():
            child = os.fork()
            if child == 0:
                try:
                    press()
                    os._exit(1)
                except KeyboardInterrupt:
                    os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_other_threads(self):
        def block():
            with held_back():
                done.append(signal.getsignal(signal.SIGINT))

        done = []
        thread = threading.Thread(target=block)
        thread.start()
        thread.join()
        self.assertEqual(done, [signal.default_int_handler])


if __name__ == "__main__":
    unittest.main()
