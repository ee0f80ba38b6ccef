import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import type { ReferenceObject } from 'openapi3-ts/oas31';
import { API_ERROR_CODES, API_ERRORS, type ApiErrorCode, type ErrorBody } from '../api/errors.js';

/**
 * Code generators repeat each response in every operation. With a separate response for each status, oapi-codegen wrote
 * 43,000 lines instead of 13,000.
 */
export function registerErrorResponse(registry: OpenAPIRegistry): void {
  registry.registerComponent('responses', 'Error', {
    description: [
      'An error. Programs should use `error.code`, which has one of these values. New codes may be added.',
      ...API_ERROR_CODES.map((code) => `- ${withStatus(code)}: ${API_ERRORS[code].meaning}`),
    ].join('\n'),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(API_ERROR_CODES.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  });
}

export const ERROR_RESPONSE: ReferenceObject = { $ref: '#/components/responses/Error' };

/** `400 invalid_input` */
function withStatus(code: ApiErrorCode): string {
  return `${API_ERRORS[code].status} \`${code}\``;
}

function exampleOf(code: ApiErrorCode): ErrorBody {
  const message = API_ERRORS[code].meaning.replaceAll('`', '');
  const param = PARAMS[code];
  return { error: { code, message, ...(param && { errors: [{ param, message }] }) } };
}

const PARAMS: Partial<Record<ApiErrorCode, string>> = {
  invalid_since: 'since',
  invalid_limit: 'limit',
  invalid_cursor: 'cursor',
  invalid_isrc: 'isrc',
};
