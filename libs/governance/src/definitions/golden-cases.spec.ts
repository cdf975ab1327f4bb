import { readFileSync } from 'node:fs';
import type { ResourceKind } from '@agentstration/contracts';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { validateHookDefinition } from './validate-hook-definition.ts';
import { validateMetadata } from './validate-metadata.ts';
import { validateToolDefinition } from './validate-tool-definition.ts';
import { validateToolProviderDefinition } from './validate-tool-provider-definition.ts';
import type { Validated } from './validated.ts';

interface GoldenCase {
  readonly description: string;
  readonly kind?: ResourceKind;
  readonly input: unknown;
  readonly becomes?: unknown;
  readonly faults?: readonly string[];
}

const read = (file: string): GoldenCase[] => parse(readFileSync(new URL(`cases/${file}.yaml`, import.meta.url), 'utf8')) as GoldenCase[];

const suites: Record<string, (golden: GoldenCase) => Validated<unknown>> = {
  hooks: (golden) => validateHookDefinition(golden.input),
  'tool-providers': (golden) => validateToolProviderDefinition(golden.input),
  tools: (golden) => validateToolDefinition(golden.input),
  metadata: (golden) => validateMetadata(golden.kind ?? 'ToolExecutionHook', golden.input),
};

describe.each(Object.entries(suites))('golden cases: %s', (file, judge) => {
  it.each(read(file).map((golden) => [golden.description, golden] as const))(verifies('RES-001', '%s'), (_description, golden) => {
    const verdict = judge(golden);
    const faults = verdict.ok ? [] : verdict.faults;

    expect(faults.map((fault) => `${fault.pointer} ${fault.code}`).sort()).toEqual([...(golden.faults ?? [])].sort());
    expect(faults.every((fault) => fault.message.length > 5)).toBe(true);
    if (golden.becomes !== undefined) expect(verdict).toEqual({ ok: true, definition: golden.becomes });
  });
});
