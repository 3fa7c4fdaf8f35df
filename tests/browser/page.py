"""Tries the page of the format `html` in a browser."""

import base64
import re
import shutil
import subprocess
import zlib

from playwright.sync_api import expect

import run_data
from tab import NARROW, RUNVET, WIDE, WORK, InTheBrowser

EDITED = "#/run/runs/episodes/ep_03_edited"
FAILED = "#/run/runs/episodes/ep_timeout"


def report(directory, name, *options):
    """The path of the page of some run data."""
    path = WORK / f"{name}.html"
    command = [RUNVET, "validate", "--quiet", "--output", f"html={path}", *options, directory.name]
    ended = subprocess.run(command, cwd=directory.parent, stdout=subprocess.DEVNULL)
    assert ended.returncode == 1, ended.returncode
    return path


class OfAFile(InTheBrowser):
    home = "file://"

    @classmethod
    def setUpClass(cls):
        run_data.write(WORK / "runs")
        run_data.write_hostile(WORK / "hostile")
        cls.report = report(WORK / "runs", "report")
        cls.hostile = report(WORK / "hostile", "hostile")
        super().setUpClass()

    def open(self, address="", path=None, **options):
        return super().open(f"file://{path or self.report}{address}", **options)

    def test_overview_leads_to_the_runs_behind_each_mark(self):
        tab = self.open()
        expect(tab.locator("#overview")).to_be_visible()
        expect(tab.locator("#runs, #run").first).to_be_hidden()
        total = int(tab.locator(".tile.all b").inner_text())
        self.assertEqual(total, 98)
        for mark in ["svg.chart a", ".bars a", ".latencies td a", ".legend a", ".tile"]:
            links = [link.get_attribute("href") for link in tab.locator(f"#overview {mark}").all()]
            self.assertTrue(links, mark)
            for link in links:
                tab.evaluate("link => { location.hash = link }", link)
                expect(tab.locator("#runs .list-status")).to_contain_text("run")
                self.assertGreater(self.rows(tab).count(), 0, link)
        tab.go_back()

    def test_numbers_of_the_overview_are_those_of_the_list(self):
        tab = self.open()
        for rule in tab.locator(".causes a.runs").all():
            number, link = rule.text_content().split()[0], rule.get_attribute("href")
            tab.evaluate("link => { location.hash = link }", link)
            expect(tab.locator("#runs .list-status")).to_contain_text(f"{number} run")
            tab.evaluate("() => { location.hash = '#/' }")

    def test_filters_are_in_the_address(self):
        tab = self.open("#/runs")
        everything = self.rows(tab).count()
        tab.get_by_label("Validity").select_option("no")
        expect(tab).to_have_url(f"file://{self.report}#/runs?valid=no")
        expect(self.rows(tab)).not_to_have_count(everything)
        invalid = self.rows(tab).count()
        tab.get_by_label("Rule").select_option("plan/projection")
        expect(tab.locator("#runs .list-status")).to_contain_text("run")
        self.assertLess(self.rows(tab).count(), invalid)
        tab.reload()
        expect(tab.get_by_label("Rule")).to_have_value("plan/projection")
        tab.go_back()
        expect(self.rows(tab)).to_have_count(invalid)
        tab.get_by_role("button", name="Clear").click()
        expect(self.rows(tab)).to_have_count(everything)
        tab.get_by_label("From").fill("2026-03-12")
        tab.keyboard.press("Enter")
        expect(self.rows(tab)).not_to_have_count(everything)
        dates = tab.locator("#runs tbody td:nth-child(4)").all_inner_texts()
        self.assertTrue(dates and all(date >= "2026-03-12" for date in dates), dates)
        tab.goto(f"file://{self.report}#/runs?duration=0..1&tag=team:billing&since=2026-02-22")
        expect(tab.locator(".chip")).to_contain_text(["duration: 0..1", "tag: team:billing", "since: 2026-02-22"])
        tab.locator(".chip").first.click()
        expect(tab.locator(".chip")).to_have_count(2)

    def test_times_are_as_people_say_them(self):
        tab = self.open("#/runs?since=2026-03-12T09:00")
        starts = tab.locator("#runs tbody td:nth-child(4)").all_inner_texts()
        self.assertTrue(starts and all(start >= "2026-03-12 09:00:00" for start in starts), starts)
        self.assertEqual(starts, sorted(starts, reverse=True), "the newest is first")
        expect(tab.locator("th[aria-sort]")).to_have_text("started (UTC) ↓")
        tab.goto(f"file://{self.report}#/runs?until=24h")
        expect(self.rows(tab).nth(50)).to_be_visible()
        tab.goto(f"file://{self.report}#/runs?until=yesterday&colour=red")
        expect(tab.locator(".chip")).to_contain_text(["until: yesterday", "there is no filter colour"])
        tab.goto(f"file://{self.report}#/runs?since=lunch")
        expect(tab.locator(".chip")).to_contain_text("since is a date")
        abroad = self.open("#/runs", timezone_id="Asia/Tokyo")
        expect(abroad.locator("#runs .local").first).to_contain_text("GMT+9")

    def test_page_opens_with_the_answer(self):
        tab = self.open()
        expect(tab.locator(".answer h2")).to_have_text("22 of 98 runs can't be trusted")
        expect(tab.locator(".answer")).to_contain_text("runs/episodes")
        expect(tab.locator(".answer")).to_contain_text("with default settings")
        cause = tab.locator(".causes li", has_text="plan/projection").first
        expect(cause).to_contain_text("the persisted plan differs from the plan rebuilt from the timeline")
        expect(cause.locator(".note")).to_contain_text('plan.steps[2].status is "running"')
        cause.locator(".note a").click()
        expect(tab.locator(".finding", has_text="plan/projection")).to_be_visible()
        demo = self.open(path=report(run_data.CORPUS / "demo", "demo"))
        expect(demo.locator(".causes")).to_be_visible()
        expect(demo.locator(".panels")).to_have_count(0)

    def test_chart_takes_one_step_of_the_focus(self):
        tab = self.open()
        marks = tab.locator("svg.chart").first.locator("a")
        self.assertGreater(marks.count(), 3)
        expect(tab.locator("svg.chart a[tabindex='0']")).to_have_count(tab.locator("svg.chart").count())
        marks.first.focus()
        for key, at in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("ArrowLeft", 0), ("ArrowLeft", 0)]:
            tab.keyboard.press(key)
            expect(marks.nth(at)).to_be_focused()
        tab.keyboard.press("Tab")
        expect(tab.locator("svg.chart").first.locator(":focus")).to_have_count(0)

    def test_triage_returns_to_its_place(self):
        tab = self.open("#/runs")
        tab.keyboard.press("/")
        tab.keyboard.type("ep_printing")
        tab.keyboard.press("Enter")
        expect(tab.locator("#run .crumb code")).to_have_text("ep_printing")
        tab.keyboard.press("r")
        tab.keyboard.press("/")
        tab.keyboard.press("Escape")
        expect(tab.locator("#runs [name=q]")).to_have_value("ep_printing")
        tab = self.open("#/runs?valid=yes")
        expect(self.rows(tab).nth(50)).to_be_visible()
        for _ in range(40):
            tab.keyboard.press("j")
        row = self.rows(tab).nth(39).locator(".id")
        expect(row).to_be_focused()
        top = tab.evaluate("() => scrollY")
        self.assertGreater(top, 0)
        for back in [lambda: tab.keyboard.press("Escape"), tab.go_back]:
            tab.keyboard.press("Enter")
            expect(tab.locator("#run h1")).to_be_visible()
            back()
            expect(row).to_be_focused()
            tab.wait_for_function("top => scrollY === top", arg=top)

    def test_finding_has_its_own_address(self):
        tab = self.open(f"{EDITED}?at=finding-2")
        expect(tab.locator(".finding.is-target")).to_contain_text("plan/projection")
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab.locator(".finding").nth(1).get_by_role("button", name="Copy link").click()
        expect(tab.get_by_role("button", name="Copied")).to_have_count(1)

    def test_keys_can_be_turned_off(self):
        tab = self.open()
        tab.keyboard.press("?")
        tab.get_by_label("Keys without a modifier act").uncheck()
        tab.keyboard.press("Escape")
        tab.keyboard.press("r")
        tab.reload()
        tab.keyboard.press("r")
        expect(tab.locator("#overview")).to_be_visible()

    def test_list_is_searched_and_sorted(self):
        tab = self.open("#/runs")
        tab.goto(f"file://{self.report}#/")
        expect(tab.locator("#overview")).to_be_visible()
        tab.keyboard.press("/")
        expect(tab.locator("#runs [name=q]")).to_be_focused()
        tab.keyboard.type("invoice februar")
        expect(self.rows(tab)).to_have_count(1)
        tab.goto(f"file://{self.report}#/runs?sort=-duration")
        expect(tab.locator("th[aria-sort]")).to_have_text("duration ↓")
        durations = tab.evaluate("() => [...document.querySelectorAll('#runs td.number')].map(c => c.textContent)")
        self.assertIn("s", durations[0])
        # What was typed for another address does not come back when the field loses the focus.
        expect(tab.locator("#runs [name=q]")).to_have_value("")
        tab.get_by_role("button", name="run", exact=True).click()
        expect(tab.locator("th[aria-sort]")).to_have_text("run ↓")
        ids = tab.locator("#runs .id").all_inner_texts()
        self.assertEqual(ids, sorted(ids, reverse=True))

    def test_runs_are_filtered_and_sorted_by_a_metric(self):
        tab = self.open("#/runs")
        tab.get_by_label("Metric").fill("task_score..0.8..")
        tab.keyboard.press("Enter")
        column = tab.locator("#runs tbody td:nth-child(6)")
        expect(tab.get_by_role("button", name="task_score", exact=True)).to_be_visible()
        scores = [float(text) for text in column.all_inner_texts()]
        self.assertTrue(scores and min(scores) >= 0.8, scores)
        tab.get_by_role("button", name="task_score", exact=True).click()
        expect(tab).to_have_url(re.compile("sort=-metric:task_score"))
        expect(column.first).to_have_text(str(max(scores)).removesuffix(".0"))

    def test_runs_are_filtered_by_their_duration(self):
        tab = self.open("#/runs")
        tab.get_by_label("Seconds").fill("5..60")
        tab.keyboard.press("Enter")
        expect(tab).to_have_url(re.compile("duration=5"))
        durations = tab.locator("#runs td.number").all_inner_texts()
        self.assertTrue(durations and all(text.endswith(" s") and 5 <= float(text.split()[0]) < 60 for text in durations), durations)
        tab.get_by_label("Seconds").fill("60")
        tab.keyboard.press("Enter")
        expect(tab.locator(".chip.is-unknown")).to_contain_text("duration is seconds such as 10..60")

    def test_page_is_used_by_keys_alone(self):
        self.check_walked_by_keys(self.open("#/runs?valid=no"))

    def test_finding_leads_to_its_places(self):
        tab = self.open("#/runs?q=ep_03")
        self.rows(tab).first.click()
        expect(tab.locator("#run h1")).to_have_text("Summarize the open tickets")
        finding = tab.locator(".finding", has_text="plan/projection").first
        expect(finding.locator("mark").first).to_have_text('"pending"')
        finding.get_by_role("link", name="state.json").click()
        place = tab.locator(".tree .is-target")
        expect(place).to_contain_text("status")
        expect(place).to_be_in_viewport()
        tab.go_back()
        finding.get_by_role("link", name="events.jsonl:6").click()
        value = tab.locator(".event[open] .place.is-target")
        expect(value).to_have_text('step_status"done"')
        expect(value).to_be_in_viewport()
        address = tab.url
        self.assertRegex(address, r"\?at=L6-\d+$")
        again = self.open(address[address.index("#"):])
        expect(again.locator(".event .is-target")).to_be_in_viewport()

    def test_rule_has_its_page_beside_the_finding(self):
        tab = self.open(EDITED)
        rule = tab.get_by_role("link", name="plan/projection")
        rule.click()
        page = tab.locator(".finding .rule-page")
        expect(page).to_contain_text("Why it matters")
        rule.click()
        expect(page).to_have_count(0)

    def test_plan_shows_where_its_sides_part(self):
        tab = self.open(EDITED)
        row = tab.locator("table.plan tr.differs")
        expect(row).to_contain_text("step-2")
        expect(row.locator(".badge")).to_have_text(["pending", "done"])
        row.get_by_role("link", name="line 6").click()
        expect(tab.locator(".event.is-target > summary")).to_contain_text("step-2")

    def test_step_shows_what_went_in_and_came_out(self):
        tab = self.open(FAILED)
        expect(tab.locator(".tags")).to_have_text("team:billing")
        did = tab.locator("tr.did", has_text="erp.invoices")
        expect(did.locator("summary")).to_have_text('erp.invoices 4.5 s {"month":"2026-02"} → 412 invoices')
        expect(did.locator("pre").last).to_be_hidden()
        did.locator("summary").click()
        expect(did.locator("pre").last).to_have_text("412 invoices\n3 of them twice")
        did.get_by_role("link", name="events.jsonl:5").click()
        expect(tab.locator(".event.is-target > summary")).to_contain_text("collect")

    def test_two_runs_are_compared_side_by_side(self):
        tab = self.open(EDITED)
        tab.get_by_role("button", name="Compare").click()
        self.check_compared(tab)
        expect(tab.locator("#compare .notice")).to_have_text(re.compile(r"runvet diff runs/episodes/\S+ runs/episodes/ep_03_edited$"))
        self.check_accessible(tab, "compare")
        tab.locator(".side").last.get_by_role("link", name="line 6").click()
        expect(tab.locator(".event.is-target > summary")).to_contain_text("step-2")

    def test_marked_runs_are_compared(self):
        tab = self.open("#/runs?q=ep_0")
        for name in ["ep_01_answer", "ep_03_edited"]:
            tab.get_by_label(f"Mark {name} to compare").check()
        tab.get_by_role("link", name="Compare the two marked runs").click()
        expect(tab.locator(".side .crumb")).to_have_text(["ep_01_answer", "ep_03_edited"])

    def test_run_says_why_it_failed(self):
        tab = self.open(FAILED)
        expect(tab.locator(".why h2")).to_have_text("Failed at refund")
        expect(tab.locator(".why pre")).to_have_text("connect: timed out")
        expect(tab.locator(".why")).to_contain_text("TimeoutError: the bank did not answer in 30 s")
        expect(tab.locator(".waterfall .fold-mark")).to_have_count(1)
        expect(tab.locator(".waterfall rect.bar")).to_have_count(3)

    def test_timeline_is_zoomed_and_spread(self):
        tab = self.open(FAILED)
        drawing = tab.locator("svg.lines")
        before = drawing.bounding_box()["width"]
        tab.get_by_role("button", name="Zoom in").click()
        self.assertAlmostEqual(drawing.bounding_box()["width"], 2 * before, delta=2)
        tab.get_by_role("button", name="Fit").click()
        tab.get_by_role("button", name="Spread evenly").click()
        expect(tab.locator("rect.bar").first).to_be_hidden()
        places = [mark.get_attribute("x") for mark in tab.locator("svg.at").all()]
        self.assertEqual(len(set(places)), len(places))
        tab.locator(".waterfall a", has=tab.locator(".mark.failed")).click()
        expect(tab.locator(".event.is-target .tree")).to_contain_text("the bank did not answer")

    def test_file_has_each_text_of_its_events_once(self):
        directory = WORK / "once"
        shutil.rmtree(directory, ignore_errors=True)
        run_data.talking(directory / "episodes" / "ep_1", 6)
        shutil.copytree(run_data.CORPUS / "demo" / "episodes" / "ep_03_edited", directory / "episodes" / "ep_2")
        path = report(directory, "once")
        packed = re.search(r"<template data-row=\"0\"[^>]*>([^<]*)", path.read_text())[1]
        page = zlib.decompress(base64.b64decode(packed), -15).decode()
        timeline = page[page.index('<div class="events"'):]
        self.assertEqual(timeline.count("Asked in turn 2."), 1)
        self.assertEqual(timeline.count("<ul><li>"), 0, "no tree")
        tab = self.open("#/run/once/episodes/ep_1", path)
        act = tab.locator("#run .event", has=tab.locator(".phase.act")).last
        act.locator("summary").first.click()
        expect(act.locator(".tree")).to_contain_text("Where is a parcel 2?")
        expect(act.locator(".tree")).to_contain_text("order 5: scanned in Leipzig")
        expect(act.locator(".tree .picture img")).to_have_count(1)
        did = tab.locator("#run .did > td > details").last
        did.locator("summary").click()
        expect(did.locator(".tree").first).to_contain_text("Where is a parcel 2?")
        self.check_accessible(tab, "opened")
        bare = self.open("", path, java_script_enabled=False)
        expect(bare.locator(".message", has_text="Where is a parcel 2?")).to_have_count(1)
        expect(bare.locator(".message .call").first).to_contain_text("1,200 tokens in")

    def test_event_is_shown_to_its_last_byte(self):
        tab = self.open("#/run/runs/episodes/ep_printing?at=L4")
        output = tab.locator(".event.is-target pre")
        expect(output).to_contain_text("line 1\nline 2\n")
        expect(output).to_contain_text("1 failed: NEEDLEOUT")
        tab.goto(f"file://{self.report}#/run/runs/episodes/ep_printing?at=L5")
        ends = tab.locator(".event.is-target pre")
        expect(ends.nth(0)).to_contain_text("line 1")
        expect(ends.nth(1)).to_contain_text("1 failed: NEEDLEOUT")
        expect(tab.locator(".event.is-target .between")).to_contain_text("bytes of this event are not on this page")

    def test_long_timeline_is_folded_filtered_and_paged(self):
        tab = self.open("#/run/runs/episodes/ep_long")
        expect(tab.locator(".event:visible")).to_have_count(100)
        events = tab.locator("#run .part", has=tab.locator(".events"))
        events.get_by_role("button", name="Next").click()
        expect(events.locator(".event:visible .line").first).to_have_text("101")
        expect(events.locator(".fold").first).to_contain_text("events are not on this page")
        events.get_by_placeholder("Filter events").fill("error")
        expect(events.locator(".event:visible")).to_have_count(1)
        expect(events.locator(".event:visible .line")).to_have_text("503")
        events.get_by_placeholder("Filter events").fill("")
        events.get_by_role("button", name="plan 1").click()
        expect(events.locator(".event:visible")).to_have_count(1)
        events.get_by_label("Go to the line of an event").fill("1002")
        tab.keyboard.press("Enter")
        expect(tab.locator(".event.is-target")).to_be_in_viewport()
        tab.goto(f"file://{self.report}#/run/runs/episodes/ep_long?at=L700")
        expect(events.locator(".ev-tools")).to_contain_text("Line 700 is not on this page.")

    def test_colours_follow_the_system_until_chosen(self):
        colour = "() => getComputedStyle(document.body).backgroundColor"
        light, dark = self.open(), self.open(color_scheme="dark")
        bright, deep = light.evaluate(colour), dark.evaluate(colour)
        self.assertNotEqual(bright, deep)
        light.get_by_role("button", name="Theme").click()
        self.assertEqual(light.evaluate(colour), deep)
        light.reload()
        self.assertEqual(light.evaluate(colour), deep, "the choice is kept")

    def test_nothing_is_cut_off_in_a_narrow_window(self):
        for address in ["#/", "#/runs", EDITED, FAILED, "#/run/runs/episodes/ep_long"]:
            tab = self.open(address, viewport=NARROW)
            self.check_not_cut_off(tab, address)

    def test_words_stay_whole_and_apart_at_every_width(self):
        boxes = "texts => texts.map(text => text.getBoundingClientRect()).filter(box => box.width).map(box => [box.left, box.right])"
        for width in [360, 900, 1440]:
            tab = self.open(FAILED, viewport={"width": width, "height": 900})
            expect(tab.locator(".wf-tools")).to_be_visible()
            labels = sorted(tab.locator("svg.lines text.axis").evaluate_all(boxes))
            self.assertGreater(len(labels), 1, width)
            self.assertEqual([at for at in range(len(labels) - 1) if labels[at][1] > labels[at + 1][0]], [], (width, labels))
            expect(tab.locator("svg.bar-name").first).to_have_css("overflow", "hidden")
            names = tab.locator("table.plan th code").evaluate_all("names => names.map(name => name.getClientRects()[0].height)")
            self.assertLess(max(names), 30, width)
        tab = self.open("#/compare?left=runs/episodes/ep_01_answer&right=runs/episodes/ep_03_edited", viewport={"width": 900, "height": 900})
        expect(tab.locator(".side")).to_have_count(2)
        left, right = [side.bounding_box() for side in tab.locator(".side").all()]
        self.assertEqual(left["y"], right["y"])

    def test_page_is_accessible(self):
        for scheme in ["light", "dark"]:
            for address in ["#/", "#/runs?valid=no", EDITED, FAILED, "#/run/runs/episodes/ep_04_crashed"]:
                self.check_accessible(self.open(address, color_scheme=scheme), (scheme, address))

    def test_hostile_records_stay_text(self):
        for options in [{}, {"java_script_enabled": False}]:
            tab = self.open("", self.hostile, **options)
            if options:
                expect(tab.locator("article.run h1").first).to_contain_text("</noscript></script><script>")
                self.assertEqual(tab.locator("main img").count(), 0)
                continue
            tab.locator(".views a", has_text="Runs").click()
            expect(tab.locator("#runs")).to_contain_text("ep_\\u{202e}gnp")
            self.rows(tab).first.click()
            expect(tab.locator("#run h1")).to_contain_text("</noscript></script><script>")
            for details in tab.locator("#run details").all():
                details.evaluate("it => { it.open = true }")
            tab.get_by_role("link", name="state.json").first.click()
            tab.locator(".finding .rule").first.click()
            self.check_inert(tab)

    def test_findings_are_readable_without_a_script(self):
        tab = self.open("", java_script_enabled=False)
        expect(tab.locator("#overview")).to_be_visible()
        expect(tab.locator("article.run").first).to_be_visible()
        self.assertEqual(tab.locator("article.run").count(), 98)
        expect(tab.locator("article.run", has_text="ep_03_edited").locator(".finding").first).to_be_visible()
        expect(tab.locator("#rule-plan\\/projection")).to_be_visible()

    def test_file_is_not_much_larger_than_the_records(self):
        records = sum(path.stat().st_size for path in (WORK / "runs").rglob("*.json*"))
        self.assertLess(self.report.stat().st_size, 1.5 * records)

    def test_run_is_found_by_its_id(self):
        tab = self.open("#/run/ep_timeout?at=L5")
        expect(tab.locator(".event.is-target .line")).to_have_text("5")
        expect(tab).to_have_url(re.compile(re.escape(FAILED)))
        tab = self.open("#/run/ep_nowhere")
        expect(tab.locator("#run h1")).to_have_text("This run can't be shown")

    def test_file_has_the_pages_that_were_asked_for(self):
        for which, pages, said in [("invalid", 22, "Only runs that are not valid"), ("none", 0, "No run was asked")]:
            tab = self.open("#/runs", path=report(WORK / "runs", which, "--html-runs", which))
            self.assertEqual(tab.locator("template[data-row]").count(), pages)
            expect(tab.locator("#runs .notice.is-warn")).to_contain_text(said)

    def test_broken_rules_of_a_team_stand_apart_from_broken_records(self):
        team = run_data.CORPUS / "team"
        tab = self.open(path=report(team / "refunds" / "runs", "team", "--config", str(team / "conduct" / "runvet.toml")))
        expect(tab.locator("section[aria-labelledby=policies] .rule").first).to_contain_text("/")
        mixed = tab.locator("section[aria-labelledby=causes] .rule").all_inner_texts()
        self.assertFalse(set(mixed) & set(tab.locator("section[aria-labelledby=policies] .rule").all_inner_texts()))

    def test_overview_of_one_day_says_how_runs_ended(self):
        tab = self.open(path=report(run_data.CORPUS / "demo", "demo"))
        expect(tab.locator(".endings h2")).to_have_text("How runs ended")
        ending = tab.locator(".endings a").first
        number = int(ending.locator(".number").inner_text())
        ending.click()
        expect(tab.locator("#runs .list-status")).to_contain_text(f"{number} run")

    def test_page_prints_without_its_controls(self):
        tab = self.open(EDITED)
        tab.emulate_media(media="print")
        for control in ["header.top", "nav.parts", ".wf-tools", ".ev-tools"]:
            expect(tab.locator(control)).to_be_hidden()
        expect(tab.locator(".finding").first).to_be_visible()
        self.assertGreater(len(tab.pdf()), 10_000)

    def test_pictures_are_taken(self):
        pictures = {
            "overview": ("#/", WIDE, "light"),
            "overview-dark": ("#/", WIDE, "dark"),
            "runs": ("#/runs?valid=no", WIDE, "light"),
            "run": (EDITED, {"width": 1280, "height": 1000}, "light"),
            "timeline-dark": (f"{FAILED}?at=timeline", WIDE, "dark"),
            "narrow": (EDITED, NARROW, "light"),
        }
        for name, (address, viewport, scheme) in pictures.items():
            tab = self.open(address, viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
            self.take_picture(tab, name)
