"""Tabs of a headless Chromium, for tests. Nothing may be said in its console, and no request leave the page."""

import os
import unittest
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[2]
WORK = ROOT / "target" / "browser"
RUNVET = ROOT / "target" / "debug" / "runvet"
# The service is not optimized, and shares its processors with other tests.
expect.set_options(timeout=20_000)
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 360, "height": 740}


class InTheBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def setUp(self):
        self.said, self.asked = [], []

    def tearDown(self):
        self.assertEqual(self.said, [], "the console is empty")
        self.assertEqual([url for url in self.asked if not url.startswith((self.home, "data:,", "data:image/"))], [])

    def open(self, address, **options):
        """A tab with the page at an address; `home` is what all its requests start with."""
        options = {"viewport": WIDE, "color_scheme": "light"} | options
        context = self.browser.new_context(**options)
        self.addCleanup(context.close)
        tab = context.new_page()
        tab.set_default_timeout(10_000)
        tab.on("console", lambda message: self.said.append(message.text))
        tab.on("pageerror", lambda error: self.said.append(str(error)))
        tab.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        context.on("request", lambda request: self.asked.append(request.url))
        tab.goto(address)
        return tab

    def rows(self, tab):
        return tab.locator("#runs tbody tr")

    def check_accessible(self, tab, what):
        """axe-core finds nothing, on a large screen and on a small one."""
        tab.wait_for_selector(".view:visible")
        for size in (WIDE, NARROW):
            tab.set_viewport_size(size)
            # What the bar at the top covers has no size for axe-core.
            tab.evaluate("() => window.scrollTo(0, 0)")
            self.assertEqual(tab.locator("h1:visible").count(), 1, (what, size, "one title"))
            found = [
                (violation["id"], violation["nodes"][0]["html"][:200], violation["nodes"][0]["target"])
                for violation in Axe().run(tab, options={"rules": {"target-size": {"enabled": True}}}).response["violations"]
            ]
            self.assertEqual(found, [], (what, size))

    def check_not_cut_off(self, tab, what):
        tab.wait_for_selector(".view:visible")
        width = tab.evaluate("() => document.documentElement.scrollWidth")
        self.assertLessEqual(width, NARROW["width"], what)

    def check_compared(self, tab):
        """The edited run beside a valid one: where they differ is marked."""
        expect(tab.locator(".side")).to_have_count(2)
        expect(tab.locator(".side").last.locator(".crumb")).to_have_text("ep_03_edited")
        expect(tab.locator(".side").first.locator(".badges")).to_contain_text("valid")
        expect(tab.locator(".side").last.locator("tr.is-unlike")).to_contain_text("step-2")
        expect(tab.locator(".side").last.locator(".figures .is-unlike", has_text="task_score")).to_have_count(1)

    def check_walked_by_keys(self, tab):
        """The list of invalid runs, a run, its neighbours and its findings, and back, with no mouse."""
        address = tab.url
        tab.keyboard.press("j")
        tab.keyboard.press("j")
        second = self.rows(tab).nth(1).locator(".id")
        expect(second).to_be_focused()
        name = second.inner_text()
        tab.keyboard.press("Enter")
        expect(tab.locator("#run .crumb code")).to_have_text(name)
        tab.keyboard.press("]")
        expect(tab.locator("#run .crumb code")).not_to_have_text(name)
        tab.keyboard.press("[")
        expect(tab.locator("#run .crumb code")).to_have_text(name)
        # The head of a run is known before its findings.
        expect(tab.locator(".finding").first).to_be_visible()
        tab.keyboard.press("f")
        expect(tab.locator(".finding.is-target")).to_have_count(1)
        tab.keyboard.press("?")
        expect(tab.locator("#keys")).to_be_visible()
        tab.keyboard.press("Escape")
        expect(tab.locator("#keys")).to_be_hidden()
        tab.keyboard.press("Escape")
        expect(tab).to_have_url(address)
        tab.keyboard.press("o")
        expect(tab.locator("#overview")).to_be_visible()
        tab.keyboard.press("/")
        expect(tab.locator("#runs [name=q]")).to_be_focused()

    def check_inert(self, tab):
        """Nothing of a hostile record became markup, and nothing ran."""
        self.assertIsNone(tab.evaluate("() => window.hacked ?? null"))
        strangers = "() => document.querySelectorAll('main img, main script:not(#rows), main [onload]').length"
        self.assertEqual(tab.evaluate(strangers), 0)

    def take_picture(self, tab, name):
        directory = ROOT / "docs" / "images" if os.environ.get("BLESS") else WORK / "images"
        directory.mkdir(exist_ok=True)
        tab.wait_for_selector(".view:visible")
        tab.wait_for_timeout(300)
        path = directory / f"{name}.png"
        tab.screenshot(path=path)
        Image.open(path).convert("RGB").quantize(160, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
        self.assertLess(path.stat().st_size, 100_000, name)
