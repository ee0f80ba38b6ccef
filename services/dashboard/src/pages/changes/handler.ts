import { EXPORT_FORMATS, exportChunks, exportFileName } from '@artist-watch/contracts/api/change-export';
import { historyStart } from '@artist-watch/domain/account/plans';
import { CHANGE_STATUSES, type ChangeStatus, MAX_NOTE_CHARS } from '@artist-watch/domain/change/change-types';
import { begun } from '@artist-watch/http/answer/answer';
import { updateHandling } from '@artist-watch/persistence/change/change-handling';
import { changeExports } from '@artist-watch/persistence/change/feed-store';
import type { Database } from '@artist-watch/persistence/database/database';
import { addressOf, pagesOf, positionText, typedId } from '../../application/fields.js';
import { get, type Page, page, post, type Reply, redirect, statusOf, type Visit } from '../../application/page.js';
import { counted } from '../../views/text.js';
import type { PageParts } from '../parts.js';
import { MAX_ARTISTS, rangeOf, readChanges, readFilter } from './query.js';
import { changesView } from './view.js';

/** If reading the header or the first page fails, the member still gets an error page. */
const CHUNKS_BEFORE_ANSWER = 2;

export function changesPages({ reads, writes }: PageParts): Page[] {
  const exports = changeExports(reads);
  return [
    get('/changes', 'member', async (visit) => {
      const { typed, filter, errors, after } = readFilter(visit.query);
      if (statusOf(errors) === 200) await visit.begin('Changes');
      const { changes, next, artists, groups } = await readChanges(reads, visit, filter, after);
      const list = visit.link('/changes');
      const view = {
        link: visit.link,
        zone: visit.zone,
        plan: visit.account.plan,
        typed,
        errors,
        changes,
        groups,
        ...pagesOf(list, filter, ['after', positionText(after), positionText(next)]),
        mayBeMoreArtists: artists.length === MAX_ARTISTS,
        artists: artists.map(({ id, name }) => ({ name, href: addressOf(list, { ...filter, artist: id }) })),
        exportHref: addressOf(`${list}/export`, filter),
        here: visit.query.toString(),
      };
      return page('Changes', changesView(view), statusOf(errors));
    }),
    post('/changes/handling', 'member', (visit) => handle(writes, visit)),
    get('/changes/export', 'member', async (visit) => {
      const { filter, errors } = readFilter(visit.query);
      const list = `/changes?${visit.query}`;
      if (statusOf(errors) !== 200) return redirect(list);
      const { range } = await rangeOf(reads, visit, filter);
      // If several artists match, the member can choose one in the list.
      if (!range) return redirect(list);
      const { plan } = visit.account;
      const sinceNow = async () => historyStart(await visit.planNow(), visit.now);
      return {
        kind: 'stream',
        type: EXPORT_FORMATS.csv.type,
        fileName: exportFileName('csv', visit.now),
        chunks: await begun(exportChunks('csv', exports.pages({ ...range, plan, sinceNow })), CHUNKS_BEFORE_ANSWER),
      };
    }),
  ];
}

const DONE: Readonly<Record<ChangeStatus, string>> = {
  open: 'reopened',
  handled: 'marked as handled',
  expected: 'marked as expected',
};

async function handle(writes: Database, { form, account, actor: by, now }: Visit): Promise<Reply> {
  const ids = form.getAll('change').flatMap((text) => text.split(' ').flatMap((id) => typedId('chg', id) ?? []));
  const list = form.get('list');
  const back =
    list !== null ? `/changes?${new URLSearchParams(list)}` : form.has('overview') ? '' : `/changes/${ids[0]}`;
  if (ids.length === 0) return redirect(back, 'No change was selected.');
  const status = CHANGE_STATUSES.find((name) => name === form.get('status'));
  const note = form.get('note')?.replaceAll('\r\n', '\n').slice(0, MAX_NOTE_CHARS);
  const assignee = form.get('assignee') ?? undefined;
  const oldest = historyStart(account.plan, now);
  await updateHandling(writes, { accountId: account.id, ids, oldest, status, note, assignee, by, now });
  if (status === undefined) return redirect(back, note === undefined ? 'Assignee saved.' : 'Note saved.');
  return redirect(back, `${ids.length === 1 ? 'Change' : counted(ids.length, 'change')} ${DONE[status]}.`);
}
