import { API_ERRORS, ApiError } from '@artist-watch/contracts/api/errors';
import type { Lookup, Reverse } from '@artist-watch/contracts/api/tools';
import { PLANS } from '@artist-watch/domain/account/plans';
import { get, type Page, page, post, type Reply, type Visit } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { type Asked, toolsView } from './view.js';

const MAX_INPUT_CHARS = 2_048;

/** The forms use POST, because a browser could prefetch a link and thereby use up a call from the daily allowance. */
export function toolsPages({ tools }: PageParts): Page[] {
  const show = async (visit: Visit, asked?: Asked, status = 200): Promise<Reply> => {
    const { plan } = visit.account;
    const isIncluded = hasTools(visit);
    const allowance = isIncluded ? await allowanceBeside(visit, asked) : undefined;
    return page('Tools', toolsView({ link: visit.link, plan, isIncluded, allowance, asked }), status);
  };
  /** If a lookup was successful, its result is shown even if the allowance cannot be read. */
  const allowanceBeside = (visit: Visit, asked: Asked | undefined) =>
    tools.allowance(callerOf(visit), visit.now).catch((error: unknown) => {
      if (asked?.found) return undefined;
      throw error;
    });
  const ask = async (visit: Visit, tool: Asked['tool'], call: (text: string) => Promise<Lookup | Reverse>) => {
    if (!hasTools(visit)) return show(visit, undefined, 403);
    const text = (visit.form.get(tool) ?? '').trim().slice(0, MAX_INPUT_CHARS);
    try {
      return await show(visit, { tool, text, found: await call(text) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return show(visit, { tool, text, error: error.message }, API_ERRORS[error.code].status);
    }
  };
  return [
    get('/tools', 'member', (visit) => show(visit)),
    post('/tools/lookup', 'member', (visit) =>
      ask(visit, 'lookup', (text) => tools.lookup(text, callerOf(visit), visit.now)),
    ),
    post('/tools/reverse', 'member', (visit) =>
      ask(visit, 'reverse', (text) => tools.reverse(text, callerOf(visit), visit.now)),
    ),
  ];
}

function hasTools({ account }: Visit): boolean {
  return PLANS[account.plan].toolCallsPerDay > 0;
}

function callerOf({ account }: Visit) {
  return { accountId: account.id, plan: account.plan };
}
