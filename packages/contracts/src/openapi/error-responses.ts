import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { ReferenceObject, ResponseObject } from 'openapi3-ts/oas31';
import { API_ERRORS, type ApiErrorCode, type ErrorBody, statusOf } from '../api/errors.js';
import { HEADERS_OF_ALL, type HeaderName, headerReferences } from './headers.js';

/** What an answer of the status carries besides the headers of all. */
const HEADERS_BY_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** What the parser refuses is answered before anybody is known (docs/reference/api.md). */
const WITHOUT_RATE = new Set([408, 431]);

/**
 * The answers that are errors, one for each status, with every code that may come with it. Each distinct one is a
 * component of the document.
 */
export class ErrorResponses {
  readonly #registry: OpenAPIRegistry;
  readonly #registered = new Set<string>();

  constructor(registry: OpenAPIRegistry) {
    this.#registry = registry;
  }

  of(codes: readonly ApiErrorCode[]): Record<string, ReferenceObject> {
    const byStatus = new Map<number, ApiErrorCode[]>();
    for (const code of codes) byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
    return Object.fromEntries(
      [...byStatus].map(([status, ofStatus]) => [String(status), this.#reference(status, ofStatus)]),
    );
  }

  #reference(status: number, codes: readonly ApiErrorCode[]): ReferenceObject {
    const name = `${status}-${codes.join('-')}`;
    if (!this.#registered.has(name)) {
      this.#registered.add(name);
      this.#registry.registerComponent('responses', name, toResponse(status, codes));
    }
    return { $ref: `#/components/responses/${name}` };
  }
}

function toResponse(status: number, codes: readonly ApiErrorCode[]): ResponseObject {
  const always = WITHOUT_RATE.has(status) ? (['X-Request-Id'] as const) : HEADERS_OF_ALL;
  return {
    description: codes.map((code) => `\`${code}\`: ${API_ERRORS[code].meaning}`).join('\n\n'),
    headers: headerReferences([...always, ...(HEADERS_BY_STATUS[status] ?? [])]),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              type: 'object',
              required: ['code', 'message'],
              properties: {
                code: { type: 'string', enum: [...codes] },
                message: { type: 'string', description: 'For people; it may change.' },
              },
            },
          },
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: { error: { code, message: plain(code) } } satisfies ErrorBody }]),
        ),
      },
    },
  };
}

/** The meaning without the marks of Markdown. */
function plain(code: ApiErrorCode): string {
  return API_ERRORS[code].meaning.replaceAll('`', '');
}
