import { includesRole, type MemberRole } from '@artist-watch/domain/account/actor';
import { planTitle } from '@artist-watch/domain/account/plans';
import type { ComponentChildren, VNode } from 'preact';
import type { Visit } from '../application/page.js';
import { Icon, type IconName } from './icon.js';

export interface Frame {
  readonly title: string;
  readonly assets: { readonly styles: string; readonly script: string; readonly htmx: string; readonly icon: string };
  readonly notice: string | undefined;
  /** Undefined on pages that don't belong to an account. */
  readonly visit: (Pick<Visit, 'account' | 'member' | 'link'> & { readonly path: string }) | undefined;
}

interface NavigationItem {
  readonly label: string;
  readonly icon: IconName;
  readonly path: string;
  readonly below?: string;
  readonly role?: MemberRole;
}

const NAVIGATION: readonly NavigationItem[] = [
  { label: 'Overview', icon: 'house', path: '' },
  { label: 'Changes', icon: 'activity', path: '/changes', below: '/feeds' },
  { label: 'Artists', icon: 'mic-vocal', path: '/artists', below: '/groups' },
  { label: 'Channels', icon: 'webhook', path: '/destinations' },
  { label: 'Deliveries', icon: 'send', path: '/deliveries' },
  { label: 'Tools', icon: 'wrench', path: '/tools' },
  { label: 'API keys', icon: 'key-round', path: '/keys' },
  { label: 'Members', icon: 'users', path: '/members' },
  { label: 'Usage', icon: 'chart-column', path: '/usage' },
  { label: 'Audit', icon: 'history', path: '/audit', role: 'owner' },
  { label: 'Settings', icon: 'settings', path: '/settings' },
];

const HTMX_CONFIG = JSON.stringify({
  // The content security policy forbids inline styles.
  includeIndicatorCSS: false,
  history: false,
  // An error response is a full page, so htmx must not swap it into part of the current page.
  noSwap: [204, 304, '4xx', '5xx'],
  // htmx needs `data-htmx-powered`. Ignoring `open` prevents a refresh from closing sections that the user has opened.
  morphIgnore: ['data-htmx-powered', 'open'],
});

export function layout({ title, assets, notice, visit }: Frame, body: ComponentChildren): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content={HTMX_CONFIG} />
        <title>{`${title} · Artist Watch`}</title>
        <link rel="icon" href={assets.icon} />
        <link rel="stylesheet" href={assets.styles} />
        <script src={assets.htmx} defer />
        <script src={assets.script} defer />
      </head>
      <body class={visit ? 'with-side' : undefined}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {visit ? (
          <AccountFrame {...visit} icon={assets.icon} />
        ) : (
          <header class="top">
            <a class="brand" href="/">
              <img src={assets.icon} alt="" width="20" height="20" />
              Artist Watch
            </a>
          </header>
        )}
        <main id="content" tabindex={-1}>
          {notice !== undefined && (
            <p class="notice" role="status">
              <Icon name="check" />
              {notice}
            </p>
          )}
          {body}
        </main>
        {visit && <Shortcuts />}
      </body>
    </html>
  );
}

/** On phones, a button opens the navigation. It works without scripts. */
function AccountFrame({ account, member, link, path, icon }: NonNullable<Frame['visit']> & { icon: string }): VNode {
  return (
    <>
      <header class="top">
        <button type="button" class="menu-button" popovertarget="side" aria-label="Menu">
          <Icon name="menu" />
        </button>
        <search class="search">
          <form action={link('/search')}>
            <Icon name="search" />
            <input
              type="search"
              name="q"
              id="search-field"
              aria-label="Search artists, or go to an ID"
              placeholder="Search, or paste an ID"
              maxlength={200}
              spellcheck={false}
              autocomplete="off"
            />
            <span class="key" aria-hidden="true">
              /
            </span>
          </form>
        </search>
      </header>
      <div class="side" id="side" popover="auto">
        <a class="brand" href={link('')}>
          <img src={icon} alt="" width="20" height="20" />
          Artist Watch
        </a>
        <nav aria-label="Main">
          <ul>
            {NAVIGATION.filter(({ role = 'member' }) => includesRole(member.role, role)).map((item) => (
              <li>
                <a href={link(item.path)} aria-current={isCurrent(path, item, link) ? 'page' : undefined}>
                  <Icon name={item.icon} />
                  {item.label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="whoami">
          <p>
            <strong>{account.name}</strong>
            <span>{planTitle(account.plan)} plan</span>
            <span>{member.email}</span>
          </p>
          <div class="whoami-actions">
            <a href="/">Other accounts</a>
            <form method="post" action="/sign-out">
              <button type="submit" class="link">
                Sign out
              </button>
            </form>
            <button type="button" class="link" data-shortcuts hidden>
              Keyboard shortcuts
            </button>
          </div>
        </div>
      </div>
    </>
  );
}

/** All paths start with the overview's path, so the overview is only current if the paths are identical. */
function isCurrent(path: string, item: NavigationItem, link: Visit['link']): boolean {
  if (item.path === '') return path === link('');
  return [item.path, item.below ?? item.path].some((below) => `${path}/`.startsWith(`${link(below)}/`));
}

const SHORTCUTS = [
  ['/', 'Search'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['?', 'Show these shortcuts'],
] as const;

function Shortcuts(): VNode {
  return (
    <dialog id="shortcuts" aria-labelledby="shortcuts-title">
      <form method="dialog">
        <h2 id="shortcuts-title">Keyboard shortcuts</h2>
        <dl class="keys">
          {SHORTCUTS.map(([key, what]) => (
            <div>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

export function failureView({ title, sentences }: { title: string; sentences: readonly string[] }): VNode {
  return (
    <section class="failure">
      <h1>{title}</h1>
      {sentences.map((sentence) => (
        <p>{sentence}</p>
      ))}
      <p>
        <a href="/">Go to the overview</a>
      </p>
    </section>
  );
}
