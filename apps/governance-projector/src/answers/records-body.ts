import type { RecordsText } from '@agentstration/store/read-model';
import type { Response } from 'express';

/** `{ items, …rest }` of records that are JSON text already: what the read model holds is not parsed to be written again. */
export function recordsBody(response: Response, { text }: RecordsText, rest: object): string {
  response.type('application/json');
  return `{"items":[${text}],${JSON.stringify(rest).slice(1)}`;
}
