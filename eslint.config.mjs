import eslint from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

const adapters = ['layer:contracts', 'layer:governance'];

/** Who may import whom; `docs/architecture.md` says why. */
const boundaries = [
  { sourceTag: 'layer:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'layer:governance', onlyDependOnLibsWithTags: ['layer:contracts'] },
  { sourceTag: 'layer:adapter', onlyDependOnLibsWithTags: adapters },
  { sourceTag: 'layer:service-kit', onlyDependOnLibsWithTags: ['layer:contracts'] },
  {
    sourceTag: 'layer:app',
    onlyDependOnLibsWithTags: [...adapters, 'layer:adapter', 'layer:service-kit', 'layer:local-servers', 'layer:app'],
  },
  { sourceTag: 'layer:console', onlyDependOnLibsWithTags: ['layer:contracts'] },
  { sourceTag: 'layer:local-servers', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'layer:test', onlyDependOnLibsWithTags: ['*'] },
];

/** Specs may also start the real servers and cite requirements. */
const specBoundaries = boundaries.map((rule) => ({
  ...rule,
  onlyDependOnLibsWithTags: [...rule.onlyDependOnLibsWithTags, 'layer:local-servers', 'layer:test'],
}));

/** Suites of the test project import a project whose specs cite requirements through the test project: no code runs in a circle. */
const ignoredCircularDependencies = [['@agentstration/test', '*']];

/** The core is pure: no I/O, no framework, no clock. */
const pureCore = {
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          group: ['node:*', '@nestjs/*', 'typeorm', 'pg', '@nats-io/*', 'nats'],
          message: 'libs/governance is pure: take it as an argument.',
        },
      ],
    },
  ],
  'no-restricted-globals': [
    'error',
    ...['process', 'setTimeout', 'setInterval', 'performance', 'fetch'].map((name) => ({
      name,
      message: 'libs/governance is pure: take it as an argument.',
    })),
  ],
  'no-restricted-syntax': [
    'error',
    {
      selector: "NewExpression[callee.name='Date'][arguments.length=0]",
      message: 'libs/governance has no clock: take the time as an argument.',
    },
    {
      selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
      message: 'libs/governance has no clock: take the time as an argument.',
    },
    {
      selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
      message: 'libs/governance is deterministic: take the value as an argument.',
    },
  ],
};

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', '.nx/', 'coverage/', '.agentstration/'] },
  eslint.configs.recommended,
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
      },
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { allow: [], depConstraints: boundaries, ignoredCircularDependencies, enforceBuildableLibDependency: false },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'max-lines': ['error', { max: 250, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 3],
    },
  },
  { files: ['libs/governance/src/**/*.ts'], ignores: ['**/*.spec.ts'], rules: pureCore },
  {
    // Controllers and Nest constructors take what Nest injects; tests may be longer than what they test.
    files: ['**/*.controller.ts', '**/*.spec.ts', 'test/**/*.ts', '**/*contract-suite*/**/*.ts'],
    rules: { 'max-params': 'off' },
  },
  {
    files: ['**/*.spec.ts', '**/*contract-suite*/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { allow: [], depConstraints: specBoundaries, ignoredCircularDependencies, enforceBuildableLibDependency: false },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts', '**/*contract-suite*/**/*.ts'],
    rules: { 'max-lines': ['error', 400], 'max-lines-per-function': 'off' },
  },
  prettier,
);
