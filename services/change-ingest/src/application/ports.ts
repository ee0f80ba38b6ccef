/** Tells the relay that there may be deliveries to queue now; it would find them by itself a little later. */
export interface RelayNudge {
  nudge(): void;
}
