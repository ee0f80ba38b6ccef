import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { RequestHandler } from 'express';

export interface Assets {
  /** The address of each file; it holds a hash of the content, so that browsers may keep it for ever. */
  readonly addresses: {
    readonly styles: string;
    readonly script: string;
    readonly htmx: string;
    readonly icon: string;
  };
  readonly serve: RequestHandler;
}

/** Below `services/dashboard`, seen from the build and from the source alike. */
const OWN = new URL('../../../assets/', import.meta.url);
const FILES = {
  styles: { name: 'styles.css', type: 'text/css; charset=utf-8' },
  script: { name: 'app.js', type: 'text/javascript; charset=utf-8' },
  htmx: { name: 'htmx.min.js', type: 'text/javascript; charset=utf-8' },
  icon: { name: 'icon.svg', type: 'image/svg+xml' },
} as const;

/** Reads the few files of the dashboard into memory. */
export async function openAssets(): Promise<Assets> {
  const byAddress = new Map<string, { readonly type: string; readonly bytes: Buffer }>();
  const entries = await Promise.all(
    Object.entries(FILES).map(async ([key, { name, type }]) => {
      const bytes = await readFile(key === 'htmx' ? htmxPath() : new URL(name, OWN));
      const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
      const address = `/assets/${name.replace('.', `.${hash}.`)}`;
      byAddress.set(address, { type, bytes });
      return [key, address] as const;
    }),
  );
  return {
    addresses: Object.fromEntries(entries) as unknown as Assets['addresses'],
    serve: (request, response, next) => {
      const file = byAddress.get(request.path);
      if (!file) {
        next();
        return;
      }
      response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      response.type(file.type).send(file.bytes);
    },
  };
}

function htmxPath(): string {
  return createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js');
}
