/** What ingest refuses, and the status of each code (DESIGN section 4, errors). */
export const INGEST_REFUSALS = {
  invalid_json: 400,
  invalid_input: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const satisfies Record<string, number>;

export type IngestRefusalCode = keyof typeof INGEST_REFUSALS;
