/** An executable Redis or Valkey server. */
export interface RedisProgram {
  readonly path: string;
  /** Added to the environment, so that the program finds its libraries. */
  readonly env: Readonly<Record<string, string>>;
}

/** Called with one line before each slow step. */
export type Report = (line: string) => void;
