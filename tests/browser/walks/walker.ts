import type { Page } from 'playwright-core';
import type { Hand } from '../hands.js';
import type { Account, Stage } from '../stage.js';

/** A walk's browser actions and its own account. */
export interface Walker {
  readonly stage: Stage;
  readonly account: Account;
  readonly hand: Hand;
  /** A browser that is signed in with the address. */
  newPage(email?: string): Promise<Page>;
  /** Inspects a page that only this walk reaches. Scripts must run, because without them axe never ends. */
  look(page: Page, name: string): Promise<void>;
}

/** Actions from the first page to the last, named after the guarantee that they prove. */
export type Walk = [guarantee: string, walk: (walker: Walker) => Promise<void>];
