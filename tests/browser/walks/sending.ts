import { type Reaction, type Receiver, startReceiver } from '@artist-watch/harness/receiver';
import { until } from '@artist-watch/harness/until';
import { expect } from '@jest/globals';
import { leadsOn, shownOnce } from '../hands.js';
import { freshArtist, report } from '../platform.js';
import type { Walk, Walker } from './walker.js';

const SECRET = /whsec_[A-Za-z\d+/]{43}=/;
/** Must equal the value in setup.mjs. */
const SWITCH_OFF_AFTER = 4;
const DEADLINE_MS = 60_000;

/** The receiver fails at first. */
export const SENDING: Walk[] = [
  [
    'a destination is created with a secret that is shown only once, is edited, and gets a new secret',
    12,
    (walker) =>
      withReceiver({}, async (receiver) => {
        const { account, hand, newPage, look } = walker;
        const page = await newPage(await account.member());
        await create(walker, receiver, page, 'Warehouse');
        const secret = await shownOnce(page);
        expect(secret).toMatch(SECRET);
        await look(page, 'destination-created');
        await leadsOn(page, hand.press(page, 'main a', /^Done$/));
        const own = page.url();
        // Chromium shows a confirmation page before it submits a form again.
        await page.goBack().catch(() => undefined);
        const shown = await until('a page', () => page.content());
        expect(shown).not.toContain(secret);
        await page.goto(own);

        await leadsOn(page, hand.press(page, 'main a', /^Edit$/));
        await hand.type(page, 'input[name=name]', 'Night shift');
        await leadsOn(page, hand.press(page, 'main button', /^Preview$/));
        await leadsOn(page, hand.press(page, 'main button', /^Save$/));
        await page.getByRole('heading', { name: 'Night shift', level: 1 }).waitFor();

        await leadsOn(page, hand.press(page, 'main button', /^Create new secret$/));
        const next = await shownOnce(page);
        expect(next).not.toBe(secret);
        await look(page, 'secret-created');
        await leadsOn(page, hand.press(page, 'main a', /^Done$/));
        await look(page, 'destination-rotating');
        await leadsOn(page, hand.press(page, 'main button', /^Activate$/));
        expect(await page.content()).not.toMatch(SECRET);
      }),
  ],
  [
    'a destination is switched off and then deleted',
    3,
    ({ account, hand, newPage }) =>
      withReceiver({}, async ({ url }) => {
        const page = await newPage(await account.member());
        const { id } = await account.api<{ id: string }>('POST', '/destinations', { url, name: 'Night shift' });
        const own = account.url(`/destinations/${id}`);
        await page.goto(own);
        await hand.press(page, 'main summary', /^Disable/);
        await leadsOn(page, hand.press(page, 'main form[action$="/disable"] button'));
        await page.getByText("We're keeping new changes until you enable this channel", { exact: true }).waitFor();
        await hand.type(page, 'main form[action$="/delete"] input[name=name]', 'Night shift');
        await leadsOn(page, hand.press(page, 'main button', /^Delete channel$/));
        expect((await page.goto(own))?.status()).toBe(404);
      }),
  ],
  [
    'a failing destination is switched off, tested and enabled, and gets exactly the changes in the recovery preview',
    12,
    (walker) =>
      withReceiver({ status: 500, body: 'out of paper' }, async (receiver) => {
        const { stage, account, hand, newPage, look } = walker;
        const page = await newPage(await account.member());
        const artist = await freshArtist(stage);
        await account.api('POST', '/artists', { platform_id: artist.id });
        await create(walker, receiver, page, 'Printer');
        await leadsOn(page, hand.press(page, 'main a', /^Done$/));
        const own = page.url();

        const removed = (count: number) =>
          Array.from({ length: count }, (_, index) => ({
            ...{ type: 'release_removed', entityType: 'release' as const, entityName: `Gone ${index}` },
          }));
        const destination = (what: string, condition: string) =>
          until(
            what,
            async () => {
              const text = `SELECT FROM destinations WHERE url = $1 AND ${condition}`;
              return (await stage.pool.query(text, [receiver.url])).rowCount === 1;
            },
            DEADLINE_MS,
          );
        // Requests that are in flight at the first failure do not count. Later ones are sent one by one.
        await report(stage, artist, removed(1));
        await destination('the first failure', 'consecutive_failures = 1');
        await report(stage, artist, removed(SWITCH_OFF_AFTER + 1));
        await destination('the switch-off', "state = 'off'");
        await page.goto(own);
        await page.getByText(`${SWITCH_OFF_AFTER} failed attempts in a row`).first().waitFor();
        await look(page, 'destination-switched-off');
        await leadsOn(page, hand.press(page, 'main button', /^Send a test$/));
        await page.getByText('Your receiver responded with 500').waitFor();
        await look(page, 'destination-tested');
        receiver.answerWith({ status: 204 });
        await leadsOn(page, hand.press(page, 'main button', /^Send a test$/));
        await page.getByText('Your receiver responded with 204').waitFor();
        await report(stage, artist, removed(1));

        await leadsOn(page, hand.press(page, 'main button', /^Enable$/));
        const shown = await page
          .locator('main .row-link')
          .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split('/').at(-1) ?? ''));
        const { rows } = await stage.pool.query<{ id: string }>(
          'SELECT change_id AS id FROM deliveries WHERE id = ANY ($1)',
          [shown],
        );
        expect(rows).toHaveLength(SWITCH_OFF_AFTER + 3);
        await look(page, 'recovery-preview');
        const before = receiver.requests.length;
        await leadsOn(page, hand.press(page, 'main button', new RegExp(`^Send ${rows.length} changes$`)));
        const sent = (await receiver.waitFor(before + rows.length, DEADLINE_MS)).slice(before);
        expect(sent.map(changeIdOf).sort()).toEqual(rows.map(({ id }) => id).sort());

        await page.goto(own);
        await leadsOn(page, hand.press(page, 'main .row-link'));
        const [, delivery] = /\/(dlv_\w+)$/.exec(page.url()) ?? [];
        await until('the end of the delivery', async () => {
          await page.reload();
          return (await page.getByRole('button', { name: 'Send again' }).count()) > 0;
        });
        await look(page, 'delivery-recovered');
        await leadsOn(page, hand.press(page, 'main button', /^Send again$/));
        const again = (await receiver.waitFor(before + rows.length + 1, DEADLINE_MS)).at(-1);
        const asked = await stage.pool.query('SELECT change_id FROM deliveries WHERE id = $1', [delivery]);
        expect(again && changeIdOf(again)).toBe(asked.rows[0]?.change_id);
      }),
  ],
];

async function withReceiver(script: Reaction, walk: (receiver: Receiver) => Promise<void>): Promise<void> {
  const receiver = await startReceiver({ script });
  try {
    await walk(receiver);
  } finally {
    await receiver.close();
  }
}

async function create(
  { account, hand }: Walker,
  { url }: Receiver,
  page: Awaited<ReturnType<Walker['newPage']>>,
  name: string,
): Promise<void> {
  await page.goto(account.url('/destinations'));
  await leadsOn(page, hand.press(page, 'main a', /^New channel$/));
  await hand.type(page, 'input[name=url]', url);
  await hand.type(page, 'input[name=name]', name);
  await hand.choose(page, 'select[name=min_severity]', 'Critical only');
  await leadsOn(page, hand.press(page, 'main button', /^Preview$/));
  expect(await page.locator('input[name=url]').inputValue()).toBe(url);
  await leadsOn(page, hand.press(page, 'main button', /^Create channel$/));
  await page.getByRole('heading', { name: 'Channel created' }).waitFor();
}

function changeIdOf({ body }: { readonly body: Buffer }): string {
  return (JSON.parse(body.toString('utf8')) as { change_id: string }).change_id;
}
