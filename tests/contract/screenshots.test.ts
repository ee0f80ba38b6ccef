import { readFile, stat } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

const inCheckout = (file: string) => new URL(`../../${file}`, import.meta.url);
const MAX_BYTES = 150_000;

test.each(['overview', 'change'])(
  'the README shows the screenshot %s with a text alternative, and the file has at most 150 kB',
  async (name) => {
    const file = `docs/screenshots/${name}.webp`;
    const [, tag = ''] =
      new RegExp(`<img ([^>]*src="${file}"[^>]*)>`).exec(await readFile(inCheckout('README.md'), 'utf8')) ?? [];
    expect(tag).toMatch(/ alt="[^"]{30,}"/);
    expect((await stat(inCheckout(file))).size).toBeLessThanOrEqual(MAX_BYTES);
  },
);
