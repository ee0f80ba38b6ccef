import { get, type Page, page, post, redirect, type Visit } from '../../application/page.js';
import { beginSignIn, parseWaitingCookie, pathWithin } from '../../application/sign-in/asking-browser.js';
import { refusalSentence, WHEN_TO_ASK_AGAIN } from '../../views/code-form.js';
import type { PageParts } from '../parts.js';
import { askView, freshCodeView } from './view.js';

/** `/fresh-code`: who changes keys, secrets or members shows first that the mails of the member still reach them. */
export function freshCodePages(parts: PageParts): Page[] {
  const ask = ({ member, link }: Visit, to: string, problem?: string) =>
    page('Confirm that it is you', askView({ email: member.email, link, to, problem }), problem ? 429 : 200);
  return [
    get('/fresh-code', 'member', async (visit) => ask(visit, pathWithin(visit.query.get('to') ?? ''))),
    post('/fresh-code/mail', 'member', async (visit) => {
      const to = pathWithin(visit.form.get('to') ?? '');
      const { member, sessionId } = visit;
      const began = await beginSignIn(parts, visit, { email: member.email, sessionId, to });
      if (!began) return ask(visit, to, `Several codes were asked for in a short time. ${WHEN_TO_ASK_AGAIN}`);
      return redirect('/fresh-code/code');
    }),
    get('/fresh-code/code', 'member', async ({ member, link }) =>
      page('Type the code', freshCodeView({ email: member.email, link })),
    ),
    post('/fresh-code/code', 'member', async ({ now, member, form, sessionId, cookie, setCookie, link }) => {
      const waiting = parseWaitingCookie(cookie('sign-in'));
      if (!waiting) return redirect('/fresh-code');
      const proof = { kind: 'code', text: form.get('code') ?? '' } as const;
      const refusal = await parts.signIns.refresh(waiting, proof, sessionId, now);
      if (refusal) {
        const problem = refusalSentence(refusal);
        return page('Type the code', freshCodeView({ email: member.email, link, problem }), 400);
      }
      setCookie('sign-in', undefined);
      const base = link('');
      const within = waiting.to === base || waiting.to.startsWith(`${base}/`) ? waiting.to.slice(base.length) : '';
      return redirect(within, 'Thank you. For 30 minutes nothing more is asked.');
    }),
  ];
}
