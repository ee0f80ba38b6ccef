import {
  createDestinationSchema,
  rulesFrom,
  updateDestinationSchema,
} from '@artist-watch/contracts/api/destination-input';
import { isChat } from '@artist-watch/domain/channel/destination-kind';
import { ALLOW_ALL, type DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { DestinationRecord } from '@artist-watch/persistence/destination/reads';
import type { z } from 'zod';
import { rulesInput, shownRules, typedRules } from '../../views/rules-fields.js';
import type { DestinationField, TypedDestination } from './form-view.js';

export const EMPTY: TypedDestination = {
  name: '',
  kind: 'webhook',
  url: '',
  secret: 'generate',
  min_severity: '',
  change_types: [],
  artist_ids: [],
  group_ids: [],
};

export function typedDestination(form: URLSearchParams): TypedDestination {
  const text = (name: string) => (form.get(name) ?? '').trim();
  const own = { name: text('name'), kind: text('kind'), url: text('url'), secret: text('secret') };
  return { ...own, ...typedRules(form) };
}

/** Slack and Discord URLs contain a secret, so the form doesn't show them. */
export function typedFrom({ name, kind, url, rules }: DestinationRecord): TypedDestination {
  return { name: name ?? '', kind, url: isChat(kind) ? '' : url, secret: '', ...shownRules(rules) };
}

type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly errors: Partial<Record<DestinationField, string>> };

export function readNew(typed: TypedDestination): Read<z.output<typeof createDestinationSchema>> {
  const { name, kind, url, secret } = typed;
  return outcomeOf(
    createDestinationSchema.safeParse({
      name: name === '' ? null : name,
      kind,
      url,
      rules: rulesInput(typed),
      ...(kind === 'webhook' && { secret: secret === 'none' ? null : 'generate' }),
    }),
  );
}

/** If the URL is left empty, the current one is kept. */
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

/** If the rules are invalid, everything is allowed. */
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
