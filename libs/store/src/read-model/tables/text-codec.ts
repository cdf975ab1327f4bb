/** PostgreSQL text holds neither U+0000 nor a lone surrogate; the escape character U+E000 must stay itself, too. */
const unstorable = /[\0\ue000]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const mayNeedEscape = /[\0\ue000\ud800-\udfff]/;

/** Any string as text that PostgreSQL stores exactly; equal strings stay equal, and only they do. */
export const encodeText = (text: string): string =>
  mayNeedEscape.test(text) ? text.replace(unstorable, (unit) => `\ue000${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) : text;

/** The inverse of {@link encodeText}. */
export const decodeText = (stored: string): string =>
  stored.includes('\ue000') ? stored.replace(/\ue000([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))) : stored;

export const encodeNullable = (text: string | null): string | null => (text === null ? null : encodeText(text));
export const decodeNullable = (stored: string | null): string | null => (stored === null ? null : decodeText(stored));
