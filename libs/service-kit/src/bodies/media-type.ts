/** What a body may be sent as. */
export type BodyFormat = 'json' | 'yaml';

const formats: Readonly<Record<string, BodyFormat>> = {
  'application/json': 'json',
  'application/merge-patch+json': 'json',
  'application/yaml': 'yaml',
};

/** The media types that a method takes; a merge patch (RFC 7396) only makes sense for `PATCH`. */
export const acceptedTypes = (method: string): readonly string[] =>
  Object.keys(formats).filter((type) => method === 'PATCH' || type !== 'application/merge-patch+json');

/** The format of a `Content-Type`; undefined: not one that this method takes. The only charset is UTF-8. */
export function bodyFormat(contentType: string | undefined, method: string): BodyFormat | undefined {
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const utf8 = parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter));
  return utf8 && acceptedTypes(method).includes(type) ? formats[type] : undefined;
}
