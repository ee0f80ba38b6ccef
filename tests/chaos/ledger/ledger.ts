import type {
  AcceptedChange,
  Backlog,
  Fault,
  LedgerDestination,
  RecordedDelivery,
  SeenMail,
  SeenRequest,
} from './entries.js';

/** Records what was promised, seen and done during one scenario. */
export class Ledger {
  readonly destinations: LedgerDestination[] = [];
  readonly accepted = new Map<string, AcceptedChange>();
  readonly seen: SeenRequest[] = [];
  readonly faults: Fault[] = [];
  readonly backlogs: Backlog[] = [];
  /** These members get emails about critical changes. */
  readonly mailed = new Set<string>();
  mails: readonly SeenMail[] = [];

  accept(changes: readonly AcceptedChange[]): void {
    for (const change of changes) this.accepted.set(change.externalId, change);
  }

  /** The caller fills in the response later. */
  see(request: SeenRequest): SeenRequest {
    this.seen.push(request);
    return request;
  }

  /** Chat messages contain only the id of the change. */
  nameDeliveries(deliveries: readonly RecordedDelivery[]): void {
    const ids = new Map(deliveries.map((row) => [`${row.changeId} ${row.destinationId}`, row.deliveryId]));
    for (const request of this.seen) {
      request.deliveryId = ids.get(`${request.deliveryId} ${request.destinationId}`) ?? request.deliveryId;
    }
  }

  expectedDeliveries(): number {
    let expected = 0;
    for (const change of this.accepted.values()) {
      for (const destination of this.destinations) if (destination.lets(change)) expected += 1;
    }
    return expected;
  }
}
