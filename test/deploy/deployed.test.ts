import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ToolResult, inboxPrefix, requestSubject, resultSubject } from '@agentstration/contracts';
import { eventually } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Deployment } from './deployment.ts';

const services = ['management-api', 'tool-executor', 'governance-projector'];
const scope = { tenantId: 'acme', workspaceId: 'demo' };

/** What the compose file says, started as processes from `dist/`: its users may do what the services need. */
describe('the deployment', () => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.start();
  }, 240_000);
  afterAll(() => deployment.stop());

  it(
    verifies('DEPLOY-010', 'provisions streams and schema, twice without harm, and ends'),
    async () => {
      expect(await deployment.runToEnd('provision')).toMatchObject({ code: 0 });
      expect(await deployment.runToEnd('provision')).toMatchObject({ code: 0 });
    },
    240_000,
  );

  it(
    verifies('DEPLOY-010', 'becomes ready, each service as its own user of broker and database'),
    async () => {
      await Promise.all(services.map((service) => deployment.startService(service)));
    },
    240_000,
  );

  it(
    verifies('DEPLOY-010', 'takes a hook, refuses a call of an unknown tool, and shows its trace'),
    async () => {
      const headers = { authorization: `Bearer ${await deployment.token()}`, 'content-type': 'application/json' };
      const hook = {
        apiVersion: 'agentstration.io/v1',
        kind: 'ToolExecutionHook',
        metadata: { name: 'nothing' },
        definition: { displayName: 'Nothing', enabled: true, order: 1, handler: 'deny', configuration: { code: 'no', message: 'No.' } },
      };
      const created = await fetch(deployment.url('management-api', '/api/toolexecutionhooks'), {
        method: 'POST',
        headers,
        body: JSON.stringify(hook),
      });
      expect({ status: created.status, body: await created.text() }).toMatchObject({ status: 201 });

      const call = { ...scope, ownerKind: 'RuntimeRun', runId: 'run-1', toolCallId: 'call_1' } as const;
      expect(await resultOf(call)).toMatchObject({ outcome: 'Failed', failure: { kind: 'Rejected', code: 'tool_not_found' } });

      await eventually(
        async () => {
          const answer = await fetch(deployment.url('governance-projector', '/api/tool-governance/runtime/run-1'), { headers });
          const { items } = (await answer.json()) as { items: { decision: string; outcome: string }[] };
          expect(items).toEqual([expect.objectContaining({ toolCallId: 'call_1', decision: 'Failed', outcome: 'Failed' })]);
        },
        { within: 90_000 },
      );
    },
    240_000,
  );

  /** Requests a call as the Workspace's requester, and reads its result. */
  async function resultOf(call: Parameters<typeof resultSubject>[0]): Promise<ToolResult> {
    const connection = await connect({
      servers: deployment.natsUrl,
      user: 'requester-acme-demo',
      pass: deployment.secret('nats-password-requester-acme-demo'),
      inboxPrefix: inboxPrefix(scope),
    });
    try {
      const { ownerKind, runId, toolCallId } = call;
      const request = { toolCallId, run: { ownerKind, runId }, toolId: 'everything.echo', agentId: 'support-agent' };
      await jetstream(connection).publish(requestSubject(scope), JSON.stringify(request));
      const manager = await jetstreamManager(connection, { checkAPI: false });
      return await eventually(
        async () => {
          const message = await manager.direct.getMessage('AGENTSTRATION_RESULTS', { last_by_subj: resultSubject(call) });
          if (!message) throw new Error('There is no result yet');
          return message.json<ToolResult>();
        },
        { within: 90_000 },
      );
    } finally {
      await connection.close();
    }
  }

  it(
    verifies('DEPLOY-010', 'ends in good order when it is asked to'),
    async () => {
      expect(await Promise.all(services.map((service) => deployment.stopService(service)))).toEqual([0, 0, 0]);
    },
    240_000,
  );
});
