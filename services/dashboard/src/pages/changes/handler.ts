import { EXPORT_FORMATS, exportChunks, exportFileName } from '@artist-watch/contracts/api/change-export';
import { historyStart } from '@artist-watch/domain/account/plans';
import { begun } from '@artist-watch/http/answer/stream-body';
import { changeExports } from '@artist-watch/persistence/change/change-exports';
import { addressOf, pagesOf, positionText } from '../../application/fields.js';
import { get, type Page, page, redirect, statusOf } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { MAX_ARTISTS, rangeOf, readChanges, readFilter } from './query.js';
import { changesView } from './view.js';

/** The file's head and its first page. An error up to then is still shown as an error page. */
const CHUNKS_BEFORE_ANSWER = 2;

/** `/changes`: the account's confirmed changes, newest first, also as a file. */
export function changesPages({ reads }: PageParts): Page[] {
  const exports = changeExports(reads);
  return [
    get('/changes', 'member', async (visit) => {
      const { typed, filter, errors, after } = readFilter(visit.query);
      if (statusOf(errors) === 200) await visit.begin('Changes');
      const { changes, next, artists } = await readChanges(reads, visit, filter, after);
      const list = visit.link('/changes');
      const view = {
        ...{ link: visit.link, zone: visit.zone, plan: visit.account.plan, typed, errors, changes },
        ...pagesOf(list, filter, ['after', positionText(after), positionText(next)]),
        mayBeMoreArtists: artists.length === MAX_ARTISTS,
        artists: artists.map(({ id, name }) => ({ name, href: addressOf(list, { ...filter, artist: id }) })),
        exportHref: addressOf(`${list}/export`, filter),
      };
      return page('Changes', changesView(view), statusOf(errors));
    }),
    get('/changes/export', 'member', async (visit) => {
      const { filter, errors } = readFilter(visit.query);
      const list = `/changes?${visit.query}`;
      if (statusOf(errors) !== 200) return redirect(list);
      const { range } = await rangeOf(reads, visit, filter);
      // The artist is ambiguous, so the list offers a choice.
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
