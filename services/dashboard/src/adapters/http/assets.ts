import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Answer } from '@artist-watch/http/answer/answer';
import { ICONS } from '../../views/icon.js';

export interface Assets {
  /** URLs contain a content hash, so that browsers can cache the files forever. */
  readonly addresses: Readonly<Record<keyof typeof FILES, string>>;
  find(path: string): Answer | undefined;
}

const OWN = new URL('../../../assets/', import.meta.url);
const FILES = {
  styles: { name: 'styles.css', type: 'text/css; charset=utf-8' },
  script: { name: 'app.js', type: 'text/javascript; charset=utf-8' },
  htmx: { name: 'htmx.min.js', type: 'text/javascript; charset=utf-8' },
  icon: { name: 'icon.svg', type: 'image/svg+xml' },
  icons: { name: 'icons.svg', type: 'image/svg+xml' },
} as const;

const CACHED_FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

export async function openAssets(): Promise<Assets> {
  const byAddress = new Map<string, Answer>();
  const entries = await Promise.all(
    Object.entries(FILES).map(async ([key, { name, type }]) => {
      const bytes = await contentOf(key as keyof typeof FILES, name);
      const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
      const address = `/assets/${name.replace('.', `.${hash}.`)}`;
      byAddress.set(address, { status: 200, type, body: bytes, headers: CACHED_FOREVER });
      return [key, address] as const;
    }),
  );
  return {
    addresses: Object.fromEntries(entries) as Assets['addresses'],
    find: (path) => byAddress.get(path),
  };
}

const { resolve } = createRequire(import.meta.url);

async function contentOf(key: keyof typeof FILES, name: string): Promise<Buffer> {
  switch (key) {
    case 'htmx':
      return readFile(resolve('htmx.org/dist/htmx.min.js'));
    case 'icons':
      return Buffer.from(await allIcons());
    default:
      return readFile(new URL(name, OWN));
  }
}

const LUCIDE = import.meta.resolve('lucide-static/package.json');

async function allIcons(): Promise<string> {
  const symbols = await Promise.all(
    ICONS.map(async (name) => {
      const svg = await readFile(new URL(`icons/${name}.svg`, LUCIDE), 'utf8');
      const shapes = svg
        .slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>'))
        .replaceAll(/\s+/g, ' ');
      return `<symbol id="${name}" viewBox="0 0 24 24" ${STROKE}>${shapes.trim()}</symbol>`;
    }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`;
}

const STROKE = 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';

/** Tests check that these example receivers accept our signatures. */
const EXAMPLES = new URL('../../../../../docs/receivers/examples/', import.meta.url);

const RECEIVERS = [
  { language: 'Node', file: 'receiver.mjs', run: 'node' },
  { language: 'Python', file: 'receiver.py', run: 'python3' },
  { language: 'Go', file: 'receiver.go', run: 'go run' },
  { language: 'Java', file: 'Receiver.java', run: 'java' },
  { language: 'PHP', file: 'receiver.php', run: 'php' },
  { language: 'Ruby', file: 'receiver.rb', run: 'ruby' },
] as const;

export function readReceivers() {
  return Promise.all(
    RECEIVERS.map(async ({ language, file, run }) => ({
      language,
      command: `SIGNING_SECRETS=whsec_… PORT=9000 ${run} ${file}`,
      code: await readFile(new URL(file, EXAMPLES), 'utf8'),
    })),
  );
}
