/** A Redis or Valkey server that can be executed. */
export interface RedisProgram {
  readonly path: string;
  /** Added to the environment, so that it finds the libraries that came with it. */
  readonly env: Readonly<Record<string, string>>;
}

/** Told what takes time, one short line each. */
export type Report = (line: string) => void;
