import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import pg from 'pg';

/**
 * Runs work on Prisma's own schema engine, as WebAssembly: the same migrations table and the same checks as
 * `prisma migrate`, without the native engine that Prisma would download at start-up.
 *
 * The connections are closed before it returns, since the engine keeps a session lock on one of them.
 */
export async function withSchemaEngine<Result>(
  databaseUrl: string,
  work: (engine: SchemaEngine) => Promise<Result>,
): Promise<Result> {
  bindings ??= instantiate();
  const { SchemaEngine } = await bindings;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  // An idle connection that breaks is no reason to end the process: the statement that needs it says what is wrong.
  pool.on('error', () => undefined);
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
    const engine = await SchemaEngine.new({ datamodels: undefined }, () => {}, adapter as never);
    return await work(engine).finally(() => engine.free());
  } finally {
    await pool.end();
  }
}

/** One for the process: the bindings keep their instance in a module variable, so a second one would break the first. */
let bindings: Promise<EngineBindings> | undefined;

/** The package's entry imports its `.wasm` file as a module, which Node does only behind a flag; so by hand. */
async function instantiate(): Promise<EngineBindings> {
  const directory = path.dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));
  const loaded = (await import(pathToFileURL(path.join(directory, 'schema_engine_bg.js')).href)) as EngineBindings;
  const code = await readFile(path.join(directory, 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': loaded });
  loaded.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return loaded;
}

/** The part of the WebAssembly global that is used here; Node's own types leave it to the browser's. */
declare const WebAssembly: {
  instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: EngineExports } }>;
};

interface EngineExports {
  __wbindgen_start(): void;
}

interface EngineBindings {
  readonly SchemaEngine: {
    new: (options: { datamodels: undefined }, log: (line: string) => void, adapter: never) => Promise<SchemaEngine>;
  };
  __wbg_set_wasm(exports: EngineExports): void;
}
