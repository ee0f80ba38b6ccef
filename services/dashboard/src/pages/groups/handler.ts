import { createGroupSchema } from '@artist-watch/contracts/api/artist';
import { NotFound } from '@artist-watch/domain/refusals';
import { groupStore } from '@artist-watch/persistence/account/groups';
import { newId } from '@artist-watch/runtime/ids';
import { idOfPath } from '../../application/fields.js';
import type { Page, PageProblem, Reply, Visit } from '../../application/page.js';
import { actOrExplain, get, page, post, redirect } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { groupsView } from './view.js';

export function groupsPages({ reads, writes }: PageParts): Page[] {
  const store = groupStore(writes);
  const named = ({ account: { id: accountId }, actor: by, params, now }: Visit) => ({
    ...{ accountId, by, now },
    id: params.group === undefined ? newId('grp', now) : idOfPath('grp', 'group', params.group),
  });
  const show = async ({ account, link, form, params }: Visit, problem?: PageProblem): Promise<Reply> => {
    const groups = await groupStore(reads).list(account.id);
    const edited = groups.find(({ id }) => id === params.group);
    if (params.group !== undefined && !edited) throw new NotFound('group');
    const typed = { name: form.get('name') ?? edited?.name ?? '', color: form.get('color') ?? edited?.color ?? '' };
    return page('Groups', groupsView({ link, groups, edited, typed, problem: problem?.text }), problem?.status);
  };
  const save = async (visit: Visit): Promise<Reply> => {
    const read = createGroupSchema.safeParse({
      name: (visit.form.get('name') ?? '').trim(),
      color: visit.form.get('color'),
    });
    if (!read.success) return show(visit, { text: 'Enter a name of 1 to 50 characters.', status: 400 });
    const { name, color = 'gray' } = read.data;
    const group = { ...named(visit), name, color };
    return actOrExplain(visit, show, async () => {
      await (visit.params.group === undefined ? store.create(group) : store.update(group));
      return redirect('/groups', `Group “${name}” saved.`);
    });
  };
  return [
    get('/groups', 'member', (visit) => show(visit)),
    get('/groups/:group', 'member', (visit) => show(visit)),
    post('/groups', 'member', save),
    post('/groups/:group', 'member', save),
    post('/groups/:group/delete', 'member', (visit) =>
      actOrExplain(visit, show, async () => {
        const { name } = await store.delete(named(visit));
        return redirect('/groups', `Group “${name}” deleted. You keep watching its artists.`);
      }),
    ),
  ];
}
