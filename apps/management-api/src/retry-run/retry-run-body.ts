import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsObject, IsOptional, IsString, Length, Validate, ValidateIf, ValidateNested } from 'class-validator';
import { IsPathSafeId, isGiven } from '../runs/body-rules.ts';

/** Arguments of one call, given again. */
export class RetriedToolCallBody {
  @ValidateIf(isGiven)
  @IsString()
  readonly toolCallId?: string;

  @ValidateIf(isGiven)
  @Length(1, 382)
  readonly toolId?: string;

  @ValidateIf(isGiven)
  @IsObject()
  readonly arguments?: Record<string, unknown>;
}

/** All of it is optional: an empty body retries with what was retained. */
export class RetryRunBody {
  @ValidateIf(isGiven)
  @Validate(IsPathSafeId)
  readonly runId?: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => RetriedToolCallBody)
  readonly toolCalls?: RetriedToolCallBody[];
}
