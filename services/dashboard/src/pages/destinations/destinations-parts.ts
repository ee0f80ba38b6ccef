import type { AddressJudge } from '@artist-watch/address-policy/judge-destination';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { destinationIdSchema } from '@artist-watch/contracts/api/identifiers';
import type { Patience } from '@artist-watch/delivery/store/reads';
import type { DestinationId } from '@artist-watch/domain/ids';
import { Conflict, NotFound } from '@artist-watch/domain/refusals';
import type { DestinationLimits } from '@artist-watch/http/limit/destination-limits';
import type { Database } from '@artist-watch/persistence/database/database';
import type { SecretBox } from '@artist-watch/persistence/secret-box';
import type { Visit } from '../../application/page.js';
import type { ReceiverCode } from './secret-view.js';

export interface DestinationsParts {
  readonly reads: Database;
  readonly writes: Database;
  readonly box: SecretBox;
  readonly judge: AddressJudge;
  readonly limits: DestinationLimits;
  /** For the attempt of a test. */
  readonly patience: Patience;
  /** Receivers that check the signature, one of each language. */
  readonly receivers: readonly ReceiverCode[];
  /** After how many failures in a row a destination is switched off. */
  readonly switchOffAfter: number;
}

/** What the page of a destination says beside what it is. */
export interface FormProblem {
  readonly text: string;
  readonly status: number;
  /** It belongs to the name that was to be typed. */
  readonly isName?: true;
}

/** The destination that the path names. @throws NotFound */
export function referenceOf({ account, params: { destination } }: Visit) {
  if (!destinationIdSchema.safeParse(destination).success) throw new NotFound('destination');
  return { id: destination as DestinationId, accountId: account.id };
}

/** Of the page that says what was refused. */
export function statusOf(refusal: Error): number {
  if (refusal instanceof ApiError) return 429;
  return refusal instanceof Conflict ? 409 : 403;
}
