import {
  createDestinationSchema,
  rulesFrom,
  updateDestinationSchema,
} from '@artist-watch/contracts/api/destination-input';
import { isChat } from '@artist-watch/domain/channel/destination-kind';
import { ALLOW_ALL, type DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { DestinationRecord } from '@artist-watch/persistence/destination/record';
import type { z } from 'zod';
import type { DestinationField, TypedDestination } from './form-view.js';

export const EMPTY: TypedDestination = {
  ...{ name: '', kind: 'webhook', url: '', secret: 'generate', min_severity: '' },
  ...{ change_types: [], artist_ids: [] },
};

/** One entry more than a rule may have, so that validation rejects longer lists. */
const MAX_TICKED = 401;

export function typedDestination(form: URLSearchParams): TypedDestination {
  const text = (name: string) => (form.get(name) ?? '').trim();
  const ticked = (name: string) => form.getAll(name).slice(0, MAX_TICKED);
  return {
    ...{ name: text('name'), kind: text('kind'), url: text('url'), secret: text('secret') },
    ...{ min_severity: text('min_severity'), change_types: ticked('change_types') },
    artist_ids: ticked('artist_ids'),
  };
}

/** A Slack or Discord URL contains a secret, so the form does not show it. */
export function typedFrom({ name, kind, url, rules }: DestinationRecord): TypedDestination {
  return {
    ...{ name: name ?? '', kind, url: isChat(kind) ? '' : url, secret: '' },
    ...{ min_severity: rules.minSeverity ?? '', change_types: rules.changeTypes, artist_ids: rules.artistIds },
  };
}

function rulesInput({ min_severity, change_types, artist_ids }: TypedDestination) {
  return { min_severity: min_severity || null, change_types, artist_ids };
}

type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly errors: Partial<Record<DestinationField, string>> };

export function readNew(typed: TypedDestination): Read<z.output<typeof createDestinationSchema>> {
  const { name, kind, url, secret } = typed;
  return outcomeOf(
    createDestinationSchema.safeParse({
      ...{ name: name === '' ? null : name, kind, url, rules: rulesInput(typed) },
      ...(kind === 'webhook' && { secret: secret === 'none' ? null : 'generate' }),
    }),
  );
}

/** An empty URL keeps the current one. */
export function readChanged(typed: TypedDestination): Read<z.output<typeof updateDestinationSchema>> {
  const { name, url } = typed;
  return outcomeOf(
    updateDestinationSchema.safeParse({
      name: name === '' ? null : name,
      ...(url !== '' && { url }),
      rules: rulesInput(typed),
    }),
  );
}

/** Invalid rules allow everything. */
export function readRules(typed: TypedDestination): DestinationRules {
  const parsed = updateDestinationSchema.safeParse({ rules: rulesInput(typed) });
  return { ...ALLOW_ALL, ...rulesFrom(parsed.data?.rules) };
}

function outcomeOf<Value>(parsed: z.ZodSafeParseResult<Value>): Read<Value> {
  if (parsed.success) return { ok: true, value: parsed.data };
  const errors: Partial<Record<DestinationField, string>> = {};
  for (const { path, message } of parsed.error.issues) {
    const name = String(path[0] === 'rules' ? path[1] : path[0]);
    errors[name in EMPTY ? (name as DestinationField) : 'url'] ??= `It ${message}.`;
  }
  return { ok: false, errors };
}
