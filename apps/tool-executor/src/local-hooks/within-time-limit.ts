import type { Limited, TimeLimit } from '@agentstration/governance';

/** The hook time limit over real time. */
export const withinTimeLimit = (milliseconds: number): TimeLimit => {
  return async <T>(work: (signal: AbortSignal) => Promise<T> | T): Promise<Limited<T>> => {
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<Limited<T>>((resolve) => {
      timer = setTimeout(() => {
        controller.abort();
        resolve({ kind: 'timed_out' });
      }, milliseconds);
    });
    try {
      return await Promise.race([settle(() => work(controller.signal)), limit]);
    } finally {
      clearTimeout(timer);
    }
  };
};

async function settle<T>(work: () => Promise<T> | T): Promise<Limited<T>> {
  try {
    return { kind: 'done', value: await work() };
  } catch (error) {
    return { kind: 'threw', error };
  }
}
