/** Who did something: a member in the dashboard, a key over the API, an operator with the CLI, or the service itself. */
export interface Actor {
  readonly kind: 'member' | 'api_key' | 'operator' | 'service';
  /** `mem_…` or `key_…`; null for the others. */
  readonly id: string | null;
  /** The member's address, the key's hint, or `operator`. */
  readonly name: string;
}

export const OPERATOR: Actor = { kind: 'operator', id: null, name: 'operator' };
