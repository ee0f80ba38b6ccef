/** A Redis or Valkey server that can be executed. */
export interface RedisProgram {
  readonly path: string;
  /** Added to the environment, so that it finds the libraries that came with it. */
  readonly env: Readonly<Record<string, string>>;
}

/** Called before each step that takes time, with one short line. */
export type Report = (line: string) => void;
