import { ApiError } from '@artist-watch/contracts/api/errors';
import { type ApiOperation, scopeOf } from '@artist-watch/contracts/api/operations/operation';
import type { Principal } from '@artist-watch/domain/account/actor';
import { PLANS } from '@artist-watch/domain/account/plans';
import { DESTINATION_KINDS, isChat } from '@artist-watch/domain/channel/destination-kind';
import type { AccountId } from '@artist-watch/domain/ids';
import { PlanRequired } from '@artist-watch/domain/refusals';
import type { Answer, StreamedAnswer } from '@artist-watch/http/answer/answer';
import { bodyReader } from '@artist-watch/http/request/request-body';
import { answerByRouter, type RoutedResponse } from '@artist-watch/http/request/standalone-router';
import { type Request, Router } from 'express';
import { z } from 'zod';
import { answerOnce, type OnceOptions } from './answer/idempotent-answer.js';
import type { ApiContext } from './api-context.js';
import { parseOptionalBody } from './request/input.js';
import { type ApiRequest, BASE_PATH, type Route } from './route.js';

/** Finds the route of a request, after the access middleware has admitted it. */
export function createRouter(routes: readonly Route[], options: RouterOptions): (context: ApiContext) => void {
  const router = Router({ strict: true, caseSensitive: true });
  for (const [path, routesOfPath] of groupedByPath(routes)) {
    const byMethod = new Map<string, Route>(routesOfPath.map((route) => [route.operation.method, route]));
    const allow = allowOf(routesOfPath);
    router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), async (request: Request, response: RoutedResponse<ApiContext>) => {
      const { context } = response.locals;
      context.route = path;
      const route = byMethod.get(request.method === 'HEAD' ? 'GET' : request.method);
      if (!route) throw methodNotAllowed(request.method, allow);
      const answer = await answerOf(route, options, context, request);
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
const listOf = bodyReader({ maxBytes: 128 * 1024, maxText: '128 KiB', inflate: false });

/** What takes no body must not do as if it heeded one: `{"dry_run": true}` would be taken for a promise to send nothing. */
const NO_FIELDS = z.strictObject({});

/** Of the name of an unknown query parameter. */
const MAX_SHOWN_CHARS = 64;

const METHODS_OF_ALL = 'GET, HEAD, POST, PATCH, DELETE';

type Body = Pick<ApiRequest, 'readJson'>;

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
  { hasDestination, body }: Pick<RouterOptions, 'hasDestination'> & { readonly body: Body },
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
async function asksForChannel(body: Body): Promise<boolean> {
  const json = await body.readJson().catch(() => undefined);
  const kind = typeof json === 'object' && json !== null && 'kind' in json ? json.kind : undefined;
  return DESTINATION_KINDS.some((known) => known === kind && isChat(known));
}

async function answerOf(
  route: Route,
  { hasDestination, ...once }: RouterOptions,
  context: ApiContext,
  request: Request,
): Promise<Answer | StreamedAnswer> {
  const { operation } = route;
  const { principal, requestId, now } = context;
  if (!principal) throw new Error('A request reached its route without an principal.');
  requireScope(route, principal);
  const body = (operation.takesList ? listOf : bodyOf)(request, context.response);
  await requirePlan(route, principal, { hasDestination, body });
  const query = queryOf(request.originalUrl);
  refuseUnknownParameters(query, operation);
  if (!operation.body && operation.method !== 'GET') await parseOptionalBody(NO_FIELDS, body);
  const routed: ApiRequest = {
    principal,
    requestId,
    now,
    once: () => undefined,
    parameters: request.params as Record<string, string>,
    query,
    ...body,
  };
  const key = operation.idempotent ? request.headers['idempotency-key'] : undefined;
  if (typeof key !== 'string') return route.answer(routed);
  const target = `${request.method} ${request.originalUrl}`;
  return answerOnce(once, { key, target, request: routed }, async (onceOf) => {
    const answer = await route.answer({ ...routed, once: onceOf });
    if ('chunks' in answer) throw new Error(`${operation.id} cannot be kept for a repeat.`);
    return answer;
  });
}

/** A parameter that is given twice is for the route to refuse, and one with a queer name is a name like any other. */
function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(url)?.[1]);
}

/** A misspelt filter must not pass for one that lets everything through. */
function refuseUnknownParameters(query: URLSearchParams, operation: ApiOperation): void {
  const known = Object.keys(operation.query?.shape ?? {});
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const allowed = known.length === 0 ? 'this address takes none' : `this address takes ${known.join(', ')}`;
  throw new ApiError('invalid_input', `"${unknown.slice(0, MAX_SHOWN_CHARS)}" is not a query parameter; ${allowed}.`);
}

function groupedByPath(routes: readonly Route[]): Map<string, Route[]> {
  const grouped = new Map<string, Route[]>();
  for (const route of routes) {
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
