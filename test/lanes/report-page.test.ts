import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { renderReportHtml } from "../../handler/report/report-html.ts";
import type { Report, ShownReport } from "../../handler/report/report.ts";
import { showAll } from "../../handler/text/shown-text.ts";
import { sampleReport } from "../handler/report/sample-report.ts";
import { Browser, browserProgram } from "./browser.ts";
import { lane } from "./lane.ts";

/** Pictures for people: CAPZ_SCREENSHOTS names a folder that keeps them. */
const kept = process.env["CAPZ_SCREENSHOTS"];

/** As real ones are: long origins, words without a blank, many rows. */
const longReport: ShownReport = showAll<Report>({
  ...sampleReport,
  diagnosis: {
    ...sampleReport.diagnosis,
    others: Array.from({ length: 14 }, (_, index) => otherFinding(index)),
  },
  timeline: Array.from({ length: 60 }, (_, index) => ({
    time: new Date(Date.parse(sampleReport.time) + index * index * 1000).toISOString(),
    seconds: index * index,
    event: `event ${String(index)} ${"with-a-long-word-without-a-blank/".repeat(index % 4)}`,
  })),
  sources: Array.from({ length: 25 }, (_, index) => ({
    origin: `/var/log/pods/kube-system_etcd-workload-control-plane_${"0123456789abcdef".repeat(2)}/etcd/${String(index)}.log`,
    source: "system" as const,
    state: "read" as const,
    bytes: 12_345 * index + 1,
  })),
});

function otherFinding(index: number) {
  const { diagnosis } = sampleReport;
  if (diagnosis.kind !== "classified") throw new Error("The sample has a cause");
  const name = String(index).padStart(2, "0");
  const line = { source: "kubelet", origin: "journalctl -u kubelet", line: index } as const;
  return {
    ...diagnosis.primary,
    title: `card${name}begin of a finding`,
    references: [],
    evidence: [{ ...line, text: `${"a line of many words ".repeat(20)}card${name}end` }],
  };
}

lane("report.html in a real browser", { root: false, programs: [browserProgram(), "pdftotext", "pdftoppm"] }, () => {
  let browser: Browser;
  let folder = "";
  beforeAll(async () => {
    folder = kept ?? mkdtempSync(join(tmpdir(), "capz-report-page-"));
    mkdirSync(folder, { recursive: true });
    browser = await Browser.start();
  });
  afterAll(async () => {
    await browser.close();
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  });

  const sizes = [
    { name: "desktop", width: 1100, dark: false },
    { name: "dark", width: 1100, dark: true },
    { name: "narrow", width: 400, dark: false },
    { name: "narrowest", width: 320, dark: true },
  ] as const;

  for (const size of sizes) {
    test(`at ${String(size.width)} px (${size.name}) nothing leaves the page or its card`, async () => {
      for (const report of [sampleReport, longReport]) {
        await browser.open(renderReportHtml(report), size);
        expect(await browser.evaluate(widerThanThePage)).toEqual([]);
        expect(await browser.evaluate(outsideOfItsCard)).toEqual([]);
        expect(await browser.evaluate(smallestText)).toBeGreaterThanOrEqual(12);
        const name = report === sampleReport ? size.name : `${size.name}-long`;
        writeFileSync(join(folder, `${name}.png`), await browser.screenshot());
      }
    });
  }

  test("every text stands out from its background, in light and in dark", async () => {
    for (const dark of [false, true]) {
      await browser.open(renderReportHtml(sampleReport), { width: 1100, dark });
      expect(await browser.evaluate(lowestContrast)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test("a program that reads the page aloud finds the main part, heads of tables, and the timeline as a list of texts", async () => {
    await browser.open(renderReportHtml(sampleReport), { width: 1100 });
    expect(await browser.evaluate("document.querySelectorAll('main').length")).toBe(1);
    expect(await browser.evaluate("document.title")).toBe("DnsResolutionFailed · workload-control-plane-x7k2p");
    expect(await browser.evaluate("[...document.querySelectorAll('th:not([scope])')].length")).toBe(0);
    expect(await browser.evaluate("document.querySelectorAll('.timeline li')[2].textContent")).toBe(
      "24 s packages installed",
    );
    expect(await browser.evaluate("document.querySelectorAll('.timeline .bar:not([aria-hidden] *)').length")).toBe(0);
  });

  test("the bars stand on the axis where their times are", async () => {
    await browser.open(renderReportHtml(sampleReport), { width: 1100 });
    const places: unknown = await browser.evaluate(barPlaces);
    // Of 74 seconds: 0, 5, 24, 33, 72, and the end, which is drawn within the axis.
    const expected = [0, 5, 24, 33, 72, 73.4].map((second) => second / 74);
    expect(Array.isArray(places) ? places.map((place) => Number(place).toFixed(2)) : places).toEqual(
      expected.map((place) => place.toFixed(2)),
    );
  });

  test("printed, a report of the usual length has two pages, and no card of a long one is cut", async () => {
    await browser.open(renderReportHtml(sampleReport), { width: 1100, dark: true });
    expect(pagesOf(await browser.pdf(), "print")).toHaveLength(2);
    await browser.open(renderReportHtml(longReport), { width: 1100 });
    const pages = pagesOf(await browser.pdf(), "print-long");
    for (let index = 0; index < 14; index++) {
      const name = String(index).padStart(2, "0");
      const begin = pages.findIndex((page) => page.includes(`card${name}begin`));
      const end = pages.findIndex((page) => page.includes(`card${name}end`));
      expect({ name, begin, end }).toEqual({ name, begin: expect.any(Number), end: begin });
      expect(begin).toBeGreaterThanOrEqual(0);
    }
  });

  function pagesOf(pdf: Buffer, name: string): readonly string[] {
    const path = join(folder, `${name}.pdf`);
    writeFileSync(path, pdf);
    if (kept !== undefined) execFileSync("pdftoppm", ["-r", "80", "-png", path, join(folder, name)]);
    const text = execFileSync("pdftotext", ["-layout", path, "-"], { encoding: "utf8" });
    return text.split("\f").slice(0, -1);
  }
});

const widerThanThePage = `[...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
  .map((one) => one.outerHTML.slice(0, 120))
  .concat(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page scrolls sideways'] : [])`;

const outsideOfItsCard = `[...document.querySelectorAll('.finding *, .track *')].filter((one) => {
  const card = one.closest('.finding, .track').getBoundingClientRect();
  const { left, right } = one.getBoundingClientRect();
  return left < card.left - 0.5 || right > card.right + 0.5;
}).map((one) => one.outerHTML.slice(0, 120))`;

const smallestText = `Math.min(...[...document.querySelectorAll('body *')]
  .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '') && one.closest('style') === null)
  .map((one) => parseFloat(getComputedStyle(one).fontSize)))`;

/** By the formula of WCAG 2, against the nearest background that is not transparent. */
const lowestContrast = `(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const backOf = (one) => {
    for (let at = one; at !== null; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  return Math.min(...[...document.querySelectorAll('body *')]
    .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
    .map((one) => {
      const [a, b] = [light(parse(getComputedStyle(one).color)), light(backOf(one))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }));
})()`;

const barPlaces = `[...document.querySelectorAll('.timeline .bar')].map((one) => {
  const axis = document.querySelector('.axis .track').getBoundingClientRect();
  return (one.getBoundingClientRect().left - axis.left) / axis.width;
})`;
