import { Injectable } from '@nestjs/common';

export interface ReadinessReport {
  readonly ready: boolean;
  /** Why not; shown by `/readyz`. Holds no secret. */
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}
export type ReadinessCheck = () => Promise<ReadinessReport>;

const checkTimeoutMs = 3000;

/** What `/readyz` asks. Injectable everywhere. */
@Injectable()
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();

  /** `name` is unique: registering it again replaces the check. */
  register(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** Asks all checks at once. A check that throws or takes longer than 3 s is not ready. */
  async report(): Promise<{ ready: boolean; checks: Record<string, ReadinessReport> }> {
    const entries = await Promise.all([...this.checks].map(async ([name, check]) => [name, await ask(check)] as const));
    return { ready: entries.every(([, { ready }]) => ready), checks: Object.fromEntries(entries) };
  }
}

async function ask(check: ReadinessCheck): Promise<ReadinessReport> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ReadinessReport>((resolve) => {
    timer = setTimeout(() => resolve({ ready: false, reason: `no answer within ${checkTimeoutMs} ms` }), checkTimeoutMs);
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    return { ready: false, reason: 'the check failed' };
  } finally {
    clearTimeout(timer);
  }
}
