/** One call of a side; `call` counts up over all of them. */
export type Side = (call: number) => Promise<unknown>;

export interface Latency {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}
export interface Comparison {
  readonly ours: Latency;
  readonly bare: Latency;
  /** Median over the rounds of ours by bare, of the same round. */
  readonly ratio: Latency;
}
export interface CompareOptions {
  readonly rounds: number;
  /** Calls of each side in a round, in slices that alternate. */
  readonly calls: number;
  readonly slices?: number;
  readonly inFlight?: number;
}

/**
 * Both sides in the same run, in short slices by turns, so that whatever else the machine does meets both. The first round
 * warms up and does not count.
 */
export async function compare(ours: Side, bare: Side, options: CompareOptions): Promise<Comparison> {
  const { rounds, calls, slices = 10, inFlight = 20 } = options;
  const results: { ours: Latency; bare: Latency }[] = [];
  let call = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const [timesOfOurs, timesOfBare]: [number[], number[]] = [[], []];
    for (let slice = 0; slice < slices; slice += 1) {
      const turns = [
        async () => timesOfOurs.push(...(await measure(ours, { first: call, calls: calls / slices, inFlight }))),
        async () => timesOfBare.push(...(await measure(bare, { first: call, calls: calls / slices, inFlight }))),
      ];
      for (const turn of slice % 2 === 0 ? turns : turns.reverse()) await turn();
      call += calls / slices;
    }
    if (round > 0) results.push({ ours: toLatency(timesOfOurs), bare: toLatency(timesOfBare) });
  }
  const over = (of: (one: (typeof results)[number]) => Latency): Latency => ({
    p50: median(results.map((one) => of(one).p50)),
    p99: median(results.map((one) => of(one).p99)),
  });
  return {
    ours: over((one) => one.ours),
    bare: over((one) => one.bare),
    ratio: over((one) => ({ p50: one.ours.p50 / one.bare.p50, p99: one.ours.p99 / one.bare.p99 })),
  };
}

/** Milliseconds of each call, with so many in flight at any time. */
async function measure(side: Side, { first, calls, inFlight }: { first: number; calls: number; inFlight: number }): Promise<number[]> {
  const times: number[] = [];
  let next = first;
  const client = async (): Promise<void> => {
    while (next < first + calls) {
      const call = next++;
      const startedAt = performance.now();
      await side(call);
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, client));
  return times;
}

function toLatency(times: readonly number[]): Latency {
  const sorted = [...times].sort((left, right) => left - right);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 100) / 100;
}
