import { loadavg } from 'node:os';

const lookEveryMs = 1_000;

/** How busy this machine is meanwhile, with whatever it does besides. */
export function watchLoad(signal: AbortSignal): { most(): number } {
  let most = 0;
  const look = () => {
    most = Math.max(most, loadavg()[0] ?? 0);
  };
  look();
  const timer = setInterval(look, lookEveryMs);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return { most: () => most };
}
