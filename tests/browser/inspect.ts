import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const ARTIFACTS = fileURLToPath(new URL('../../artifacts/dashboard/', import.meta.url));
const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = [390, 1280] as const;
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Includes half of each width, for 200% zoom, and the 320 px of WCAG's reflow criterion (1.4.10). */
const SCROLL_WIDTHS = [320, 390, 600, 768, 900, 1024, 1160, 1280, 1600];

/** Keys are pressed in batches of this size. */
const STOPS_AT_ONCE = 20;

/**
 * Checks a page in both themes and both widths, and saves screenshots in `artifacts/dashboard`.
 * @returns axe's findings (WCAG 2.2 AA), elements that scroll sideways, and elements that Tab cannot reach.
 */
export async function inspect(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  // Fixed elements would appear in the middle of a long page.
  await page.evaluate(() => scrollTo(0, 0));
  // The Content Security Policy (CSP) blocks foreign scripts, but not evaluated ones.
  await page.evaluate(axe.source);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${ARTIFACTS}${colorScheme}-${width}/${name}.png`, fullPage: true });
      // Themes differ only in colors.
      const only = colorScheme === 'light' ? TAGS : ['color-contrast'];
      for (const violation of await violationsOf(page, only)) {
        found.push(`${name}, ${colorScheme} ${width}: ${violation}`);
      }
    }
  }
  found.push(...(await unreachable(page)).map((element) => `${name}: Tab does not reach ${element}`));
  await page.evaluate(() => document.querySelector('.chips')?.setAttribute('open', ''));
  for (const width of SCROLL_WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    found.push(...(await page.evaluate(tooWide)).map((element) => `${name}, ${width}: ${element}`));
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  return found;
}

/** Finds the document and elements whose content is wider than they are. Shortened texts are left out. */
function tooWide(): string[] {
  const root = document.documentElement;
  const open = [...document.body.querySelectorAll<HTMLElement>('*')].filter((element) => {
    const { overflowX, textOverflow } = getComputedStyle(element);
    const scrolls = overflowX === 'auto' || overflowX === 'scroll' || element.matches('table, .table-frame, .section');
    return scrolls && textOverflow !== 'ellipsis' && element.checkVisibility();
  });
  return [root, ...open]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(
      ({ outerHTML, scrollWidth, clientWidth }) =>
        `${scrollWidth - clientWidth} px too wide: ${outerHTML.slice(0, 120)}`,
    );
}

async function violationsOf(page: Page, only: readonly string[]): Promise<string[]> {
  const violations = await page.evaluate(async (values) => {
    const { axe: loaded } = globalThis as unknown as { axe: typeof axe };
    const options = { runOnly: [...values], resultTypes: ['violations' as const], preload: false, iframes: false };
    const results = await loaded.run(document, options);
    return results.violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    }));
  }, only);
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary = '' }) => `${id} ${html} ${failureSummary.replaceAll(/\s+/g, ' ')}`),
  );
}

/** Finds elements that can be clicked or edited but that Tab skips. */
async function unreachable(page: Page): Promise<string[]> {
  const count = await page.evaluate(() => {
    // An open dialog keeps the focus.
    const part = document.querySelector('dialog[open]') ?? document;
    const targets = [...part.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')];
    const visible = targets.filter((element) => {
      const isGroup = element instanceof HTMLInputElement && element.type === 'radio';
      return !isGroup && element.checkVisibility() && !element.matches(':disabled, [type=hidden]');
    });
    const waiting = new Set(visible);
    Object.assign(globalThis, { notReached: waiting });
    document.addEventListener('focusin', ({ target }) => waiting.delete(target as HTMLElement));
    (document.activeElement as HTMLElement | null)?.blur();
    return visible.length;
  });
  const left = () =>
    page.evaluate(() =>
      [...(globalThis as unknown as { notReached: Set<HTMLElement> }).notReached].map((element) =>
        element.outerHTML.slice(0, 120),
      ),
    );
  // A date field has several tab stops.
  for (let stops = 0; stops < 1.2 * count + 20 && (await left()).length > 0; stops += STOPS_AT_ONCE) {
    await Promise.all(Array.from({ length: STOPS_AT_ONCE }, () => page.keyboard.press('Tab')));
  }
  return left();
}
