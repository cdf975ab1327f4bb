import { LRUCache } from 'lru-cache';

/** Characters of text that are remembered at most, so that a large definition cannot fill the memory. */
const rememberedCharacters = 16 * 1024 * 1024;

/**
 * Remembers what a pure reader made of a text, so that the same definition is parsed and judged once and not on every
 * attempt. The text is the key: a changed row is another text. What is remembered is shared, and frozen.
 */
export function readOnce<Value extends object>(read: (text: string) => Value): (text: string) => Value {
  const remembered = new LRUCache<string, Value>({
    maxSize: rememberedCharacters,
    maxEntrySize: rememberedCharacters / 16,
    sizeCalculation: (_value, text) => text.length + 1,
  });
  return (text) => {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const value = deepFreeze(read(text));
    remembered.set(text, value);
    return value;
  };
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part as object);
  return Object.freeze(value);
}
