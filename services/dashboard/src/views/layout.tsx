import type { PlanName } from '@artist-watch/domain/account/plans';
import { includesRole, type MemberRole } from '@artist-watch/domain/account/role';
import type { VNode } from 'preact';
import { NAVIGATION } from './navigation.js';

export interface Frame {
  readonly title: string;
  readonly assets: { readonly styles: string; readonly script: string; readonly htmx: string; readonly icon: string };
  /** What the action before this page did. */
  readonly notice: string | undefined;
  /** Undefined outside of an account: sign-in, and pages for nobody in particular. */
  readonly visit:
    | {
        readonly account: { readonly name: string; readonly plan: PlanName };
        readonly member: { readonly email: string; readonly role: MemberRole };
        readonly link: (path: string) => string;
        readonly path: string;
      }
    | undefined;
}

/** No style element and no evaluated code: the policy (CSP) allows neither. */
const HTMX_CONFIG = JSON.stringify({ includeIndicatorCSS: false, history: false });

/** The document around every page. */
export function layout({ title, assets, notice, visit }: Frame, body: VNode): VNode {
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
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header>
          <a class="brand" href="/">
            Artist Watch
          </a>
          {visit && <Navigation {...visit} />}
        </header>
        <main id="content">
          {notice !== undefined && (
            <p class="notice" role="status">
              {notice}
            </p>
          )}
          {body}
        </main>
      </body>
    </html>
  );
}

function Navigation({ account, member, link, path }: NonNullable<Frame['visit']>): VNode {
  return (
    <>
      <nav aria-label="Main">
        <ul>
          {NAVIGATION.filter(({ role = 'member' }) => includesRole(member.role, role)).map((item) => (
            <li>
              <a href={link(item.path)} aria-current={path.startsWith(link(item.path)) ? 'page' : undefined}>
                {item.label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <p class="whoami">
        <span>{account.name}</span> <span>{member.email}</span>
      </p>
      <form method="post" action="/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </>
  );
}
