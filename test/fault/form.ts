/** `smoke` is part of every test run; `full` and `soak` are asked for: `npm run test:fault -- --full`, `-- --soak 30m`. */
export type Form = 'smoke' | 'full' | 'soak';

export const form = (process.env.AGENTSTRATION_FAULT_FORM ?? 'smoke') as Form;

/** What the whole run is made of: printed with every table, it makes the same requests and faults again. */
export const firstSeed = Number(process.env.AGENTSTRATION_SEED ?? Math.floor(Math.random() * 1_000_000));

/** How long a soak goes on. */
export const soakMs = Number(process.env.AGENTSTRATION_SOAK_MS ?? 0);

export const severity = { outageMs: form === 'smoke' ? 1_500 : 5_000 };

/** One seed for each run of a fault. */
export const seeds = Array.from(
  { length: form === 'full' ? Number(process.env.AGENTSTRATION_SEEDS ?? 2) : 1 },
  (_, index) => firstSeed + index,
);

/**
 * The brokers of the run: the one that is found anyway, and in the full form those that `NATS_BIN_2_12=/path/to/nats-server`
 * names, by the environment or by what was fetched.
 */
export const brokers: readonly { readonly version: string; readonly program?: string }[] = [
  { version: 'as installed' },
  ...Object.entries(process.env).flatMap(([name, program]) =>
    form === 'full' && name.startsWith('NATS_BIN_') && program
      ? [{ version: name.slice('NATS_BIN_'.length).replaceAll('_', '.'), program }]
      : [],
  ),
];

/** Brokers that the full form would have broken, had they been there. */
export const brokersNotRun = (process.env.AGENTSTRATION_BROKERS_MISSING ?? '').split('; ').filter((missing) => missing !== '');
