import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

export interface AuthorityFiles {
  /** `WEBHOOK_CA_FILE` */
  readonly own: string | undefined;
  /** `NODE_EXTRA_CA_CERTS`, which Node has read for itself. */
  readonly nodes: string | undefined;
}

/**
 * Who may sign the certificates of receivers, in PEM; undefined: whom Node trusts. Node takes a list in place of all that
 * it trusts, so that is in the list too.
 *
 * @throws when the file of our own cannot be read; Node passes over its own then, and so is it passed over here.
 */
export function receiverAuthorities({ own, nodes }: AuthorityFiles): string[] | undefined {
  if (own === undefined) return undefined;
  return [...rootCertificates, ...readIfThere(nodes), readFileSync(own, 'utf8')];
}

function readIfThere(file: string | undefined): string[] {
  if (!file) return [];
  try {
    return [readFileSync(file, 'utf8')];
  } catch {
    return [];
  }
}
