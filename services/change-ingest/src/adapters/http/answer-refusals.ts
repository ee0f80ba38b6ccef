import { type ApiErrorCode, type ErrorBody, statusOf } from '@artist-watch/contracts/api/errors';
import type { Logger } from '@artist-watch/observability/logger';
import type { ErrorRequestHandler, Response } from 'express';
import { IngestRefusal } from '../../application/refusal.js';

/** Seconds after which a record that was away may well be back. */
const RETRY_AFTER_SECONDS = 2;

/** Answers everything that was thrown as `{"error":{"code","message"}}`; what was not foreseen is logged, not shown. */
export function answerRefusals(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    if (!(error instanceof IngestRefusal)) {
      log.error('request.failed', { error });
      sendRefusal(response, 'internal_error', 'Something went wrong on our side.');
      return;
    }
    if (error.code === 'service_unavailable') {
      log.error('request.failed', { error: error.cause });
      response.set('Retry-After', String(RETRY_AFTER_SECONDS));
    }
    if (error.code === 'unauthorized') response.set('WWW-Authenticate', 'Bearer');
    sendRefusal(response, error.code, error.message);
  };
}

export function refusalBody(code: ApiErrorCode, message: string): string {
  const body: ErrorBody = { error: { code, message } };
  return JSON.stringify(body);
}

function sendRefusal(response: Response, code: ApiErrorCode, message: string): void {
  response.locals.refusal = code;
  response.status(statusOf(code)).type('application/json').send(refusalBody(code, message));
}
