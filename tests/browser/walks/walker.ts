import type { Page } from 'playwright-core';
import type { Hand } from '../hands.js';
import type { Account, Stage } from '../stage.js';

/** Who walks: with which hand, and in an account of its own. */
export interface Walker {
  readonly stage: Stage;
  readonly account: Account;
  readonly hand: Hand;
  /** A browser, in which the address is signed in. */
  newPage(email?: string): Promise<Page>;
  /** Inspects a page that only this walk comes to, where scripts run: without them axe never ends. */
  look(page: Page, name: string): Promise<void>;
}

/** What somebody does from the first page to the last, by the guarantee that it shows. */
export type Walk = [guarantee: string, walk: (walker: Walker) => Promise<void>];
