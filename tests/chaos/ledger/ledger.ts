import type {
  AcceptedChange,
  Backlog,
  Fault,
  LedgerDestination,
  RecordedDelivery,
  SeenMail,
  SeenRequest,
} from './entries.js';

/** Everything that was promised, seen and done during one scenario, written down as it happens. */
export class Ledger {
  readonly destinations: LedgerDestination[] = [];
  readonly accepted = new Map<string, AcceptedChange>();
  readonly seen: SeenRequest[] = [];
  readonly faults: Fault[] = [];
  readonly backlogs: Backlog[] = [];
  /** Members who get mails of critical changes, and what came for them. */
  readonly mailed = new Set<string>();
  mails: readonly SeenMail[] = [];

  expect(destination: LedgerDestination): void {
    this.destinations.push(destination);
  }

  accept(changes: readonly AcceptedChange[]): void {
    for (const change of changes) this.accepted.set(change.externalId, change);
  }

  /** @returns the entry, whose answer is filled in when it is given. */
  see(request: SeenRequest): SeenRequest {
    this.seen.push(request);
    return request;
  }

  /** Chat messages name their change alone. */
  nameDeliveries(deliveries: readonly RecordedDelivery[]): void {
    const ids = new Map(deliveries.map((row) => [`${row.changeId} ${row.destinationId}`, row.deliveryId]));
    for (const request of this.seen) {
      request.deliveryId = ids.get(`${request.deliveryId} ${request.destinationId}`) ?? request.deliveryId;
    }
  }

  suffer(fault: Fault): void {
    this.faults.push(fault);
  }

  wait(backlog: Backlog): void {
    this.backlogs.push(backlog);
  }

  /** How many deliveries must be made in the end. */
  expectedDeliveries(): number {
    let expected = 0;
    for (const change of this.accepted.values()) {
      for (const destination of this.destinations) if (destination.lets(change)) expected += 1;
    }
    return expected;
  }
}
