import { ApiError } from '@artist-watch/contracts/api/errors';
import { scopeOf } from '@artist-watch/contracts/api/operations/operation';
import type { Principal } from '@artist-watch/domain/account/actor';
import { PLANS } from '@artist-watch/domain/account/plans';
import { DESTINATION_KINDS, isChat } from '@artist-watch/domain/channel/destination-kind';
import type { AccountId } from '@artist-watch/domain/ids';
import { PlanRequired } from '@artist-watch/domain/refusals';
import type { Answer, StreamedAnswer } from '@artist-watch/http/answer/answer';
import { bodyReader, type RequestBody } from '@artist-watch/http/request/request-body';
import { answerByRouter, type RoutedResponse } from '@artist-watch/http/request/standalone-router';
import { type Request, Router } from 'express';
import { z } from 'zod';
import { answerOnce, type OnceOptions } from './answer/idempotent-answer.js';
import type { ApiContext } from './api-context.js';
import { type ApiRequest, BASE_PATH, pathId, queryParser, type Route, readBody } from './route.js';

/** Finds the route of a request, after the access middleware has admitted it. */
export function createRouter(routes: readonly Route[], options: RouterOptions): (context: ApiContext) => void {
  const router = Router({ strict: true, caseSensitive: true });
  for (const [path, routesOfPath] of groupedByPath(routes)) {
    const byMethod = new Map(routesOfPath.map((route) => [`${route.operation.method}`, answering(route, options)]));
    const allow = allowOf(routesOfPath);
    router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), async (request: Request, response: RoutedResponse<ApiContext>) => {
      const { context } = response.locals;
      context.route = path;
      const route = byMethod.get(request.method === 'HEAD' ? 'GET' : request.method);
      if (!route) throw methodNotAllowed(request.method, allow);
      const answer = await route(context, request);
      if ('chunks' in answer) await context.stream(answer);
      else context.send(answer);
    });
  }

  return (context) => {
    const { request } = context;
    if (request.method === 'CONNECT' || request.url === '*') {
      // These name another host, or all of this one, in place of an address (RFC 9112 section 3.2).
      context.fail(methodNotAllowed(request.method, METHODS_OF_ALL));
      return;
    }
    answerByRouter(router, context);
  };
}

const bodyOf = bodyReader({ maxBytes: 16 * 1024, maxText: '16 KiB', inflate: false });
/** 500 lines of names, or of addresses with what people copy along. */
const listOf = bodyReader({ maxBytes: 128 * 1024, maxText: '128 KiB', inflate: false, csv: true });

/** What takes no body must not do as if it heeded one: `{"dry_run": true}` would be taken for a promise to send nothing. */
const NO_BODY = { body: { schema: z.strictObject({}), example: {}, optional: true } };

const METHODS_OF_ALL = 'GET, HEAD, POST, PATCH, DELETE';

export interface RouterOptions extends OnceOptions {
  /** Does the account have a destination that its plan has too? */
  hasDestination(accountId: AccountId): Promise<boolean>;
}

/** RFC 6750 section 3.1. */
function requireScope({ operation }: Route, { scopes }: Principal): void {
  const scope = scopeOf(operation);
  if (scopes.includes(scope)) return;
  throw new ApiError('insufficient_scope', `This key lacks the scope "${scope}", which this request needs.`, {
    headers: { 'WWW-Authenticate': `Bearer realm="artist-watch", error="insufficient_scope", scope="${scope}"` },
  });
}

/**
 * A customer may always read and delete what he has, and make and handle the channels that his plan has; everything else
 * of the Business plan takes the plan.
 */
async function requirePlan(
  { operation }: Route,
  principal: Principal,
  { hasDestination, body }: Pick<RouterOptions, 'hasDestination'> & { readonly body: RequestBody },
): Promise<void> {
  const { businessFeature, keptOnDowngrade, forChannels } = operation;
  if (!businessFeature || principal.plan === 'business') return;
  if (keptOnDowngrade && principal.keepsDestinations) return;
  if (forChannels && PLANS[principal.plan].chatDestinations > 0) {
    const isTheirs = forChannels === 'to_make' ? asksForChannel(body) : hasDestination(principal.accountId);
    if (await isTheirs) return;
  }
  throw new PlanRequired(businessFeature);
}

/** Of a body that is not looked at any further yet. */
async function asksForChannel(body: RequestBody): Promise<boolean> {
  const json = await body.readJson().catch(() => undefined);
  const kind = typeof json === 'object' && json !== null && 'kind' in json ? json.kind : undefined;
  return DESTINATION_KINDS.some((known) => known === kind && isChat(known));
}

/** Answers one operation, once its scope, its plan and its input are checked. */
function answering(route: Route, { hasDestination, ...once }: RouterOptions) {
  const { operation } = route;
  const readQuery = queryParser(operation);
  return async (context: ApiContext, request: Request): Promise<Answer | StreamedAnswer> => {
    const { principal, identify, requestId, now } = context;
    if (!principal) throw new Error('A request reached its route without a principal.');
    requireScope(route, principal);
    const body = (operation.takesList ? listOf : bodyOf)(request, context.response);
    await requirePlan(route, principal, { hasDestination, body });
    const query = readQuery(request.originalUrl);
    const key = operation.idempotent ? request.headers['idempotency-key'] : undefined;
    const given = { principal, identify, requestId, now, query, ...body, readBody: () => readBody(operation, body) };
    // In here, what is refused is kept for a repeat of the same key like any other answer.
    const answer = async (onceOf: ApiRequest['once']) => {
      const id = pathId(operation, request.params.id as string | undefined);
      if (!operation.body && operation.method !== 'GET') await readBody(NO_BODY, body).catch(refuseBody);
      return route.answer({ ...given, id, once: onceOf } as ApiRequest);
    };
    if (typeof key !== 'string') return answer(() => undefined);
    const target = `${request.method} ${request.originalUrl}`;
    return answerOnce(once, { key, target, accountId: principal.accountId, now, body }, async (onceOf) => {
      const answered = await answer(onceOf);
      if ('chunks' in answered) throw new Error(`${operation.id} cannot be kept for a repeat.`);
      return answered;
    });
  };
}

function refuseBody(error: unknown): never {
  if (!(error instanceof ApiError) || error.code === 'payload_too_large') throw error;
  throw new ApiError(error.code, 'This address takes no body; send none.');
}

/** Paths with an id come last: `/artists/search` is none of `/artists/{id}`. */
function groupedByPath(routes: readonly Route[]): Map<string, Route[]> {
  const grouped = new Map<string, Route[]>();
  const hasId = ({ operation: { of } }: Route) => Number(of !== undefined);
  for (const route of [...routes].sort((a, b) => hasId(a) - hasId(b))) {
    const path = `${BASE_PATH}${route.operation.path}`;
    grouped.set(path, [...(grouped.get(path) ?? []), route]);
  }
  return grouped;
}

/** HEAD is answered wherever GET is. */
function allowOf(routes: readonly Route[]): string {
  return routes.flatMap(({ operation: { method } }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}

function methodNotAllowed(method: string | undefined, allow: string): ApiError {
  return new ApiError('method_not_allowed', `This address does not take ${method}, but ${allow}.`, {
    headers: { Allow: allow },
  });
}
