#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""watch_browser.py OPEVO: the page of `opevo watch` in headless Chromium while runs go on: it grows by itself, keeps what
a reader held or opened, fits a telephone, and says nothing on the console. WATCH_SHOTS names a folder for pictures."""

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

OPEVO = os.path.realpath(sys.argv[1])
SHOTS = os.environ.get("WATCH_SHOTS")
PATIENCE_S = float(os.environ.get("WATCH_PATIENCE", 120))
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome-headless-shell"))), None)


class Browser:
    """Chromium, spoken to by its protocol on two pipes."""

    def __init__(self, folder):
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def pipes():
            read, write = os.dup(to_read), os.dup(to_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={folder}/profile"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.rest, self.spoken = 0, b"", []

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                piece = os.read(self.back, 1 << 16)
                assert piece, "the browser is gone"
                self.rest += piece
            line, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                self.spoken.append(answer["params"])
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def page(self, address, width):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime.enable", "Log.enable", "Page.enable"):
            self.call(domain, session)
        self.call("Emulation.setDeviceMetricsOverride", session, width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        self.call("Page.navigate", session, url=address)
        return Page(self, session)


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def value(self, expression):
        result = self.browser.call("Runtime.evaluate", self.session, expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def until(self, expression):
        end = time.monotonic() + PATIENCE_S
        while not self.value(expression):
            assert time.monotonic() < end, (expression, self.value("document.body.innerText")[:2000])
            time.sleep(0.2)

    def check(self, name):
        if SHOTS:
            height = self.value("document.documentElement.scrollHeight")
            width = self.value("innerWidth")
            shot = self.browser.call("Page.captureScreenshot", self.session, captureBeyondViewport=True,
                                     clip={"x": 0, "y": 0, "width": width, "height": min(height, 6000), "scale": 1})
            with open(os.path.join(SHOTS, f"{name}.png"), "wb") as file:
                file.write(base64.b64decode(shot["data"]))
        assert self.value("document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than its window"
        odd = self.value(r"/.*(undefined|NaN|\[object).*/.exec(document.querySelector('main').innerText)?.[0]")
        assert not odd, (name, odd)
        assert self.value("[...document.querySelectorAll('figure')].every((one) => one.querySelector('figcaption')?.textContent)"), name


TRIALS = "(window.opevoReport.data.run?.digested ?? 0)"


def watch(store):
    process = subprocess.Popen([OPEVO, "watch", store], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def running(browser):
    """A run that goes on, by two widths; with failures and two criteria."""
    with open("slow.sh", "w", encoding="ascii") as file:
        file.write('sleep 0.05\n[ $(($1 % 7)) != 3 ] || { echo "three is <b>bad</b>" >&2; exit 1; }\necho $1 ms $((400 - $1)) J\n')
    with open("space.json", "w", encoding="utf-8") as file:
        json.dump({"v": {"_type": "discrete", "_value": list(range(1, 400))}}, file)
    call = [OPEVO, "tune", "--on", "cmd:sh slow.sh {v}", "--space", "space.json", "--result", "ms:/([0-9.]+) ms/",
            "--criterion", "energy,J:/([0-9.]+) J/", "--trials", "200", "--store", "run.db", "--quiet", "--finals", "0"]
    process, address = watch("run.db")
    writer = None
    try:
        wide, narrow = browser.page(address, 1200), browser.page(address, 390)
        wide.until("/cannot be read just now/.test(document.body.innerText)")  # there is no store yet
        writer = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wide.until(f"{TRIALS} > 20")
        seen = wide.value(TRIALS)
        dots = wide.value("document.querySelectorAll('#chart-trials circle').length")
        wide.until(f"{TRIALS} > {seen + 10}")
        wide.until(f"document.querySelectorAll('#chart-trials circle').length > {dots}")
        assert wide.value("/Time left of the run: .*(s|min|unknown)/.test(document.body.innerText)")
        narrow.until(f"{TRIALS} > 30")
        # A page that is held stays; released, it goes on.
        narrow.value("document.getElementById('hold').click()")
        narrow.until("/Held/.test(document.getElementById('link').textContent)")
        held = narrow.value(TRIALS)
        writer.kill()
        writer.wait()
        writer = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # continued
        assert writer.wait(PATIENCE_S) == 0
        wide.until(f"{TRIALS} === 200 && /stopped by: trials/.test(document.body.innerText)")
        assert narrow.value(TRIALS) == held
        narrow.value("document.getElementById('hold').click()")
        narrow.until(f"{TRIALS} === 200")
        for name, page in (("run-1200", wide), ("run-390", narrow)):
            page.value("window.opevoReport.drawAll()")
            assert page.value("/three is <b>bad<.b>/.test(document.getElementById('failed').innerText)"), "the reason of failures"
            assert page.value("!!document.getElementById('law') && !!document.getElementById('front')"), "law and front"
            assert page.value("document.querySelectorAll('#generation tbody tr').length") == 1
            page.check(name)
    finally:
        process.send_signal(signal.SIGINT)
        if writer:
            writer.kill()
        assert process.wait(PATIENCE_S) == 0
    wide.until("/No answer at/.test(document.getElementById('link').textContent)")
    assert wide.value("/stopped by: trials/.test(document.body.innerText)"), "what was seen stays"


def study(browser):
    """A study with tasks of one budget beside it; pages of single runs are linked."""
    with open("plan.json", "w", encoding="utf-8") as file:
        json.dump({"study": 1, "objectives": [{"on": "sim:gtx1080ti", "what": "mm1"}],
                   "tuners": ["random", {"tuner": "opevo", "settings": {"q": [0.2, 0.5]}}], "seeds": 20, "budget": {"trials": 100}}, file)
    subprocess.run([OPEVO, "tune", "mm1", "bmm1", "c1", "--on", "sim:gtx1080ti", "--weights", "3,1,1", "--trials", "600",
                    "--store", "study.db", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    process, address = watch("study.db")
    try:
        wide, narrow = browser.page(address, 1200), browser.page(address, 390)
        wide.until("window.opevoReport?.data.counts?.trials === 600")
        subprocess.run([OPEVO, "study", "plan.json", "--store", "study.db", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        for name, page in (("study-1200", wide), ("study-390", narrow)):
            page.until("window.opevoReport?.data.counts?.trials === 6600")
            page.value("window.opevoReport.drawAll()")
            assert page.value("document.querySelectorAll('#all-runs tbody tr').length") == 63
            assert page.value("window.opevoReport.figures.length") >= 2
            page.check(name)
        wide.value("[...document.querySelectorAll('#all-runs a')].find((one) => one.textContent === '63').click()")
        wide.until("location.search === '?run=63' && window.opevoReport?.data.run?.digested === 100")
        wide.check("study-run")
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0


def main():
    if not BROWSER:
        print("skipped: Chromium is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["HOME"] = folder
        browser = Browser(folder)
        try:
            for test in (running, study):
                test(browser)
                print(f"good: {test.__name__}", flush=True)
            # Pages of a server that has ended ask on.
            spoken = [one for one in browser.spoken if "ERR_CONNECTION_REFUSED" not in json.dumps(one)]
            assert not spoken, spoken[:3]
        finally:
            browser.process.kill()
            browser.process.wait()
            os.chdir("/")


main()
