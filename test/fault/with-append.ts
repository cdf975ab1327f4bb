import type { Journal } from '@agentstration/governance';

/** A Journal that reads as the given one does, and appends in another way. */
export const withAppend = (journal: Journal, append: Journal['append']): Journal => ({
  append,
  readLast: (subject) => journal.readLast(subject),
  readToolCall: (call) => journal.readToolCall(call),
});
