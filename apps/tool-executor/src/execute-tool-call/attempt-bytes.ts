/**
 * What all facts of one delivered Request may take in the Journal in the worst case, in bytes: a governance fact with 64
 * evaluations and retained arguments of that length (a UTF-16 unit takes three bytes at most), the start and the end of the
 * attempt, and the end of an attempt that another executor left open.
 *
 * @param maximumArgumentsLength configuration `ToolExecution:MaximumArgumentsLength`, in UTF-16 units
 */
export const attemptBytes = (maximumArgumentsLength: number): number => 3 * maximumArgumentsLength + 128 * 1024;
