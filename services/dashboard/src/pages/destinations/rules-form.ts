import {
  createDestinationSchema,
  rulesFrom,
  updateDestinationSchema,
} from '@artist-watch/contracts/api/destination-input';
import { type DestinationKind, isChat } from '@artist-watch/domain/channel/destination-kind';
import { type DestinationRules, LET_ALL_THROUGH } from '@artist-watch/domain/delivery/destination-rules';
import type { z } from 'zod';
import type { DestinationField, TypedDestination } from './form-view.js';

/** As the form has it, for the form to be shown again. */
export function typedDestination(form: URLSearchParams): TypedDestination {
  const text = (name: string) => (form.get(name) ?? '').trim();
  return {
    name: text('name'),
    kind: text('kind'),
    url: text('url'),
    secret: text('secret'),
    severity: text('severity'),
    types: form.getAll('type'),
    artists: form.getAll('artist'),
  };
}

/** What a destination is, as its form shows it. A channel's address holds a secret, so it is typed anew or stays. */
export function typedFrom(destination: {
  readonly name: string | null;
  readonly kind: DestinationKind;
  readonly url: string;
  readonly rules: DestinationRules;
}): TypedDestination {
  const { name, kind, url, rules } = destination;
  return {
    ...{ name: name ?? '', kind, url: isChat(kind) ? '' : url, secret: '' },
    ...{ severity: rules.minSeverity ?? '', types: rules.changeTypes, artists: rules.artistIds },
  };
}

function rulesInput({ severity, types, artists }: TypedDestination) {
  return { min_severity: severity === '' ? null : severity, change_types: types, artist_ids: artists };
}

type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly errors: Partial<Record<DestinationField, string>> };

/** A new destination, by the rules of the API. */
export function readNew(typed: TypedDestination): Read<z.output<typeof createDestinationSchema>> {
  const { name, kind, url, secret } = typed;
  return outcomeOf(
    createDestinationSchema.safeParse({
      ...{ name: name === '' ? null : name, kind, url, rules: rulesInput(typed) },
      ...(kind === 'webhook' && { secret: secret === 'none' ? null : 'generate' }),
    }),
  );
}

/** What becomes of a destination that exists. An empty address stays as it is. */
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

/** The rules alone, for their preview; those that cannot be read let everything through. */
export function readRules(typed: TypedDestination): DestinationRules {
  const parsed = updateDestinationSchema.safeParse({ rules: rulesInput(typed) });
  return { ...LET_ALL_THROUGH, ...rulesFrom(parsed.data?.rules) };
}

const FIELDS: Readonly<Record<string, DestinationField>> = {
  ...{ name: 'name', kind: 'kind', url: 'url', secret: 'secret' },
  ...{ min_severity: 'severity', change_types: 'types', artist_ids: 'artists' },
};

function outcomeOf<Value>(parsed: z.ZodSafeParseResult<Value>): Read<Value> {
  if (parsed.success) return { ok: true, value: parsed.data };
  const errors: Partial<Record<DestinationField, string>> = {};
  for (const { path, message } of parsed.error.issues) {
    const field = FIELDS[String(path[0] === 'rules' ? path[1] : path[0])] ?? 'url';
    errors[field] ??= `It ${message}.`;
  }
  return { ok: false, errors };
}
