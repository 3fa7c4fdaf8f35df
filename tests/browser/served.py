"""Tries the page that `runvet serve` shows in a browser, also while runs are written."""

import hashlib
import io
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from PIL import Image
from playwright.sync_api import expect

import run_data
from tab import NARROW, RUNVET, WIDE, WORK, InTheBrowser

DEMO = run_data.CORPUS / "demo" / "episodes"
EDITED = "#/run/served/episodes/ep_03_edited"
FAILED = "#/run/served/episodes/ep_timeout"
LONG = "#/run/served/episodes/ep_long"
TOKEN = "0123456789abcdef"
LIVE = ".tools .badge"

# Many runs are judged by a binary that is not optimized.
PATIENCE = 120_000


def status(address):
    """The status of the answer to a request."""
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


class OfAService(InTheBrowser):
    @classmethod
    def setUpClass(cls):
        run_data.write(WORK / "served", runs=150)
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.home = self.serve(WORK / "served")

    def serve(self, directory, *options, **environment):
        """The address of a service of some run data, which ends with the test."""
        command = [RUNVET, "serve", directory.name, *options]
        service = subprocess.Popen(
            command, cwd=directory.parent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=os.environ | environment)
        self.addCleanup(service.stdout.close)
        self.addCleanup(service.wait)
        self.addCleanup(service.terminate)
        self.service = service
        return service.stdout.readline().strip()

    def serve_empty(self, name):
        """A directory without runs, and the address of its service in `home`."""
        directory = WORK / name
        shutil.rmtree(directory, ignore_errors=True)
        (directory / "episodes").mkdir(parents=True)
        self.home = self.serve(directory)
        return directory / "episodes"

    def serve_with_token(self, name, *options, **environment):
        """The directory of a run whose service needs a token, and the file with the token."""
        episodes = self.serve_empty(name)
        shutil.copytree(DEMO / "ep_01_answer", episodes / "ep_1")
        token = WORK / "token"
        token.write_text(TOKEN)
        self.home = self.serve(episodes.parent, "--token-file", token, *options, **environment)
        return episodes

    def proxy(self):
        """Puts nginx with its defaults in front of the service, below two paths."""
        directory = WORK / "nginx"
        directory.mkdir(exist_ok=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        temporary = "".join(f"{name}_temp_path {directory}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        (directory / "nginx.conf").write_text(f"""
            daemon off; pid {directory}/pid; error_log {directory}/error.log; events {{}}
            http {{ access_log off; {temporary} server {{
              listen 127.0.0.1:{port};
              location /tools/runvet/ {{ proxy_pass {self.home}; }}
              location /doubled {{ proxy_pass {self.home}; }}
            }} }}""")
        nginx = subprocess.Popen(["nginx", "-e", directory / "error.log", "-c", directory / "nginx.conf"])
        self.addCleanup(nginx.wait)
        self.addCleanup(nginx.terminate)
        while True:
            with socket.socket() as tried:
                if not tried.connect_ex(("127.0.0.1", port)):
                    return f"http://127.0.0.1:{port}"
            time.sleep(0.05)

    def give_token(self, tab, token):
        # The browser focuses the field by itself, and complains where somebody was faster.
        expect(tab.get_by_label("Token")).to_be_focused()
        tab.get_by_label("Token").fill(token)
        tab.get_by_role("button", name="Show runs").click()

    def open(self, address="", **options):
        for name in re.findall(r"(?:#/run/|left=|right=)([^?&]+)", address):
            self.wait_until_listed(urllib.parse.unquote(name))
        return self.open_at_once(address, **options)

    def wait_until_listed(self, name):
        """Waits until the service has found a run that was just written: before, it answers 404."""
        asked = f"{self.home}api/v1/run?" + urllib.parse.urlencode({"dir": name})
        latest = time.monotonic() + PATIENCE / 1000
        while status(asked) == 404 and time.monotonic() < latest:
            time.sleep(0.05)

    def open_at_once(self, address, **options):
        tab = super().open(f"{self.home}{address}", **options)
        # What the page shows first is complete when it follows the service.
        expect(tab.locator(LIVE)).to_have_text("live")
        return tab

    def wait_for(self, tab, runs):
        expect(tab.locator(".views .count")).to_have_text(f"{runs:,}", timeout=PATIENCE)

    def whole(self, address="", **options):
        """A tab, after all runs were judged."""
        tab = self.open(address, **options)
        self.wait_for(tab, 158)
        return tab

    def show_new(self, tab):
        tab.get_by_role("button", name="Show 1 new run").click(timeout=PATIENCE)

    def go(self, tab, address):
        tab.evaluate("address => { location.hash = address }", address)

    def test_overview_leads_to_the_runs_behind_each_mark(self):
        tab = self.whole()
        expect(tab.locator(".tile.all b")).to_have_text("158", timeout=PATIENCE)
        for mark in ["svg.chart a", ".bars a", ".latencies td a", ".legend a", ".tile"]:
            links = [link.get_attribute("href") for link in tab.locator(f"#overview {mark}").all()]
            self.assertTrue(links, mark)
            for link in links[:6]:
                self.go(tab, link)
                expect(self.rows(tab).first).to_be_visible()
            self.go(tab, "#/")

    def test_long_event_is_shown_in_whole(self):
        tab = self.whole()
        self.go(tab, "#/run/served/episodes/ep_printing?at=L5")
        event = tab.locator(".event.is-target")
        expect(event.locator("pre")).to_have_count(2)
        event.get_by_role("button", name="Show all").click()
        expect(event.locator("pre")).to_have_count(1)
        expect(event.locator("pre")).to_contain_text("line 9999\n1 failed: NEEDLEOUT")

    def test_filters_are_in_the_address(self):
        tab = self.whole("#/runs")
        said = tab.locator("#runs .list-status")
        expect(said).to_contain_text("100 of 158 runs")
        tab.get_by_label("Validity").select_option("no")
        expect(tab).to_have_url(f"{self.home}#/runs?valid=no")
        expect(said).not_to_contain_text("158")
        tab.get_by_label("Rule").select_option("plan/projection")
        expect(tab).to_have_url(f"{self.home}#/runs?valid=no&rule=plan/projection")
        tab.reload()
        expect(tab.get_by_label("Rule")).to_have_value("plan/projection")
        tab.get_by_role("button", name="Clear").click()
        expect(said).to_contain_text("158 runs")
        tab.get_by_label("From").fill("2026-03-12")
        tab.keyboard.press("Enter")
        expect(said).not_to_contain_text("158")
        tab.get_by_role("button", name="Clear").click()
        tab.get_by_role("button", name="run", exact=True).click()
        expect(tab.locator("th[aria-sort]")).to_have_text("run ↓")
        first = self.rows(tab).first.locator(".id")
        expect(first).to_have_text("ep_timeout")
        tab.get_by_role("button", name="Next").click()
        expect(self.rows(tab)).to_have_count(58)
        tab.go_back()
        expect(first).to_have_text("ep_timeout")

    def test_runs_are_filtered_and_sorted_by_a_metric(self):
        tab = self.whole("#/runs?metric=task_score..0.9..&sort=metric:task_score")
        scores = tab.locator("#runs tbody td:nth-child(6)")
        expect(scores.first).to_have_text("0.95")
        expect(tab.locator("th[aria-sort]")).to_have_text("task_score \u2191")
        self.assertEqual(set(scores.all_inner_texts()), {"0.95"})
        names = tab.locator("#offered-metric option").evaluate_all("options => options.map(option => option.value)")
        self.assertIn("task_score", names)

    def test_search_does_not_lead_back_from_another_view(self):
        tab = self.whole("#/runs")
        search = tab.locator("#runs [name=q]")
        search.fill("ep_tim")
        expect(self.rows(tab)).to_have_count(1)
        search.fill("ep_timeout")
        tab.locator(".views a", has_text="Overview").click()
        tab.wait_for_timeout(400)
        expect(tab.locator("#overview")).to_be_visible()
        tab.go_back()
        tab.go_back()
        expect(self.rows(tab)).to_have_count(100)

    def test_finding_leads_to_its_places_and_its_rule(self):
        tab = self.whole("#/runs?q=ep_03")
        self.rows(tab).first.click()
        expect(tab.locator("#run h1")).to_have_text("Summarize the open tickets")
        finding = tab.locator(".finding", has_text="plan/projection").first
        rule = finding.get_by_role("link", name="plan/projection")
        rule.click()
        expect(finding.locator(".rule-page")).to_contain_text("Why it matters")
        finding.get_by_role("link", name="state.json").click()
        expect(tab.locator(".tree .is-target")).to_be_in_viewport()
        tab.go_back()
        finding.get_by_role("link", name="events.jsonl:6").click()
        value = tab.locator(".event[open] .place.is-target")
        expect(value).to_have_text('step_status"done"')
        expect(value).to_be_in_viewport()
        again = self.open(tab.url.removeprefix(self.home))
        expect(again.locator(".event .is-target")).to_be_in_viewport()
        again.get_by_role("button", name="Next run").click()
        expect(again.locator("#run .crumb code")).not_to_have_text("ep_03_edited")

    def test_events_that_are_not_on_the_page_are_asked_for(self):
        tab = self.whole()
        self.go(tab, "#/run/served/episodes/ep_long")
        events = tab.locator("#run .part", has=tab.locator(".events"))
        events.get_by_role("button", name="First").click()
        for _ in range(2):
            events.get_by_role("button", name="Next").click()
        fold = events.locator(".fold:visible").first
        number = int(fold.inner_text().split()[0].replace(",", ""))
        before = events.locator(".event").count()
        fold.get_by_role("button").click()
        expect(events.locator(".event")).to_have_count(before + min(number, 100))
        asked = events.locator(".event:visible").last
        asked.locator("> summary").click()
        expect(asked.locator(".tree")).to_contain_text('step_id"step-')
        lines = [int(line) for line in events.locator(".event .line").all_inner_texts() if line]
        self.assertEqual(lines, sorted(set(lines)))

    def test_page_is_used_by_keys_alone(self):
        tab = self.whole()
        # A list that is drawn before all runs were judged still grows while keys are pressed.
        self.go(tab, "#/runs?valid=no")
        expect(self.rows(tab).first).to_be_visible()
        self.check_walked_by_keys(tab)

    def test_link_leads_to_a_run_that_is_yet_to_be_judged(self):
        # It is the last of all.
        tab = self.open(f"{FAILED}?at=L5")
        expect(tab.locator("#run .crumb code")).to_have_text("ep_timeout", timeout=PATIENCE)
        expect(tab.locator(".event.is-target > summary")).to_be_focused()

    def test_colours_follow_the_system_until_chosen(self):
        colour = "() => getComputedStyle(document.body).backgroundColor"
        light, dark = self.open(), self.open(color_scheme="dark")
        deep = dark.evaluate(colour)
        self.assertNotEqual(light.evaluate(colour), deep)
        light.get_by_role("button", name="Theme").click()
        light.reload()
        self.assertEqual(light.evaluate(colour), deep, "the choice is kept")

    def test_nothing_is_cut_off_in_a_narrow_window(self):
        tab = self.whole(viewport=NARROW)
        for address, shown in [("#/", ".tile"), ("#/runs", "tbody tr"), (EDITED, ".finding"), (FAILED, ".why"), (LONG, ".crumb:has-text('ep_long')")]:
            self.go(tab, address)
            tab.locator(f".view:visible {shown}").first.wait_for()
            self.check_not_cut_off(tab, address)

    def test_two_runs_are_compared_side_by_side(self):
        tab = self.whole()
        self.go(tab, EDITED)
        tab.get_by_role("button", name="Compare").click()
        self.check_compared(tab)
        expect(tab.locator(".unlike")).to_contain_text("/state/outcomes/metrics/task_score")
        expect(tab.locator(".unlike")).to_contain_text("0.95")

    def test_page_is_accessible(self):
        for scheme in ["light", "dark"]:
            tab = self.whole(color_scheme=scheme)
            for address, shown in [("#/", ".panels"), ("#/runs?valid=no", "tbody tr"), (EDITED, ".finding"), (FAILED, ".why")]:
                self.go(tab, address)
                tab.locator(f".view:visible {shown}").first.wait_for()
                self.check_accessible(tab, (scheme, address))

    def test_thousand_runs_arrive_while_the_page_is_open(self):
        episodes = self.serve_empty("arriving")
        overview, listed = self.open(), self.open("#/runs")
        expect(listed.locator("#runs .table")).to_have_text("No run matches.")
        for number in range(1000):
            shutil.copytree(DEMO / ("ep_03_edited" if number % 10 == 0 else "ep_01_answer"), episodes / f"ep_{number:04d}")
        expect(overview.locator(".tile.all b")).to_have_text("1,000", timeout=PATIENCE)
        expect(listed.locator("#runs .list-status")).to_contain_text("of 1,000 runs", timeout=PATIENCE)
        expect(listed.locator("#runs select[name=rule] option", has_text="record/id")).to_have_count(0)
        listed.get_by_label("Rule").select_option("plan/projection")
        expect(listed.locator("#runs .list-status")).to_contain_text("100 runs")
        shutil.rmtree(episodes / "ep_0000")
        expect(overview.locator(".tile.all b")).to_have_text("999", timeout=PATIENCE)
        expect(listed.locator("#runs .list-status")).to_contain_text("99 runs", timeout=PATIENCE)

    def test_run_is_followed_without_closing_what_is_open(self):
        episodes = self.serve_empty("growing")
        run = episodes / "ep_01_answer"
        shutil.copytree(DEMO / run.name, run)
        lines = (run / "events.jsonl").read_text().splitlines(keepends=True)
        (run / "events.jsonl").write_text("".join(lines[:6]))
        tab = self.open()
        self.wait_for(tab, 1)
        self.go(tab, "#/run/growing/episodes/ep_01_answer")
        expect(tab.locator(".event")).to_have_count(6)
        tab.get_by_role("button", name="Zoom in").click()
        tab.get_by_role("button", name="act 2").click()
        event = tab.locator(".event", has_text="Collect").last
        event.locator("> summary").click()
        expect(event.locator(".tree")).to_be_visible()
        tab.evaluate("() => { window.drawn = [...document.querySelectorAll('.event')] }")
        with (run / "events.jsonl").open("a") as timeline:
            timeline.write(lines[6])
        expect(tab.locator(".event")).to_have_count(7)
        self.assertTrue(tab.evaluate("() => window.drawn.every(event => event.isConnected)"), "it is not drawn again")
        expect(tab.locator(".event:visible")).to_have_count(3)
        expect(event.locator(".tree")).to_be_visible()
        expect(event.locator("> summary")).to_be_focused()
        expect(tab.get_by_role("button", name="Zoom out")).to_be_enabled()
        # At once: what is left of a run whose files go one by one would be shown.
        removed = WORK / "removed"
        shutil.rmtree(removed, ignore_errors=True)
        run.rename(removed)
        expect(tab.locator("#run [role=status]").first).to_contain_text("This run is gone")
        expect(tab.locator(".event")).to_have_count(7)
        tab.reload()
        expect(tab.locator("#run [role=status]")).to_contain_text("there is no run")

    def test_run_in_progress_grows_and_says_since_when(self):
        episodes = self.serve_empty("running")
        source = (DEMO / "ep_01_answer" / "events.jsonl").read_text().splitlines(keepends=True)
        for name in ["ep_busy", "ep_stuck"]:
            (episodes / name).mkdir()
            (episodes / name / "events.jsonl").write_text("".join(source[:2]))
        two_hours_ago = time.time() - 7230
        os.utime(episodes / "ep_stuck" / "events.jsonl", (two_hours_ago, two_hours_ago))
        tab = self.open("#/runs")
        self.wait_for(tab, 2)
        expect(tab.locator("tr", has_text="ep_stuck").locator(".pace.warn")).to_have_text("silent for 2 h 0 min", timeout=PATIENCE)
        expect(tab.locator("tr", has_text="ep_busy").locator(".pace")).to_contain_text("last write")
        tab.get_by_label("Silent for").fill("15m")
        tab.keyboard.press("Enter")
        expect(self.rows(tab)).to_have_count(1)
        expect(self.rows(tab).first).to_contain_text("ep_stuck")
        self.go(tab, "#/run/running/episodes/ep_busy")
        expect(tab.locator(".event")).to_have_count(2)
        for number in range(3, 6):
            before = tab.locator("#run .pace").get_attribute("data-written")
            time.sleep(1.1)
            with (episodes / "ep_busy" / "events.jsonl").open("a") as timeline:
                timeline.write(source[number - 1])
            expect(tab.locator(".event")).to_have_count(number)
            self.assertGreater(tab.locator("#run .pace").get_attribute("data-written"), before)
        self.go(tab, "#/run/running/episodes/ep_stuck")
        expect(tab.locator("#run .pace.warn")).to_contain_text("silent for 2 h")

    def test_long_run_in_progress_shows_its_latest_events(self):
        episodes = self.serve_empty("following")
        lines = (WORK / "served" / "episodes" / "ep_long" / "events.jsonl").read_text().splitlines(keepends=True)
        for name, number in [("ep_150", 150), ("ep_1002", 1002)]:
            (episodes / name).mkdir()
            timeline = episodes / name / "events.jsonl"
            timeline.write_text("".join(lines[:number]))
            tab = self.open(f"#/run/following/episodes/{name}")
            events = tab.locator("#run .part", has=tab.locator("[data-events]"))
            shown = events.locator(".event:visible .line")
            expect(shown.last).to_have_text(str(number))
            opened = events.locator(f"#r-L{number}")
            opened.locator("> summary").click()
            for added in range(number + 1, number + 3):
                with timeline.open("a") as file:
                    file.write(json.dumps(run_data.event("observe", 2000 + added, "worker-1", {"message": f"new {added}"})) + "\n")
                expect(shown.last).to_have_text(str(added))
                expect(shown).to_have_count(100)
                expect(opened.locator(".tree")).to_be_visible()
                expect(opened.locator("> summary")).to_be_focused()
            # Who reads the first ones is left alone, and led back.
            events.get_by_role("button", name="First").click()
            expect(shown.first).to_have_text("1")
            with timeline.open("a") as file:
                file.write(json.dumps(run_data.event("observe", 9000, "worker-1", {})) + "\n")
            expect(tab.locator("nav.parts a", has_text="Events")).to_contain_text(f"{number + 3:,}")
            expect(shown.first).to_have_text("1")
            events.get_by_role("button", name="Latest").click()
            expect(shown.last).to_have_text(str(number + 3))

    def test_page_says_only_what_is_known(self):
        shutil.rmtree(WORK / "many", ignore_errors=True)
        for number in range(1500):
            shutil.copytree(DEMO / "ep_01_answer", WORK / "many" / f"{number:04d}" / "episodes" / "ep_01_answer")
        self.home = self.serve(WORK / "many")
        tab = super().open(self.home)
        seen = set()
        deadline = time.monotonic() + PATIENCE / 1000
        while "All 1,500 runs can be trusted" not in seen and time.monotonic() < deadline:
            seen.add(tab.locator(".answer h2").inner_text())
        early = [text for text in seen if "so far" not in text]
        self.assertEqual(set(early) - {"No run is judged yet"}, {"All 1,500 runs can be trusted"})
        tab = self.open("#/runs?q=ep_01")
        expect(self.rows(tab)).to_have_count(100)
        self.service.terminate()
        self.service.wait()
        expect(tab.locator(LIVE)).to_have_text("no connection")
        tab.locator("#runs [name=q]").fill("many 12")
        expect(tab.locator("#runs .list-status")).to_contain_text("There is no connection to the service.")
        expect(tab.locator("#runs .table")).to_contain_text("The list can't be shown now")
        self.said.clear()

    def tell(self):
        """A tab with a run whose events say things in all the ways that runtimes do."""
        run = self.serve_empty("telling") / "ep_told"
        run_data.telling(run)
        os.utime(run / "events.jsonl", (0, 0))
        tab = self.open()
        self.wait_for(tab, 1)
        self.go(tab, "#/run/telling/episodes/ep_told")
        expect(tab.locator("#run h1")).to_have_text("Tell everything")
        return tab

    def test_row_of_an_event_has_its_content(self):
        tab = self.tell()
        contents = {2: "first\\nsecond · score=0.25", 3: "user: How many\\ntickets? · assistant: Forty-two · image_url", 4: "go · 12 files"}
        for line, content in contents.items():
            expect(tab.locator(f"#r-L{line} .what")).to_have_text(content)
        # The service says the same of those that it is asked for.
        tab.get_by_placeholder("Filter events").fill("T09:00:0")
        for line, content in contents.items():
            row = tab.locator(f"#found-L{line}")
            expect(row.locator(".what")).to_have_text(content)
            expect(row.locator(".at")).to_have_text(f"+{line - 1} s")

    def test_event_of_two_megabytes_does_not_block_the_page(self):
        tab = self.tell()
        tab.evaluate("() => { window.longest = 0; new PerformanceObserver(list => list.getEntries().forEach(it => { window.longest = Math.max(window.longest, it.duration) })).observe({ type: 'longtask' }) }")
        event = tab.locator("#r-L6")
        event.locator("> summary").click()
        expect(event.locator("pre").first).to_contain_text("1 a line of two megabytes\n2 a line")
        event.get_by_role("button", name="Show all").click()
        expect(event.locator("pre")).to_have_count(1)
        expect(event.locator("pre")).to_contain_text("69999 a line of two megabytes")
        expect(event.locator("pre")).not_to_contain_text("\\n")
        many = tab.locator("#r-L9")
        many.locator("> summary").click()
        many.get_by_role("button", name="Show all").click()
        many.get_by_role("button", name="Show 100 of").click()
        expect(many.locator(".k", has_text="key 199")).to_be_visible()
        self.assertLess(many.locator("li").count(), 2000)
        self.assertLess(tab.evaluate("() => window.longest"), 1500)

    def test_pictures_are_drawn_from_the_text_alone(self):
        tab = self.tell()
        for line in [3, 7]:
            event = tab.locator(f"#r-L{line}")
            event.locator("> summary").click()
            picture = event.locator("img")
            expect(picture).to_have_count(1)
            expect(picture).to_have_js_property("naturalWidth", 10)
            expect(event.locator("figcaption")).to_contain_text("png, 10 × 10")
        # One that would take gigabytes, and a kind that could hold a script, stay texts.
        for text in ["iVBORw0KGgo", "image/svg+xml"]:
            expect(tab.locator("#r-L7 .v.s", has_text=text)).to_have_count(1)

    def test_action_leads_to_its_event(self):
        tab = self.tell()
        for number, line in [(0, 5), (1, 6), (2, 410)]:
            did = tab.locator("tr.did").nth(number)
            did.locator("summary").click()
            did.get_by_role("link", name=f"events.jsonl:{line}").click()
            expect(tab.locator(".event.is-target .line")).to_have_text(str(line))
            expect(tab.locator(".event.is-target")).to_be_in_viewport()
        expect(tab.locator("tr.did").first.locator("pre")).to_have_text("stdout:\n  one\n  two\ncode: 0")
        expect(tab.locator("tr.did").first.locator("summary")).to_have_text(re.compile("400 ms"))

    def test_names_of_any_script_are_isolated(self):
        tab = self.tell()
        expect(tab.locator("#r-L8 .what")).to_have_text("\U0001f468\U0001f3fd\u200d\U0001f680 a\\u{200d}b")
        tab.get_by_placeholder("Filter events").fill("T09:00:07")
        expect(tab.locator("#found-L8 .agent")).to_have_text("\u05d0\u05d1\u05d2 \U0001f468\U0001f3fd\u200d\U0001f680")
        for name in ["tr.did summary code bdi", "#found-L8 .agent bdi"]:
            expect(tab.locator(name).first).to_have_css("unicode-bidi", "isolate")

    def test_all_tags_are_shown_and_lead_to_runs(self):
        tab = self.tell()
        expect(tab.locator("#run .tags .tag")).to_have_count(40)
        tab.get_by_text("28 more tags").click()
        tag = tab.locator("#run .tag", has_text="tag 39:value 39")
        expect(tag).to_be_visible()
        tag.click()
        expect(self.rows(tab)).to_have_count(1)

    def test_long_timeline_is_drawn_from_sums(self):
        tab = self.tell()
        bars = tab.locator(".waterfall rect.sum")
        titles = " ".join(bars.locator("xpath=..").evaluate_all("links => links.map(link => link.getAttribute('aria-label'))"))
        self.assertEqual(sum(int(number) for number in re.findall(r"(\d+) events? of", titles)), 711)
        expect(tab.locator(".waterfall .fold-mark")).to_have_count(0)
        tab.locator(".waterfall a[aria-label*='of act from +8 min']").first.focus()
        tab.keyboard.press("Enter")
        expect(tab.locator(".event.is-target .line")).to_have_text("410")

    def test_run_is_found_by_its_id(self):
        tab = self.whole()
        for name in ["ep_timeout", "elsewhere/episodes/ep_timeout"]:
            self.go(tab, f"#/run/{name}?at=L5")
            expect(tab.locator("#run .crumb code")).to_have_text("ep_timeout")
            expect(tab.locator(".event.is-target .line")).to_have_text("5")
            expect(tab).to_have_url(f"{self.home}{FAILED}?at=L5")
            self.go(tab, "#/")
        self.go(tab, "#/run/ep_nowhere")
        expect(tab.locator("#run h1")).to_have_text("This run can't be shown")
        tab.get_by_role("link", name="Search the runs for ep_nowhere").click()
        expect(tab.locator("#runs .table")).to_contain_text("No run matches.")

    def test_equal_findings_are_one_card(self):
        episodes = self.serve_empty("equal")
        shutil.copytree(DEMO / "ep_01_answer", episodes / "ep_01_answer")
        lines = (episodes / "ep_01_answer" / "events.jsonl").read_text().splitlines()
        wrong = json.loads(lines[1])
        wrong["timestamp"] = "yesterday"
        (episodes / "ep_01_answer" / "events.jsonl").write_text("\n".join([*lines[:1], *[json.dumps(wrong)] * 400, *lines[1:]]) + "\n")
        tab = self.open()
        self.wait_for(tab, 1)
        self.go(tab, "#/run/equal/episodes/ep_01_answer")
        finding = tab.locator(".finding", has_text="timestamp").filter(has_text="400 times")
        expect(finding).to_have_count(1)
        expect(finding.locator(".places")).to_contain_text("also at 399 other places: 3–401")
        self.assertLess(tab.locator(".finding").count(), 10)
        finding.locator(".places a").click()
        expect(tab.locator(".event[open]")).to_have_count(1)

    def test_first_row_is_near_by_keys(self):
        tab = self.whole("#/runs")
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        expect(self.rows(tab).first.locator(".id")).to_be_focused()
        tab.reload()
        expect(self.rows(tab).first).to_be_visible()
        presses = 0
        while not tab.evaluate("() => Boolean(document.activeElement.closest('#runs tbody'))"):
            tab.keyboard.press("Tab")
            presses += 1
            self.assertLess(presses, 26)
        tab.locator("#runs thead button").first.focus()
        tab.keyboard.press("ArrowRight")
        expect(tab.locator("#runs thead button").nth(1)).to_be_focused()

    def test_table_of_runs_is_whole_at_every_width(self):
        self.serve_empty("widths")
        tab = self.open("#/runs")
        for name, using in [("ep_01_answer", "langgraph"), ("ep_02_paused", "mini-swe-agent")]:
            source = DEMO / name
            if not source.exists():
                source = DEMO / "ep_01_answer"
            target = WORK / "widths" / "episodes" / source.name
            if not target.exists():
                shutil.copytree(source, target)
        (WORK / "widths" / "episodes" / "ep_running").mkdir()
        (WORK / "widths" / "episodes" / "ep_running" / "events.jsonl").write_text(
            json.dumps(run_data.event("start", 0, "system", {"task": "Run " * 30, "using": "adapter:langgraph.deep"})) + "\n")
        expect(tab.locator(".views .count")).not_to_have_text("0", timeout=PATIENCE)
        tab = self.open("#/runs")
        expect(tab.locator("tr", has_text="ep_running")).to_be_visible(timeout=PATIENCE)
        for width in [360, 720, 901, 960, 1100, 1280, 1440]:
            tab.set_viewport_size({"width": width, "height": 900})
            table = tab.locator("#runs .table")
            over = table.evaluate("it => it.scrollWidth - it.clientWidth")
            self.assertLessEqual(over, 0, width)

    def test_new_runs_do_not_move_the_list(self):
        episodes = self.serve_empty("moving")
        copy = lambda name: shutil.copytree(DEMO / "ep_01_answer", episodes / name)
        for name in ["ep_2", "ep_3"]:
            copy(name)
        tab = self.open("#/runs")
        self.wait_for(tab, 2)
        expect(self.rows(tab)).to_have_count(2)
        copy("ep_1")
        button = tab.get_by_role("button", name="Show 1 new run")
        expect(button).to_be_visible()
        self.assertEqual(tab.locator("tbody .id").all_inner_texts(), ["ep_2", "ep_3"])
        button.click()
        expect(tab.locator("tbody .id")).to_have_text(["ep_1", "ep_2", "ep_3"])
        expect(button).to_have_count(0)

    def test_filters_and_lines_reach_all_events(self):
        tab = self.whole(LONG)
        events = tab.locator("#run .part", has=tab.locator("[data-events]"))
        first = events.locator(".event:visible .line").first
        events.get_by_placeholder("Filter events").fill("T09:10:00")
        expect(first).to_have_text("601")
        expect(events.locator(".event:visible")).to_have_count(1)
        events.get_by_placeholder("Filter events").fill("")
        expect(first).to_have_text("903")
        events.get_by_role("button", name="observe").click()
        expect(first).to_have_text("4")
        seen = []
        while True:
            seen += [int(line) for line in events.locator(".event:visible .line").all_inner_texts()]
            following = events.get_by_role("button", name="Next")
            if following.is_disabled():
                break
            following.click()
            expect(first).not_to_have_text(str(seen[-100]))
        self.assertEqual(len(seen), int(events.locator(".phases .is-on .count").inner_text()))
        self.assertEqual(seen, sorted(set(seen)))
        events.get_by_label("Go to the line of an event").fill("700")
        tab.keyboard.press("Enter")
        target = events.locator(".event.is-target")
        expect(target.locator(".line")).to_have_text("700")
        expect(target).to_be_in_viewport()
        expect(tab).to_have_url(f"{self.home}{LONG}?at=L700")
        again = self.open(f"{LONG}?at=L700")
        expect(again.locator(".event.is-target .line")).to_have_text("700")
        again.get_by_role("button", name="from line 700").click()
        expect(again.locator(".event:visible .line").first).to_have_text("1")

    def test_growth_does_not_move_who_went_to_a_line(self):
        episodes = self.serve_empty("lines")
        shutil.copytree(WORK / "served" / "episodes" / "ep_long", episodes / "ep_long")
        tab = self.open()
        self.wait_for(tab, 1)
        self.go(tab, "#/run/lines/episodes/ep_long?at=L700")
        event = tab.locator("#found-L700")
        expect(event.locator("> summary")).to_be_focused()
        expect(event.locator(".tree")).to_be_visible()
        another = tab.locator("#found-L703 > summary")
        another.click()
        search = tab.get_by_placeholder("Filter events")
        for part in [another, search]:
            part.focus()
            place = tab.evaluate("() => window.scrollY")
            count = tab.locator(".phases li[data-phase=observe] .count")
            before = int(count.inner_text())
            with (episodes / "ep_long" / "events.jsonl").open("a") as timeline:
                timeline.write(json.dumps(run_data.event("observe", 2000 + before, "worker-1", {})) + "\n")
            expect(count).to_have_text(str(before + 1))
            tab.wait_for_timeout(300)
            expect(event.locator(".tree")).to_be_visible()
            expect(tab.locator("#found-L703 .tree")).to_be_visible()
            expect(part).to_be_focused()
            self.assertLess(abs(tab.evaluate("() => window.scrollY") - place), 40)

    def test_record_is_downloaded_as_it_is_stored(self):
        tab = self.whole(EDITED)
        with tab.expect_download() as download:
            tab.locator("#r-state").get_by_role("link", name="Download").click()
        stored = WORK / "served" / "episodes" / "ep_03_edited" / "state.json"
        self.assertEqual(download.value.path().read_bytes(), stored.read_bytes())
        self.go(tab, FAILED)
        expect(tab.locator("#r-summary .empty")).to_be_visible()
        expect(tab.locator("#r-summary").get_by_role("link", name="Download")).to_have_count(0)

    def test_lost_connection_is_said(self):
        tab = self.whole()
        self.service.terminate()
        self.service.wait()
        expect(tab.locator(LIVE)).to_have_text("no connection")
        self.said.clear()

    def test_hostile_records_stay_text(self):
        shutil.rmtree(WORK / "hostile", ignore_errors=True)
        run_data.write_hostile(WORK / "hostile")
        for case in sorted((run_data.CORPUS / "broken").iterdir()):
            shutil.copytree(case / "episodes", WORK / "hostile" / case.name / "episodes", symlinks=True)
        self.home = self.serve(WORK / "hostile")
        tab = self.open("#/runs?q=script")
        expect(self.rows(tab)).to_have_count(1, timeout=PATIENCE)
        self.rows(tab).first.click()
        expect(tab.locator("#run h1")).to_contain_text("</noscript></script><script>")
        tab.get_by_role("link", name="state.json").first.click()
        tab.locator(".finding .rule").first.click()
        expect(tab.locator(".rule-page")).to_be_visible()
        self.check_inert(tab)
        items = tab.evaluate("() => fetch('api/v1/runs?limit=1000').then(answer => answer.json())")["items"]
        self.assertGreaterEqual(len(items), 10)
        for item in items:
            self.go(tab, f"#/run/{item['dir'].replace('%', '%25').replace('?', '%3F').replace('#', '%23')}")
            shown = item["id"].replace("\u202e", "\\u{202e}")
            expect(tab.locator("#run .crumb code")).to_have_text(shown)
            tab.evaluate("() => document.querySelectorAll('#run details').forEach(details => { details.open = true })")
            self.check_inert(tab)

    def test_fault_is_shown_until_its_cause_is_gone(self):
        episodes = self.serve_empty("faulty")
        shutil.copytree(DEMO / "ep_01_answer", episodes / "ep_1")
        tab = self.open()
        self.wait_for(tab, 1)
        (episodes / "state.json").write_text(json.dumps({"version": "1.0"}))
        (episodes / "events.jsonl").write_text("{}\n")
        expect(tab.locator(".faults li")).to_have_count(1, timeout=PATIENCE)
        for name in ["state.json", "events.jsonl"]:
            (episodes / name).unlink()
        expect(tab.locator(".faults")).to_have_count(0, timeout=PATIENCE)

    def test_twenty_tabs_of_a_browser_follow_the_service(self):
        episodes = self.serve_empty("tabs")
        tabs = [self.open("#/runs")]
        for _ in range(19):
            tab = tabs[0].context.new_page()
            tab.goto(f"{self.home}#/runs")
            tabs.append(tab)
        shutil.copytree(DEMO / "ep_01_answer", episodes / "ep_1")
        for tab in tabs:
            expect(tab.locator(LIVE)).to_have_text("live")
            expect(self.rows(tab)).to_have_count(1, timeout=PATIENCE)
        tabs.pop(0).close()
        shutil.copytree(DEMO / "ep_01_answer", episodes / "ep_2")
        for tab in tabs:
            self.show_new(tab)
            expect(self.rows(tab)).to_have_count(2, timeout=PATIENCE)

    def test_page_is_followed_behind_nginx(self):
        episodes = self.serve_empty("proxied")
        home = self.proxy()
        for number, path in enumerate(["/tools/runvet", "/tools/runvet/", "/doubled/"], 1):
            self.home = home + path
            tab = self.open("#/runs")
            shutil.copytree(DEMO / "ep_01_answer", episodes / f"ep_{number}")
            if number > 1:
                self.show_new(tab)
            expect(self.rows(tab)).to_have_count(number, timeout=PATIENCE)
        self.home = home

    def test_no_view_keeps_its_content_under_a_new_address(self):
        tab = self.whole("#/runs?q=ep_0")
        row = self.rows(tab).filter(has_text="ep_03_edited")
        expect(row).to_have_count(1)
        self.go(tab, FAILED)
        expect(tab.locator("#run .why")).to_be_visible()
        waiting, slow = [], re.compile("page/run|api/v1/(runs|diff|events)")
        tab.route(slow, lambda route: waiting.append(route))

        def answer():
            while waiting:
                waiting.pop(0).continue_()

        self.go(tab, EDITED)
        busy = tab.locator("#run[aria-busy=true]")
        expect(busy.locator(".crumb")).to_contain_text("ep_03_edited")
        expect(busy.locator("h1")).to_have_text("Summarize the open tickets")
        expect(tab.locator("#run .why")).to_have_count(0)
        expect(busy.locator(".reading")).to_have_text("reading \u2026")
        answer()
        expect(tab.locator("#run .finding").first).to_be_visible()
        expect(tab.locator("[aria-busy]")).to_have_count(0)
        self.assertEqual(len([url for url in self.asked if "page/run" in url and "ep_03" in url]), 1)
        answer()
        self.go(tab, "#/runs?q=ep_timeout")
        expect(tab.locator("#runs .is-old[aria-busy=true] .reading")).to_have_text("reading \u2026")
        answer()
        expect(self.rows(tab)).to_have_count(1)
        expect(tab.locator("#runs [aria-busy]")).to_have_count(0)
        sides = "left=served/episodes/ep_timeout&right=served/episodes/ep_03_edited"
        self.go(tab, f"#/compare?{sides}")
        expect(tab.locator("#compare[aria-busy=true]")).to_be_visible()
        for _ in range(20):
            answer()
            tab.wait_for_timeout(50)
        expect(tab.locator(".side")).to_have_count(2)
        self.go(tab, "#/compare?left=served/episodes/ep_timeout&right=served/episodes/ep_timeout")
        expect(tab.locator(".side")).to_have_count(0)
        for _ in range(20):
            answer()
            tab.wait_for_timeout(50)
        expect(tab.locator(".side")).to_have_count(2)
        tab.unroute(slow)

    def test_run_that_has_just_begun_shows_actions_and_no_alarm(self):
        episodes = self.serve_empty("begun")
        run = episodes / "ep_begun"
        run.mkdir()
        step = [{"id": "s", "kind": "act", "description": "Look", "status": "pending"}]
        act = {"action_id": "act-1", "step_id": "s", "tool": "shop.search", "result_status": "ok", "input": {"q": "tea"}}
        lines = [
            run_data.event("start", 0, "system", {"task": "Buy tea"}),
            run_data.event("plan", 1, "planner", {"source": "planner", "step_records": step}),
            run_data.event("act", 2, "worker", act),
        ]
        (run / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        tab = self.open("#/run/begun/episodes/ep_begun")
        expect(tab.locator("#r-steps .did")).to_contain_text("shop.search", timeout=PATIENCE)
        expect(tab.locator("#run .badges")).to_contain_text("in progress: judged when it persists")
        expect(tab.locator("#run .badges .badge.warn:not(.pace), #run .notice.is-warn")).to_have_count(0)
        expect(tab.locator("#r-steps")).not_to_contain_text("could not be compared")

    def test_runs_that_differ_in_durations_alone_are_alike(self):
        episodes = self.serve_empty("alike")
        for name, took in [("ep_quick", 100), ("ep_slow", 9000)]:
            shutil.copytree(WORK / "served" / "episodes" / "ep_timeout", episodes / name)
            state = json.loads((episodes / name / "state.json").read_text())
            for action in state["outcomes"]["actions"]:
                action["duration_ms"] = took
            (episodes / name / "state.json").write_text(json.dumps(state))
        tab = self.open()
        self.wait_for(tab, 2)
        self.go(tab, "#/compare?left=alike/episodes/ep_quick&right=alike/episodes/ep_slow")
        expect(tab.locator(".side")).to_have_count(2)
        expect(tab.locator("tr.is-unlike")).to_have_count(0)
        widths = [side.locator("td.time rect:not(.track)").first.evaluate("bar => bar.getBoundingClientRect().width")
                  for side in tab.locator(".side").all()]
        self.assertLess(widths[0] * 10, widths[1])

    def test_comparisons_follow_runs_that_arrive(self):
        episodes = self.serve_empty("arriving")
        two = self.open_at_once("#/compare?left=arriving/episodes/ep_0&right=arriving/episodes/ep_1")
        groups = self.open("#/groups?by=model")
        for tab, view in [(two, "compare"), (groups, "groups")]:
            expect(tab.locator(f"#{view} .notice")).to_be_visible()
        for number, model in enumerate(["a", "b", "c"]):
            self.record(episodes, f"ep_{number}", metrics={"cost_usd": number}, model=model)
        expect(two.locator(".side")).to_have_count(2, timeout=PATIENCE)
        expect(groups.locator("#groups")).to_contain_text("c", timeout=PATIENCE)
        self.assertTrue(all("404" in said for said in self.said), self.said)
        self.said.clear()

    def test_first_error_is_a_key_away(self):
        tab = self.whole(FAILED)
        expect(tab.locator("#run .first-error")).to_contain_text("erp.refund")
        tab.keyboard.press("e")
        expect(tab.locator(".event.is-target")).to_contain_text("erp.refund")
        expect(tab).to_have_url(re.compile(r"\?at=L\d+$"))

    def test_opened_event_is_in_the_address(self):
        tab = self.whole(FAILED)
        tab.locator("#r-L5 > summary").click()
        expect(tab).to_have_url(f"{self.home}{FAILED}?at=L5")
        again = self.open(f"{FAILED}?at=L5")
        expect(again.locator("#r-L5")).to_have_attribute("open", "")

    def test_run_leads_to_its_parent_and_its_parts(self):
        episodes = self.serve_empty("tree")
        for name, parent in [("ep_whole", None), ("ep_part", "ep_whole")]:
            run = episodes / name
            shutil.copytree(WORK / "served" / "episodes" / "ep_timeout", run)
            state = json.loads((run / "state.json").read_text())
            state["episode"] |= {"id": name, "tags": {"parent": parent} if parent else {}}
            state["outcomes"]["metrics"] = {"cost_usd": 0.25, "tokens_in": 12345}
            (run / "state.json").write_text(json.dumps(state))
        tab = self.open("#/runs")
        expect(self.rows(tab)).to_have_count(2, timeout=PATIENCE)
        expect(tab.get_by_role("button", name="cost_usd", exact=True)).to_be_visible()
        expect(self.rows(tab).first).to_contain_text("12,345")
        expect(tab.locator("#runs thead")).not_to_contain_text("mode")
        self.go(tab, "#/run/tree/episodes/ep_whole")
        tab.locator(".relatives").get_by_role("link", name="ep_part").click()
        expect(tab.locator("#run .crumb code")).to_have_text("ep_part")
        tab.locator(".relatives").get_by_role("link", name="ep_whole").click()
        expect(tab.locator("#run .crumb code")).to_have_text("ep_whole")

    def test_conversation_has_each_message_once_as_prose(self):
        episodes = self.serve_empty("talking")
        run = episodes / "ep_talking"
        run.mkdir()
        evil = "<img src=x onerror=alert(1)> [go](javascript:alert(1)) ![](https://example.org/x.png)"
        call = {"id": "c1", "type": "function", "function": {"name": "shop.search", "arguments": '{"q":"tea"}'}}
        history = [{"role": "system", "content": "You are **kind**."}, {"role": "user", "content": "Buy tea"}]
        answers = [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "assistant", "content": [{"type": "text", "text": evil}]},
        ]
        lines = [run_data.event("start", 0, "system", {"task": "Buy tea"})]
        for at, answer in enumerate(answers):
            payload = {"action_id": f"act-{at}", "tool": "llm", "result_status": "ok",
                       "input": {"messages": list(history)}, "output": {"message": answer}}
            lines.append(run_data.event("act", 1 + at, "worker", payload))
            history += [answer, {"role": "tool", "content": "green tea, 3 EUR"}]
        (run / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        tab = self.open("#/run/talking/episodes/ep_talking")
        messages = tab.locator("#r-conversation .message")
        expect(messages).to_have_count(5, timeout=20_000)
        roles = [message.get_attribute("data-role") for message in messages.all()]
        self.assertEqual(roles, ["system", "user", "assistant", "tool", "assistant"])
        expect(messages.first.locator("strong")).to_have_text("kind")
        expect(messages.nth(2).locator("summary")).to_contain_text("shop.search")
        expect(messages.last).to_contain_text("<img src=x onerror=alert(1)>")
        self.check_inert(tab)
        expect(messages.locator("a:not(.line)")).to_have_count(0)
        self.check_accessible(tab, "conversation")
        tab.set_viewport_size(WIDE)
        messages.last.locator("a.line").click()
        expect(tab.locator(".event.is-target .line")).to_have_text("3")

    def test_attached_picture_is_drawn_if_it_is_the_one(self):
        episodes = self.serve_empty("attached")
        run = episodes / "ep_attached"
        (run / "attachments").mkdir(parents=True)
        content = io.BytesIO()
        Image.new("RGB", (8, 4), "red").save(content, "PNG")
        names = []
        for stored in [content.getvalue(), b"changed"]:
            sha256 = hashlib.sha256(stored.replace(b"changed", b"original")).hexdigest()
            names.append(f"attachments/{sha256}.png")
            (run / names[-1]).write_bytes(stored)
        lines = [run_data.event("start", 0, "system", {"task": "Look"})]
        lines += [run_data.event("runtime", at, "system", {"name": name}, event_type="run.attachment") for at, name in enumerate(names, 1)]
        (run / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        tab = self.open("#/run/attached/episodes/ep_attached")
        tab.locator("#r-L2 > summary").click(timeout=PATIENCE)
        picture = tab.locator("#r-L2 figure img")
        expect(picture).to_be_visible()
        tab.wait_for_function("() => document.querySelector('#r-L2 img').naturalWidth === 8")
        addresses = [f"{self.home}api/v1/attachment?" + urllib.parse.urlencode({"dir": "attached/episodes/ep_attached", "name": name}) for name in names]
        self.assertEqual([tab.request.get(address).status for address in addresses], [200, 404])

    def answered(self, runs, *commands, options=("--task", "Answer")):
        """Records a run, and returns its id and the answers."""
        said = subprocess.run([RUNVET, "record", "--run-data", runs, *options], input="".join(json.dumps(it) + "\n" for it in commands),
                              capture_output=True, text=True, check=True)
        answers = [json.loads(line) for line in said.stdout.splitlines()]
        return answers[0]["id"], answers

    def test_cut_value_leads_to_all_of_it(self):
        runs = self.serve_empty("cut").parent
        history = [run_data.message("user", f"question {at} " + "word " * 200) for at in range(80)]
        history.append(run_data.message("assistant", "the last answer"))
        run, answers = self.answered(
            runs, {"act": {"tool": "llm", "input": {"messages": history}, "result_status": "ok"}},
            {"act": {"tool": "read", "output": "first line\n" * 9000 + "the end", "result_status": "ok"}}, {"finish": "ok"})
        self.assertEqual([it["field"] for answer in answers for it in answer.get("cut", [])], ["input.messages", "output"])
        tab = self.open(f"#/run/cut/episodes/{run}")
        messages = tab.locator("#r-conversation .message")
        expect(messages).to_have_count(82, timeout=PATIENCE)
        expect(messages.nth(80)).to_contain_text("the last answer")
        expect(messages.last.locator("summary")).to_contain_text("read")
        expect(messages.last.locator(".cut")).to_contain_text("all of it is in")
        for tool, said in [("llm", "the last answer"), ("read", "the end")]:
            act = tab.locator("#r-events .event", has_text=tool).first
            act.locator("summary").first.click()
            expect(act.locator(".cut .badge")).to_have_text("cut")
            act.get_by_role("button", name="Show all").click()
            expect(act).to_contain_text(said)
        expect(act.get_by_role("link", name="Download all")).to_have_attribute("href", re.compile("api/v1/attachment"))
        self.check_accessible(tab, "cut")

    def test_failure_leads_to_the_tool_and_its_words(self):
        runs = self.serve_empty("broken").parent
        run, _ = self.answered(
            runs, {"plan": ["Tell the carrier"]}, {"open": "step-1"}, {"act": {"tool": "orders.find", "output": "o-1", "result_status": "ok"}},
            {"act": {"tool": "carrier.notify", "output": {"error": "HTTP 503"}, "result_status": "error"}},
            {"note": {"phase": "observe", "payload": {"text": "I give up"}}},
            {"close": {"status": "failed", "error": "not told"}}, {"finish": {"status": "error", "error": "not told"}})
        tab = self.open(f"#/run/broken/episodes/{run}")
        link = tab.locator("#run .why .first-error a")
        expect(link).to_have_text("carrier.notify: HTTP 503", timeout=PATIENCE)
        link.click()
        expect(tab.locator(".event.is-target .what")).to_contain_text("carrier.notify")
        command = "echo fine; echo 'cannot open the depot' >&2; exit 3"
        subprocess.run([RUNVET, "record", "--run-data", runs, "--task", "Open", "--id", "ep_exec", "--exec", "--", "sh", "-c", command],
                       capture_output=True, check=False)
        tab = self.open("#/run/broken/episodes/ep_exec")
        expect(tab.locator("#run .why .first-error")).to_contain_text("sh: cannot open the depot", timeout=PATIENCE)
        expect(tab.locator("#run .why pre")).to_have_text("cannot open the depot")

    def test_long_conversation_opens_with_few_elements(self):
        episodes = self.serve_empty("long")
        run_data.talking(episodes / "ep_long", 40)
        self.assertGreater((episodes / "ep_long" / "events.jsonl").stat().st_size, 3_000_000)
        tab = self.open("#/run/long/episodes/ep_long")
        # The system once, and in each turn a question, a call with its result, and an answer.
        expect(tab.locator("#r-conversation .message")).to_have_count(1 + 40 * 3, timeout=PATIENCE)
        self.assertLess(tab.evaluate("() => document.querySelectorAll('*').length"), 10_000)
        expect(tab.locator("#run .event .tree")).to_have_count(0)
        act = tab.locator("#r-L2")
        act.locator("summary").first.click()
        expect(act.locator(".tree")).to_contain_text("Where is a parcel 0?")
        did = tab.locator("#run .did details").nth(1)
        expect(did.locator("summary")).to_contain_text("tool: order 0")
        did.locator("summary").click()
        expect(did.locator("h3")).to_have_text(["input", "output"])
        expect(did.locator(".tree").last).to_contain_text("Leipzig 0")
        self.check_accessible(tab, "opened")

    def test_conversation_shows_pictures_what_calls_took_and_sub_agents(self):
        episodes = self.serve_empty("turns")
        started = run_data.talking(episodes / "ep_whole", 2, history=False)
        run_data.talking(episodes / "ep_part", 1, parcel="the depot")
        for name, tags in [("ep_whole", {}), ("ep_part", {"parent": "ep_whole"})]:
            at = started if not tags else started.replace("09:00:00.", "09:00:02.")
            state = {"episode": {"id": name, "started_at": at, "using": "adapter:shell", "tags": tags}, "goal": {"task": f"Task of {name}"},
                     "plan": {"steps": []}, "outcomes": {"status": "ok", "actions": []}}
            (episodes / name / "state.json").write_text(json.dumps(state))
        tab = self.open("#/run/turns/episodes/ep_whole")
        talk = tab.locator("#r-conversation")
        expect(talk.locator("figure.picture img")).to_have_count(1, timeout=PATIENCE)
        expect(talk.locator(".call").first).to_have_text("fable-5 · 2 messages · 1,200 tokens in · 310 tokens out · $0.0125 · 1.5 s")
        expect(talk.locator(".tool").first).to_contain_text("order 0: scanned in Leipzig")
        size = talk.locator(".prose").first.evaluate("part => [getComputedStyle(part).fontSize, getComputedStyle(part).maxWidth !== 'none']")
        self.assertEqual(size, ["15px", True])
        branch = talk.locator(".branch")
        expect(branch.locator("> summary")).to_contain_text("Task of ep_part", timeout=PATIENCE)
        # It began after the second event.
        before = branch.evaluate("it => it.previousElementSibling.querySelector('.line').textContent")
        self.assertIn(before, ["line 3", "line 4"])
        branch.locator("> summary").click()
        expect(branch.locator(".message", has_text="Where is the depot 0?")).to_have_count(1)
        self.check_accessible(tab, "conversation with a part")
        tab.set_viewport_size(WIDE)
        result = talk.locator(".tool .result").first
        expect(result).to_be_hidden()
        tab.emulate_media(media="print")
        expect(result).to_be_visible()

    def test_row_of_the_list_leads_with_how_the_run_ended(self):
        tab = self.whole("#/runs?q=ep_timeout")
        row = self.rows(tab)
        expect(row.locator("td").first).to_have_text("error")
        self.go(tab, "#/runs?q=ep_03_edited")
        expect(row.locator("td").first).to_have_text("success")
        expect(row.locator(".findings .badge")).to_have_text("invalid")
        self.go(tab, "#/runs?q=ep_01_answer")
        expect(row.locator(".findings .badge")).to_have_count(0)

    def test_overview_begins_with_what_failed_last_and_what_runs_cost(self):
        episodes = self.serve_empty("spent")
        for name, cost in [("ep_1", 1.25), ("ep_2", 2.5)]:
            shutil.copytree(WORK / "served" / "episodes" / "ep_timeout", episodes / name)
            state = json.loads((episodes / name / "state.json").read_text())
            state["outcomes"]["metrics"] = {"cost_usd": cost, "tokens_in": 1000, "tokens_out": 10}
            (episodes / name / "state.json").write_text(json.dumps(state))
        tab = self.open()
        expect(tab.locator(".failed li")).to_have_count(2, timeout=PATIENCE)
        expect(tab.locator(".tile", has_text="cost")).to_contain_text("$3.75")
        expect(tab.locator(".tile", has_text="tokens in")).to_contain_text("2,000")
        tab.locator(".failed a").first.click()
        expect(tab.locator("#run .why")).to_contain_text("the bank did not answer")

    def test_head_of_a_usual_run_is_small_and_has_no_box(self):
        runs = self.serve_empty("usual").parent
        run, _ = self.answered(runs, {"plan": ["Look"]}, {"open": "step-1"}, {"act": {"tool": "look", "output": "\x1b[31mred\x1b[0m", "result_status": "ok"}},
                             {"close": "step-1"}, {"finish": "ok"}, options=("--task", "Look", "--tag", "team=shop"))
        tab = self.open(f"#/run/usual/episodes/{run}")
        expect(tab.locator("#run .badges .badge")).to_have_text(["success, not verified", "valid"], timeout=PATIENCE)
        expect(tab.locator("#run .why, #run .notice")).to_have_count(0)
        head = tab.locator("#run .run-header").bounding_box()["height"]
        self.assertLess(head, WIDE["height"] / 5)
        self.assertEqual(tab.locator("#run section.part").last.get_attribute("id"), "r-records")
        self.assertIn("look · red", tab.locator(".event", has=tab.locator(".phase.act")).locator(".what").all_inner_texts()[1])
        tab.locator("#run .did summary").click()
        expect(tab.locator("#run .did pre")).to_have_text("red")

    def test_acts_of_two_runs_are_compared_in_pairs(self):
        episodes = self.serve_empty("pairs")
        for name, tools in [("ep_1", [("find", "tea"), ("pay", "3")]), ("ep_2", [("find", "tea"), ("ask", "?"), ("pay", "4")])]:
            step = {"step_id": "s", "result_status": "ok", "duration_ms": 10}
            acts = [run_data.event("act", 2 + at, "a", {**step, "action_id": f"act-{at}", "tool": tool, "input": {"what": what, "same": 1}})
                    for at, (tool, what) in enumerate(tools)]
            lines = [run_data.event("start", 0, "system", {"task": "Buy"}), *acts]
            (episodes / name).mkdir()
            (episodes / name / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            actions = [{"id": act["payload"]["action_id"], **act["payload"]} for act in acts]
            state = {"episode": {"id": name, "started_at": lines[0]["timestamp"]}, "goal": {"task": "Buy"}, "plan": {"steps": []},
                     "outcomes": {"status": "ok", "actions": actions}}
            (episodes / name / "state.json").write_text(json.dumps(state))
        tab = self.open("#/compare?left=pairs/episodes/ep_1&right=pairs/episodes/ep_2")
        rows = tab.locator(".acts > table > tbody > tr:not(.inside)")
        expect(rows).to_have_count(3, timeout=PATIENCE)
        expect(tab.locator(".acts > .note")).to_have_text("2 of 3 acts differ")
        expect(rows.nth(1).locator("td").first).to_have_text("–")
        rows.last.locator("summary").first.click()
        expect(tab.locator(".acts .inside tr")).to_have_text(["input.what34"])
        self.check_accessible(tab, "acts")

    def test_tag_with_a_value_for_each_run_floods_nothing(self):
        episodes = self.serve_empty("tagged")
        source = json.loads((DEMO / "ep_01_answer" / "state.json").read_text())
        for at in range(40):
            shutil.copytree(DEMO / "ep_01_answer", episodes / f"ep_{at}")
            source["episode"]["tags"] = {"customer": f"c-{at}", "team": "shop"}
            (episodes / f"ep_{at}" / "state.json").write_text(json.dumps(source))
        tab = self.open()
        tags = tab.locator(".panel", has=tab.get_by_role("heading", name="Tags"))
        expect(tags).to_contain_text("customer: 40 values", timeout=PATIENCE)
        # The summary names the team otherwise.
        expect(tags.locator("li")).to_have_text([re.compile("team:shop"), re.compile("team:support")])
        self.go(tab, "#/runs?tag=customer:c-7")
        expect(self.rows(tab)).to_have_count(1, timeout=PATIENCE)
        expect(tab.locator("[name=tag] option")).to_have_text(["any", "team:shop (40)", "team:support (40)", "customer:c-7"])

    def test_search_says_what_it_searched(self):
        tab = self.whole("#/runs?q=HTTP%20503")
        expect(tab.locator("#runs .table")).to_contain_text("The id, the task and the directory of each run were searched.")

    def record(self, episodes, name, *lines, metrics=None, **tags):
        """Records a run of these lines, and its end, and waits until the service has judged it."""
        tags = [word for tag in tags.items() for word in ("--tag", "=".join(tag))]
        command = [RUNVET, "record", "--run-data", episodes.parent, "--id", name, "--task", "Send the parcel", *tags]
        lines = "".join(json.dumps(line) + "\n" for line in [*lines, {"finish": {"status": "ok", "metrics": metrics or {}}}])
        subprocess.run(command, input=lines, text=True, check=True, stdout=subprocess.DEVNULL)
        asked = f"{self.home}api/v1/runs?" + urllib.parse.urlencode({"q": name})
        latest = time.monotonic() + PATIENCE / 1000
        while name not in [run["id"] for run in json.load(urllib.request.urlopen(asked))["items"]]:
            self.assertLess(time.monotonic(), latest, f"{name} is not judged")
            time.sleep(0.05)

    def test_runs_are_found_by_what_they_called_and_say(self):
        episodes = self.serve_empty("found")
        failing = {"act": {"tool": "carrier.notify", "result_status": "error", "output": {"error": "HTTP 503"}}}
        self.record(episodes, "ep_failing", {"act": {"tool": "lookup", "output": "o-17"}}, failing)
        self.record(episodes, "ep_good", {"act": {"tool": "carrier.notify", "output": "HTTP 200"}})
        tab = self.open("#/runs")
        expect(self.rows(tab)).to_have_count(2, timeout=PATIENCE)
        tool = tab.locator("select[name=tool]")
        expect(tool.locator("option")).to_have_count(3)
        tool.select_option("lookup")
        expect(self.rows(tab)).to_have_count(1)
        tool.select_option("carrier.notify")
        expect(self.rows(tab)).to_have_count(2)
        tab.locator("select[name=call]").select_option("error")
        expect(self.rows(tab)).to_have_count(1)
        expect(tab).to_have_url(re.compile(r"tool=carrier.notify&call=error$"))
        place = tab.locator("#runs .hits a")
        expect(place).to_have_text("carrier.notify returned an error")
        self.check_accessible(tab, "found")
        tab.set_viewport_size(WIDE)
        place.click()
        expect(tab.locator(".event.is-target")).to_contain_text("carrier.notify")

        self.go(tab, "#/runs?q=HTTP%20503")
        tab.get_by_role("link", name="Search the texts of all runs").click()
        expect(tab.locator("#runs .list-status")).to_contain_text("1 run; 2 of 2 runs searched")
        expect(tab.locator("#runs .hits a").first).to_have_text("HTTP 503")
        tab.locator("[name=text]").fill("http 404")
        tab.keyboard.press("Enter")
        expect(tab.locator("#runs .table")).to_contain_text("Searched in each run: events.jsonl, state.json")
        asked = f"{self.home}api/v1/runs?" + urllib.parse.urlencode({"text": "HTTP 503", "limit": 1})
        found = tab.request.get(asked).json()
        self.assertEqual([run["id"] for run in found["items"]], ["ep_failing"])
        self.assertEqual(found["items"][0]["hits"][0]["file"], "events.jsonl")

    def test_long_search_says_how_far_it_is(self):
        tab = self.whole("#/runs")

        def slow(route):
            # What goes on is not answered.
            if "cursor" not in route.request.url:
                route.fulfill(response=route.fetch(url=route.request.url.replace("limit=100", "limit=1")))
        tab.route("**/api/v1/runs?text=*", slow)
        self.go(tab, "#/runs?text=tickets")
        expect(tab.locator("#runs .list-status")).to_contain_text(re.compile(r"1 run; \d+ of 158 runs searched …"), timeout=PATIENCE)
        tab.unroute("**/api/v1/runs?text=*", slow)

    def test_groups_are_compared_by_a_tag(self):
        episodes = self.serve_empty("groups")
        for number, (model, cost) in enumerate([("a", 1), ("b", 3)]):
            self.record(episodes, f"ep_{number}", metrics={"cost_usd": cost}, model=model)
        tab = self.open("#/groups?by=model")
        row = tab.locator("#groups tbody tr, #groups table > tr").filter(has_text="cost_usd").last
        expect(row).to_contain_text("b", timeout=PATIENCE)
        expect(row.locator("td").nth(5)).to_have_text("2")
        expect(tab.locator("#groups code")).to_have_text("runvet compare groups --by model --base a")
        self.check_accessible(tab, "groups")
        tab.set_viewport_size(WIDE)
        tab.get_by_role("link", name="compare others with it").click()
        expect(tab.locator("#groups code")).to_have_text("runvet compare groups --by model --base b")
        tab.locator("#groups .groups a").first.click()
        expect(self.rows(tab)).to_have_count(1)
        self.go(tab, "#/groups?by=nothing")
        expect(tab.locator("#groups .notice")).to_contain_text('no run that can be compared has the tag "nothing"')

    def test_runs_of_any_directory_are_whole_behind_nginx(self):
        episodes = self.serve_empty("odd names")
        home = self.proxy()
        for group in ["plain", "two words", "50%", "%2F", "a#b", "why?", "ä\u4e2d", "a&b=c+d"]:
            run = episodes / group / "ep_long"
            run.mkdir(parents=True)
            for source in [DEMO / "ep_03_edited" / "state.json", WORK / "served" / "episodes" / "ep_long" / "events.jsonl"]:
                shutil.copy(source, run)
            self.home = f"{home}/tools/runvet/"
            directory = urllib.parse.quote(f"odd names/episodes/{group}/ep_long")
            tab = self.open(f"#/run/{directory}?at=L500")
            expect(tab.locator(".event.is-target .line")).to_have_text("500", timeout=PATIENCE)
            tab.get_by_label("Filter events").fill("step-")
            expect(tab.locator("#run [role=status].count")).to_contain_text("lines ")
            with tab.expect_download() as download:
                tab.locator("#r-state").get_by_role("link", name="Download").click()
            self.assertEqual(download.value.path().read_bytes(), (run / "state.json").read_bytes())
            tab.context.close()
            shutil.rmtree(run)
        self.home = home

    def test_token_lets_a_browser_in(self):
        episodes = self.serve_with_token("locked")
        for home in [self.home, f"{self.proxy()}/tools/runvet/"]:
            self.home, self.asked = home, []
            address = f"{home}#/run/locked/episodes/ep_1"
            tab = super().open(address)
            self.check_accessible(tab, "login")
            self.give_token(tab, "0123456789abcdeX")
            expect(tab.get_by_role("alert")).to_have_text("This is not the token of this service.")
            self.give_token(tab, TOKEN)
            expect(tab.locator(LIVE)).to_have_text("live")
            expect(tab.locator("#run .crumb code")).to_have_text("ep_1", timeout=PATIENCE)
            expect(tab).to_have_url(address)
            self.assertEqual(tab.evaluate("() => document.cookie"), "")
            [cookie] = tab.context.cookies()
            self.assertEqual((cookie["httpOnly"], cookie["sameSite"]), (True, "Lax"))
            self.assertNotIn(TOKEN, cookie["value"])
            self.go(tab, "#/runs")
            shutil.copytree(DEMO / "ep_01_answer", episodes / f"ep_{len(home)}")
            self.show_new(tab)
            expect(self.rows(tab).nth(1)).to_be_visible(timeout=PATIENCE)
            shutil.rmtree(episodes / f"ep_{len(home)}")
            expect(self.rows(tab)).to_have_count(1, timeout=PATIENCE)
            self.assertFalse([url for url in self.asked if TOKEN in url])
            tab.context.close()
        # Chromium says that the form came with the status 401.
        self.assertTrue(all("401" in said for said in self.said), self.said)
        self.said.clear()

    def test_opened_browser_is_let_in_once(self):
        opened = WORK / "opened"
        opened.unlink(missing_ok=True)
        browser = WORK / "browser.sh"
        browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new\nmv {opened}.new {opened}\n')
        browser.chmod(0o755)
        self.serve_with_token("opened-runs", "--open", BROWSER=str(browser))
        while not opened.exists():
            time.sleep(0.05)
        address = opened.read_text().strip()
        self.assertNotIn(TOKEN, address)
        tab = super().open(address)
        expect(tab.locator(LIVE)).to_have_text("live")
        expect(tab).to_have_url(self.home)
        tab.goto(address)
        expect(tab).to_have_url(self.home)
        self.assertEqual(self.said, [])
        stranger = super().open(address)
        expect(stranger.get_by_role("alert")).to_contain_text("The code of this address was used")
        self.said.clear()

    def test_pictures_are_taken(self):
        tab = self.whole("#/runs?valid=no", viewport=WIDE, reduced_motion="reduce")
        tab.keyboard.press("j")
        self.take_picture(tab, "live")
