import type { Page } from 'playwright-core';
import type { Hand } from '../hands.js';
import type { Account, Stage } from '../stage.js';

export interface Walker {
  readonly stage: Stage;
  readonly account: Account;
  readonly hand: Hand;
  newPage(email?: string): Promise<Page>;
  /** Inspects a page that only this walk reaches. Without scripts, axe never ends. */
  look(page: Page, name: string): Promise<void>;
}

/** A sequence of actions across pages. */
export type Walk = [guarantee: string, walk: (walker: Walker) => Promise<void>];
