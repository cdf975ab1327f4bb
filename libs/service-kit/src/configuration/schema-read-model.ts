import { mapOf, section, whole } from './schema-parts.ts';

const days = { minimum: 0, maximum: 36_500 };

export const readModel = section(
  {
    RetentionDays: whole('The read model forgets what is older; 0 keeps it for ever. The Journal keeps everything.', {
      default: 0,
      ...days,
    }),
    WorkspaceRetentionDays: mapOf(
      '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\\.[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
      whole('Its own `RetentionDays`.', { default: 0, ...days }),
      'Workspaces that keep it otherwise, by `<tenant>.<workspace>`.',
    ),
    RetentionIntervalMinutes: whole('How often the projector removes what is too old.', { default: 60, minimum: 1, maximum: 1440 }),
  },
  'What the read API answers from.',
);
