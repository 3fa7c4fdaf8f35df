"""Tries the page as a file and as a service shows it, and the service as it is described; names of tests, such as
`served.OfAService.test_x`, choose some.
"""

import sys
import unittest

names = sys.argv[1:] or ["page", "served", "described"]
result = unittest.main(module=None, argv=["browser", *names], exit=False, verbosity=2).result
failed = len(result.failures) + len(result.errors)
print(f"browser: {result.testsRun - failed} passed, {failed} failed")
sys.exit(failed > 0)
