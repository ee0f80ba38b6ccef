import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** These secrets must not change while a data directory is in use. */
export interface StackSecrets {
  readonly databasePassword: string;
  /** 32 bytes, base64. */
  readonly encryptionKey: string;
  readonly ingestToken: string;
  /** The account's API key isn't stored anywhere else. */
  readonly account?: { readonly id: string; readonly apiKey: string };
}

const fileName = 'secrets.json';

export async function openSecrets(directory: string): Promise<StackSecrets> {
  const text = await readFile(path.join(directory, fileName), 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as StackSecrets;
  const secrets = {
    databasePassword: randomBytes(16).toString('hex'),
    encryptionKey: randomBytes(32).toString('base64'),
    ingestToken: randomBytes(24).toString('base64url'),
  };
  await saveSecrets(directory, secrets);
  return secrets;
}

/** Only readable by the file's owner. */
export async function saveSecrets(directory: string, secrets: StackSecrets): Promise<void> {
  const file = path.join(directory, fileName);
  await writeFile(`${file}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
