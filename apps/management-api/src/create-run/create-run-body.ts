import { patterns } from '@agentstration/contracts';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  Length,
  Matches,
  Validate,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { IsPathSafeId, isGiven } from '../runs/body-rules.ts';

/** One tool call of a manual Run. */
export class ToolCallBody {
  @Length(1, 382)
  readonly toolId!: string;

  @ValidateIf(isGiven)
  @IsObject()
  readonly arguments?: Record<string, unknown>;
}

/** Options of the execution; they never change afterwards, and a retry copies them. */
export class ExecutionBody {
  /** Null inherits the host's choice, true retains, false suppresses. */
  @IsOptional()
  @IsBoolean()
  readonly persistToolArguments?: boolean | null;
}

/** A manual Runtime Run (`toolCalls`), or the registration of a Run executed elsewhere (`ownerKind`, no `toolCalls`). */
export class CreateRunBody {
  @ValidateIf(isGiven)
  @Validate(IsPathSafeId)
  readonly runId?: string;

  @ValidateIf(isGiven)
  @IsIn(['RuntimeRun', 'FlowRun'])
  readonly ownerKind?: 'RuntimeRun' | 'FlowRun';

  @ValidateIf(isGiven)
  @Matches(new RegExp(patterns.agentId), { message: 'agentId must be 1 to 256 printable ASCII characters without space' })
  readonly agentId?: string;

  @ValidateIf(isGiven)
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => ToolCallBody)
  readonly toolCalls?: ToolCallBody[];

  @ValidateIf(isGiven)
  @IsObject()
  @ValidateNested()
  @Type(() => ExecutionBody)
  readonly execution?: ExecutionBody;
}
