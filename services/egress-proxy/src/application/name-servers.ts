import type { Resolver } from '@artist-watch/address-policy/resolve-and-check';
import { needsNoNameServer, ROOT } from '@artist-watch/address-policy/system-resolver';

/** With the deadline's second look, and after EGRESS_CONNECT_TIMEOUT, it ends before a worker gives up on this proxy. */
const WITNESS_TIMEOUT_MS = 900;
const WITNESSES = 3;
const REMEMBERED_NAMES = 1_000;
/** Names that fail all the time do not have others looked up all the time. */
const CLEARED_FOR_MS = 1_000;
/** An outage makes no look-ups for every request. */
const SUSPECTED_FOR_MS = 5_000;

export interface NameServersOptions {
  readonly resolve: Resolver;
  readonly monotonicMs: () => number;
}

/**
 * Tells a name whose servers do not answer from the name servers of this proxy being away: the first is the receiver's
 * fault, the second would charge a failure to every receiver at once and switch them all off.
 *
 * When a name fails, the name servers are asked for the root, which is nobody's zone. They are away when they do not
 * answer, and have answered that before. When they do, they may still have lost their own way: then they fail for other
 * zones too. So names of other zones are looked up, first those that were answered the longest ago, which no cache should
 * have any more. When three zones fail, or any number where the root is never answered, it is not the name.
 */
export class NameServers {
  readonly #resolve: Resolver;
  readonly #monotonicMs: () => number;
  /** Names that were answered; the one that was answered, or asked in vain, the longest ago comes first. */
  readonly #known = new Set<string>();
  /** Those of them that failed since. */
  readonly #failing = new Set<string>();
  #answersForRoot: boolean | undefined;
  #clearedAtMs = Number.NEGATIVE_INFINITY;
  #suspectedAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor({ resolve, monotonicMs }: NameServersOptions) {
    this.#resolve = resolve;
    this.#monotonicMs = monotonicMs;
  }

  /** A definite answer came for this name, also that it does not exist. */
  answered(name: string): void {
    if (needsNoNameServer(name)) return;
    this.#clear();
    this.#failing.delete(name);
    this.#moveToEnd(name);
    // What they answer while they are well is what their silence is measured by.
    if (this.#answersForRoot === undefined) {
      this.#answersForRoot = false;
      void this.#isAnswered(ROOT);
    }
    if (this.#known.size <= REMEMBERED_NAMES) return;
    const [oldest = ''] = this.#known;
    this.#known.delete(oldest);
    this.#failing.delete(oldest);
  }

  /** No answer came for this name. Are the name servers to blame? Never rejects. */
  async areLostWith(name: string): Promise<boolean> {
    if (this.#known.has(name)) this.#failing.add(name);
    const isCleared = this.#monotonicMs() - this.#clearedAtMs < CLEARED_FOR_MS;
    if (!isCleared && !this.#areSuspected()) {
      this.#asking ??= this.#ask(name).finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    return this.#areSuspected();
  }

  async #ask(name: string): Promise<void> {
    const askedAtMs = this.#monotonicMs();
    const areLost = await this.#othersFailToo(name);
    // Somebody's name may have been answered meanwhile.
    if (areLost && this.#clearedAtMs < askedAtMs) this.#suspectedAtMs = this.#monotonicMs();
    else this.#clear();
  }

  /** All are asked at once: a worker waits for the verdict. */
  async #othersFailToo(name: string): Promise<boolean> {
    const didAnswerForRoot = this.#answersForRoot === true;
    const witnesses = this.#witnessesAgainst(name);
    const [isThere, ...answers] = await Promise.all([ROOT, ...witnesses].map((asked) => this.#isAnswered(asked)));
    // Some may have been forgotten meanwhile.
    for (const witness of witnesses) if (this.#known.has(witness)) this.#moveToEnd(witness);
    if (!isThere && didAnswerForRoot) return true;
    return answers.length >= (isThere ? WITNESSES : 1) && !answers.includes(true);
  }

  /** One of each other zone. Those that failed themselves only where there are no others. */
  #witnessesAgainst(name: string): readonly string[] {
    const known = [...this.#known];
    const well = known.filter((other) => !this.#failing.has(other));
    const ofZones = new Map<string, string>();
    for (const other of [...well, ...known]) if (!ofZones.has(zoneOf(other))) ofZones.set(zoneOf(other), other);
    ofZones.delete(zoneOf(name));
    return [...ofZones.values()].slice(0, WITNESSES);
  }

  async #isAnswered(name: string): Promise<boolean> {
    try {
      await this.#resolve(name, AbortSignal.timeout(WITNESS_TIMEOUT_MS));
    } catch {
      return false;
    }
    if (name === ROOT) this.#answersForRoot = true;
    else this.#failing.delete(name);
    return true;
  }

  #areSuspected(): boolean {
    return this.#monotonicMs() - this.#suspectedAtMs < SUSPECTED_FOR_MS;
  }

  #clear(): void {
    this.#clearedAtMs = this.#monotonicMs();
    this.#suspectedAtMs = Number.NEGATIVE_INFINITY;
  }

  #moveToEnd(name: string): void {
    this.#known.delete(name);
    this.#known.add(name);
  }
}

/** What most often has servers of its own. Where it is more than that, fewer witnesses are asked. */
function zoneOf(name: string): string {
  return name.split('.').slice(-2).join('.');
}
