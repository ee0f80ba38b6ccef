/** An executable Redis or Valkey server. */
export interface RedisProgram {
  readonly path: string;
  /** Environment variables that the program needs to find its libraries. */
  readonly env: Readonly<Record<string, string>>;
}

/** Reports one line before each slow step. */
export type Report = (line: string) => void;
