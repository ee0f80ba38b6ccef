import { readFile } from 'node:fs/promises';

/** The receivers of docs/receivers, which the tests hold against our signatures. */
const EXAMPLES = new URL('../../../../docs/receivers/examples/', import.meta.url);

const RECEIVERS = [
  { language: 'Node', file: 'receiver.mjs', run: 'node' },
  { language: 'Python', file: 'receiver.py', run: 'python3' },
  { language: 'Go', file: 'receiver.go', run: 'go run' },
  { language: 'Java', file: 'Receiver.java', run: 'java' },
  { language: 'PHP', file: 'receiver.php', run: 'php' },
  { language: 'Ruby', file: 'receiver.rb', run: 'ruby' },
] as const;

/** What is shown beside a new secret, read once. */
export function readReceivers() {
  return Promise.all(
    RECEIVERS.map(async ({ language, file, run }) => ({
      language,
      command: `SIGNING_SECRETS=whsec_… PORT=9000 ${run} ${file}`,
      code: await readFile(new URL(file, EXAMPLES), 'utf8'),
    })),
  );
}
