import { StartRefused, eventually } from '@agentstration/local-servers';

const readyWithinMs = 60_000;

interface Report {
  readonly checks: Readonly<Record<string, { readonly ready: boolean; readonly reason?: string }>>;
}

/** No waiting makes a broker fsync before it acknowledges. */
const willNotPass = /RequiredDurability is power.* acknowledges before it fsyncs/;

/**
 * Waits until `/readyz` is green.
 *
 * @throws StartRefused naming what is not ready and why: after a minute, or at once where waiting is of no use
 */
export async function becomeReady(httpUrl: string, within = readyWithinMs): Promise<void> {
  const hopeless = await eventually(() => assertReady(httpUrl), { within, every: 50 });
  if (hopeless) throw hopeless;
}

/** Answers a refusal that will not pass; throws one that may. */
async function assertReady(httpUrl: string): Promise<StartRefused | undefined> {
  const response = await fetch(`${httpUrl}/readyz`);
  if (response.ok) return undefined;
  const { checks } = (await response.json()) as Report;
  const faults = Object.entries(checks).filter(([, { ready }]) => !ready);
  const told = faults.map(([name, { reason = 'not ready' }]) => `${name}: ${reason}`).join('; ');
  const refusal = new StartRefused(`The host does not get ready. ${told}`);
  if (willNotPass.test(told)) return refusal;
  throw refusal;
}
