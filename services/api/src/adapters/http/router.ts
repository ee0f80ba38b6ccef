import { ApiError } from '@artist-watch/contracts/api/errors';
import { scopeOf } from '@artist-watch/contracts/api/operations/operation';
import type { Principal } from '@artist-watch/domain/account/actor';
import { PLANS } from '@artist-watch/domain/account/plans';
import { chatKindOf, DESTINATION_KINDS, isChat } from '@artist-watch/domain/channel/destination-kind';
import type { AccountId } from '@artist-watch/domain/ids';
import { PlanRequired } from '@artist-watch/domain/refusals';
import type { Answer, StreamedAnswer } from '@artist-watch/http/answer/answer';
import { bodyReader, type RequestBody } from '@artist-watch/http/request/request-body';
import { methodNotAllowed, notFound, pathAndQueryOf, pathSuggester } from '@artist-watch/http/request/request-head';
import { answerByRouter, type RoutedResponse } from '@artist-watch/http/request-context';
import { type Request, Router } from 'express';
import { z } from 'zod';
import type { ApiContext } from './access-middleware.js';
import { answerOnce, type OnceOptions } from './idempotent-answer.js';
import { type ApiRequest, BASE_PATH, pathId, queryParser, type Route, readBody } from './route.js';

export function createRouter(routes: readonly Route[], options: RouterOptions): (context: ApiContext) => void {
  const router = Router({ strict: true, caseSensitive: true });
  for (const [path, routesOfPath] of groupedByPath(routes)) {
    const byMethod = new Map(routesOfPath.map((route) => [`${route.operation.method}`, handlerOf(route, options)]));
    const allowed = methodsOf(routesOfPath);
    router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), async (request: Request, response: RoutedResponse<ApiContext>) => {
      const { context } = response.locals;
      context.route = path;
      const route = byMethod.get(request.method === 'HEAD' ? 'GET' : request.method);
      if (!route) throw methodNotAllowed(request.method, allowed);
      const answer = await route(context, request);
      if ('chunks' in answer) await context.stream(answer);
      else context.send(answer);
    });
  }

  const suggest = pathSuggester(
    BASE_PATH,
    routes.map(({ operation }) => operation.path),
  );
  return (context) => {
    const { request } = context;
    if (request.method === 'CONNECT' || request.url === '*') {
      // The target names another host or the whole server (RFC 9112, section 3.2).
      context.fail(methodNotAllowed(request.method, ALL_METHODS));
      return;
    }
    answerByRouter(router, context, () => {
      const [wanted = ''] = pathAndQueryOf(request.url).split('?', 1);
      return notFound(wanted, suggest(wanted));
    });
  };
}

const bodyOf = bodyReader({ maxBytes: 16 * 1024, maxText: '16 KiB', inflate: false });
/** A list of artists can have up to 500 lines, each with a name or a link. */
const listOf = bodyReader({ maxBytes: 128 * 1024, maxText: '128 KiB', inflate: false, csv: true });

/** Silently ignoring `{"dry_run": true}` would be dangerous, so operations that take no body reject any fields. */
const NO_BODY = { body: { schema: z.strictObject({}), example: {}, optional: true } };

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];

export interface RouterOptions extends OnceOptions {
  readonly publicUrl: string | undefined;
  hasDestination(accountId: AccountId): Promise<boolean>;
}

/** RFC 6750 section 3.1. */
function requireScope({ operation }: Route, { scopes }: Principal): void {
  const scope = scopeOf(operation);
  if (scopes.includes(scope)) return;
  throw new ApiError('insufficient_scope', `This API key needs the scope "${scope}" for this request.`, {
    headers: { 'WWW-Authenticate': `Bearer realm="artist-watch", error="insufficient_scope", scope="${scope}"` },
  });
}

/** Rejects features that aren't in the plan. Existing resources can still be read and deleted. */
async function requirePlan(
  { operation }: Route,
  principal: Principal,
  { hasDestination, body }: Pick<RouterOptions, 'hasDestination'> & { readonly body: RequestBody },
): Promise<void> {
  const { businessFeature, keptOnDowngrade, forChannels } = operation;
  if (!businessFeature || principal.plan === 'business') return;
  if (keptOnDowngrade && principal.keepsDestinations) return;
  if (forChannels && PLANS[principal.plan].chatDestinations > 0) {
    const isIncluded = forChannels === 'to_make' ? createsChannel(body) : hasDestination(principal.accountId);
    if (await isIncluded) return;
  }
  throw new PlanRequired(businessFeature);
}

/** The body is not validated yet. */
async function createsChannel(body: RequestBody): Promise<boolean> {
  const json = await body.readJson().catch(() => undefined);
  const { kind, url } = { ...(typeof json === 'object' && json) } as { kind?: unknown; url?: unknown };
  // If the kind is missing, the request fails later, with an error that says so.
  if (kind === undefined && typeof url === 'string' && chatKindOf(url)) return true;
  return DESTINATION_KINDS.some((known) => known === kind && isChat(known));
}

/** Checks the scope, the plan and the input before the handler runs. */
function handlerOf(route: Route, { hasDestination, publicUrl: baseUrl = BASE_PATH, ...once }: RouterOptions) {
  const { operation } = route;
  const readQuery = queryParser(operation);
  return async (context: ApiContext, request: Request): Promise<Answer | StreamedAnswer> => {
    const { principal, identify, requestId, now } = context;
    if (!principal) throw new Error('A request reached its route without being authenticated.');
    requireScope(route, principal);
    const body = (operation.takesList ? listOf : bodyOf)(request, context.response);
    await requirePlan(route, principal, { hasDestination, body });
    const query = readQuery(request.originalUrl);
    const key = operation.idempotent ? request.headers['idempotency-key'] : undefined;
    const given = {
      principal,
      identify,
      requestId,
      now,
      baseUrl,
      query,
      ...body,
      readBody: () => readBody(operation, body),
    };
    const answer = async (onceOf: ApiRequest['once']) => {
      const id = pathId(operation, request.params.id as string | undefined);
      if (!operation.body && operation.method !== 'GET') await readBody(NO_BODY, body).catch(refuseBody);
      return route.answer({ ...given, id, once: onceOf } as ApiRequest);
    };
    if (typeof key !== 'string') return answer(() => undefined);
    const target = `${request.method} ${request.originalUrl}`;
    return answerOnce(once, { key, target, accountId: principal.accountId, now, body }, async (onceOf) => {
      const answered = await answer(onceOf);
      if ('chunks' in answered)
        throw new Error(`${operation.id} responds with a stream, which cannot be stored for a repeated request.`);
      return answered;
    });
  };
}

function refuseBody(error: unknown): never {
  if (!(error instanceof ApiError) || error.code === 'payload_too_large') throw error;
  throw new ApiError(error.code, 'This operation takes no request body. Send the request without one.');
}

/** Paths with an id come last, so that `search` in `/artists/search` is not parsed as an id. */
function groupedByPath(routes: readonly Route[]): Map<string, Route[]> {
  const grouped = new Map<string, Route[]>();
  const hasId = ({ operation: { of } }: Route) => Number(of !== undefined);
  for (const route of [...routes].sort((a, b) => hasId(a) - hasId(b))) {
    const path = `${BASE_PATH}${route.operation.path}`;
    grouped.set(path, [...(grouped.get(path) ?? []), route]);
  }
  return grouped;
}

function methodsOf(routes: readonly Route[]): string[] {
  return routes.flatMap(({ operation: { method } }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}
