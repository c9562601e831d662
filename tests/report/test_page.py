"""The page in a real browser: what a person sees and does, with a mouse, with keys, on a phone."""

import re
import shutil

import pytest

from npudoctor.finding import Status
from npudoctor.report.html import to_html
from npudoctor.report.report import HostReport, Report
from npudoctor.report.style import Style
from npudoctor.words import use_language
from tests.report.findings import failed, finding, report_of, unread

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
BROWSER = next((path for name in BROWSERS if (path := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """`opened(report, width=390, fragment="#q=x")`: the page, from a file, with no error and no request."""
    pages = []

    def open_page(report, *, width=1280, scheme="light", fragment=""):
        file = tmp_path / "r.html"
        file.write_text("".join(to_html(report, Style(), "")), encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.said = []
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("console", lambda message: page.said.append(message.text))
        page.on(
            "request", lambda request: page.said.append(request.url) if "r.html" not in request.url else 0
        )
        page.goto(file.as_uri() + fragment)
        pages.append(page)
        return page

    yield open_page
    assert [page.said for page in pages] == [[] for _page in pages]
    for page in pages:
        page.close()


def fleet_of(number):
    """Every tenth host fails, every seventh warns."""

    def rows(n):
        bad = failed() if n % 10 == 0 else finding()
        return (bad, finding("os.clock", Status.WARN if n % 7 == 0 else Status.PASS))

    hosts = tuple(HostReport(f"node{n:04d}", "ssh", rows(n)) for n in range(number))
    return Report(hosts, (finding("fleet.version_drift", Status.WARN),))


TIMED = """
(() => {
  const start = performance.now();
  document.querySelector('#counts .pass').click();
  return performance.now() - start;
})()
"""
CLIPBOARD = """
Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.got = text; }}})
"""


def titles(page):
    return page.locator(".card .id").all_text_contents()


def test_the_worst_is_open_with_its_proof_and_its_command(opened):
    page = opened(report_of(finding("os.a", Status.WARN), unread("os.b", "/p"), failed()))
    assert titles(page) == ["driver.cann_pairing", "os.b", "os.a"]
    card = page.locator(".card").first
    assert card.get_attribute("open") is not None
    shown = card.inner_text()
    for text in ("driver 6.0.0 with CANN 7.0.0", "Version=6.0.0", "bash hdk.run --upgrade", "[upgrade]"):
        assert text in shown


def test_counts_are_filters(opened):
    page = opened(report_of(failed(), finding("os.clock")))
    page.click("#counts .pass")
    assert titles(page) == ["driver.cann_pairing", "os.clock"]
    page.click("#counts .fail")
    assert titles(page) == ["os.clock"]
    assert page.url.endswith("#status=unknown%2Cwarn%2Cwaived%2Cpass")


def test_the_search_finds_ids_hosts_and_evidence(opened):
    page = opened(fleet_of(20))
    for query, shown in {"version=6.0": 2 + 3 + 1, "node0010": 1, "drift": 1, "no such": 0}.items():
        page.fill("#query", query)
        page.locator("#shown", has_text=re.compile(f"^{shown} shown$")).wait_for()


def test_the_area_is_a_filter(opened):
    page = opened(report_of(failed(), failed("os.clock")))
    page.select_option("#area", "os")
    assert titles(page) == ["os.clock"]


def test_a_link_brings_its_filters_along(opened):
    page = opened(fleet_of(30), fragment="#status=fail&host=node0010")
    assert page.locator("#shown").inner_text() == "1 shown"
    assert page.locator("#host").inner_text() == "node0010 ×"


def test_a_thousand_hosts_are_cells_that_keys_reach(opened):
    page = opened(fleet_of(1000))
    assert page.locator(".cell").count() == 1000
    assert page.locator(".cell.fail").count() == 100
    page.locator(".cell").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert page.locator("#readout").inner_text().startswith("node0010 · 1 fail")
    page.keyboard.press("Enter")
    assert page.locator("#host").inner_text() == "node0010 ×"
    page.keyboard.press("Escape")
    assert page.locator("#host").is_hidden()


def test_a_thousand_hosts_that_share_a_finding_share_a_card(opened):
    page = opened(fleet_of(1000))
    card = page.locator(".card", has_text="driver.cann_pairing")
    assert card.count() == 1
    assert "100 hosts" in card.inner_text()
    assert page.evaluate("document.querySelectorAll('*').length") < 3000
    assert page.evaluate(TIMED) < 1000


def test_a_key_goes_to_the_search_and_every_card_is_reached_by_tab(opened):
    page = opened(report_of(failed()))
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "query"
    for _step in range(2):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    assert page.locator(".card").first.get_attribute("open") is None


def test_a_command_is_copied(opened):
    page = opened(report_of(failed()))
    page.evaluate(CLIPBOARD)
    page.click(".copy")
    page.locator(".copy", has_text="copied").wait_for()
    assert page.evaluate("window.got") == "bash hdk.run --upgrade\nreboot"


@pytest.mark.parametrize("report", ["of_samples", "of_files", "hostile"])
def test_nothing_is_wider_than_a_narrow_window(opened, report, request):
    page = opened(request.getfixturevalue(report), width=390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def ground(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_dark_follows_the_system_and_the_switch_wins(opened):
    light, dark = opened(report_of(failed())), opened(report_of(failed()), scheme="dark")
    assert ground(light) != ground(dark)
    before = ground(light)
    light.click("#theme")
    assert ground(light) == ground(dark)
    light.click("#theme")
    assert ground(light) == before


def test_a_hostile_host_runs_nothing(opened, hostile):
    page = opened(hostile)
    assert page.locator("img").count() == 0
    assert "</script><img src=x onerror=alert(1)>" in page.locator(".card").first.inner_text()


def test_it_prints_with_everything_unfolded_and_without_controls(opened):
    page = opened(report_of(finding("os.a", Status.UNKNOWN), failed()))
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".card:not([open])").count() == 0
    assert page.locator(".filters").is_hidden()


def test_it_speaks_chinese(opened):
    use_language("zh")
    try:
        page = opened(fleet_of(3))
    finally:
        use_language("en")
    assert page.locator("html").get_attribute("lang") == "zh"
    assert page.locator("h1").inner_text() == "3 台主机"


def test_of_a_few_hosts_the_grid_shows_the_names(opened):
    page = opened(fleet_of(12))
    assert page.locator(".cell").all_text_contents()[:2] == ["node0000", "node0010"]
    page.click(".cell.warn >> nth=0")
    assert page.locator("#host").inner_text() == "node0007 ×"


def test_of_deployment_files_the_page_speaks_of_files(opened):
    rows = (failed(),)
    page = opened(
        Report((HostReport("a/Dockerfile", "files", rows), HostReport("b/Dockerfile", "files", rows)))
    )
    assert page.locator("h1").inner_text() == "2 files"
    assert "2 files" in page.locator(".card").inner_text()
