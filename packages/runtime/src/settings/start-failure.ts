/** A failure to start whose message is one clear sentence for the operator; it is printed without a stack. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

const SENTENCES_BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'no answer',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  // PostgreSQL, https://www.postgresql.org/docs/current/errcodes-appendix.html
  '28P01': 'the user or the password is refused',
  '28000': 'the user is refused',
  '3D000': 'the database does not exist',
  '53300': 'too many connections',
  '57P03': 'it is still starting',
  '42P01': 'its tables are missing, run the migrations first',
};

/** Redis names the kind of an error in the first word of its message. */
const SENTENCES_BY_REDIS_WORD: Readonly<Record<string, string>> = {
  WRONGPASS: 'the user or the password is refused',
  NOAUTH: 'it asks for a password',
  LOADING: 'it is still loading its data',
};

/**
 * Why something could not be reached, in a few words, looked for in the error, its causes and its parts (an
 * AggregateError of one attempt per address); undefined for what is no connection trouble.
 */
export function connectionTrouble(error: unknown): string | undefined {
  for (const part of withCauses(error)) {
    const codes = [part.code, part.originalCode];
    for (const code of codes) {
      const sentence = typeof code === 'string' ? SENTENCES_BY_CODE[code] : undefined;
      if (sentence) return sentence;
    }
    const word = typeof part.message === 'string' ? part.message.split(' ', 1)[0] : undefined;
    const sentence = word ? SENTENCES_BY_REDIS_WORD[word] : undefined;
    if (sentence) return sentence;
  }
  return undefined;
}

/** One sentence for a start failure, and whether it says all there is to say (else the stack is worth printing). */
export function explainStartFailure(error: unknown): { readonly sentence: string; readonly known: boolean } {
  if (error instanceof StartError) return { sentence: error.message, known: true };
  for (const part of withCauses(error)) {
    const { code, port, address } = part;
    if (code === 'EADDRINUSE') return { sentence: `Port ${port} is taken.`, known: true };
    if (code === 'EACCES' && port !== undefined) {
      return { sentence: `Port ${port} may not be opened by this user.`, known: true };
    }
    const trouble = connectionTrouble(part);
    if (trouble && address !== undefined) {
      return { sentence: `${address}:${port} cannot be reached: ${trouble}.`, known: true };
    }
  }
  const message = error instanceof Error ? error.message : String(error);
  return { sentence: `Unexpected failure: ${maskCredentials(message)}`, known: false };
}

const MAX_DEPTH = 8;

function* withCauses(error: unknown, depth = 0): Generator<Record<string, unknown>> {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return;
  const fields = error as Record<string, unknown>;
  yield fields;
  const parts = Array.isArray(fields.errors) ? fields.errors : [];
  for (const part of [...parts, fields.cause]) yield* withCauses(part, depth + 1);
}

/** Text of a foreign error may quote a connection address: this hides its user and password. */
export function maskCredentials(text: string): string {
  return (
    text
      // A raw password may hold any character, a slash too, so everything up to the last @ goes.
      .replace(/\/\/[^\s"'<>]*@/g, '//***@')
      .replace(/([?&][\w-]*(?:password|secret|token|key)=)[^&#\s"'<>]*/gi, '$1***')
  );
}
