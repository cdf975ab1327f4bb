import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires, validateBody } from '@agentstration/service-kit';
import type { ResourceStore } from '@agentstration/store';
import { Length, Matches } from 'class-validator';
import type { Request, Response } from 'express';
import type { Scope } from '@agentstration/contracts';
import { patterns } from '@agentstration/contracts';
import type { HookRow } from '@agentstration/governance';
import { Documented } from '../openapi/operation.ts';
import { operations } from '../openapi/other-operations.ts';
import { send } from '../resources/answer.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { resourceStoreToken } from '../resources/store-token.ts';
import { evaluateHooks } from './evaluate-hooks.ts';

/** The call to explain. */
export class EvaluateHooksBody {
  @Length(1, 382)
  readonly toolId!: string;

  @Length(1, 382)
  readonly providerId!: string;

  @Matches(new RegExp(patterns.agentId), { message: 'agentId must be 1 to 256 printable ASCII characters without space' })
  readonly agentId!: string;
}

/** `POST /api/toolexecutionhooks:evaluate`. */
@Controller('api/toolexecutionhooks\\:evaluate')
export class EvaluateHooksController {
  constructor(@Inject(resourceStoreToken) private readonly store: ResourceStore) {}

  @Post()
  @HttpCode(200)
  @Documented(operations.evaluateHooks)
  @Requires('hooks.read')
  async evaluate(
    @CurrentIdentity() { scope }: Identity,
    @Body(validateBody(EvaluateHooksBody)) { toolId, providerId, agentId }: EvaluateHooksBody,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    refuseUnknown(request.query, []);
    const rows = await readHooks(this.store, scope);
    send(request, response, { body: await evaluateHooks(rows, scope, { toolId, providerId, agentId }) });
  }
}

/** Every hook of the Workspace: one that is left out is explained as well. */
async function readHooks(store: ResourceStore, scope: Scope): Promise<HookRow[]> {
  const rows: HookRow[] = [];
  const query = { ...scope, kind: 'ToolExecutionHook', limit: 200 } as const;
  let page = await store.list(query);
  rows.push(...page.items);
  while (page.next) {
    page = await store.list({ ...query, after: page.next });
    rows.push(...page.items);
  }
  return rows;
}
