/** What an API key may do: `manage` is for everything that changes something, `read` for the rest. */
export const KEY_SCOPES = ['read', 'manage'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];
