/**
 * Reads the next item while the caller works on the one before. When the caller leaves early, a read that is under way is
 * not waited for: end it with the signal of the source.
 */
export async function* oneAhead<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  const read = (): Promise<IteratorResult<Item>> => {
    const reading = iterator.next();
    // It is reported when its turn comes.
    reading.catch(() => undefined);
    return reading;
  };
  let next = read();
  try {
    for (let item = await next; !item.done; item = await next) {
      next = read();
      yield item.value;
    }
  } finally {
    iterator.return?.().catch(() => undefined);
  }
}
