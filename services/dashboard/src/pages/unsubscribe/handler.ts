import { MAIL_LISTS, type MailList } from '@artist-watch/domain/account/mail-preferences';
import type { MemberId } from '@artist-watch/domain/ids';
import { type Guest, type GuestPage, get, page, post, type Reply } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { unknownLinkView, unsubscribedView, unsubscribeView } from './view.js';

/** Without a session, and without anything of a page: mail programs and providers post here by themselves (RFC 8058). */
const PATH = '/unsubscribe/:member/:list/:token';

/** GET changes nothing, since mail scanners open links; its button posts. */
export function unsubscribePages({ unsubscribes, mailPreferences }: PageParts): GuestPage[] {
  const proven = ({ params: { member, list, token = '' } }: Guest) => {
    const known = MAIL_LISTS.find((each) => each === list);
    return known !== undefined && unsubscribes.isProofOf(member as MemberId, known, token) ? known : undefined;
  };
  const answered = async (guest: Guest, answer: (list: MailList) => Promise<Reply>) => {
    const list = proven(guest);
    return list === undefined ? page('Unknown link', unknownLinkView(), 404) : answer(list);
  };
  return [
    get(PATH, 'anybody', (guest) => answered(guest, async (list) => page('No more mails', unsubscribeView({ list })))),
    post(PATH, 'anybody', (guest) =>
      answered(guest, async (list) => {
        await mailPreferences.end(guest.params.member as MemberId, list);
        return page('No more mails', unsubscribedView({ list }));
      }),
    ),
  ];
}
