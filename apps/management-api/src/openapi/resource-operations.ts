import type { ResourceKind } from '@agentstration/contracts';
import type { ResourceType } from '../resources/resource-type.ts';
import { type Operation, manifestTypes } from './operation.ts';

type Verb = 'list' | 'get' | 'create' | 'put' | 'patch' | 'delete' | 'listGenerations' | 'getGeneration';

const words: Readonly<Record<ResourceKind, { readonly one: string; readonly many: string; readonly tag: string }>> = {
  ToolExecutionHook: { one: 'hook', many: 'hooks', tag: 'Hooks' },
  ToolProvider: { one: 'tool provider', many: 'tool providers', tag: 'Tool providers' },
  Tool: { one: 'tool', many: 'tools', tag: 'Tools' },
};

const one = ['resourceName', 'resourceNamespace'] as const;
const written = ['ETag'] as const;

/** How a verb on a kind of resource is documented. */
export function resourceOperation(verb: Verb, { kind, madeByUsers }: ResourceType): Operation {
  const word = words[kind];
  const manifest = { schema: `${kind}Manifest`, types: manifestTypes };
  const answer = { description: `The ${word.one}.`, schema: kind, headers: written };
  const common = { id: `${verb}${kind}`, tag: word.tag };
  switch (verb) {
    case 'list':
      return {
        ...common,
        summary: `List ${word.many}`,
        parameters: ['anyNamespace', 'labelSelector', 'limit', 'continue'],
        answers: { 200: { description: 'One page, in the order of namespace and name.', schema: `${kind}List` } },
      };
    case 'get':
      return {
        ...common,
        summary: `Read a ${word.one}`,
        parameters: [...one, 'ifNoneMatch'],
        answers: { 200: answer, 304: { description: 'The caller has it already.', headers: written } },
      };
    case 'create':
      return {
        ...common,
        summary: `Create a ${word.one}`,
        parameters: ['resourceNamespace'],
        body: manifest,
        answers: { 201: { ...answer, headers: ['ETag', 'Location'] } },
        problems: ['already_exists'],
      };
    case 'put':
      return putOperation(common, { ...answer, madeByUsers, word: word.one });
    case 'patch':
    case 'delete':
      return changeOperation(verb, common, answer);
    case 'listGenerations':
    case 'getGeneration':
      return generationOperation(verb, common, word.one);
  }
}

type Common = Pick<Operation, 'id' | 'tag'>;

interface Put {
  readonly schema: ResourceKind;
  readonly madeByUsers: boolean;
  readonly word: string;
}

function putOperation(common: Common, { schema, madeByUsers, word }: Put): Operation {
  const replaced = { description: `The ${word} as it is now; the same content changes nothing.`, schema, headers: written };
  const created = { description: `The new ${word}.`, schema, headers: ['ETag', 'Location'] as const };
  return {
    ...common,
    summary: madeByUsers ? `Replace a ${word}, or create it with If-None-Match: *` : `Replace the settings of a ${word}`,
    parameters: [...one, 'ifMatch', 'createOnly'],
    body: { schema: `${schema}Manifest`, types: manifestTypes },
    answers: madeByUsers ? { 200: replaced, 201: created } : { 200: replaced },
    problems: ['etag_mismatch', 'precondition_required'],
  };
}

function changeOperation(verb: 'patch' | 'delete', common: Common, answer: Operation['answers'][number]): Operation {
  const problems = ['etag_mismatch', 'precondition_required'] as const;
  const parameters = [...one, 'ifMatch'] as const;
  if (verb === 'delete')
    return {
      ...common,
      summary: 'Delete; its generations stay readable',
      parameters,
      answers: { 204: { description: 'Deleted.' } },
      problems,
    };
  return {
    ...common,
    summary: 'Change by JSON merge patch (RFC 7396)',
    parameters,
    body: { schema: 'MergePatch', types: ['application/merge-patch+json', 'application/json', 'application/yaml'] },
    answers: { 200: answer },
    problems,
  };
}

function generationOperation(verb: 'listGenerations' | 'getGeneration', common: Common, word: string): Operation {
  if (verb === 'listGenerations')
    return {
      ...common,
      summary: `List every generation that a ${word} had, newest first, also of a deleted one`,
      parameters: [...one, 'limit', 'continue'],
      answers: { 200: { description: 'One page.', schema: 'GenerationList' } },
    };
  return {
    ...common,
    summary: `Read one generation of a ${word}`,
    parameters: [...one, 'generation'],
    answers: { 200: { description: 'The definition in that generation.', schema: 'Generation' } },
  };
}
