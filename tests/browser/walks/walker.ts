import type { Page } from 'playwright-core';
import type { Hand } from '../hands.js';
import type { Account, Stage } from '../stage.js';

export interface Walker {
  readonly stage: Stage;
  readonly account: Account;
  readonly hand: Hand;
  readonly hasScripts: boolean;
  newPage(email?: string): Promise<Page>;
  /** Inspects a page that only this walk reaches. Without scripts, axe never ends. */
  look(page: Page, name: string): Promise<void>;
}

/** A job of a member, with the most clicks that it may take. */
export type Walk = [job: string, maxClicks: number, walk: (walker: Walker) => Promise<void>];
