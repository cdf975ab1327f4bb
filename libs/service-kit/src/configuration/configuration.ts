import type { Static } from 'typebox';
import { authentication } from './schema-authentication.ts';
import { extensions, logging, toolExecution, toolProviders } from './schema-execution.ts';
import { database, http, journal, nats, rateLimit, requests } from './schema-infrastructure.ts';
import { readModel } from './schema-read-model.ts';
import { section, text } from './schema-parts.ts';

/** The one schema: types, checks, environment variables and the reference page all come from it. */
export const configurationSchema = section({
  ToolExecution: toolExecution,
  Nats: nats,
  Journal: journal,
  Requests: requests,
  Database: database,
  ReadModel: readModel,
  Http: http,
  Authentication: authentication,
  RateLimit: rateLimit,
  ToolProviders: toolProviders,
  Extensions: extensions,
  Logging: logging,
  DataDirectory: text('Folder for what a service keeps itself, such as the development key. `AGENTSTRATION_DATA` sets it too.', {
    default: '.agentstration',
  }),
});

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> }
    : Value;

/** Everything below `Agentstration`, complete with defaults and deeply frozen; secrets are read from their files. */
export type Configuration = DeepReadonly<Static<typeof configurationSchema>>;

/** What was given, before defaults. */
export type PartialConfiguration = DeepPartial<Configuration>;
