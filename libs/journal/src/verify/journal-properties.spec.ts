import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { describeDifference, differences, journalProperties } from './journal-properties.ts';

/** As nats-server 2.9 answers, which knows nothing of the newer properties. */
const sound = {
  ...{ name: 'AGENTSTRATION_JOURNAL', subjects: ['agentstration.journal.v1.>'], retention: 'limits', storage: 'file', discard: 'new' },
  ...{ max_consumers: -1, max_msgs: -1, max_bytes: 1000, max_age: 0, max_msgs_per_subject: -1, max_msg_size: -1, num_replicas: 1 },
  ...{ duplicate_window: 1, deny_delete: true, deny_purge: true, sealed: false, allow_rollup_hdrs: false },
};

describe('journalProperties', () => {
  it.each([
    ['of 2.9', sound],
    [
      'of 2.15',
      { ...sound, compression: 'none', consumer_limits: {}, allow_msg_ttl: false, persist_mode: '', metadata: { '_nats.ver': '2.15.1' } },
    ],
    ['that says default', { ...sound, persist_mode: 'default', sources: [], mirror: null, subject_delete_marker_ttl: 0 }],
  ])('hold for a Journal %s', (_what, config) => {
    expect(differences(config, journalProperties)).toEqual([]);
  });

  it.each([
    ['storage', 'memory'],
    ['retention', 'interest'],
    ['retention', 'workqueue'],
    ['discard', 'old'],
    ['discard_new_per_subject', true],
    ['no_ack', true],
    ['deny_delete', false],
    ['deny_purge', false],
    ['deny_purge', undefined],
    ['sealed', true],
    ['max_age', 60_000_000_000],
    ['max_msgs', 1],
    ['max_msgs_per_subject', 1],
    ['max_msg_size', 1024],
    ['allow_rollup_hdrs', true],
    ['allow_msg_ttl', true],
    ['subject_delete_marker_ttl', 1_000_000_000],
    ['mirror', { name: 'OTHER' }],
    ['sources', [{ name: 'OTHER' }]],
    ['subject_transform', { src: '>', dest: 'x.>' }],
    ['persist_mode', 'async'],
    ['subjects', ['agentstration.>']],
    ['subjects', ['agentstration.journal.v1.>', 'more']],
    ['subjects', undefined],
  ])(verifies('JVER-001', 'do not hold when %s is %j'), (property, value) => {
    const [difference, ...others] = differences({ ...sound, [property]: value }, journalProperties);
    expect(others).toEqual([]);
    expect(difference).toMatchObject({ property, actual: value ?? null });
    expect(describeDifference(difference!)).toMatch(new RegExp(`^AGENTSTRATION_JOURNAL: ${property} is .*, must be `));
  });
});
