import { AsyncLocalStorage } from 'node:async_hooks';

type ContextFields = Record<string, unknown>;

const storage = new AsyncLocalStorage<ContextFields>();

/** Runs `work`; every line logged inside it, however deep, carries `fields` too (`{ requestId }`, `{ deliveryId }`). */
export function withContext<Result>(fields: ContextFields, work: () => Result): Result {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}

export function currentContext(): Readonly<ContextFields> | undefined {
  return storage.getStore();
}
