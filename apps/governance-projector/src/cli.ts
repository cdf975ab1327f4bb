import { runOperatorCommand } from './operator-commands.ts';

await runOperatorCommand();
