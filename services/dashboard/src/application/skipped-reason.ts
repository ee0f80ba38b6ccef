const SENTENCES: Readonly<Record<string, string>> = {
  destination_off: 'The destination was off.',
  destination_deleted: 'The destination was deleted.',
  plan_required: 'The plan of the account had no destinations.',
};

/** Why a delivery was skipped, from the token that the record and the API have. */
export function whySkipped(reason: string | null): string {
  return SENTENCES[reason ?? ''] ?? 'It was not sent.';
}
