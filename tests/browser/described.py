"""Asks `runvet serve` as its descriptions say: by its OpenAPI document, and as programs that monitor it."""

import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as classic

import run_data
from tab import RUNVET, WORK


class AsDescribed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        command = [RUNVET, "serve", run_data.CORPUS / "demo"]
        service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(service.stdout.close)
        cls.addClassCleanup(service.wait)
        cls.addClassCleanup(service.terminate)
        cls.home = service.stdout.readline().strip()
        while not cls.is_ready():
            time.sleep(0.05)

    @classmethod
    def is_ready(cls):
        try:
            return urllib.request.urlopen(f"{cls.home}readyz").status == 200
        except urllib.error.HTTPError:
            return False

    def test_schemathesis_finds_nothing(self):
        here = Path(__file__).parent
        command = [
            Path(sys.executable).parent / "st", "--config-file", here / "schemathesis.toml", "run", "--no-color",
            f"{self.home}api/v1/openapi.json",
        ]
        asked = subprocess.run(command, cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(asked.returncode, 0, asked.stdout)
        self.assertIn("17 selected / 18 total", asked.stdout)

    def test_numbers_are_read_in_both_formats(self):
        known = {}
        for kind, parse in [("application/openmetrics-text", open_metrics), ("text/plain", classic)]:
            request = urllib.request.Request(f"{self.home}metrics", headers={"accept": kind})
            with urllib.request.urlopen(request) as answer:
                self.assertTrue(answer.headers["content-type"].startswith(kind))
                families = list(parse(answer.read().decode()))
            known[kind] = {sample.name for family in families for sample in family.samples}
            for family in families:
                # What `promtool check metrics` asks for besides.
                self.assertTrue(family.documentation and family.samples, family)
                self.assertNotEqual(family.type, "unknown", family)
                names = {sample.name for sample in family.samples}
                self.assertEqual(family.type == "counter", any(name.endswith("_total") for name in names), family)
        self.assertEqual(*known.values())
        self.assertIn("runvet_build_info", known["text/plain"])
