export { InMemoryAttemptStore } from './in-memory-attempt-store.ts';
