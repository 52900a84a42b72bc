"""A Chromium that is signed in."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@contextmanager
def open_page(url: str, user: str, password: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(locale="en", viewport={"width": 1440, "height": 900})
        body = {"user": user, "password": password}
        answer = context.request.post(f"{url}/api/v1/session", data=body, headers={"X-Tidemill": "1"})
        if not answer.ok:
            raise RuntimeError(f"could not sign in: {answer.text()}")
        yield context.new_page()
        browser.close()
