import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { adviceOn } from './broker-advice.ts';

describe('a broker with replicas', () => {
  it.each(['2.9.10', '2.10.27', '2.11.0', '1.99.0'])(verifies('JVER-011', 'is warned of when it is %s'), (version) => {
    expect(adviceOn({ version, replicas: 3 })).toContain(`nats-server ${version} keeps 3 replicas`);
    expect(adviceOn({ version, replicas: 1 })).toBeUndefined();
  });

  it.each(['2.12.0', '2.12.3-beta', '2.15.1', '3.0.0'])(verifies('JVER-011', 'is not when it is %s'), (version) => {
    expect(adviceOn({ version, replicas: 3 })).toBeUndefined();
  });
});
