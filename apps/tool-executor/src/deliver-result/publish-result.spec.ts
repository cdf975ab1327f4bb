import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { isOwnInbox } from './publish-result.ts';

const scope = { tenantId: 'acme', workspaceId: 'support' };

describe('a reply subject', () => {
  it.each(['_INBOX.acme.support.x', '_INBOX.acme.support.x.1', '_R_.6j24DF.EpRCbJ', '_R_.6j24DF.EpRCbJ.x'])(
    verifies(['REQ-006', 'REQ-012'], 'leads to the Workspace or back into its account: %s'),
    (reply) => expect(isOwnInbox(scope, reply)).toBe(true),
  );

  it.each([
    '',
    '_INBOX.acme.support',
    '_INBOX.acme.support2.x',
    '_INBOX.acme.other.x',
    '_INBOX.acme.support.*',
    '_INBOX.acme.support.>',
    '_INBOX.acme.support.x y',
    '_INBOX.acme.support.',
    '_INBOX.acme.support..x',
    '_INBOX.acme.support.x.',
    '_INBOX.x',
    '_R_',
    '_R_.x',
    '_R_.x..y',
    '_R_.>',
    '_R_.x.*',
    'x._R_.a.b',
    'agentstration.journal.v1.acme.support.runtime.run-1.x',
    '$JS.ACK.AGENTSTRATION_REQUESTS.tool-executor.1.1.1.1.1',
  ])(verifies('REQ-006', 'leads elsewhere: %j'), (reply) => expect(isOwnInbox(scope, reply)).toBe(false));
});
