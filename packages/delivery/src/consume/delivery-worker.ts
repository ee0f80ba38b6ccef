import type { DeliveryJob } from '@artist-watch/contracts/jobs';
import { Worker } from 'bullmq';

type JobWorker = Worker<DeliveryJob, void, string>;

/**
 * A worker of BullMQ that begins each job before it asks for the next. BullMQ's own asks until the queue is empty or it has
 * as many jobs as it may, a round trip each, and begins none of them before (`Worker.mainLoop`): the only job of an idle queue
 * waits for one round trip more, and the last of eighty waited 300 ms beside a flood.
 *
 * So it may have one job more than it has begun, up to its `limit`. Made with `autorun: false`. This rests on how `mainLoop`
 * calls `processJob` and reads `concurrency` (BullMQ 6.7.0): look at both before an upgrade.
 */
export class DeliveryWorker extends Worker<DeliveryJob, void, string> {
  #limit: number;
  #begun = 0;

  constructor(...made: ConstructorParameters<typeof Worker<DeliveryJob, void, string>>) {
    super(...made);
    this.#limit = this.concurrency;
    this.#allowOneMore();
  }

  /** Jobs that it may have at once from now on. */
  set limit(jobs: number) {
    this.#limit = jobs;
    this.#allowOneMore();
  }

  override processJob(...job: Parameters<JobWorker['processJob']>): ReturnType<JobWorker['processJob']> {
    this.#begun += 1;
    this.#allowOneMore();
    return super.processJob(...job).finally(() => {
      this.#begun -= 1;
      this.#allowOneMore();
    });
  }

  /** For a close() that waits for a Redis that is gone: its timer would renew the locks of jobs for ever. */
  stopRenewing(): Promise<void> {
    return this.lockManager.close();
  }

  #allowOneMore(): void {
    this.concurrency = Math.min(this.#limit, this.#begun + 1);
  }
}
